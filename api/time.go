package api

import (
	"bytes"
	"fmt"
	"time"
)

// Time is a moment as the interface writes it: RFC 3339 in UTC, always with
// microseconds, so that texts compare as times do.
type Time struct{ time.Time }

// TimeLayout is the form of every timestamp.
const TimeLayout = "2006-01-02T15:04:05.000000Z"

// MarshalJSON writes the time, null when it is zero.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	b := make([]byte, 0, len(TimeLayout)+2)
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, TimeLayout)
	return append(b, '"'), nil
}

// UnmarshalJSON reads any RFC 3339 time, and null as the zero time.
func (t *Time) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		t.Time = time.Time{}
		return nil
	}
	parsed, err := time.Parse(time.RFC3339Nano, string(bytes.Trim(text, `"`)))
	if err != nil {
		return fmt.Errorf("a time in RFC 3339 is needed: %w", err)
	}
	t.Time = parsed.UTC()
	return nil
}

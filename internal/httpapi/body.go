package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/api"
)

const (
	// mostBody bounds a JSON body: far more than any schema needs.
	mostBody = 1 << 20
	// bodyTimeout bounds how long a client may take to send one; it leaves the
	// request time for its work.
	bodyTimeout = requestTimeout - 5*time.Second
)

// body is a JSON object that a client sent, and what was found wrong with it.
// Keys that nobody asks for are ignored.
type body struct {
	members map[string]json.RawMessage
	found   []fieldlift.Detail
}

// readBody reads a request's JSON object, whatever its Content-Type says.
func readBody(w http.ResponseWriter, r *http.Request) (*body, error) {
	// A server without deadlines, as in some tests, has nothing to guard.
	connection := http.NewResponseController(w)
	_ = connection.SetReadDeadline(time.Now().Add(bodyTimeout))
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, mostBody))
	if err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, statusError{http.StatusRequestEntityTooLarge, fieldlift.Errorf(fieldlift.InvalidPayload,
				"The body is larger than the limit of %d bytes.", mostBody)}
		}
		return nil, fieldlift.Errorf(fieldlift.InvalidPayload, "The body could not be read to its end.")
	}
	// It is whole; from now on a deadline would only tell net/http that the client has gone.
	_ = connection.SetReadDeadline(time.Time{})
	if !utf8.Valid(text) {
		return nil, fieldlift.Errorf(fieldlift.InvalidPayload, "The body is not valid UTF-8.")
	}
	return parseBody(text)
}

func parseBody(text []byte) (*body, error) {
	b := &body{}
	if err := json.Unmarshal(text, &b.members); err != nil {
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fieldlift.Errorf(fieldlift.InvalidPayload, "The body is not valid JSON: %v (at byte %d).", syntax, syntax.Offset)
		}
		return nil, fieldlift.Errorf(fieldlift.InvalidPayload, "The body must be a JSON object.")
	}
	if b.members == nil { // "null"
		return nil, fieldlift.Errorf(fieldlift.InvalidPayload, "The body must be a JSON object.")
	}
	return b, nil
}

// member reads a member of the body; a value of another type than T is noted
// as a mistake, and so is null unless nullable.
func member[T any](b *body, key, kind string, nullable bool) api.Optional[T] {
	var value api.Optional[T]
	text, present := b.members[key]
	if !present {
		return value
	}
	if err := json.Unmarshal(text, &value); err != nil || value.Null && !nullable {
		b.refuse(key, "type", "%s must be %s.", key, kind)
		return api.Optional[T]{}
	}
	return value
}

// text reads a member that is a string.
func (b *body) text(key string) *string {
	value := member[string](b, key, "a string", false)
	if !value.Present {
		return nil
	}
	return &value.Value
}

// textOrNull reads a member that is a string or null, which stands for "".
func (b *body) textOrNull(key string) *string {
	value := member[string](b, key, "a string or null", true)
	switch {
	case !value.Present:
		return nil
	case value.Null:
		return new("")
	case value.Value == "":
		b.refuse(key, "format", "%s must not be empty; null clears it.", key)
		return nil
	}
	return &value.Value
}

func (b *body) refuse(key, issue, format string, args ...any) {
	b.found = append(b.found, fieldlift.Detail{Field: key, Issue: issue, Message: fmt.Sprintf(format, args...)})
}

// err gives everything that was found wrong as one error, or nil.
func (b *body) err(more ...fieldlift.Detail) error {
	if found := slices.Concat(b.found, more); len(found) > 0 {
		return fieldlift.Invalid(found...)
	}
	return nil
}

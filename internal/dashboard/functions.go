package dashboard

import (
	"encoding/json"
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"
)

// functions are what templates can call.
func (s *Server) functions() template.FuncMap {
	return template.FuncMap{
		"asset":  s.assets.url,
		"ago":    func(t time.Time) string { return ago(t, s.Now()) },
		"date":   func(t time.Time) string { return t.UTC().Format("2 Jan 2006") },
		"moment": func(t time.Time) string { return t.UTC().Format("2 Jan 2006, 15:04 UTC") },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
		"number": grouped,
		"plural": plural,
		"size":   size,
		"took":   took,
		"share":  share,
		"list":   func(values ...any) []any { return values },
		"join":   strings.Join,

		"multiline": func(text string) bool { return strings.Contains(text, "\n") },

		"fieldtype":    fieldType,
		"percent":      percent,
		"milliseconds": milliseconds,
		"cut":          cut,
		"json": func(value any) (string, error) {
			text, err := json.Marshal(value)
			return string(text), err
		},
	}
}

// ago tells a time as people do. A script brings it up to date.
func ago(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	switch {
	case d < -time.Minute:
		return "in " + span(-d)
	case d < time.Minute:
		return "just now"
	}
	return span(d) + " ago"
}

func span(d time.Duration) string {
	switch {
	case d < time.Hour:
		return plural(int64(math.Round(d.Minutes())), "minute", "minutes")
	case d < 48*time.Hour:
		return plural(int64(math.Round(d.Hours())), "hour", "hours")
	case d < 60*24*time.Hour:
		return plural(int64(math.Round(d.Hours()/24)), "day", "days")
	}
	return plural(int64(math.Round(d.Hours()/24/30)), "month", "months")
}

// plural counts things.
func plural(n any, one, many string) string {
	if text := grouped(n); text != "1" {
		return text + " " + many
	}
	return "1 " + one
}

// grouped writes a whole number with its thousands apart.
func grouped(n any) string {
	digits := fmt.Sprint(n)
	sign := ""
	if strings.HasPrefix(digits, "-") {
		sign, digits = "−", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// took writes how long something took.
func took(d time.Duration) string {
	switch {
	case d > 0 && d < time.Millisecond:
		return "under 1 ms"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < 10*time.Second:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < 2*time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 0, 64) + " s"
	}
	return span(d)
}

// share writes a part of 1 as a percentage.
func share(part float64) string {
	switch percent := 100 * part; {
	case percent == 0:
		return "0 %"
	case percent < 1:
		return "under 1 %"
	default:
		return strconv.FormatFloat(percent, 'f', 0, 64) + " %"
	}
}

// size writes a number of bytes for people.
func size(bytes int64) string {
	const thousand = 1000
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	value, unit := float64(bytes), 0
	for value >= thousand && unit < len(units)-1 {
		value /= thousand
		unit++
	}
	if unit == 0 || value >= 100 {
		return strconv.FormatFloat(value, 'f', 0, 64) + " " + units[unit]
	}
	return strconv.FormatFloat(value, 'f', 1, 64) + " " + units[unit]
}

// percent writes a share; one that is nearly whole is not made whole.
func percent(share float64) string { return strconv.Itoa(int(math.Floor(share*100+1e-9))) + "\u00a0%" }

// milliseconds writes how long something took.
func milliseconds(d time.Duration) string {
	if d < time.Second {
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
}

// cut gives the beginning of a text.
func cut(most int, text string) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

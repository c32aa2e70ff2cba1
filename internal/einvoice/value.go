package einvoice

import (
	"regexp"
	"strings"
	"time"
)

// date brings a date to the form 2026-05-03. CII writes 20260503 and says so in
// an attribute that is always the same; UBL may add a zone.
func date(text string) string {
	for _, layout := range []string{"20060102", time.DateOnly} {
		if len(text) < len(layout) {
			continue
		}
		if at, err := time.Parse(layout, text[:len(layout)]); err == nil {
			return at.Format(time.DateOnly)
		}
	}
	return ""
}

var decimal = regexp.MustCompile(`^[+-]?(\d+(\.\d*)?|\.\d+)$`)

// number gives a decimal number as it is written, "" for what is none.
func number(text string) string {
	if !decimal.MatchString(text) {
		return ""
	}
	return strings.TrimPrefix(text, "+")
}

// firstNumber gives the first of the texts that is one.
func firstNumber(texts ...string) string {
	for _, text := range texts {
		if n := number(text); n != "" {
			return n
		}
	}
	return ""
}

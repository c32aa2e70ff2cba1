package score

import (
	"encoding/json"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// isBlank tells whether a value says that there is nothing.
func isBlank(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		switch strings.ToLower(strings.TrimSpace(v)) {
		case "", "null", "none", "n/a", "not found":
			return true
		}
	case []any:
		return len(v) == 0
	case *Object:
		return len(v.Keys()) == 0
	}
	return false
}

var (
	spaces      = regexp.MustCompile(`[\s\p{Z}\x{85}]+`)
	dashes      = regexp.MustCompile(`[\x{2010}-\x{2015}\x{2212}]`)
	punctuation = regexp.MustCompile(`[\s\p{Z}\x{85}]*([,.;:/\-])[\s\p{Z}\x{85}]*`)
	quotes      = strings.NewReplacer("\u2019", "'", "\u2018", "'", "\u201c", `"`, "\u201d", `"`)
)

// textOf gives a value as text, with one form for each quote and dash.
func textOf(v any) string {
	return dashes.ReplaceAllString(quotes.Replace(norm.NFKC.String(spell(v))), "-")
}

// spell writes a value; whole numbers are written without a fraction.
func spell(v any) string {
	switch v := v.(type) {
	case nil:
		return "None"
	case string:
		return v
	case bool:
		if v {
			return "True"
		}
		return "False"
	case json.Number:
		return spellNumber(v.String())
	}
	return dump(v)
}

func spellNumber(text string) string {
	if !strings.ContainsAny(text, ".eE") {
		return text
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || math.IsInf(x, 0):
		return text
	case x == math.Trunc(x):
		whole, _ := big.NewFloat(x).Int(nil)
		return whole.String()
	case math.Abs(x) < 1e-4:
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// dump writes an array or object on one line.
func dump(v any) string {
	var b strings.Builder
	switch v := v.(type) {
	case *Object:
		for i, key := range v.Keys() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(strconv.Quote(key) + ": " + dump(v.Get(key)))
		}
		return "{" + b.String() + "}"
	case []any:
		for i, inner := range v {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(dump(inner))
		}
		return "[" + b.String() + "]"
	case string:
		return strconv.Quote(v)
	}
	return spell(v)
}

// folded gives a value as it is compared: without case, with single spaces and
// none around punctuation.
func folded(v any) string {
	s := cases.Fold().String(strings.TrimSpace(spaces.ReplaceAllString(textOf(v), " ")))
	return strings.Trim(punctuation.ReplaceAllString(s, "$1"), " .,;:'\"-*#")
}

// letters gives only letters and digits, without case; accents count as
// characters that are left out.
func letters(v any) string {
	s := cases.Fold().String(norm.NFKD.String(textOf(v)))
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return r
		}
		return -1
	}, s)
}

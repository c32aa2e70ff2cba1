package score

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
)

var (
	decimal    = regexp.MustCompile(`\p{Nd}[.,]\p{Nd}`)
	twoLetters = regexp.MustCompile(`[a-z]{2}`)
	point      = regexp.MustCompile(`[.,]`)
)

// compare tells whether a returned value is right, and how alike it is.
func compare(f Field, expected, got any) (right bool, soft float64) {
	got = single(expected, got)
	switch typeOf(f) {
	case "number", "integer", "money", "currency", "amount":
		if a, ok := number(expected); ok {
			b, ok := number(got)
			if f.Match == "abs" {
				a, b = math.Abs(a), math.Abs(b)
			}
			return verdict(ok && math.Abs(a-b) <= max(0.005, 1e-6*math.Abs(a)))
		}
	case "date":
		if a := dates(expected); len(a) > 0 {
			b := dates(got)
			if len(a) == 1 {
				return verdict(slices.Contains(b, a[0]))
			}
			return verdict(folded(expected) == folded(got) || slices.Equal(a, b))
		}
	case "boolean":
		if a, ok := truth(expected); ok {
			b, ok := truth(got)
			return verdict(ok && a == b)
		}
	}
	return compareText(f, expected, got)
}

func verdict(right bool) (bool, float64) {
	if right {
		return true, 1
	}
	return false, 0
}

func compareText(f Field, expected, got any) (bool, float64) {
	if f.Match == "alnum" {
		a, b := letters(expected), letters(got)
		if a == b {
			return true, 1
		}
		return false, similarity([]rune(a), []rune(b))
	}
	a, b := folded(expected), folded(got)
	if a == b {
		return true, 1
	}
	if letters(expected) == letters(got) && !decimal.MatchString(a+" "+b) {
		return true, 1 // differs in punctuation or spacing only
	}
	x, isNumber := number(expected)
	y, areNumbers := number(got)
	if isNumber && areNumbers && !twoLetters.MatchString(a) && math.Abs(x-y) < 0.005 && point.MatchString(a+b) {
		return true, 1
	}
	return false, similarity([]rune(a), []rune(b))
}

// single takes a value out of what was wrapped around it.
func single(expected, got any) any {
	switch expected.(type) {
	case *Object, []any:
		return got
	}
	if o, ok := got.(*Object); ok {
		if v, ok := o.members["value"]; ok {
			got = v
		}
	}
	switch v := got.(type) {
	case []any:
		if len(v) == 1 {
			return v[0]
		}
		return dump(v)
	case *Object:
		return dump(v)
	}
	return got
}

// truth reads what people write for yes and no.
func truth(v any) (is, ok bool) {
	if b, isBool := v.(bool); isBool {
		return b, true
	}
	switch folded(v) {
	case "true", "yes", "y", "1", "x", "checked", "selected", "ticked", "ja", "oui":
		return true, true
	case "false", "no", "n", "0", "unchecked", "unselected", "none", "nein", "non":
		return false, true
	}
	return false, false
}

// isNumeric tells a JSON number.
func isNumeric(v any) (float64, bool) {
	n, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	x, _ := n.Float64() // out of range: infinite
	return x, true
}

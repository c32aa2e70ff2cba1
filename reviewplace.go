package fieldlift

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// standsThere reports whether a value that a person gave is what is printed
// where the engine found another one: it was misread or taken for something
// else, but not looked for in the wrong place. When in doubt it is not: a place
// that is not the value's own would be worse than none.
func standsThere(m FieldMetadata, value any) bool {
	printed := plainText(m.Text)
	if len(m.Boxes) == 0 || printed == "" {
		return false
	}
	var given string
	switch v := value.(type) {
	case json.Number:
		given = strings.TrimRight(digitsOf(v.String()), "0")
		if given = strings.TrimLeft(given, "0"); given == "" || strings.ContainsAny(v.String(), "eE") {
			return false
		}
		printed = strings.TrimLeft(digitsOf(m.Text), "0")
		return strings.TrimRight(printed, "0") == given
	case string:
		given = plainText(v)
		if year, month, day, ok := dateParts(v); ok && isDateThere(m.Text, year, month, day) {
			return true
		}
	default:
		return false
	}
	if given == "" {
		return false
	}
	if strings.Contains(printed, given) {
		return true
	}
	// A recogniser mistakes some letters, and not most of them.
	return m.Source == SourceOCR && distance(printed, given) <= len([]rune(given))/4
}

// plainText is a text's letters and digits, in lower case.
func plainText(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func digitsOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, s)
}

// dateParts takes a date such as 2026-05-03 apart.
func dateParts(s string) (year, month, day int, ok bool) {
	if len(s) != len("2026-05-03") || s[4] != '-' || s[7] != '-' {
		return 0, 0, 0, false
	}
	year, errYear := strconv.Atoi(s[:4])
	month, errMonth := strconv.Atoi(s[5:7])
	day, errDay := strconv.Atoi(s[8:])
	return year, month, day, errYear == nil && errMonth == nil && errDay == nil
}

// isDateThere reports whether the figures of a date are printed, in whatever
// order; the month may be a word.
func isDateThere(printed string, year, month, day int) bool {
	has := map[int]bool{}
	for _, figures := range strings.FieldsFunc(printed, func(r rune) bool { return r < '0' || r > '9' }) {
		if n, err := strconv.Atoi(figures); err == nil {
			has[n] = true
		}
	}
	named := strings.ContainsFunc(printed, unicode.IsLetter)
	return has[day] && (has[year] || has[year%100]) && (has[month] || named)
}

// distance is how many letters must be changed, added or left out to make one
// text of the other. Long texts are not compared: they are far apart.
func distance(a, b string) int {
	const longest = 200
	x, y := []rune(a), []rune(b)
	if len(x) > longest || len(y) > longest {
		return longest
	}
	before := make([]int, len(y)+1)
	for j := range before {
		before[j] = j
	}
	for i := range x {
		now := make([]int, len(y)+1)
		now[0] = i + 1
		for j := range y {
			change := before[j]
			if x[i] != y[j] {
				change++
			}
			now[j+1] = min(change, before[j+1]+1, now[j]+1)
		}
		before = now
	}
	return before[len(y)]
}

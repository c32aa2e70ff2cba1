// Package value reads typed values from isolated spans of text: dates, numbers,
// amounts, booleans, bank and tax identifiers, addresses of the net. It is pure:
// it neither finds spans in documents nor knows what they are wanted for. A
// span that is not wholly what is asked for is refused, never half read.
package value

import "strings"

// Locale is how a document writes what can be read in two ways. It is decided
// once for a document, because one span alone often does not tell.
type Locale struct {
	DayFirst     bool // 05/03/2026 is the fifth of March
	DecimalComma bool // 1,234 is a little more than one
}

// DecideLocale reads all texts of a document, whole spans or single words, and
// lets those that can be read in one way only decide for the others. Where
// nothing decides, days come first unless amounts are in dollars, and the
// decimal mark is a point.
func DecideLocale(texts []string) Locale {
	var comma, point, dayFirst, monthFirst, dollars int
	for _, text := range texts {
		if strings.Contains(text, "$") || text == "USD" {
			dollars++
		}
		for word := range strings.FieldsSeq(text) {
			word = strings.TrimFunc(word, func(r rune) bool { return r < '0' || r > '9' })
			if len(word) < 3 || len(word) > 40 {
				continue
			}
			switch markOf(word) {
			case ',':
				comma++
			case '.':
				point++
			}
			switch a, b, ok := twoNumbers(word); {
			case ok && a > 12 && a <= 31 && b <= 12:
				dayFirst++
			case ok && b > 12 && b <= 31 && a <= 12:
				monthFirst++
			}
		}
	}
	l := Locale{DecimalComma: comma > point}
	switch {
	case dayFirst != monthFirst:
		l.DayFirst = dayFirst > monthFirst
	default:
		l.DayFirst = l.DecimalComma || dollars == 0
	}
	return l
}

// markOf tells which decimal mark a number shows without doubt, 0 if none.
func markOf(word string) byte {
	last := strings.LastIndexAny(word, ".,")
	if last < 0 {
		return 0
	}
	for i := range len(word) {
		if c := word[i]; (c < '0' || c > '9') && c != '.' && c != ',' && c != '\'' {
			return 0
		}
	}
	mark := word[last]
	other := strings.IndexByte(word, '.'+','-mark)
	after := len(word) - last - 1
	switch {
	case strings.Count(word, string(mark)) > 1:
		return 0
	case other >= 0 && other < last, after == 1, after == 2, word[:last] == "0":
		return mark
	}
	return 0
}

// twoNumbers reads the first two parts of a date such as 13/05/2026.
func twoNumbers(word string) (a, b int, ok bool) {
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '/' || r == '-' })
	if len(parts) != 3 || len(parts[0]) > 2 || len(parts[1]) > 2 || (len(parts[2]) != 2 && len(parts[2]) != 4) {
		return 0, 0, false
	}
	a, okA := digits(parts[0])
	b, okB := digits(parts[1])
	_, okC := digits(parts[2])
	return a, b, okA && okB && okC
}

// digits reads a short run of nothing but digits.
func digits(s string) (int, bool) {
	if s == "" || len(s) > 8 {
		return 0, false
	}
	n := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

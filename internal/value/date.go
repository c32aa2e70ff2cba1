package value

import (
	"fmt"
	"strings"
	"time"
)

// Date reads a date in figures or with the name of a month and gives it as
// YYYY-MM-DD. A weekday before it and a time after it are passed over. Years
// of two figures are taken from 1970 to 2069.
func Date(text string, l Locale) (string, bool) {
	if len(text) > 80 || !hasFigures(text) {
		return "", false
	}
	text = strings.Trim(spaces(Fold(text)), " .,;()[]")
	if first, rest, found := strings.Cut(text, " "); found && isWeekday(strings.TrimSuffix(first, ",")) {
		text = strings.TrimLeft(rest, " ,")
	}
	text = withoutTime(text)
	if strings.ContainsFunc(text, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		return namedDate(text)
	}
	return figuresDate(text, l)
}

// withoutTime takes a time of day off the end.
func withoutTime(text string) string {
	if len(text) > 11 && text[10] == 't' && text[4] == '-' && isTime(text[11:]) {
		return text[:10]
	}
	words := strings.Fields(text)
	for n := len(words); n > 1; n = len(words) {
		last := words[n-1]
		if last != "am" && last != "pm" && last != "uhr" && last != "a" && last != "at" && last != "um" && !isTime(last) {
			break
		}
		words = words[:n-1]
	}
	return strings.TrimRight(strings.Join(words, " "), " ,")
}

// isTime recognises 14:33, 14:33:05.123Z, 2:33pm and 14:33+02:00.
func isTime(word string) bool {
	if strings.IndexByte(word, ':') < 1 || word[0] < '0' || word[0] > '9' {
		return false
	}
	return strings.Trim(word, "0123456789:.+-zapmh") == ""
}

// dateMarks brings the marks between figures to one form each.
var dateMarks = strings.NewReplacer(". ", ".", " / ", "/", " - ", "-", "–", "-", "‑", "-")

// figuresDate reads 2026-05-03, 20260503, 03.05.2026, 3/5/26 and their like.
func figuresDate(text string, l Locale) (string, bool) {
	if n, ok := digits(text); ok && len(text) == 8 {
		return plausible(n/10000, n/100%100, n%100)
	}
	text = dateMarks.Replace(text)
	i := strings.IndexAny(text, "./- ")
	if i < 0 {
		return "", false
	}
	mark := text[i : i+1]
	parts := strings.Split(text, mark)
	if len(parts) != 3 {
		return "", false
	}
	var n [3]int
	for i, part := range parts {
		var ok bool
		if n[i], ok = digits(part); !ok {
			return "", false
		}
	}
	lengths := [3]int{len(parts[0]), len(parts[1]), len(parts[2])}
	if lengths[0] == 4 && lengths[1] <= 2 && lengths[2] <= 2 {
		return plausible(n[0], n[1], n[2])
	}
	if lengths[0] > 2 || lengths[1] > 2 || (lengths[2] != 2 && lengths[2] != 4) {
		return "", false
	}
	y, a, b := fullYear(n[2], lengths[2]), n[0], n[1]
	// Where points part the figures the day comes first in every country.
	dayFirst := l.DayFirst || mark == "."
	if !dayFirst && a > 12 || dayFirst && b > 12 && mark != "." {
		dayFirst = !dayFirst
	}
	if dayFirst {
		a, b = b, a
	}
	return plausible(y, a, b)
}

// namedDate reads 3 May 2026, May 3rd, 2026, 3. Mai 2026, 3 de mayo de 2026,
// 3-May-26 and 2026 May 3, in folded text.
func namedDate(text string) (string, bool) {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == ',' || r == '-' || r == '/' || r == '.' })
	var m int
	var figures []string
	for _, w := range words {
		if named, ok := month(w); ok && m == 0 {
			m = named
			continue
		}
		if w == "de" || w == "del" || w == "of" || w == "the" || w == "le" || w == "den" || w == "r" || w == "do" || w == "roku" {
			continue
		}
		figures = append(figures, w)
	}
	if m == 0 || len(figures) != 2 {
		return "", false
	}
	first, second := figures[0], figures[1]
	if len(first) == 4 {
		if year, ok := digits(first); ok {
			first, second = second, fmt.Sprint(year)
		}
	}
	for _, suffix := range []string{"st", "nd", "rd", "th", "er", "º", "o", "e"} {
		if day, found := strings.CutSuffix(first, suffix); found {
			first = day
			break
		}
	}
	d, okD := digits(first)
	y, okY := digits(strings.TrimPrefix(second, "'"))
	if !okD || !okY || len(first) > 2 {
		return "", false
	}
	if n := len(strings.TrimPrefix(second, "'")); n == 2 || n == 4 {
		return plausible(fullYear(y, n), m, d)
	}
	return "", false
}

func fullYear(y, figures int) int {
	switch {
	case figures != 2:
		return y
	case y < 70:
		return 2000 + y
	}
	return 1900 + y
}

// NotAfter gives a date, as Date reads it from a text, in the century before
// where a year of two figures would put it after a day: who was born in "61"
// was not born in 2061.
func NotAfter(day, date, text string) string {
	if len(date) != len(time.DateOnly) || date <= day || strings.Contains(text, date[:4]) {
		return date
	}
	t, err := time.Parse(time.DateOnly, date)
	if err != nil || !strings.Contains(text, date[2:4]) {
		return date
	}
	return t.AddDate(-100, 0, 0).Format(time.DateOnly)
}

// plausible gives the date if the calendar has it.
func plausible(y, m, d int) (string, bool) {
	if y < 1000 || y > 2999 || m < 1 || m > 12 || d < 1 || d > 31 {
		return "", false
	}
	if t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC); t.Day() != d {
		return "", false
	}
	return fmt.Sprintf("%04d-%02d-%02d", y, m, d), true
}

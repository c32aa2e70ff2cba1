package score

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// The ways in which dates are written. A year at the end is not followed by
// more digits.
var (
	yearFirst  = regexp.MustCompile(`(\d{4})\s*[-/.]\s*(\d{1,2})\s*[-/.]\s*(\d{1,2})`)
	compact    = regexp.MustCompile(`(?:^|\D)((?:19|20)\d\d)(\d\d)(\d\d)(?:\D|$)`)
	monthNamed = regexp.MustCompile(`(\d{1,2})(?:st|nd|rd|th|\.)?[\s\-/.,]*([a-z]{3,})\.?[\s\-/.,']*(\d{4}|\d{2})(?:\D|$)`)
	monthFirst = regexp.MustCompile(`([a-z]{3,})\.?[\s\-/.,]*(\d{1,2})(?:st|nd|rd|th)?[\s\-/.,']+(\d{4}|\d{2})(?:\D|$)`)
	yearLast   = regexp.MustCompile(`(\d{1,2})\s*[-/. ]\s*(\d{1,2})\s*[-/. ]\s*(\d{4}|\d{2})(?:\D|$)`)
)

// monthNames are the names of the months, without accents.
var monthNames = [12]string{
	"jan january januar janvier enero gennaio januari janv",
	"feb february februar fevrier febrero febbraio februari fevr",
	"mar march marz maerz mars marzo maart mrz",
	"apr april avril abril aprile avr",
	"may mai mayo maggio mei",
	"jun june juni juin junio giugno",
	"jul july juli juillet julio luglio juil",
	"aug august aout agosto augustus",
	"sep sept september septembre septiembre settembre",
	"oct october oktober octobre octubre ottobre okt",
	"nov november novembre noviembre",
	"dec december dezember decembre diciembre dicembre dez",
}

func month(name string) (int, bool) {
	for i, names := range monthNames {
		if slices.Contains(strings.Fields(names), name) {
			return i + 1, true
		}
	}
	return 0, false
}

// dates gives every calendar date that a text may stand for, in order.
func dates(v any) []string {
	s := unaccented(cases.Fold().String(norm.NFKD.String(textOf(v))))
	var found []string
	put := func(year, month, day string) {
		if d, ok := date(year, month, day); ok && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	for _, form := range []*regexp.Regexp{yearFirst, compact} {
		if m := form.FindStringSubmatch(s); m != nil {
			put(m[1], m[2], m[3])
			return found
		}
	}
	if m := monthNamed.FindStringSubmatch(s); m != nil {
		if n, ok := month(m[2]); ok {
			put(m[3], strconv.Itoa(n), m[1])
		}
	}
	if m := monthFirst.FindStringSubmatch(s); m != nil {
		if n, ok := month(m[1]); ok {
			put(m[3], strconv.Itoa(n), m[2])
		}
	}
	if m := yearLast.FindStringSubmatch(s); m != nil {
		put(m[3], m[2], m[1])
		put(m[3], m[1], m[2])
	}
	slices.Sort(found)
	return found
}

func unaccented(s string) string {
	return strings.Map(func(r rune) rune {
		if norm.NFKD.PropertiesString(string(r)).CCC() != 0 {
			return -1
		}
		return r
	}, s)
}

// date reads a day of the calendar. Years of two digits are of this century
// until 69.
func date(year, month, day string) (string, bool) {
	y, _ := strconv.Atoi(year) // digits only
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	switch {
	case y < 70:
		y += 2000
	case y < 100:
		y += 1900
	}
	t := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t.Format(time.DateOnly), t.Year() == y && t.Month() == time.Month(m) && t.Day() == d
}

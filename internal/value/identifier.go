package value

import (
	"regexp"
	"strings"
)

// compact takes white space and the given marks away and makes letters large.
func compact(text, marks string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ', r == '\u00a0', r == '\u202f', r == '\t', r == '\n', strings.ContainsRune(marks, r):
			return -1
		case r >= 'a' && r <= 'z':
			return r - 'a' + 'A'
		}
		return r
	}, text)
}

// IBAN reads an international bank account number and checks its sum. It gives
// the number without spaces.
func IBAN(text string) (string, bool) {
	if len(text) > 80 {
		return "", false
	}
	s := compact(text, "-")
	s = strings.TrimPrefix(strings.TrimPrefix(s, "IBAN"), ":")
	if len(s) < 15 || len(s) > 34 {
		return "", false
	}
	for i := range len(s) {
		letter, digit := s[i] >= 'A' && s[i] <= 'Z', s[i] >= '0' && s[i] <= '9'
		if i < 2 && !letter || (i == 2 || i == 3) && !digit || !letter && !digit {
			return "", false
		}
	}
	remainder := 0
	for _, c := range s[4:] + s[:4] {
		if c >= 'A' {
			remainder = (remainder*100 + int(c-'A') + 10) % 97
		} else {
			remainder = (remainder*10 + int(c-'0')) % 97
		}
	}
	return s, remainder == 1
}

// vatShape is what VAT numbers of the European Union, the United Kingdom,
// Switzerland and Norway look like. Their check digits are not checked.
var vatShape = regexp.MustCompile(`^(ATU\d{8}|BE[01]?\d{9}|BG\d{9,10}|CY\d{8}[A-Z]|CZ\d{8,10}|DE\d{9}|DK\d{8}|EE\d{9}|(EL|GR)\d{9}|ES[A-Z0-9]\d{7}[A-Z0-9]|` +
	`FI\d{8}|FR[A-HJ-NP-Z0-9]{2}\d{9}|(GB|XI)(\d{9}|\d{12}|GD\d{3}|HA\d{3})|HR\d{11}|HU\d{8}|IE\d[A-Z0-9+*]\d{5}[A-Z]{1,2}|IT\d{11}|LT(\d{9}|\d{12})|LU\d{8}|LV\d{11}|` +
	`MT\d{8}|NL[A-Z0-9+*]{12}|PL\d{10}|PT\d{9}|RO\d{2,10}|SE\d{12}|SI\d{8}|SK\d{10}|CHE\d{9}(MWST|TVA|IVA)?|NO\d{9}(MVA)?)$`)

// VAT reads a VAT number that begins with its country and has the shape of
// that country's numbers. It gives the number without marks.
func VAT(text string) (string, bool) {
	if len(text) > 40 {
		return "", false
	}
	s := compact(text, ".-/")
	return s, vatShape.MatchString(s)
}

// Luhn reads a number of 12 to 19 digits whose last one is the check digit
// that payment cards use. It gives the bare digits.
func Luhn(text string) (string, bool) {
	if len(text) > 60 {
		return "", false
	}
	s := compact(text, "-")
	if len(s) < 12 || len(s) > 19 || !onlyDigits(s) {
		return "", false
	}
	sum := 0
	for i := range len(s) {
		d := int(s[len(s)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return s, sum%10 == 0
}

package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/value"
)

// kindOf tells the type of a value by its look. A number that stands for a
// thing, such as that of an invoice, is text: it may begin with zeros, and
// nobody adds it up.
func (s *sheet) kindOf(text, name string) fieldlift.FieldType {
	if _, ok := value.Date(text, s.locale); ok {
		return fieldlift.DateField
	}
	if isIdentifier(name) {
		return fieldlift.StringField
	}
	if _, ok := value.Number(text, s.locale); ok && !looksLikeIdentifier(text) {
		return fieldlift.NumberField
	}
	if _, ok := value.Percent(text, s.locale); ok {
		return fieldlift.NumberField
	}
	if _, ok := value.Boolean(text); ok && hasLetter(text) {
		return fieldlift.BooleanField
	}
	if _, ok := value.Tick(text); ok {
		return fieldlift.BooleanField
	}
	return fieldlift.StringField
}

// commonKind is the type that all of a column's cells have.
func (s *sheet) commonKind(cells []string, name string) fieldlift.FieldType {
	kind := fieldlift.FieldType("")
	for _, text := range cells {
		k := s.kindOf(text, name)
		if kind != "" && k != kind {
			return fieldlift.StringField
		}
		kind = k
	}
	if kind == "" {
		return fieldlift.StringField
	}
	return kind
}

// isIdentifier tells names of numbers that stand for things.
func isIdentifier(name string) bool {
	if strings.HasPrefix(name, "number_of_") {
		return false
	}
	for part := range strings.SplitSeq(name, "_") {
		switch part {
		case "number", "no", "nr", "id", "code", "reference", "ref", "iban", "bic", "phone", "fax", "mobile", "zip", "postcode", "ssn", "ein", "sku", "nummer", "account":
			return true
		}
	}
	return false
}

// looksLikeIdentifier tells figures that are no quantity: those that begin with
// a zero, or go on for too long without a mark.
func looksLikeIdentifier(text string) bool {
	digits := strings.TrimFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
	if strings.ContainsAny(digits, ".,' ") {
		return false
	}
	return len(digits) > 9 || len(digits) > 1 && digits[0] == '0'
}

// isTyped tells values that can be told from prose: with figures, or of a type.
func (s *sheet) isTyped(text string) bool {
	return strings.ContainsAny(text, "0123456789") || s.kindOf(text, "") != fieldlift.StringField
}

// isLabelText tells what may be a label: some words, mostly letters.
func isLabelText(text string) bool {
	const mostWords, mostLetters = 7, 60
	letters, digits := 0, 0
	for _, r := range text {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
	}
	return letters >= 2 && digits <= 2 && letters+digits <= mostLetters && len(strings.Fields(text)) <= mostWords &&
		strings.Count(text, "(") == strings.Count(text, ")")
}

// beginsLabel tells what begins with a capital, a figure or a script that has
// no capitals.
func beginsLabel(text string) bool {
	i := strings.IndexFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	if i < 0 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(text[i:])
	return !unicode.IsLower(first)
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }
func hasDigit(text string) bool  { return strings.ContainsFunc(text, unicode.IsDigit) }

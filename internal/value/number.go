package value

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Amount is a sum of money.
type Amount struct {
	Number   json.Number
	Currency string // an ISO code, or a sign that several countries share; "" when none is printed
}

// maxDigits is more than any real amount has.
const maxDigits = 40

// Number reads a number as documents print them, with or without a currency,
// and gives it exactly, with the decimals that were printed.
func Number(text string, l Locale) (json.Number, bool) {
	a, ok := Money(text, l)
	return a.Number, ok
}

// Money reads an amount. Parentheses, a minus on either side and CR make it
// negative; DR does not: what is owed counts up, as on invoices.
func Money(text string, l Locale) (Amount, bool) {
	if len(text) > 100 || !hasFigures(text) {
		return Amount{}, false
	}
	text = strings.Map(plainMark, spaces(text))
	negative := false
	var currency string
	// Signs and currencies stand in any order around the figures; each is
	// taken off once.
	var parenthesis, minus, side bool
	for range 6 {
		before := text
		// "12,-" is twelve and nothing after the comma.
		text = strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(text, ",--"), ",-"), ".-")
		if inner, ok := strings.CutPrefix(text, "("); ok && !parenthesis {
			if inner, ok = strings.CutSuffix(inner, ")"); ok {
				text, parenthesis, negative = inner, true, true
			}
		}
		if !minus {
			rest, front := strings.CutPrefix(text, "-")
			if !front {
				rest, front = strings.CutSuffix(text, "-")
			}
			if front {
				text, minus, negative = rest, true, !negative
			} else if rest, plus := strings.CutPrefix(text, "+"); plus {
				text, minus = rest, true
			}
		}
		if !side {
			upper := strings.ToUpper(strings.TrimSuffix(text, "."))
			if strings.HasSuffix(upper, "CR") && len(upper) == len(strings.TrimSuffix(text, ".")) {
				text, side, negative = upper[:len(upper)-2], true, !negative
			} else if strings.HasSuffix(upper, "DR") && len(upper) == len(strings.TrimSuffix(text, ".")) {
				text, side = upper[:len(upper)-2], true
			}
		}
		text = strings.TrimSpace(text)
		if currency == "" {
			text, currency = cutCurrency(text)
		}
		if text == before {
			break
		}
	}
	number, ok := decimal(text, l)
	if !ok {
		return Amount{}, false
	}
	if negative && strings.Trim(number, "0.") != "" {
		number = "-" + number
	}
	return Amount{json.Number(number), currency}, true
}

// plainMark brings the kinds of minus and apostrophe to one each, and takes the
// asterisks of footnotes away.
func plainMark(r rune) rune {
	switch r {
	case '−', '–', '‐', '—':
		return '-'
	case '’', '´':
		return '\''
	case '*':
		return -1
	}
	return r
}

// Percent reads a number with a percent sign and gives the number as printed:
// 19 % is 19.
func Percent(text string, l Locale) (json.Number, bool) {
	if !hasFigures(text) {
		return "", false
	}
	folded := Fold(spaces(text))
	for _, sign := range []string{"%", "percent", "per cent", "pct", "prozent", "pour cent", "por ciento", "por cento", "per cento", "procent"} {
		if rest, found := strings.CutSuffix(folded, sign); found {
			return plainNumber(rest, l)
		}
		if rest, found := strings.CutPrefix(folded, sign); found {
			return plainNumber(rest, l)
		}
	}
	return "", false
}

// plainNumber reads a number that has no currency.
func plainNumber(text string, l Locale) (json.Number, bool) {
	a, ok := Money(text, l)
	if a.Currency != "" {
		return "", false
	}
	return a.Number, ok
}

// decimal reads bare figures with marks and gives them in the form of JSON.
func decimal(s string, l Locale) (string, bool) {
	count := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			count++
		case c != '.' && c != ',' && c != ' ' && c != '\'':
			return "", false
		}
	}
	if count == 0 || count > maxDigits {
		return "", false
	}
	mark := decimalMark(s, l)
	whole, fraction := s, ""
	if mark != 0 {
		i := strings.LastIndexByte(s, mark)
		whole, fraction = s[:i], s[i+1:]
		if !onlyDigits(fraction) {
			return "", false
		}
	}
	whole, ok := ungroup(whole)
	if !ok {
		return "", false
	}
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		return whole + "." + fraction, true
	}
	return whole, true
}

// decimalMark tells which of point and comma parts the decimals, 0 for none.
func decimalMark(s string, l Locale) byte {
	last := strings.LastIndexAny(s, ".,")
	if last < 0 {
		return 0
	}
	mark := s[last]
	before, after := s[:last], len(s)-last-1
	switch {
	case strings.IndexByte(before, mark) >= 0:
		return 0 // twice the same: it groups
	case strings.ContainsAny(before, ".,"):
		return mark // both stand here: the last one
	case after != 3, strings.ContainsAny(before, " '"), len(before) > 3, before == "", before[0] == '0':
		return mark
	case (mark == ',') == l.DecimalComma:
		return mark
	}
	return 0
}

// ungroup takes the marks between thousands away, and refuses figures that are
// grouped in no known way: other than by threes, or as in India by twos.
func ungroup(s string) (string, bool) {
	if s == "" {
		return "", true // .50
	}
	if onlyDigits(s) {
		return s, true
	}
	i := strings.IndexAny(s, "., '")
	mark := s[i : i+1]
	groups := strings.Split(s, mark)
	for i, group := range groups {
		if !onlyDigits(group) {
			return "", false
		}
		last := i == len(groups)-1
		switch {
		case i == 0 && (len(group) > 3 || group[0] == '0'):
			return "", false
		case i > 0 && last && len(group) != 3, i > 0 && len(group) != 3 && (len(group) != 2 || mark != ","):
			return "", false
		}
	}
	return strings.Join(groups, ""), true
}

func hasFigures(s string) bool {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

func onlyDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// SameNumber reports whether two JSON numbers are the same number, however
// they are written: 12, 12.00 and 1.2e1.
func SameNumber(a, b json.Number) bool {
	an, ad, ae, aok := parts(string(a))
	bn, bd, be, bok := parts(string(b))
	if !aok || !bok {
		return a == b
	}
	return an == bn && ad == bd && ae == be
}

// parts takes a JSON number apart: sign, significant digits, and the power of
// ten of the last of them.
func parts(s string) (negative bool, figures string, exponent int, ok bool) {
	s, negative = strings.CutPrefix(s, "-")
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return false, "", 0, false
		}
		s, exponent = s[:i], n
	}
	whole, fraction, _ := strings.Cut(s, ".")
	exponent -= len(fraction)
	figures = strings.TrimLeft(whole+fraction, "0")
	for strings.HasSuffix(figures, "0") {
		figures, exponent = figures[:len(figures)-1], exponent+1
	}
	if figures == "" {
		return false, "", 0, true
	}
	return negative, figures, exponent, true
}

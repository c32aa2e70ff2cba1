package score

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/cases"
)

var (
	latinWord     = regexp.MustCompile(`[a-z]+`)
	inParentheses = regexp.MustCompile(`^\s*[^\p{Nd}]*\(.*\)\s*$`)
	minusBefore   = regexp.MustCompile(`-\s*[^\p{Nd}]*\p{Nd}`)
	notNumeral    = regexp.MustCompile(`[^\p{Nd}.,]`)
	thousandsEnd  = regexp.MustCompile(`,\p{Nd}{3}$`)
)

// numberWords may stand beside a number: currencies and the like.
var numberWords = []string{
	"rm", "usd", "eur", "gbp", "inr", "myr", "idr", "jpy", "cny", "chf", "sgd", "aud", "cad", "rs", "rp",
	"cr", "dr", "x", "per", "cent",
}

// mostLetters is how many letters a number may have around it when some of
// them are no known words.
const mostLetters = 6

// number reads a number, however it is written.
func number(v any) (float64, bool) {
	if _, isBool := v.(bool); isBool {
		return 0, false
	}
	if x, ok := isNumeric(v); ok {
		return x, true
	}
	s := cases.Fold().String(strings.TrimSpace(textOf(v)))
	words := latinWord.FindAllString(s, -1)
	unknown := slices.ContainsFunc(words, func(w string) bool { return !slices.Contains(numberWords, w) })
	if unknown && len(strings.Join(words, "")) > mostLetters {
		return 0, false
	}
	negative := inParentheses.MatchString(s) || minusBefore.MatchString(s) || strings.HasSuffix(strings.TrimSpace(s), "-")
	x, err := strconv.ParseFloat(plain(strings.Trim(notNumeral.ReplaceAllString(s, ""), ".,")), 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, false
	}
	if negative {
		x = -x
	}
	return x, true
}

// plain writes a numeral with a point for decimals and nothing for thousands.
func plain(s string) string {
	comma, dot := strings.LastIndex(s, ","), strings.LastIndex(s, ".")
	switch {
	case comma >= 0 && dot >= 0 && comma > dot:
		return strings.ReplaceAll(strings.ReplaceAll(s, ".", ""), ",", ".")
	case comma >= 0 && dot >= 0:
		return strings.ReplaceAll(s, ",", "")
	case comma >= 0 && strings.Count(s, ",") == 1 && !thousandsEnd.MatchString(s):
		return strings.ReplaceAll(s, ",", ".")
	case comma >= 0:
		return strings.ReplaceAll(s, ",", "")
	case strings.Count(s, ".") > 1:
		return strings.ReplaceAll(s, ".", "")
	}
	return s
}

package llm

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// seeker finds the places of a value on a line, in one form that it has.
type seeker struct {
	on   func(n int) []piece
	sure float64 // at most, of what it finds
}

// seekers look for a value: numbers and days by what they mean, texts by their
// letters, and what internal/value knows in several forms by those. There are
// none for a value that can stand nowhere.
func (l listener) seekers(f fieldlift.Field, v any) []seeker {
	switch v := v.(type) {
	case json.Number:
		return []seeker{{l.numbers(v), 1}}
	case string:
		if _, err := time.Parse(time.DateOnly, v); err == nil && f.Type == fieldlift.DateField {
			return []seeker{{l.days(v), 1}}
		}
		wanted := letters(v)
		if wanted == "" {
			return []seeker{{func(n int) []piece { return l.findMarks(v, []int{n}) }, 1}}
		}
		list := []seeker{{l.texts(f, v, wanted), 1}}
		for _, other := range shapesOf(v) {
			list = append(list, seeker{func(n int) []piece {
				return slices.DeleteFunc(l.spans(n, other.longest, other.means), l.isApart)
			}, other.sure})
		}
		return list
	}
	return nil
}

// quoted tells whether a text says a value: whether it would be found if the
// text was a line of the document.
func (l listener) quoted(f fieldlift.Field, v any, text string) bool {
	one := line{}
	for word := range strings.FieldsSeq(text) {
		if len(one.words) < mostQuoted {
			one.words = append(one.words, page.Word{Text: word})
		}
	}
	one.index()
	quote := listener{&transcript{lines: []line{one}, locale: l.locale}, 0, 1}
	return slices.ContainsFunc(quote.seekers(f, v), func(k seeker) bool { return len(k.on(0)) > 0 }) ||
		f.Enum == nil && sameWords(plainText(v), text)
}

const mostQuoted = 2000 // words

// sameWords tells texts that have the same words, in whatever order: "Smith,
// John" is John Smith.
func sameWords(a, b string) bool {
	first, second := wordsOf(a), wordsOf(b)
	slices.Sort(first)
	slices.Sort(second)
	return len(first) > 1 && strings.ContainsFunc(a, unicode.IsLetter) && slices.Equal(first, second)
}

// texts finds the letters of a text on a line. Where it is a number and stands
// as another, with a sign or brackets, and where it is a choice whose box is not
// ticked, it does not stand there.
func (l listener) texts(f fieldlift.Field, v, wanted string) func(int) []piece {
	meant, isNumber := value.Number(v, l.locale)
	isOther := func(p piece) bool {
		text := bare(joined(l.lines[p.line].words[p.from:p.to]))
		if !strings.ContainsAny(v, ".,") {
			text = strings.Trim(text, "()") // it is an identifier
		}
		printed, ok := value.Number(text, l.locale)
		return ok && !value.SameNumber(meant, printed)
	}
	return func(n int) []piece {
		return slices.DeleteFunc(l.onLine(n, wanted), func(p piece) bool {
			return f.Enum != nil && l.isUnticked(p) || isNumber && isOther(p)
		})
	}
}

// numbers finds what means the same number: 1.234,50 for 1234.5.
func (l listener) numbers(v json.Number) func(int) []piece {
	significant := strings.Trim(digitsOf(mantissa(v)), "0")
	return func(n int) []piece {
		if !strings.Contains(l.lines[n].digits, significant) {
			return nil
		}
		return slices.DeleteFunc(l.spans(n, longestFigures, func(text string) bool {
			return strings.Contains(digitsOf(text), significant) && // most are not worth reading
				slices.ContainsFunc(l.readings(text), func(n json.Number) bool { return value.SameNumber(n, v) })
		}), l.isApart)
	}
}

func mantissa(v json.Number) string {
	text, _, _ := strings.Cut(strings.ToLower(v.String()), "e")
	return text
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune { return pick('0' <= r && r <= '9', r, -1) }, text)
}

// isApart tells words of two columns from those of one number.
func (l listener) isApart(p piece) bool {
	words := l.lines[p.line].words[p.from:p.to]
	for i := 1; i < len(words); i++ {
		if apart(words[i-1], words[i]) {
			return true
		}
	}
	return false
}

// apart tells whether a gap between words is wider than one within a phrase.
func apart(a, b page.Word) bool {
	width := (a.Box.Width() + b.Box.Width()) / float64(max(utf8.RuneCountInString(a.Text)+utf8.RuneCountInString(b.Text), 1))
	return b.Box.X0-a.Box.X1 > wordGap*width
}

// days finds what means the same day.
func (l listener) days(v string) func(int) []piece {
	means := func(text string) bool {
		return slices.ContainsFunc([]bool{true, false}, func(dayFirst bool) bool {
			date, ok := value.Date(text, value.Locale{DayFirst: dayFirst})
			return ok && date == v
		})
	}
	return func(n int) []piece {
		if !strings.Contains(l.lines[n].digits, v[2:4]) { // the year, however short
			return nil
		}
		return l.spans(n, longestDate, func(text string) bool {
			if means(text) {
				return true
			}
			from, to, isPeriod := period(text)
			return isPeriod && (means(from) || means(to))
		})
	}
}

// period parts two days or years with a dash between them and no space.
func period(text string) (from, to string, ok bool) {
	marks := 0
	for i, r := range text {
		if r != '-' && r != '–' {
			continue
		}
		if marks++; r == '–' || marks == strings.Count(text, "-")/2+1 {
			return text[:i], text[i+utf8.RuneLen(r):], strings.Count(text, "-")%2 == 1 || r == '–'
		}
	}
	return "", "", false
}

// spans finds runs of words that mean something, and as few of them as will do.
func (l listener) spans(n, longest int, means func(string) bool) []piece {
	var list []piece
	words := l.lines[n].words
	is := func(from, to int) bool { return means(bare(joined(words[from:to]))) }
	for from := 0; from < len(words); from++ {
		for to := min(len(words), from+longest); to > from; to-- {
			if !is(from, to) {
				continue
			}
			for to-from > 1 && is(from, to-1) {
				to--
			}
			for to-from > 1 && is(from+1, to) {
				from++
			}
			list = append(list, piece{n, from, to})
			from = to - 1
			break
		}
	}
	return list
}

func joined(words []page.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// bare takes off what sentences and labels put around a number or a day: marks,
// a bracket without its other, and the label in "Sum:12.50".
func bare(text string) string {
	if label, rest, ok := strings.Cut(text, ":"); ok && rest != "" && strings.ContainsFunc(label, unicode.IsLetter) && !strings.ContainsAny(label, "0123456789 ") {
		text = rest
	}
	text = strings.TrimRight(strings.TrimLeft(text, `,;:#="'`), `,;:."'`)
	if opens, closes := strings.HasPrefix(text, "("), strings.HasSuffix(text, ")"); opens != closes {
		text = strings.TrimPrefix(strings.TrimSuffix(text, ")"), "(")
	}
	return text
}

// shape is a way in which a text can be printed other than by its letters.
type shape struct {
	means   func(string) bool
	longest int // words
	sure    float64
}

// shapesOf lists the shapes that a text has. The list is closed: what else a
// model derives from what is printed is its word alone.
func shapesOf(v string) []shape {
	var list []shape
	same := func(longest int, read func(string) (string, bool)) {
		if meant, ok := read(v); ok {
			list = append(list, shape{means: func(text string) bool {
				got, ok := read(text)
				return ok && got == meant
			}, longest: longest, sure: sureTyped})
		}
	}
	if code, ok := value.Currency(v); ok && code == v && len(code) == 3 {
		list = append(list, shape{means: func(text string) bool { return hasCurrency(text, code) }, longest: 2, sure: sureDerived})
	}
	if hasYear.MatchString(v) {
		list = append(list, shape{means: func(text string) bool {
			from, to, ok := period(text)
			return ok && (letters(from) == letters(v) || letters(to) == letters(v))
		}, longest: 1, sure: sureTyped})
	}
	same(10, value.IBAN)
	same(5, value.VAT)
	same(6, value.Luhn)
	same(6, figuresOf)
	same(1, webAddress)
	return list
}

// hasYear knows what can be one end of a period, as in 2015-2020.
var hasYear = regexp.MustCompile(`\b(19|20)\d\d\b`)

// hasCurrency tells an amount, or a sign alone, of a currency. A sign that
// several share stands for the one that it most often does.
func hasCurrency(text, code string) bool {
	printed, ok := value.Currency(text)
	if !ok {
		amount, _ := value.Money(text, value.Locale{})
		printed = amount.Currency
	}
	switch printed {
	case "$":
		printed = "USD"
	case "¥":
		printed = "JPY"
	}
	return printed == code
}

// figuresOf reads the digits of telephone numbers and identifiers, which are
// the same with any marks between them; a point or comma alone makes a decimal.
func figuresOf(text string) (string, bool) {
	if strings.Contains(text, ",") || strings.Count(text, ".") == 1 {
		return "", false
	}
	return value.Phone(text)
}

// webAddress reads an address with or without what programs put before it.
func webAddress(text string) (string, bool) {
	text, ok := value.URL(text)
	_, rest, found := strings.Cut(text, "://")
	return strings.TrimRight(value.Fold(pick(found, rest, text)), "/"), ok
}

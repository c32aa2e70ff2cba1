package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/value"
)

// said is what a model says of a field, read as the field's type. Which part
// counts is told by the type, as in engine.Found.
type said struct {
	value    any    // string, json.Number or bool; nil: nothing
	text     string // as printed, says the model
	lines    []int  // indexes into the transcript
	apart    bool   // the text does not say the value
	members  []said
	elements []said
	unusable []string // why elements were left out
}

// unwrap takes off an object around the one that was asked for.
func unwrap(object map[string]json.RawMessage, items []item) map[string]json.RawMessage {
	for _, one := range items {
		if _, there := object[one.key]; there {
			return object
		}
	}
	for _, inner := range object {
		var within map[string]json.RawMessage
		if len(object) == 1 && json.Unmarshal(inner, &within) == nil && within != nil {
			return within
		}
	}
	return object
}

// listener reads what a model says of a part of a transcript.
type listener struct {
	*transcript
	from, to int // the lines that it was shown
}

// read reads what was said of an item. The error says what is wrong with it, in
// words for the model.
func (l listener) read(one item, text json.RawMessage) (said, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return said{}, fmt.Errorf("it is not valid JSON: %w", err)
	}
	if one.field.Type == fieldlift.ArrayField {
		return l.list(one.field, v)
	}
	return l.scalar(one.field, v)
}

func (l listener) scalar(f fieldlift.Field, v any) (said, error) {
	s := said{value: v}
	switch v := v.(type) {
	case nil:
		return said{}, nil
	case map[string]any:
		s.value = v["value"]
		s.text, _ = v["text"].(string)
		s.lines = l.cited(v[linesKey])
	case []any:
		return said{}, errors.New("one value is needed, not a list")
	}
	if s.value == nil && strings.TrimSpace(s.text) == "" {
		return said{}, nil
	}
	return s, l.settle(f, &s)
}

// settle gives a scalar the type of its field.
func (l listener) settle(f fieldlift.Field, s *said) error {
	s.text = strings.TrimSpace(strings.ToValidUTF8(s.text, ""))
	switch s.value.(type) {
	case map[string]any, []any:
		return errors.New("value must not be an object or a list")
	}
	if text, ok := s.value.(string); ok && strings.TrimSpace(text) == "" {
		s.value = nil
		if s.text == "" {
			return nil
		}
	}
	if err := l.settleType(f, s); err != nil || s.value == nil {
		return err
	}
	if _, isBool := s.value.(bool); !isBool && s.text != "" {
		s.apart = !l.quoted(f, s.value, s.text)
	}
	return nil
}

func (l listener) settleType(f fieldlift.Field, s *said) error {
	switch {
	case f.Enum != nil:
		return l.settleEnum(f, s)
	case f.Type == fieldlift.NumberField:
		return l.settleNumber(s)
	case f.Type == fieldlift.DateField:
		return l.settleDate(s)
	case f.Type == fieldlift.BooleanField:
		return settleBoolean(s)
	}
	text := plainText(s.value)
	if text == "" {
		text = s.text
	}
	text = clean(text)
	if len(text) > longestText {
		return fmt.Errorf("it is longer than %d characters", longestText)
	}
	s.value = nil
	if text != "" {
		s.value = text
	}
	return nil
}

const longestText = 10_000

// clean makes a text one line without what cannot be shown.
func clean(text string) string {
	return oneLine(strings.Join(strings.Fields(text), " "))
}

// plainText is a scalar as text, "" for what is none.
func plainText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	}
	return ""
}

func (l listener) settleEnum(f fieldlift.Field, s *said) error {
	for _, text := range []string{plainText(s.value), s.text} {
		for _, allowed := range f.Enum {
			if text != "" && l.isChoice(allowed, text) {
				s.value = allowed
				return nil
			}
		}
	}
	return errors.New("value must be one of the values that are listed for it")
}

// isChoice tells whether a text is one of the values that are allowed.
func (l listener) isChoice(allowed any, text string) bool {
	if n, ok := allowed.(json.Number); ok {
		return slices.ContainsFunc(l.readings(text), func(m json.Number) bool { return value.SameNumber(n, m) })
	}
	choice := plainText(allowed)
	return choice == text || choice != "" && letters(choice) != "" && letters(choice) == letters(text)
}

// settleNumber prefers what the printed text says to what the model made of
// it where only a sign, a point or zeros are lost, and lets the model decide
// where the text can be read in two ways. A number that the text does not say
// stays as it is: whichever of the two is wrong, nothing proves it.
func (l listener) settleNumber(s *said) error {
	meant, _ := s.value.(json.Number)
	if text, ok := s.value.(string); ok {
		if s.text == "" {
			s.text = text
		}
		meant, _ = value.Number(text, l.locale)
	}
	if _, err := meant.Float64(); err != nil || len(meant) > longestNumber {
		meant = ""
	}
	printed := l.readings(s.text)
	inside := l.numbersIn(s.text)
	for _, n := range slices.Concat(printed, inside) {
		if meant != "" && value.SameNumber(n, meant) {
			s.value = meant
			if !strings.ContainsAny(string(n), "eE") {
				s.value = n // with the decimals that are printed
			}
			return nil
		}
	}
	switch {
	case meant == "" && len(printed) > 0:
		s.value = printed[0]
	case meant == "" && len(inside) == 1:
		s.value = inside[0]
	case meant == "":
		s.value = nil
		return errors.New("value must be a number")
	case len(printed) > 0 && sameFigures(printed[0], meant):
		s.value = printed[0]
	default:
		s.value = meant
	}
	return nil
}

func sameFigures(a, b json.Number) bool {
	return strings.Trim(digitsOf(mantissa(a)), "0") == strings.Trim(digitsOf(mantissa(b)), "0")
}

const longestNumber = 40

// readings reads a text as a number, in either way of writing.
func (l listener) readings(text string) []json.Number {
	other := l.locale
	other.DecimalComma = !other.DecimalComma
	var list []json.Number
	for _, locale := range []value.Locale{l.locale, other} {
		n, ok := value.Number(text, locale)
		if !ok {
			n, ok = value.Percent(text, locale)
		}
		if !ok {
			n, ok = scaled(text, locale)
		}
		if ok && !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// scales are the words that multiply a number, by their powers of ten.
var scales = map[string]string{
	"thousand": "3", "tsd": "3", "million": "6", "millions": "6", "millionen": "6", "mio": "6", "mn": "6", "billion": "9", "billions": "9", "bn": "9",
	"milliarde": "9", "milliarden": "9", "mrd": "9", "milliards": "9", "trillion": "12",
}

// scaled reads 3.0 billion.
func scaled(text string, locale value.Locale) (json.Number, bool) {
	at := strings.LastIndexByte(text, ' ')
	power := scales[strings.TrimSuffix(value.Fold(text[at+1:]), ".")]
	if at < 0 || power == "" {
		return "", false
	}
	n, ok := value.Number(text[:at], locale)
	return n + json.Number("e"+power), ok
}

// numbersIn reads the numbers that a text has in it.
func (l listener) numbersIn(text string) []json.Number {
	var list []json.Number
	words := strings.Fields(text)
	words = words[:min(len(words), mostWords)]
	for from := 0; from < len(words); from++ {
		for to := min(from+longestFigures, len(words)); to > from; to-- {
			if found := l.readings(bare(strings.Join(words[from:to], " "))); len(found) > 0 {
				list = append(list, found...)
				from = to - 1
				break
			}
		}
	}
	return list
}

const (
	mostWords      = 60 // of a cited text that are looked at for numbers and days
	longestFigures = 3  // words of a number
)

// settleDate takes the day that the model says, or else the one that the text
// does.
func (l listener) settleDate(s *said) error {
	given := strings.TrimSpace(plainText(s.value))
	meant := given
	if len(meant) > len(time.DateOnly) {
		meant = meant[:len(time.DateOnly)]
	}
	if _, err := time.Parse(time.DateOnly, meant); err != nil {
		meant = ""
	}
	if s.text == "" {
		s.text = given
	}
	dates := slices.Concat(l.datesIn(s.text), l.datesIn(given))
	switch {
	case meant != "":
		s.value = meant
	case len(dates) > 0:
		s.value = dates[0]
	default:
		s.value = nil
		return errors.New("value must be a day, as YYYY-MM-DD")
	}
	return nil
}

// datesIn reads the dates of a text: as a whole in either order, or those that
// it has in it.
func (l listener) datesIn(text string) []string {
	other := l.locale
	other.DayFirst = !other.DayFirst
	var dates []string
	add := func(part string) {
		for _, locale := range []value.Locale{l.locale, other} {
			if date, ok := value.Date(part, locale); ok && !slices.Contains(dates, date) {
				dates = append(dates, date)
			}
		}
	}
	if add(text); len(dates) > 0 {
		return dates
	}
	words := strings.Fields(text)
	words = words[:min(len(words), mostWords)]
	for from := 0; from < len(words); from++ {
		for n := min(longestDate, len(words)-from); n > 0; n-- {
			before := len(dates)
			if add(bare(strings.Join(words[from:from+n], " "))); len(dates) > before {
				from += n - 1
				break
			}
		}
	}
	return dates
}

const longestDate = 6 // words

func settleBoolean(s *said) error {
	if _, ok := s.value.(bool); ok {
		return nil
	}
	for _, text := range []string{plainText(s.value), s.text} {
		switch mark, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), "]"); mark {
		case "[x":
			s.value = true
			return nil
		case "[ ", "[":
			s.value = false
			return nil
		}
		if b, ok := value.Boolean(text); ok {
			s.value = b
			return nil
		}
	}
	s.value = nil
	return errors.New("value must be true or false")
}

// cited reads the numbers of lines; what names no line that was shown is
// passed over.
func (l listener) cited(v any) []int {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	var lines []int
	for _, one := range list {
		n, err := strconv.Atoi(strings.TrimSpace(plainText(one)))
		if err == nil && n > l.from && n <= l.to && !slices.Contains(lines, n-1) && len(lines) < mostCited {
			lines = append(lines, n-1)
		}
	}
	slices.Sort(lines)
	return lines
}

const mostCited = 200 // lines, of one value or row

// list reads elements. Those that cannot be used are left out, and are no
// reason to ask again, unless there are no others.
func (l listener) list(f fieldlift.Field, v any) (said, error) {
	values, ok := v.([]any)
	if v == nil {
		return said{}, nil
	}
	if !ok {
		return said{}, errors.New("a list is needed")
	}
	element := engine.ElementOf(f)
	var s said
	for i, one := range values {
		var inner said
		var err error
		switch {
		case one == nil:
			continue
		case element.Type == fieldlift.ObjectField:
			inner, err = l.row(element, one, nil)
		case element.Type == fieldlift.ArrayField:
			inner = l.cell(element, one, nil)
		default:
			inner, err = l.scalar(element, one)
		}
		switch {
		case err != nil:
			s.unusable = append(s.unusable, fmt.Sprintf("element %d: %s", i+1, err))
		case !inner.empty():
			s.elements = append(s.elements, inner)
		}
	}
	if len(s.elements) == 0 && len(s.unusable) > 0 {
		return said{}, errors.New(s.unusable[0])
	}
	return s, nil
}

func (l listener) row(f fieldlift.Field, v any, lines []int) (said, error) {
	object, ok := v.(map[string]any)
	if !ok {
		return said{}, errors.New("a row is an object")
	}
	s := said{lines: lines, members: make([]said, len(f.Fields))}
	if v, there := object[linesKey]; there {
		s.lines = l.cited(v)
	}
	keys := columnKeys(f.Fields)
	for i, column := range f.Fields {
		s.members[i] = l.cell(column, object[keys[i]], s.lines)
	}
	return s, nil
}

// cell reads a part of a row. What cannot be read as its type is nothing: "n/a"
// is no number, and no mistake of the model's.
func (l listener) cell(f fieldlift.Field, v any, lines []int) said {
	switch f.Type {
	case fieldlift.ObjectField:
		s, _ := l.row(f, v, lines) // what is no object has nothing
		return s
	case fieldlift.ArrayField:
		values, _ := v.([]any)
		var s said
		for _, one := range values {
			if inner := l.cell(engine.ElementOf(f), one, lines); !inner.empty() {
				s.elements = append(s.elements, inner)
			}
		}
		return s
	}
	s := said{value: v, lines: lines}
	if object, ok := v.(map[string]any); ok { // as scalars are answered elsewhere
		s.value = object["value"]
		s.text, _ = object["text"].(string)
		if cited := l.cited(object[linesKey]); len(cited) > 0 {
			s.lines = cited
		}
	} else {
		s.text = plainText(v)
	}
	if s.value == nil && s.text == "" {
		return said{}
	}
	if err := l.settle(f, &s); err != nil {
		return said{}
	}
	return s
}

// empty tells whether nothing was said.
func (s said) empty() bool {
	return s.value == nil && len(s.elements) == 0 && !slices.ContainsFunc(s.members, func(m said) bool { return !m.empty() })
}

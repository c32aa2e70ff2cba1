// Package score says how good extracted values are: it holds them against
// what a person says should have been found, value by value, and sums up over
// documents, fields and sets. It is pure arithmetic on JSON values: it reads no
// files and extracts nothing.
//
// Values count as equal when a person would say so: case, spaces, currency
// signs and the way numbers and dates are written make no difference.
package score

import (
	"strconv"
	"strings"
)

// Field says what kind of value is compared. Its keys are those of a field
// definition, and Match is for the comparison alone: "alnum" compares letters
// and digits only, "abs" ignores the sign of a number.
type Field struct {
	Name   string  `json:"name"`
	Type   string  `json:"type"`
	Match  string  `json:"match"`
	Fields []Field `json:"fields"`
	Items  *Field  `json:"items"`
}

// Whole writes out what field definitions may shorten: fields of an array are
// those of its elements.
func Whole(fields []Field) []Field {
	all := make([]Field, len(fields))
	for i, f := range fields {
		f.Fields = Whole(f.Fields)
		if f.Items != nil {
			f.Items = &Whole([]Field{*f.Items})[0]
		}
		if f.Type == "array" && f.Items == nil && len(f.Fields) > 0 {
			f.Items, f.Fields = &Field{Type: "object", Fields: f.Fields}, nil
		}
		all[i] = f
	}
	return all
}

// Verdict is what became of one value.
type Verdict string

// The verdicts.
const (
	Right    Verdict = "right"
	Wrong    Verdict = "wrong"
	Omitted  Verdict = "omitted"  // expected but not returned
	Invented Verdict = "invented" // returned where nothing is expected
)

// Value is one expected or returned value and what became of it.
type Value struct {
	Field    string // the top-level field that it belongs to
	Path     string // a JSON pointer into what was returned, or, if omitted, into what was expected
	Verdict  Verdict
	Expected any
	Got      any
}

// Card is the score of one document.
type Card struct {
	Score, Soft float64 // means over the fields that count, 0 to 1
	Fields      []Mark  // those that count: expected or returned
	Values      []Value
}

// Mark is the score of one field of one document.
type Mark struct {
	Name        string
	Type        string
	Score, Soft float64
	Count       Count
}

// Count is what is counted of values.
type Count struct {
	Values   int     // expected
	Returned int     // with or without being expected
	Exact    int     // returned and right
	Soft     float64 // their likeness, where right is 1
	Omitted  int
	Invented int

	RowsExpected, RowsReturned, RowsRight int // of arrays
}

func (c *Count) add(o Count) {
	c.Values += o.Values
	c.Returned += o.Returned
	c.Exact += o.Exact
	c.Soft += o.Soft
	c.Omitted += o.Omitted
	c.Invented += o.Invented
	c.RowsExpected += o.RowsExpected
	c.RowsReturned += o.RowsReturned
	c.RowsRight += o.RowsRight
}

// Precision is the share of what was returned that is right.
func (c Count) Precision() float64 { return ratio(float64(c.Exact), float64(c.Returned)) }

// Recall is the share of what was expected that was returned and is right.
func (c Count) Recall() float64 { return ratio(float64(c.Exact), float64(c.Values)) }

// F1 is the harmonic mean of precision and recall.
func (c Count) F1() float64 { return harmonic(c.Precision(), c.Recall()) }

// RowF1 is that of whole rows; false when there are none.
func (c Count) RowF1() (float64, bool) {
	rows := c.RowsExpected + c.RowsReturned
	return ratio(2*float64(c.RowsRight), float64(rows)), rows > 0
}

func ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

func harmonic(a, b float64) float64 {
	return ratio(2*a*b, a+b)
}

// Document scores what was returned for one document. Nothing returned is the
// nil Object. What is expected beyond the fields counts too.
func Document(fields []Field, expected, returned *Object) Card {
	var card Card
	for _, f := range union(fields, expected) {
		s := scorer{top: f.Name}
		m := s.field("/"+escape(f.Name), f, expected.Get(f.Name), returned.Get(f.Name))
		if m.weight == 0 {
			continue
		}
		card.Fields = append(card.Fields, Mark{Name: f.Name, Type: typeOf(f), Score: m.score, Soft: m.soft, Count: s.count})
		card.Values = append(card.Values, s.values...)
		card.Score += m.score
		card.Soft += m.soft
	}
	card.Score = ratio(card.Score, float64(len(card.Fields)))
	card.Soft = ratio(card.Soft, float64(len(card.Fields)))
	return card
}

// union gives the fields and, as strings, the members that they do not name.
func union(fields []Field, o *Object) []Field {
	all := fields[:len(fields):len(fields)]
	for _, key := range o.Keys() {
		if find(fields, key) == nil {
			all = append(all, Field{Name: key})
		}
	}
	return all
}

func find(fields []Field, name string) *Field {
	for i := range fields {
		if fields[i].Name == name {
			return &fields[i]
		}
	}
	return nil
}

func typeOf(f Field) string {
	if f.Type == "" {
		return "string"
	}
	return f.Type
}

// scorer scores one top-level field.
type scorer struct {
	top    string
	count  Count
	values []Value
}

// mark is the score of a field, with how much it counts beside others of its
// object; no weight: neither expected nor returned.
type mark struct {
	score, soft float64
	weight      int
}

func (s *scorer) note(path string, v Verdict, expected, got any) {
	s.values = append(s.values, Value{Field: s.top, Path: path, Verdict: v, Expected: expected, Got: got})
}

func (s *scorer) field(path string, f Field, expected, got any) mark {
	if isBlank(expected) && isBlank(got) {
		return mark{}
	}
	t := typeOf(f)
	if text, ok := got.(string); ok && (t == "array" || t == "object") {
		got = readText(text, t)
	}
	if _, isObject := expected.(*Object); isObject || t == "object" {
		return s.object(path, f, expected, got)
	}
	if _, isList := expected.([]any); isList || t == "array" {
		return s.array(path, f, expected, got)
	}
	return s.scalar(path, f, expected, got)
}

// readText reads an array or object that was returned as text.
func readText(text, of string) any {
	if value, err := Decode([]byte(text)); err == nil {
		return value
	}
	if of == "array" {
		return []any{text}
	}
	return nil
}

func (s *scorer) object(path string, f Field, expected, got any) mark {
	e, _ := expected.(*Object)
	g, _ := got.(*Object)
	var sum mark
	for _, inner := range union(f.Fields, e) {
		m := s.field(path+"/"+escape(inner.Name), inner, e.Get(inner.Name), g.Get(inner.Name))
		sum.score += m.score * float64(m.weight)
		sum.soft += m.soft * float64(m.weight)
		sum.weight += m.weight
	}
	sum.score = ratio(sum.score, float64(sum.weight))
	sum.soft = ratio(sum.soft, float64(sum.weight))
	return sum
}

func (s *scorer) scalar(path string, f Field, expected, got any) mark {
	if isBlank(expected) {
		s.count.Invented++
		s.count.Returned++
		s.note(path, Invented, nil, got)
		return mark{weight: 1}
	}
	s.count.Values++
	if isBlank(got) {
		s.count.Omitted++
		s.note(path, Omitted, expected, nil)
		return mark{weight: 1}
	}
	s.count.Returned++
	right, soft := compare(f, expected, got)
	s.count.Soft += soft
	if !right {
		s.note(path, Wrong, expected, got)
		return mark{soft: soft, weight: 1}
	}
	s.count.Exact++
	s.note(path, Right, expected, got)
	return mark{score: 1, soft: soft, weight: 1}
}

// escape makes a name a step of a JSON pointer (RFC 6901).
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

func step(path string, i int) string { return path + "/" + strconv.Itoa(i) }

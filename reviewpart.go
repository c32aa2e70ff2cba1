package fieldlift

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"
)

// partKind tells what a part of a result is.
type partKind int

const (
	scalarPart partKind = iota
	objectPart
	arrayPart
	foreignPart // not the schema's: it is kept and cannot be changed
)

// part is a part of a result under review.
type part struct {
	kind  partKind
	field Field

	value any // of a scalar: string, json.Number, bool or nil; of what is foreign, whatever it is

	keys    []string // of an object, in order
	members []*part

	rows  []*row // of an array, with those that are not there any more
	empty string // what an array without rows is written as
	fixed bool   // no row comes or goes

	// Of a scalar:
	original  any            // what the engine found
	found     *FieldMetadata // where it found it
	reviewed  *Reviewed
	number    int64     // of the correction that reviewed it
	takenBack time.Time // when a correction of it was last taken back
}

// row is an element of an array under review.
type row struct {
	step   string // in places
	part   *part
	absent bool
}

// pagesKey holds the results of pages, where each has one of its own.
const pagesKey = "pages"

// partBuilder makes parts of a result's data, which was read with its schema.
type partBuilder struct {
	metadata map[string]FieldMetadata
}

func (b partBuilder) pages(data *object, fields []Field) *part {
	list := &part{kind: arrayPart, fixed: true, empty: "[]"}
	for i, value := range data.list(pagesKey) {
		one, _ := value.(*object)
		list.rows = append(list.rows, &row{step: strconv.Itoa(i), part: b.object("/"+pagesKey+"/"+strconv.Itoa(i), fields, one)})
	}
	return &part{kind: objectPart, keys: []string{pagesKey}, members: []*part{list}}
}

// object makes an object of fields; what else the data has stays as it is.
func (b partBuilder) object(pointer string, fields []Field, data *object) *part {
	p := &part{kind: objectPart, field: Field{Type: ObjectField, Fields: fields}}
	named := map[string]bool{}
	for _, f := range fields {
		named[f.Name] = true
	}
	if data != nil {
		for _, m := range data.members {
			if !named[m.key] {
				p.keys, p.members = append(p.keys, m.key), append(p.members, &part{kind: foreignPart, value: m.value})
			}
		}
	}
	for _, f := range fields {
		value, _ := data.get(f.Name)
		p.keys, p.members = append(p.keys, f.Name), append(p.members, b.part(pointer+"/"+EscapeStep(f.Name), f, value))
	}
	return p
}

func (b partBuilder) part(pointer string, f Field, value any) *part {
	switch f.Type {
	case ObjectField:
		data, isObject := value.(*object)
		if len(f.Fields) > 0 && (isObject || value == nil) {
			p := b.object(pointer, f.Fields, data)
			p.field = f
			return p
		}
	case ArrayField:
		list, isList := value.([]any)
		if isList || value == nil {
			p := &part{kind: arrayPart, field: f, empty: "null"}
			if isList && len(list) == 0 {
				p.empty = "[]"
			}
			for i, element := range list {
				step := strconv.Itoa(i)
				p.rows = append(p.rows, &row{step: step, part: b.part(pointer+"/"+step, p.element(), element)})
			}
			return p
		}
	default:
		if isScalar(value) {
			p := &part{kind: scalarPart, field: f, value: value, original: value}
			if m, ok := b.metadata[pointer]; ok {
				p.found = &m
			}
			return p
		}
	}
	return &part{kind: foreignPart, field: f, value: value}
}

func isScalar(value any) bool {
	switch value.(type) {
	case nil, string, bool, json.Number:
		return true
	}
	return false
}

// element is the field of an array's rows; where the schema does not say, they
// are text, as engines give them.
func (p *part) element() Field {
	if p.field.Items != nil {
		return *p.field.Items
	}
	return Field{Type: StringField}
}

func (p *part) isScalar() bool { return p.kind == scalarPart }

// present are the rows that are there.
func (p *part) present() []*row {
	var found []*row
	for _, one := range p.rows {
		if !one.absent {
			found = append(found, one)
		}
	}
	return found
}

// review notes who looked at a value.
func (p *part) review(c Correction) {
	p.reviewed = &Reviewed{By: c.By, At: c.At}
	p.number = c.Number
	if !sameScalar(p.value, p.original) {
		p.reviewed.Original = textOfValue(p.original)
	}
}

// shown is what is told of a value beside it; ok is false when there is nothing
// to tell.
func (p *part) shown() (m FieldMetadata, ok bool) {
	if p.reviewed == nil {
		if p.found == nil {
			return m, false
		}
		return *p.found, true
	}
	m = FieldMetadata{Boxes: [][4]float64{}, Source: SourcePerson}
	if p.found != nil && (sameScalar(p.value, p.original) || standsThere(*p.found, p.value)) {
		m = *p.found
	}
	m.Confidence, m.Reviewed = 1, p.reviewed
	return m, true
}

// eachScalar goes through the values of a part that are there.
func (p *part) eachScalar(do func(*part)) {
	p.eachPlace("", func(_ string, one *part) { do(one) })
}

// eachPlace is eachScalar with the pointers to the values.
func (p *part) eachPlace(pointer string, do func(string, *part)) {
	if p.isScalar() {
		do(pointer, p)
	}
	for i, member := range p.members {
		member.eachPlace(pointer+"/"+EscapeStep(p.keys[i]), do)
	}
	for i, one := range p.present() {
		one.part.eachPlace(pointer+"/"+strconv.Itoa(i), do)
	}
}

// write writes a part as JSON, compact.
func (p *part) write(b *bytes.Buffer) {
	switch p.kind {
	case objectPart:
		b.WriteByte('{')
		for i, member := range p.members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, p.keys[i])
			b.WriteByte(':')
			member.write(b)
		}
		b.WriteByte('}')
	case arrayPart:
		present := p.present()
		if len(present) == 0 {
			b.WriteString(p.empty)
			return
		}
		b.WriteByte('[')
		for i, one := range present {
			if i > 0 {
				b.WriteByte(',')
			}
			one.part.write(b)
		}
		b.WriteByte(']')
	default:
		writeTree(b, p.value)
	}
}

func (p *part) text() json.RawMessage {
	var b bytes.Buffer
	p.write(&b)
	return b.Bytes()
}

func textOfValue(value any) json.RawMessage {
	var b bytes.Buffer
	writeTree(&b, value)
	return b.Bytes()
}

// spot is a part that was found, and where.
type spot struct {
	part    *part
	pointer string
	place   string
	row     *row  // that it is, if it is one
	of      *part // the array of the row
}

// find follows a pointer into the data as it is.
func (r *Review) find(pointer string) (spot, error) {
	steps, ok := pointerSteps(pointer)
	if !ok {
		return spot{}, noSuchPlace(pointer)
	}
	at := spot{part: r.root, pointer: pointer}
	for _, step := range steps {
		if at, ok = at.follow(step, func(of *part) *row {
			present := of.present()
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(present) || strconv.Itoa(i) != step {
				return nil
			}
			return present[i]
		}); !ok {
			return spot{}, noSuchPlace(pointer)
		}
	}
	if at.part.kind == foreignPart {
		return spot{}, refuseAmendment(pointer, "type", "it is not one of the schema's fields, and cannot be changed")
	}
	return at, nil
}

// at follows a place; it may lead to rows that are not there.
func (r *Review) at(place string) (spot, bool) {
	steps, ok := pointerSteps(place)
	if !ok {
		return spot{}, false
	}
	at := spot{part: r.root}
	for _, step := range steps {
		if at, ok = at.follow(step, func(of *part) *row {
			i := slices.IndexFunc(of.rows, func(one *row) bool { return one.step == step })
			if i < 0 {
				return nil
			}
			return of.rows[i]
		}); !ok {
			return spot{}, false
		}
	}
	return at, true
}

// follow goes one step, to a member or to the row that the function gives.
func (s spot) follow(step string, rowOf func(*part) *row) (spot, bool) {
	switch s.part.kind {
	case objectPart:
		i := slices.Index(s.part.keys, step)
		if i < 0 {
			return s, false
		}
		return spot{part: s.part.members[i], place: s.place + "/" + EscapeStep(step)}, true
	case arrayPart:
		found := rowOf(s.part)
		if found == nil {
			return s, false
		}
		return spot{part: found.part, place: s.place + "/" + found.step, row: found, of: s.part}, true
	}
	return s, false
}

// cutPointer parts a pointer from its last step.
func cutPointer(pointer string) (parent, last string, ok bool) {
	i := strings.LastIndexByte(pointer, '/')
	if i < 0 {
		return "", "", false
	}
	return pointer[:i], pointer[i+1:], true
}

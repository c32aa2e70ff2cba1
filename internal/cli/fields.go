package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift"
)

// The language of --fields, for schemas that are short enough to be typed:
//
//	list  = field { "," field }
//	field = path [ ":" type ] [ "!" ]
//	path  = name [ "[]" ] { "." name [ "[]" ] }
//
// A path makes the objects and arrays on its way, so that a table is
// "items[].text, items[].amount:number". They may be named themselves too, in
// any order, to be required: "items[]!".

// fieldNode is a field while the list is read.
type fieldNode struct {
	name     string
	kind     fieldlift.FieldType // "": not told; a string, or an object when it has children
	list     bool                // name[]: kind and children are those of its elements
	named    bool                // it was a field of the list, not only on the way to one
	required bool
	children []*fieldNode
}

// fieldsParser reads a list of fields and notes what is wrong with it.
type fieldsParser struct {
	root   fieldNode
	entry  string // the field being read
	faults []string
}

// mostFaults keeps what is told about a list that is wrong throughout readable.
const mostFaults = 10

// parseFields reads the value of --fields. All mistakes are told at once, each
// with the field that it is in and a mark at its place.
func parseFields(text string) (fieldlift.Schema, []string) {
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		return fieldlift.Schema{}, []string{"at least one field is needed, such as 'invoice_number, total:number'"}
	case trimmed[0] == '{' || trimmed[0] == '[':
		return fieldlift.Schema{}, []string{"this looks like JSON; names such as 'invoice_number, total:number' are needed, and a JSON Schema goes to --schema"}
	}
	entries := strings.Split(text, ",")
	if len(entries) > fieldlift.MaxFields {
		return fieldlift.Schema{}, []string{fmt.Sprintf("there are more than %d fields", fieldlift.MaxFields)}
	}
	var p fieldsParser
	for _, entry := range entries {
		if len(p.faults) == mostFaults {
			break
		}
		p.entry = strings.TrimSpace(entry)
		p.field()
	}
	if len(p.faults) > 0 {
		return fieldlift.Schema{}, p.faults
	}
	// Written and read again, so that it keeps to the limits of every schema.
	schema, found := fieldlift.ParseSchema([]byte(fieldlift.SchemaOf(fieldsOf(p.root.children)).String()))
	for _, d := range found {
		p.faults = append(p.faults, strings.TrimSuffix(strings.TrimPrefix(d.Message, "schema: "), "."))
	}
	return schema, p.faults
}

// refuse notes a mistake at a byte of the entry.
func (p *fieldsParser) refuse(at int, format string, args ...any) {
	const longest = 100 // no line of a terminal shows more
	shown := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, p.entry)
	before := utf8.RuneCountInString(p.entry[:at])
	fault := fmt.Sprintf(format, args...)
	if before < longest {
		if short := []rune(shown); len(short) > longest {
			shown = string(short[:longest]) + "…"
		}
		fault += "\n    " + shown + "\n    " + strings.Repeat(" ", before) + "^"
	}
	p.faults = append(p.faults, fault)
}

// field reads the entry.
func (p *fieldsParser) field() {
	if p.entry == "" {
		p.faults = append(p.faults, "a field is missing: there is nothing before or after a comma")
		return
	}
	rest, required := strings.CutSuffix(p.entry, "!")
	if at := strings.IndexByte(rest, '!'); at >= 0 {
		p.refuse(at, "\"!\" for required stands once, at the end of a field")
		return
	}
	path, kindText, typed := strings.Cut(rest, ":")
	kind := fieldlift.FieldType(strings.TrimSpace(kindText))
	if typed && !slices.Contains(fieldTypes, kind) {
		at := len(path) + 1
		at += len(kindText) - len(strings.TrimLeft(kindText, " \t"))
		p.refuse(at, "there is no type %q; string, number, boolean, date, array or object is needed", kind)
		return
	}
	p.path(path, kind, required)
}

var fieldTypes = []fieldlift.FieldType{
	fieldlift.StringField, fieldlift.NumberField, fieldlift.BooleanField, fieldlift.DateField, fieldlift.ArrayField, fieldlift.ObjectField,
}

// path finds or makes the node of a path and those on its way.
func (p *fieldsParser) path(path string, kind fieldlift.FieldType, required bool) {
	at, node := 0, &p.root
	for part := range strings.SplitSeq(path, ".") {
		if node != &p.root && !p.holds(at, node) {
			return
		}
		child, ok := p.step(at, node, part)
		if !ok {
			return
		}
		at, node = at+len(part)+1, child
	}
	switch {
	case node.named:
		p.refuse(0, "the field %s is named twice", path)
	case len(node.children) > 0 && kind != "" && kind != fieldlift.ObjectField:
		p.refuse(len(path)+1, "%s has fields of its own and cannot be a %s", path, kind)
	default:
		node.named, node.required = true, required
		if kind != "" {
			node.kind = kind
		}
	}
}

// holds tells whether a node can have fields of its own, at the byte where
// the first of them stands.
func (p *fieldsParser) holds(at int, node *fieldNode) bool {
	switch node.kind {
	case "", fieldlift.ObjectField:
		return true
	}
	p.refuse(at, "%s is a %s and has no fields of its own", node.name, node.kind)
	return false
}

// step goes from a node to one of its fields, which is made if it is new.
func (p *fieldsParser) step(at int, node *fieldNode, part string) (*fieldNode, bool) {
	name, list := strings.CutSuffix(strings.TrimSpace(part), "[]")
	name = strings.TrimSpace(name)
	if i := strings.IndexAny(part, "[]"); i >= 0 && strings.ContainsAny(name, "[]") {
		p.refuse(at+i, "only \"[]\" at the end of a name stands for an array")
		return nil, false
	}
	if name == "" {
		p.refuse(at, "a name is missing")
		return nil, false
	}
	if found := fieldlift.CheckName("the name", name, fieldlift.MaxFieldName); len(found) > 0 {
		p.refuse(at, "%s", strings.TrimSuffix(found[0].Message, "."))
		return nil, false
	}
	i := slices.IndexFunc(node.children, func(c *fieldNode) bool { return c.name == name })
	if i < 0 {
		child := &fieldNode{name: name, list: list}
		node.children = append(node.children, child)
		return child, true
	}
	child := node.children[i]
	if child.list != list {
		p.refuse(at, "%s is written with [] in one place and without in another", name)
		return nil, false
	}
	return child, true
}

func fieldsOf(nodes []*fieldNode) []fieldlift.Field {
	var fields []fieldlift.Field
	for _, n := range nodes {
		f := fieldlift.Field{Type: n.kind, Fields: fieldsOf(n.children)}
		switch {
		case len(n.children) > 0:
			f.Type = fieldlift.ObjectField
		case n.kind == "":
			f.Type = fieldlift.StringField
		}
		if n.list {
			element := f
			f = fieldlift.Field{Type: fieldlift.ArrayField, Items: &element}
		}
		f.Name, f.Required = n.name, n.required
		fields = append(fields, f)
	}
	return fields
}

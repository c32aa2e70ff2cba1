package export

import (
	"encoding/json"
	"strings"

	"fieldlift"
)

// layout says which columns an object's fields make, and which value goes to
// which column.
type layout struct {
	columns []column
	root    place
}

// column is a field that is not taken apart further.
type column struct {
	name  string // with the names of the objects around it, by dots
	field fieldlift.Field
}

// place is where a value goes: a column, or several when it is an object with
// fields.
type place struct {
	first  int              // the column, or the first of them
	inside map[string]place // nil for a column
}

func newLayout(fields []fieldlift.Field) *layout {
	l := new(layout)
	l.root = l.add("", fields)
	return l
}

func (l *layout) add(prefix string, fields []fieldlift.Field) place {
	p := place{first: len(l.columns), inside: make(map[string]place, len(fields))}
	for _, f := range fields {
		if f.Type == fieldlift.ObjectField && len(f.Fields) > 0 {
			p.inside[f.Name] = l.add(prefix+f.Name+".", f.Fields)
			continue
		}
		p.inside[f.Name] = place{first: len(l.columns)}
		l.columns = append(l.columns, column{prefix + f.Name, f})
	}
	return p
}

// isTable tells arrays of objects with fields, which are tables themselves.
func isTable(f fieldlift.Field) bool {
	return f.Type == fieldlift.ArrayField && f.Items != nil &&
		f.Items.Type == fieldlift.ObjectField && len(f.Items.Fields) > 0
}

// table finds the column of an array of objects.
func (l *layout) table(name string) (int, error) {
	var known []string
	for i, c := range l.columns {
		if !isTable(c.field) {
			continue
		}
		if c.name == name {
			return i, nil
		}
		known = append(known, c.name)
	}
	message := "explode must name an array of objects, and the schema has none."
	if known != nil {
		message = "explode must name an array of objects of the schema: " + strings.Join(known, ", ") + "."
	}
	return 0, fieldlift.Invalid(fieldlift.Detail{Field: "explode", Issue: "enum", Message: message})
}

// spread puts the values of an object in their columns.
func (l *layout) spread(value json.RawMessage) []json.RawMessage {
	row := make([]json.RawMessage, len(l.columns))
	if len(row) > 0 {
		l.root.fill(row, value)
	}
	return row
}

func (p place) fill(row []json.RawMessage, value json.RawMessage) {
	// What should be an object and is not goes to the first of its columns:
	// a strange value is better than a lost one.
	if p.inside == nil || isNull(value) || value[0] != '{' {
		row[p.first] = value
		return
	}
	for key, member := range fieldlift.JSONMembers(value) {
		if at, known := p.inside[unquote(key)]; known {
			at.fill(row, member)
		}
	}
}

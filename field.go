package fieldlift

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// FieldType is the type of a field, in the words of the interface.
type FieldType string

// The types of fields.
const (
	StringField  FieldType = "string"
	NumberField  FieldType = "number"
	BooleanField FieldType = "boolean"
	DateField    FieldType = "date"
	ArrayField   FieldType = "array"
	ObjectField  FieldType = "object"
)

var fieldTypes = []FieldType{StringField, NumberField, BooleanField, DateField, ArrayField, ObjectField}

// Field is one thing to extract. A Schema can be made of fields, and fields
// be read from any Schema.
type Field struct {
	Name        string // "" for the elements of an array
	Type        FieldType
	Description string
	Required    bool
	Enum        []any   // string or json.Number; nil: any value
	Fields      []Field // of an object
	Items       *Field  // the elements of an array; nil: anything
}

// Limits that keep any schema workable.
const (
	MaxFields     = 2000 // counted through all levels
	MaxFieldDepth = 16
	MaxFieldName  = 200 // characters
	maxEnum       = 1000
)

// ParseFields reads a list of field definitions as clients send it. Keys that
// are not known are passed over; all mistakes are reported at once. A schema
// made of the fields it returns is sound.
func ParseFields(text []byte) ([]Field, []Detail) {
	value, err := parseJSON(text)
	if err != nil {
		return nil, []Detail{{"fields", "format", "fields cannot be read: " + err.Error() + "."}}
	}
	var p fieldParser
	fields := p.list("fields", value, 1)
	if p.count > MaxFields && len(p.found) == 0 {
		p.refuse("fields", "max_length", "there are more than %d fields", MaxFields)
	}
	if len(p.found) == 0 && len(SchemaOf(fields).text) > MaxSchemaBytes {
		p.refuse("fields", "max_length", "their schema is longer than %d bytes", MaxSchemaBytes)
	}
	if len(p.found) > 0 {
		return nil, p.found
	}
	return fields, nil
}

// fieldParser walks field definitions and notes what is wrong with them.
type fieldParser struct {
	found []Detail
	count int
}

// mostFound keeps the answer to a hostile list shorter than the list.
const mostFound = 20

func (p *fieldParser) refuse(path, issue, format string, args ...any) {
	if len(p.found) >= mostFound {
		return
	}
	p.found = append(p.found, Detail{path, issue, path + ": " + fmt.Sprintf(format, args...) + "."})
}

func (p *fieldParser) list(path string, value any, depth int) []Field {
	definitions, ok := value.([]any)
	if !ok {
		p.refuse(path, "type", "a list of field definitions is needed")
		return nil
	}
	if depth > MaxFieldDepth {
		p.refuse(path, "max_depth", "fields are nested deeper than %d levels", MaxFieldDepth)
		return nil
	}
	fields := make([]Field, 0, len(definitions))
	named := map[string]bool{}
	for i, definition := range definitions {
		if p.count > MaxFields || len(p.found) >= mostFound {
			break // it is refused; the rest would only cost time
		}
		at := fmt.Sprintf("%s[%d]", path, i)
		o, ok := definition.(*object)
		if !ok {
			p.refuse(at, "type", "a field definition is an object with a name")
			continue
		}
		f := p.field(at, o, depth)
		f.Name = p.name(at, o)
		if f.Name != "" && named[f.Name] {
			p.refuse(at+".name", "duplicate", "the name %q is used twice", f.Name)
		}
		named[f.Name] = true
		fields = append(fields, f)
	}
	return fields
}

func (p *fieldParser) name(at string, o *object) string {
	value, present := o.get("name")
	name, ok := value.(string)
	switch {
	case !present:
		p.refuse(at+".name", "required", "a field needs a name")
	case !ok:
		p.refuse(at+".name", "type", "a string is needed")
	default:
		for _, d := range CheckName(at+".name", name, MaxFieldName) {
			p.refuse(d.Field, d.Issue, "%s", strings.TrimSuffix(strings.TrimPrefix(d.Message, d.Field+" "), "."))
		}
	}
	return name
}

// field reads all of a definition but its name, which array elements lack.
func (p *fieldParser) field(at string, o *object, depth int) Field {
	p.count++
	f := Field{Type: StringField}
	if value, present := o.get("type"); present {
		text, _ := value.(string)
		if f.Type = FieldType(text); !slices.Contains(fieldTypes, f.Type) {
			p.refuse(at+".type", "enum", "one of string, number, boolean, date, array and object is needed")
			return f // what follows depends on the type
		}
	}
	if value, present := o.get("description"); present {
		text, ok := value.(string)
		if !ok {
			p.refuse(at+".description", "type", "a string is needed")
		}
		f.Description = text
	}
	if value, present := o.get("required"); present {
		required, ok := value.(bool)
		if !ok {
			p.refuse(at+".required", "type", "true or false is needed")
		}
		f.Required = required
	}
	if value, present := o.get("enum"); present {
		f.Enum = p.enum(at+".enum", value, f.Type)
	}
	p.children(at, o, &f, depth)
	return f
}

func (p *fieldParser) children(at string, o *object, f *Field, depth int) {
	fields, hasFields := o.get("fields")
	items, hasItems := o.get("items")
	switch {
	case hasFields && f.Type != ObjectField && f.Type != ArrayField:
		p.refuse(at+".fields", "type", "only an object or an array has fields, not a %s", f.Type)
	case hasItems && f.Type != ArrayField:
		p.refuse(at+".items", "type", "only an array has items, not a %s", f.Type)
	case hasFields && hasItems:
		p.refuse(at+".fields", "conflict", "give fields or items, not both: fields is short for items of type object")
	case hasFields && f.Type == ObjectField:
		f.Fields = p.list(at+".fields", fields, depth+1)
	case hasFields:
		if children := p.list(at+".fields", fields, depth+2); len(children) > 0 {
			f.Items = &Field{Type: ObjectField, Fields: children}
		}
	case hasItems:
		element, ok := items.(*object)
		if !ok {
			p.refuse(at+".items", "type", "a field definition is needed")
			return
		}
		if depth >= MaxFieldDepth {
			p.refuse(at+".items", "max_depth", "fields are nested deeper than %d levels", MaxFieldDepth)
			return
		}
		inner := p.field(at+".items", element, depth+1)
		inner.Required = false // an element that is there is there
		f.Items = &inner
	}
}

func (p *fieldParser) enum(path string, value any, of FieldType) []any {
	values, ok := value.([]any)
	if !ok || len(values) == 0 || len(values) > maxEnum {
		p.refuse(path, "type", "a list of 1 to %d values is needed", maxEnum)
		return nil
	}
	if of != StringField && of != NumberField && of != DateField {
		p.refuse(path, "type", "only a string, a number or a date can have an enum, not a %s", of)
		return nil
	}
	seen := map[string]bool{}
	for i, v := range values {
		text := enumText(v, of)
		switch {
		case text == "":
			p.refuse(fmt.Sprintf("%s[%d]", path, i), "type", "a %s that is not empty is needed", of)
		case seen[text]:
			p.refuse(fmt.Sprintf("%s[%d]", path, i), "duplicate", "the value stands twice")
		}
		seen[text] = true
	}
	return values
}

// enumText gives the text of an enum's value, "" if it has not the type.
func enumText(v any, of FieldType) string {
	if n, ok := v.(json.Number); ok && of == NumberField {
		return n.String()
	}
	if s, ok := v.(string); ok && of != NumberField {
		return strings.TrimSpace(s)
	}
	return ""
}

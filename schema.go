package fieldlift

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// Schema is a JSON Schema of type object with properties, kept as compact text
// so that its order and every keyword come back as they were given. The zero
// Schema means that there is none.
type Schema struct {
	text string
}

// MaxSchemaBytes is the longest text of a schema.
const MaxSchemaBytes = 256 << 10

// StoredSchema takes the text of a schema back from where it was kept.
func StoredSchema(text string) Schema { return Schema{text} }

// IsZero reports whether there is no schema.
func (s Schema) IsZero() bool { return s.text == "" }

// String gives the JSON text, "" when there is none.
func (s Schema) String() string { return s.text }

// SchemaOf makes the schema of fields that ParseFields has read; no fields
// make no schema.
func SchemaOf(fields []Field) Schema {
	if len(fields) == 0 {
		return Schema{}
	}
	var b bytes.Buffer
	b.WriteString(`{"type":"object"`)
	writeProperties(&b, fields)
	b.WriteByte('}')
	return Schema{b.String()}
}

func writeProperties(b *bytes.Buffer, fields []Field) {
	b.WriteString(`,"properties":{`)
	var required []string
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(b, f.Name)
		b.WriteByte(':')
		writeField(b, f)
		if f.Required {
			required = append(required, f.Name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		b.WriteString(`,"required":`)
		writeJSON(b, required)
	}
}

func writeField(b *bytes.Buffer, f Field) {
	switch f.Type {
	case DateField:
		b.WriteString(`{"type":"string","format":"date"`)
	default:
		b.WriteString(`{"type":`)
		writeJSON(b, f.Type)
	}
	if f.Description != "" {
		b.WriteString(`,"description":`)
		writeJSON(b, f.Description)
	}
	if f.Enum != nil {
		b.WriteString(`,"enum":`)
		writeJSON(b, f.Enum)
	}
	switch {
	case f.Type == ObjectField && len(f.Fields) > 0:
		writeProperties(b, f.Fields)
	case f.Type == ArrayField && f.Items != nil:
		b.WriteString(`,"items":`)
		writeField(b, *f.Items)
	case f.Type == ArrayField:
		b.WriteString(`,"items":{}`)
	}
	b.WriteByte('}')
}

// ParseSchema takes a JSON Schema as a client sends it: of type object, with
// properties that can be read as fields. Whether each keyword is valid is for
// package schema to say, which has the means.
func ParseSchema(text []byte) (Schema, []Detail) {
	refuse := func(path, issue, format string, args ...any) (Schema, []Detail) {
		return Schema{}, []Detail{{path, issue, path + ": " + fmt.Sprintf(format, args...) + "."}}
	}
	if len(text) > MaxSchemaBytes {
		return refuse("schema", "max_length", "it is longer than %d bytes", MaxSchemaBytes)
	}
	value, err := parseJSON(text)
	if err != nil {
		return refuse("schema", "format", "it cannot be read: %v", err)
	}
	root, ok := value.(*object)
	if !ok {
		return refuse("schema", "type", "a JSON Schema object is needed")
	}
	if root.text("type") != "object" {
		return refuse("schema.type", "enum", `it must be "object"`)
	}
	if root.object("properties").length() == 0 {
		return refuse("schema.properties", "required", "an object with at least one property is needed")
	}
	r := schemaReader{root: root, resolved: map[string]*object{}}
	fields := r.fields(root, 1)
	if r.fault != "" {
		return refuse("schema", "format", "%s", r.fault)
	}
	if found := checkNames("schema.properties", fields); len(found) > 0 {
		return Schema{}, found[:min(len(found), mostFound)]
	}
	// Written anew, so that each text has one form: Summary relies on it.
	var b bytes.Buffer
	writeTree(&b, root)
	return Schema{b.String()}, nil
}

func checkNames(path string, fields []Field) []Detail {
	var found []Detail
	for _, f := range fields {
		at := path + "." + f.Name
		found = append(found, CheckName(at, f.Name, MaxFieldName)...)
		for f.Type == ArrayField && f.Items != nil {
			at, f = at+".items", *f.Items
		}
		found = append(found, checkNames(at+".properties", f.Fields)...)
	}
	return found
}

// Fields reads the schema as fields, in order: references within the schema
// are followed, "or null" is taken off, and what no field type stands for is
// read as a string.
func (s Schema) Fields() []Field {
	value, err := parseJSON([]byte(s.text))
	root, ok := value.(*object)
	if err != nil || !ok {
		return nil
	}
	r := schemaReader{root: root, resolved: map[string]*object{}}
	return r.fields(root, 1)
}

// Summary gives the JSON object that the interface shows as a parser's fields:
// each top-level property with its description. Every listing asks for it, so
// it copies the texts from the schema instead of reading it all.
func (s Schema) Summary() string {
	var b strings.Builder
	b.Grow(len(s.text)/2 + 2)
	b.WriteByte('{')
	for name, property := range JSONMembers(memberOf(s.text, `"properties"`)) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		description := memberOf(property, `"description"`)
		if description == "" || description[0] != '"' {
			description = `""`
		}
		b.WriteString(name)
		b.WriteString(`:{"description":`)
		b.WriteString(description)
		b.WriteByte('}')
	}
	b.WriteByte('}')
	return b.String()
}

// schemaReader turns a parsed schema into fields and notes why it cannot.
type schemaReader struct {
	root     *object
	resolved map[string]*object // where a reference leads in the end
	count    int
	fault    string
}

func (r *schemaReader) fields(o *object, depth int) []Field {
	properties := o.object("properties")
	if properties == nil {
		return nil
	}
	if depth > MaxFieldDepth {
		r.fault = fmt.Sprintf("properties are nested deeper than %d levels, or refer to themselves", MaxFieldDepth)
		return nil
	}
	required := map[any]bool{}
	for _, name := range o.list("required") {
		if name, ok := name.(string); ok {
			required[name] = true
		}
	}
	var fields []Field
	for _, m := range properties.members {
		if r.fault != "" {
			return nil
		}
		f := r.field(m.value, depth)
		f.Name = m.key
		f.Required = required[m.key]
		fields = append(fields, f)
	}
	return fields
}

func (r *schemaReader) field(value any, depth int) Field {
	if r.count++; r.count > MaxFields {
		r.fault = fmt.Sprintf("there are more than %d properties", MaxFields)
		return Field{}
	}
	written, _ := value.(*object)
	o := r.resolve(written)
	f := Field{Type: StringField, Description: written.text("description")}
	if f.Description == "" {
		f.Description = o.text("description")
	}
	f.Enum = scalars(o)
	switch typeOf(o, f.Enum) {
	case "number", "integer":
		f.Type = NumberField
	case "boolean":
		f.Type = BooleanField
	case "array":
		f.Type = ArrayField
		if items, ok := o.get("items"); ok && isSchema(items) {
			if depth >= MaxFieldDepth {
				r.fault = fmt.Sprintf("properties are nested deeper than %d levels, or refer to themselves", MaxFieldDepth)
				return f
			}
			element := r.field(items, depth+1)
			f.Items = &element
		}
	case "object":
		f.Type = ObjectField
		if o.object("properties").length() > 0 {
			f.Fields = r.fields(o, depth+1)
		}
	default:
		if format := o.text("format"); format == "date" || format == "date-time" {
			f.Type = DateField
		}
	}
	if f.Type == ArrayField || f.Type == ObjectField || f.Type == BooleanField {
		f.Enum = nil
	}
	return f
}

// isSchema tells a schema that says something from {} and true.
func isSchema(items any) bool {
	o, _ := items.(*object)
	return o.length() > 0
}

// resolve follows references within the schema and takes the one alternative
// that is not null: what pydantic and zod write for optional properties.
func (r *schemaReader) resolve(o *object) *object {
	first := o.text("$ref")
	if known, ok := r.resolved[first]; ok {
		return known
	}
	for range maxJSONDepth {
		if ref := o.text("$ref"); ref != "" {
			target, ok := r.lookUp(ref)
			if !ok {
				r.fault = fmt.Sprintf("the reference %q leads nowhere in this schema", ref)
				return nil
			}
			o = target
			continue
		}
		next, found := onlyAlternative(o)
		if !found {
			if first != "" {
				r.resolved[first] = o
			}
			return o
		}
		o = next
	}
	r.fault = "its references lead in a circle"
	return nil
}

func onlyAlternative(o *object) (*object, bool) {
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		var real []*object
		for _, alternative := range o.list(keyword) {
			if a, ok := alternative.(*object); ok && a.text("type") != "null" {
				real = append(real, a)
			}
		}
		if len(real) == 1 {
			return real[0], true
		}
	}
	return nil, false
}

// lookUp finds what a reference such as #/$defs/Address names.
func (r *schemaReader) lookUp(ref string) (*object, bool) {
	if ref == "#" {
		return r.root, true
	}
	path, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil, false
	}
	var at any = r.root
	for step := range strings.SplitSeq(path, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch inner := at.(type) {
		case *object:
			at, _ = inner.get(step)
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(inner) {
				return nil, false
			}
			at = inner[i]
		}
	}
	o, ok := at.(*object)
	return o, ok
}

// typeOf tells the JSON type that a schema asks for, null set aside.
func typeOf(o *object, enum []any) string {
	if name := o.text("type"); name != "" {
		return name
	}
	for _, name := range o.list("type") {
		if name, ok := name.(string); ok && name != "null" {
			return name
		}
	}
	switch {
	case o.object("properties") != nil:
		return "object"
	case o.object("items") != nil:
		return "array"
	case len(enum) > 0:
		if _, isNumber := enum[0].(json.Number); isNumber {
			return "number"
		}
	}
	return "string"
}

// scalars gives the values of enum or const that a field can take.
func scalars(o *object) []any {
	values := o.list("enum")
	if constant, ok := o.get("const"); ok {
		values = []any{constant}
	}
	var kept []any
	for _, v := range values {
		switch v.(type) {
		case string, json.Number:
			kept = append(kept, v)
		}
	}
	return kept
}

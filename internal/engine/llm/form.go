package llm

import (
	"bytes"
	"encoding/json"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
)

// longestEnum is how many allowed values are part of the form that a model must
// keep to; of longer lists it is told in words alone.
const longestEnum = 100

// linesKey is where a row says which lines it stands on; no column has it for
// its key.
const linesKey = "lines"

// form is the JSON Schema of an answer to the items. It keeps to what strict
// modes of providers allow: every property is required and may be null, and
// there are no others.
func form(items []item) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	for i, one := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		writeJSON(&b, one.key)
		b.WriteByte(':')
		if one.field.Type == fieldlift.ArrayField {
			writeList(&b, one.field)
		} else {
			writeScalar(&b, one.field)
		}
	}
	b.WriteString(`},"required":`)
	keys := make([]string, len(items))
	for i, one := range items {
		keys[i] = one.key
	}
	writeJSON(&b, keys)
	b.WriteString(`,"additionalProperties":false}`)
	return b.Bytes()
}

const writtenLines = `{"type":"array","items":{"type":"integer"}}`

// writeScalar is a value with its text as printed and its lines, or null.
func writeScalar(b *bytes.Buffer, f fieldlift.Field) {
	b.WriteString(`{"anyOf":[{"type":"object","properties":{"value":`)
	writeType(b, f)
	b.WriteString(`,"text":{"type":"string"},"lines":` + writtenLines +
		`},"required":["value","text","lines"],"additionalProperties":false},{"type":"null"}]}`)
}

func writeType(b *bytes.Buffer, f fieldlift.Field) {
	kind := "string"
	switch f.Type {
	case fieldlift.NumberField:
		kind = "number"
	case fieldlift.BooleanField:
		kind = "boolean"
	}
	b.WriteString(`{"type":"` + kind + `"`)
	if 0 < len(f.Enum) && len(f.Enum) <= longestEnum {
		b.WriteString(`,"enum":`)
		writeJSON(b, f.Enum)
	}
	b.WriteByte('}')
}

// writeList is an array of scalars, or of rows, or null.
func writeList(b *bytes.Buffer, f fieldlift.Field) {
	b.WriteString(`{"anyOf":[{"type":"array","items":`)
	switch element := engine.ElementOf(f); element.Type {
	case fieldlift.ObjectField:
		writeRow(b, element.Fields, true)
	case fieldlift.ArrayField:
		writeCell(b, element)
	default:
		writeScalar(b, element)
	}
	b.WriteString(`},{"type":"null"}]}`)
}

// writeRow is an object of printed texts. Its lines stand for all of them: a
// long table would not fit into an answer otherwise.
func writeRow(b *bytes.Buffer, fields []fieldlift.Field, located bool) {
	required := []string{}
	b.WriteString(`{"type":"object","properties":{`)
	if located {
		b.WriteString(`"lines":` + writtenLines)
		required = append(required, linesKey)
	}
	names := columnKeys(fields)
	for i, f := range fields {
		if len(required) > 0 {
			b.WriteByte(',')
		}
		name := names[i]
		writeJSON(b, name)
		b.WriteByte(':')
		writeCell(b, f)
		required = append(required, name)
	}
	b.WriteString(`},"required":`)
	writeJSON(b, required)
	b.WriteString(`,"additionalProperties":false}`)
}

func writeCell(b *bytes.Buffer, f fieldlift.Field) {
	switch f.Type {
	case fieldlift.ObjectField:
		b.WriteString(`{"anyOf":[`)
		writeRow(b, f.Fields, false)
		b.WriteString(`,{"type":"null"}]}`)
	case fieldlift.ArrayField:
		b.WriteString(`{"anyOf":[{"type":"array","items":`)
		writeCell(b, engine.ElementOf(f))
		b.WriteString(`},{"type":"null"}]}`)
	default:
		b.WriteString(`{"type":["string","null"]}`)
	}
}

// columnKeys are what the columns of a row are known by.
func columnKeys(fields []fieldlift.Field) []string {
	taken := map[string]bool{}
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = keyFor(f.Name, "c", i, taken)
	}
	return keys
}

// describe tells a model what the items are, one a line.
func describe(items []item) string {
	var b strings.Builder
	for _, one := range items {
		writeDescription(&b, "", one.key, one.pointer[1:], one.field)
	}
	return b.String()
}

func writeDescription(b *strings.Builder, indent, key, name string, f fieldlift.Field) {
	b.WriteString(indent + "- " + key + " (" + kindOf(f) + ")")
	if key != strings.ReplaceAll(name, "/", ".") {
		b.WriteString(" " + clean(name))
	}
	told := f.Description
	if f.Type == fieldlift.ArrayField && told == "" {
		told = engine.ElementOf(f).Description
	}
	if told != "" {
		b.WriteString(": " + oneLine(strings.Join(strings.Fields(told), " ")))
	}
	if len(f.Enum) > 0 {
		var values bytes.Buffer
		writeJSON(&values, f.Enum)
		b.WriteString("; one of " + values.String())
	}
	b.WriteByte('\n')
	inner := f.Fields
	if f.Type == fieldlift.ArrayField {
		inner = engine.ElementOf(f).Fields
	}
	keys := columnKeys(inner)
	for i, column := range inner {
		writeDescription(b, indent+"  ", keys[i], column.Name, column)
	}
}

func kindOf(f fieldlift.Field) string {
	if f.Type != fieldlift.ArrayField {
		return string(f.Type)
	}
	if element := engine.ElementOf(f); element.Type != fieldlift.ObjectField {
		return "list, each a " + kindOf(element)
	}
	return "list of rows"
}

// writeJSON writes what cannot fail to be JSON: strings, numbers, lists of
// them.
func writeJSON(b *bytes.Buffer, value any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	b.Truncate(b.Len() - 1) // the encoder ends with a line break
}

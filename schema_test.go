package fieldlift

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSchemaOfPydantic(t *testing.T) {
	schema, found := ParseSchema([]byte(`{
		"$defs": {
			"Kind": {"enum": ["gross", "net"], "title": "Kind", "type": "string"},
			"Line": {"type": "object", "title": "Line", "description": "One line", "required": ["sku"],
				"properties": {"sku": {"type": "string"}, "kind": {"$ref": "#/$defs/Kind"}, "qty": {"type": "integer"}}}
		},
		"title": "Order", "type": "object", "required": ["number", "lines"],
		"properties": {
			"number": {"type": "string", "description": "The order's number"},
			"placed": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}], "default": null, "description": "When"},
			"sent": {"type": ["string", "null"], "format": "date-time"},
			"total": {"type": ["number", "null"]},
			"open": {"type": "boolean"},
			"lines": {"type": "array", "items": {"$ref": "#/$defs/Line"}},
			"first": {"allOf": [{"$ref": "#/$defs/Line"}], "description": "The first line"},
			"tags": {"type": "array"},
			"level": {"enum": [1, 2]},
			"fixed": {"const": "x"},
			"any": true
		}}`))
	if found != nil {
		t.Fatal(found)
	}
	line := []Field{{Name: "sku", Type: StringField, Required: true}, {Name: "kind", Type: StringField, Enum: []any{"gross", "net"}}, {Name: "qty", Type: NumberField}}
	want := []Field{
		{Name: "number", Type: StringField, Required: true, Description: "The order's number"},
		{Name: "placed", Type: DateField, Description: "When"},
		{Name: "sent", Type: DateField},
		{Name: "total", Type: NumberField},
		{Name: "open", Type: BooleanField},
		{Name: "lines", Type: ArrayField, Required: true, Items: &Field{Type: ObjectField, Description: "One line", Fields: line}},
		{Name: "first", Type: ObjectField, Description: "The first line", Fields: line},
		{Name: "tags", Type: ArrayField},
		{Name: "level", Type: NumberField, Enum: []any{json.Number("1"), json.Number("2")}},
		{Name: "fixed", Type: StringField, Enum: []any{"x"}},
		{Name: "any", Type: StringField},
	}
	if diff := cmp.Diff(want, schema.Fields()); diff != "" {
		t.Error(diff)
	}
}

func TestSummaryOfAnEscapedSchema(t *testing.T) {
	schema, found := ParseSchema([]byte(`{"type":"object","\u0070roperties":{"\u0061":{"\u0064escription":"d"}}}`))
	if got := schema.Summary(); found != nil || got != `{"a":{"description":"d"}}` {
		t.Errorf("%s, %v", got, found)
	}
}

// TestReferencesCostLittle resolves many long chains of references in a crowd
// of definitions; were each step a search, it would take minutes.
func TestReferencesCostLittle(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"type":"object","$defs":{`)
	for i := range 6000 {
		fmt.Fprintf(&b, `"filler%d":{},`, i)
	}
	for i := range 90 {
		fmt.Fprintf(&b, `"d%d":{"$ref":"#/$defs/d%d"},`, i, i+1)
	}
	b.WriteString(`"d90":{"type":"number"}},"properties":{"a":{}`)
	for i := range 1900 {
		fmt.Fprintf(&b, `,"p%d":{"$ref":"#/$defs/d0"}`, i)
	}
	b.WriteString(`}}`)
	schema, found := ParseSchema([]byte(b.String()))
	if fields := schema.Fields(); found != nil || len(fields) != 1901 || fields[1].Type != NumberField {
		t.Errorf("%d fields, %v", len(fields), found)
	}
}

func TestSchemasThatGrowWithoutEnd(t *testing.T) {
	wide := `{"$defs":{"A":{"type":"object","properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/A"},"c":{"$ref":"#/$defs/A"}}}},"type":"object","properties":{"x":{"$ref":"#/$defs/A"}}}`
	array := `{"$defs":{"A":{"type":"array","items":{"$ref":"#/$defs/A"}}},"type":"object","properties":{"x":{"$ref":"#/$defs/A"}}}`
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 40) + "{}" + strings.Repeat("}}", 40)
	nested := strings.Repeat("[", 200) + strings.Repeat("]", 200)
	for _, text := range []string{wide, array, deep, nested} {
		if schema, found := ParseSchema([]byte(text)); found == nil || !schema.IsZero() {
			t.Errorf("%.60s… is taken", text)
		}
	}
}

func FuzzFieldsAndSchema(f *testing.F) {
	f.Add([]byte(`[{"name":"a"},{"name":"b","type":"date","required":true,"description":"x <&> \u2028"}]`))
	f.Add([]byte(`[{"name":"o","type":"object","fields":[{"name":"p","type":"array","items":{"type":"number","enum":[1,2.50,1e3]}}]}]`))
	f.Add([]byte(`[{"name":"l","type":"array","fields":[{"name":"q","enum":["\ud800","y"]}]}]`))
	f.Fuzz(func(t *testing.T, text []byte) {
		fields, found := ParseFields(text)
		if found != nil || len(fields) == 0 {
			return
		}
		schema := SchemaOf(fields)
		again, found := ParseSchema([]byte(schema.String()))
		if found != nil {
			t.Fatalf("the schema of %s is refused: %v", text, found)
		}
		if again != schema {
			t.Errorf("%s is written again as %s", schema, again)
		}
		if diff := cmp.Diff(normalized(fields), schema.Fields()); diff != "" {
			t.Errorf("the fields of %s come back otherwise: %s", schema, diff)
		}
		checkSummary(t, schema)
	})
}

// normalized drops what a schema does not tell apart: an empty list of
// children, and array elements that say nothing.
func normalized(fields []Field) []Field {
	var list []Field
	for _, f := range fields {
		f.Fields = normalized(f.Fields)
		if f.Items != nil {
			items := normalized([]Field{*f.Items})[0]
			f.Items = &items
		}
		list = append(list, f)
	}
	return list
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x~1y"}},"$defs":{"x/y":{"type":["null","array"],"items":{}}}}`))
	f.Add([]byte(`{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},{"oneOf":[{"const":1}]}]}},"required":["a",1]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		schema, found := ParseSchema(text)
		if (found == nil) == schema.IsZero() {
			t.Fatalf("neither a schema nor a reason: %v", found)
		}
		if found != nil {
			return
		}
		if !json.Valid([]byte(schema.String())) {
			t.Errorf("%q is not JSON", schema)
		}
		if len(schema.Fields()) == 0 {
			t.Errorf("%s has no fields", schema)
		}
		checkSummary(t, schema)
	})
}

// checkSummary holds the quick way to descriptions against the slow one.
func checkSummary(t *testing.T, schema Schema) {
	t.Helper()
	type summary struct {
		Description any `json:"description"`
	}
	var got, want map[string]summary
	var root struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal([]byte(schema.Summary()), &got); err != nil {
		t.Fatalf("the summary of %s is %s: %v", schema, schema.Summary(), err)
	}
	if err := json.Unmarshal([]byte(schema.String()), &root); err != nil {
		t.Fatal(err)
	}
	want = map[string]summary{}
	for name, text := range root.Properties {
		var property map[string]any
		_ = json.Unmarshal(text, &property) // true and false are schemas too
		description, _ := property["description"].(string)
		want[name] = summary{description}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the summary of %s is %s: %s", schema, schema.Summary(), diff)
	}
}

func TestSummary(t *testing.T) {
	for text, want := range map[string]string{
		`{"type":"object","properties":{"b":{"type":"string","description":"The \"b\" \\"},"a":{}}}`:                      `{"b":{"description":"The \"b\" \\"},"a":{"description":""}}`,
		`{"properties":{"x":true,"y":{"description":5},"z":{"items":[{"description":"no"}],"n":-1.5e3}},"type":"object"}`: `{"x":{"description":""},"y":{"description":""},"z":{"description":""}}`,
		"": `{}`,
	} {
		if got := StoredSchema(text).Summary(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

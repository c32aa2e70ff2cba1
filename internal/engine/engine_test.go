package engine

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
)

// order is a schema with everything that nests.
var order = []fieldlift.Field{
	{Name: "zeta/no", Type: fieldlift.StringField, Required: true},
	{Name: "placed", Type: fieldlift.DateField},
	{Name: "open", Type: fieldlift.BooleanField},
	{Name: "buyer", Type: fieldlift.ObjectField, Required: true, Fields: []fieldlift.Field{
		{Name: "name", Type: fieldlift.StringField, Required: true},
		{Name: "home~", Type: fieldlift.ObjectField, Fields: []fieldlift.Field{{Name: "city", Type: fieldlift.StringField}}},
	}},
	{Name: "lines", Type: fieldlift.ArrayField, Required: true, Items: &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{
		{Name: "sku", Type: fieldlift.StringField, Required: true},
		{Name: "qty", Type: fieldlift.NumberField, Enum: []any{json.Number("1"), json.Number("2")}},
	}}},
	{Name: "tags", Type: fieldlift.ArrayField},
	{Name: "kind", Type: fieldlift.StringField, Enum: []any{"gross", "net"}},
}

func TestBuild(t *testing.T) {
	scalar := func(v any, confidence float64) Found {
		return Found{Value: v, Place: fieldlift.FieldMetadata{Confidence: confidence, Page: 1, Text: "t", Source: fieldlift.SourceText}}
	}
	answer := Build(order, []Found{
		scalar("A<1>", 0.9), {}, scalar(false, 0.8),
		{Members: []Found{{}, {Members: []Found{scalar("Köln", 0.7)}}}},
		{Elements: []Found{{Members: []Found{scalar("x", 0.5), scalar(json.Number("2.00"), 0.7)}}, {Members: []Found{scalar("y", 0.6)}}}},
	})
	want := `{"zeta/no":"A<1>","placed":null,"open":false,"buyer":{"name":null,"home~":{"city":"Köln"}},` +
		`"lines":[{"sku":"x","qty":2.00},{"sku":"y","qty":null}],"tags":null,"kind":null}`
	if string(answer.Data) != want {
		t.Errorf("data\n%s, want\n%s", answer.Data, want)
	}
	got := map[string]float64{}
	for path, m := range answer.Metadata {
		got[path] = m.Confidence
		if m.Boxes == nil {
			t.Errorf("%s has null for boxes", path)
		}
	}
	if diff := cmp.Diff(map[string]float64{"/zeta~1no": 0.9, "/open": 0.8, "/buyer/home~0/city": 0.7, "/lines/0/sku": 0.5, "/lines/0/qty": 0.7, "/lines/1/sku": 0.6}, got); diff != "" {
		t.Error(diff)
	}
	if math.Abs(answer.Confidence-0.75) > 1e-9 { // of 0.9, 0.8, 0.7 and 0.6
		t.Errorf("confidence %v", answer.Confidence)
	}
}

func TestBuildOfNothing(t *testing.T) {
	answer := Build(order, nil)
	want := `{"zeta/no":null,"placed":null,"open":null,"buyer":{"name":null,"home~":{"city":null}},"lines":null,"tags":null,"kind":null}`
	if string(answer.Data) != want || len(answer.Metadata) != 0 || answer.Metadata == nil || answer.Confidence != 0 {
		t.Errorf("%s %v %v", answer.Data, answer.Metadata, answer.Confidence)
	}
	if empty := Build(nil, nil); string(empty.Data) != "{}" {
		t.Errorf("%s", empty.Data)
	}
}

func TestBuildKeepsPlacesSound(t *testing.T) {
	nan := math.NaN()
	answer := Build([]fieldlift.Field{{Name: "a", Type: fieldlift.StringField}}, []Found{{Value: "x", Place: fieldlift.FieldMetadata{
		Confidence: nan, Boxes: [][4]float64{{-1, 0, 2, 0.5}, {nan, 0, 1, 1}, {0.5, 0, 0.4, 1}, {0, 0, math.Inf(1), 1}},
	}}})
	want := fieldlift.FieldMetadata{Boxes: [][4]float64{{0, 0, 1, 0.5}, {0, 0, 1, 1}}}
	if diff := cmp.Diff(want, answer.Metadata["/a"]); diff != "" {
		t.Error(diff)
	}
}

func TestValidate(t *testing.T) {
	type violation struct{ path, rule string }
	for name, c := range map[string]struct {
		data string
		want []violation
	}{
		"all is well":         {`{"zeta/no":"1","placed":"2026-05-03","open":true,"buyer":{"name":"n","home~":{"city":null}},"lines":[{"sku":"x","qty":2.00}],"tags":["a",1],"kind":"net"}`, nil},
		"nothing was found":   {`{"zeta/no":null,"buyer":{"name":null,"home~":{"city":null}},"lines":null}`, []violation{{"/zeta~1no", "required"}, {"/buyer", "required"}, {"/buyer/name", "required"}, {"/lines", "required"}}},
		"wrong types":         {`{"zeta/no":1,"placed":"03.05.2026","open":"yes","buyer":{"name":"n","home~":{"city":3}},"lines":[{"sku":"x","qty":"2"},7],"tags":"a"}`, []violation{{"/zeta~1no", "type"}, {"/placed", "type"}, {"/open", "type"}, {"/buyer/home~0/city", "type"}, {"/lines/0/qty", "type"}, {"/lines/1", "type"}, {"/tags", "type"}}},
		"no such day":         {`{"zeta/no":"1","placed":"2026-02-30","buyer":{"name":"n"},"lines":[]}`, []violation{{"/placed", "type"}}},
		"not in the enum":     {`{"zeta/no":"1","kind":"Net","buyer":{"name":"n"},"lines":[{"sku":"x","qty":3},{"sku":null,"qty":1}]}`, []violation{{"/lines/0/qty", "enum"}, {"/lines/1/sku", "required"}, {"/kind", "enum"}}},
		"containers of wrong": {`{"zeta/no":"1","buyer":[],"lines":{}}`, []violation{{"/buyer", "type"}, {"/lines", "type"}}},
		"no object":           {`[1]`, []violation{{"", "type"}}},
		"null":                {`null`, []violation{{"", "type"}}},
		"no JSON":             {`{`, []violation{{"", "type"}}},
	} {
		var got []violation
		for _, v := range Validate(order, json.RawMessage(c.data)) {
			got = append(got, violation{v.Path, v.Rule})
			if v.Severity != fieldlift.SeverityError || v.Message == "" {
				t.Errorf("%s: %+v", name, v)
			}
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(violation{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func FuzzValidate(f *testing.F) {
	f.Add(`{"zeta/no":1,"buyer":{"name":null},"lines":[{"qty":1e9}]}`)
	f.Fuzz(func(t *testing.T, data string) {
		for _, v := range Validate(order, json.RawMessage(data)) {
			if v.Rule == "" || (v.Path != "" && v.Path[0] != '/') {
				t.Errorf("%+v", v)
			}
		}
	})
}

func TestValidateSums(t *testing.T) {
	number := func(name string) fieldlift.Field { return fieldlift.Field{Name: name, Type: fieldlift.NumberField} }
	fields := []fieldlift.Field{
		{Name: "iban", Type: fieldlift.StringField}, {Name: "cardNumber", Type: fieldlift.StringField},
		number("subtotal"), number("tax_amount"), number("total"), number("discount"),
		{Name: "line_items", Type: fieldlift.ArrayField, Items: &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{number("quantity"), number("amount")}}},
	}
	for name, c := range map[string]struct {
		data string
		want []string
	}{
		"all comes out":         {`{"iban":"DE89 3704 0044 0532 0130 00","subtotal":100,"tax_amount":19,"total":119.00,"line_items":[{"amount":60},{"amount":40}]}`, nil},
		"nothing to add":        {`{"total":119.00}`, nil},
		"wrong check digits":    {`{"iban":"DE88 3704 0044 0532 0130 00","cardNumber":"4111 1111 1111 1112"}`, []string{"/iban checksum", "/cardNumber checksum"}},
		"a masked card":         {`{"cardNumber":"xxxx xxxx xxxx 1111"}`, nil},
		"tax does not fit":      {`{"subtotal":100,"tax_amount":19,"total":120}`, []string{"/total arithmetic"}},
		"with a discount":       {`{"subtotal":100,"tax_amount":19,"total":109,"discount":10}`, nil},
		"lines do not fit":      {`{"subtotal":100,"line_items":[{"amount":60},{"amount":41}]}`, []string{"/subtotal arithmetic"}},
		"lines against total":   {`{"total":100,"line_items":[{"amount":60},{"amount":41}]}`, []string{"/total arithmetic"}},
		"a line has no amount":  {`{"subtotal":100,"line_items":[{"amount":60},{"amount":null}]}`, nil},
		"lines that have taxes": {`{"subtotal":100,"tax_amount":19,"total":119,"line_items":[{"amount":119}]}`, nil},
	} {
		var got []string
		for _, v := range Validate(fields, json.RawMessage(c.data)) {
			got = append(got, v.Path+" "+v.Rule)
			if v.Severity != fieldlift.SeverityWarning {
				t.Errorf("%s: %+v", name, v)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestValidateSumsWhereTaxIsNotAskedFor(t *testing.T) {
	fields := []fieldlift.Field{
		{Name: "total", Type: fieldlift.NumberField},
		{Name: "line_items", Type: fieldlift.ArrayField, Items: &fieldlift.Field{
			Type: fieldlift.ObjectField, Fields: []fieldlift.Field{{Name: "amount", Type: fieldlift.NumberField}},
		}},
	}
	if found := Validate(fields, json.RawMessage(`{"total":119,"line_items":[{"amount":60},{"amount":40}]}`)); len(found) > 0 {
		t.Errorf("the rest may be tax: %+v", found)
	}
	if found := Validate(fields, json.RawMessage(`{"total":99,"line_items":[{"amount":60},{"amount":40}]}`)); len(found) != 1 {
		t.Errorf("the lines are more than the total: %+v", found)
	}
}

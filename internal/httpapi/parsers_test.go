package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
)

func create(t *testing.T, a *apptest.App, body any) api.Parser {
	t.Helper()
	return apptest.Into[api.ParserEnvelope](t, a.Send(t, "POST", "/v1/parsers", body).WantStatus(t, 201)).Parser
}

func patch(t *testing.T, a *apptest.App, id, body string) api.Parser {
	t.Helper()
	return apptest.Into[api.ParserEnvelope](t, a.Send(t, "PATCH", "/v1/parsers/"+id, body).WantStatus(t, 200)).Parser
}

func fetch(t *testing.T, a *apptest.App, id string) api.Parser {
	t.Helper()
	return apptest.Into[api.ParserEnvelope](t, a.Send(t, "GET", "/v1/parsers/"+id, nil).WantStatus(t, 200)).Parser
}

func TestCreateParser(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)

		t.Run("POST /v1/parsers: 201 { parser }.", func(t *testing.T) {
			p := create(t, a, `{"name":"Plain"}`)
			if p.Name != "Plain" || p.Description != "" || p.ResultMode != "one_per_file" || p.DocumentType != nil ||
				string(p.Schema) != "null" || len(p.Fields) != 0 || p.HasSampleFile || p.SampleFileID != nil {
				t.Errorf("%+v", p)
			}
			if p.CreatedAt.IsZero() || !p.UpdatedAt.Equal(p.CreatedAt.Time) {
				t.Errorf("created %v, updated %v", p.CreatedAt, p.UpdatedAt)
			}
			if diff := cmp.Diff(p, fetch(t, a, p.ParserID)); diff != "" {
				t.Errorf("fetched otherwise than created: %s", diff)
			}
		})
		t.Run("name: Max 100 characters.", func(t *testing.T) {
			create(t, a, map[string]any{"name": strings.Repeat("é", 100)})
			body := a.Send(t, "POST", "/v1/parsers", map[string]any{"name": strings.Repeat("x", 101)}).WantError(t, 400, "INVALID_PAYLOAD")
			if len(body.Details) != 1 || body.Details[0].Field != "name" || body.Details[0].Issue != "max_length" {
				t.Errorf("%+v", body)
			}
		})
		t.Run("name: Unique per account; a duplicate gives 409 CONFLICT.", func(t *testing.T) {
			create(t, a, `{"name":"Twice"}`)
			a.Send(t, "POST", "/v1/parsers", `{"name":"Twice"}`).WantError(t, 409, "CONFLICT")
			other := a.NewKey(t, a.NewAccount(t, "other@example.com", 0), "k")
			a.Send(t, "POST", "/v1/parsers", `{"name":"Twice"}`, "X-API-Key", other).WantStatus(t, 201)
		})
		t.Run("result_mode: one_per_file (default) or one_per_page.", func(t *testing.T) {
			if p := create(t, a, `{"name":"Pages","result_mode":"one_per_page"}`); p.ResultMode != "one_per_page" {
				t.Error(p.ResultMode)
			}
			if p := create(t, a, `{"name":"Files","result_mode":"one_per_file"}`); p.ResultMode != "one_per_file" {
				t.Error(p.ResultMode)
			}
		})
		t.Run("document_type: Document type slug; null clears it. Settable on create and update.", func(t *testing.T) {
			p := create(t, a, `{"name":"Typed","document_type":"bank_statement"}`)
			if p.DocumentType == nil || *p.DocumentType != "bank_statement" {
				t.Errorf("%v", p.DocumentType)
			}
			if p := patch(t, a, p.ParserID, `{"document_type":"my-own_2"}`); *p.DocumentType != "my-own_2" {
				t.Errorf("%v", p.DocumentType)
			}
			if p := patch(t, a, p.ParserID, `{"name":"Typed"}`); *p.DocumentType != "my-own_2" {
				t.Errorf("absent changed it: %v", p.DocumentType)
			}
			if p := patch(t, a, p.ParserID, `{"document_type":null}`); p.DocumentType != nil {
				t.Errorf("%v", p.DocumentType)
			}
			if p := create(t, a, `{"name":"Untyped","document_type":null}`); p.DocumentType != nil {
				t.Errorf("%v", p.DocumentType)
			}
		})
		t.Run("schema: JSON Schema, type object with properties. It may carry a required list and per-property description.", func(t *testing.T) {
			p := create(t, a, `{"name":"Fields","fields":[
				{"name":"zeta","required":true,"description":"Last first"},
				{"name":"alpha","type":"number"},
				{"name":"paid","type":"boolean"},
				{"name":"on","type":"date"},
				{"name":"tags","type":"array"},
				{"name":"extra","type":"object"}]}`)
			want := `{"type":"object","properties":{` +
				`"zeta":{"type":"string","description":"Last first"},` +
				`"alpha":{"type":"number"},` +
				`"paid":{"type":"boolean"},` +
				`"on":{"type":"string","format":"date"},` +
				`"tags":{"type":"array","items":{}},` +
				`"extra":{"type":"object"}},"required":["zeta"]}`
			if string(p.Schema) != want {
				t.Errorf("got  %s\nwant %s", p.Schema, want)
			}
		})
		t.Run("fields: Map from field name to an object with description (string).", func(t *testing.T) {
			p := create(t, a, `{"name":"Map","fields":[{"name":"a","description":"The a"},{"name":"b"}]}`)
			if diff := cmp.Diff(map[string]api.FieldInfo{"a": {Description: "The a"}, "b": {}}, p.Fields); diff != "" {
				t.Error(diff)
			}
		})
		t.Run("nested fields, items and enums", func(t *testing.T) {
			p := create(t, a, `{"name":"Nested","fields":[
				{"name":"vendor","type":"object","fields":[{"name":"name","required":true},{"name":"address","type":"object","fields":[{"name":"city"}]}]},
				{"name":"lines","type":"array","fields":[{"name":"amount","type":"number"}]},
				{"name":"tags","type":"array","items":{"type":"string","enum":["a","b"]}},
				{"name":"matrix","type":"array","items":{"type":"array","items":{"type":"number"}}},
				{"name":"rate","type":"number","enum":[7,19.0]}]}`)
			want := `{"type":"object","properties":{` +
				`"vendor":{"type":"object","properties":{"name":{"type":"string"},"address":{"type":"object","properties":{"city":{"type":"string"}}}},"required":["name"]},` +
				`"lines":{"type":"array","items":{"type":"object","properties":{"amount":{"type":"number"}}}},` +
				`"tags":{"type":"array","items":{"type":"string","enum":["a","b"]}},` +
				`"matrix":{"type":"array","items":{"type":"array","items":{"type":"number"}}},` +
				`"rate":{"type":"number","enum":[7,19.0]}}}`
			if string(p.Schema) != want {
				t.Errorf("got  %s\nwant %s", p.Schema, want)
			}
		})
		t.Run("a schema instead of fields comes back as it was given", func(t *testing.T) {
			given := `{"$defs":{"Line":{"type":"object","properties":{"sku":{"type":"string"}}}},"title":"Order <1> & Ü",` +
				`"type":"object","properties":{"id":{"description":"The id","anyOf":[{"type":"string"},{"type":"null"}]},` +
				`"lines":{"type":"array","items":{"$ref":"#/$defs/Line"}},"open":true},"required":["id"]}`
			p := create(t, a, fmt.Sprintf(`{"name":"Pydantic","schema":%s}`, given))
			if string(p.Schema) != given {
				t.Errorf("got  %s\nwant %s", p.Schema, given)
			}
			if diff := cmp.Diff(map[string]api.FieldInfo{"id": {Description: "The id"}, "lines": {}, "open": {}}, p.Fields); diff != "" {
				t.Error(diff)
			}
		})
		t.Run("unknown keys in bodies are ignored", func(t *testing.T) {
			create(t, a, `{"name":"Later","colour":"blue","fields":[{"name":"a","icon":{"x":1}}]}`)
		})
		t.Run("no fields make no schema", func(t *testing.T) {
			if p := create(t, a, `{"name":"Empty","fields":[]}`); string(p.Schema) != "null" || len(p.Fields) != 0 {
				t.Errorf("%s %v", p.Schema, p.Fields)
			}
		})
	})
}

func TestRefusedParserBodies(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	existing := create(t, a, `{"name":"Existing","fields":[{"name":"a"}]}`)
	deep := strings.Repeat(`[{"name":"a","type":"object","fields":`, 20) + "[]" + strings.Repeat("}]", 20)
	var many []string
	for i := range 2001 {
		many = append(many, fmt.Sprintf(`{"name":"f%d"}`, i))
	}
	for name, test := range map[string]struct{ body, field string }{
		"not JSON":                         {`{"name":`, ""},
		"nothing":                          {``, ""},
		"two values":                       {`{"name":"a"} {}`, ""},
		"an array":                         {`[]`, ""},
		"null":                             {`null`, ""},
		"not UTF-8":                        {"{\"name\":\"\xff\"}", ""},
		"name is a number":                 {`{"name":1}`, "name"},
		"name is null":                     {`{"name":null}`, "name"},
		"name is empty":                    {`{"name":""}`, "name"},
		"name is blank":                    {`{"name":"  "}`, "name"},
		"name has a NUL":                   {`{"name":"a\u0000b"}`, "name"},
		"description is a list":            {`{"name":"n","description":[]}`, "description"},
		"description is null":              {`{"name":"n","description":null}`, "description"},
		"description is too long":          {`{"name":"n","description":"` + strings.Repeat("x", 10_001) + `"}`, "description"},
		"fields make too long a schema":    {`{"name":"n","fields":[{"name":"a","description":"` + strings.Repeat("x", 300_000) + `"}]}`, "fields"},
		"description has a NUL":            {`{"name":"n","description":"\u0000"}`, "description"},
		"result_mode is unknown":           {`{"name":"n","result_mode":"each"}`, "result_mode"},
		"result_mode is null":              {`{"name":"n","result_mode":null}`, "result_mode"},
		"document_type is no slug":         {`{"name":"n","document_type":"Tax Form"}`, "document_type"},
		"document_type is empty":           {`{"name":"n","document_type":""}`, "document_type"},
		"document_type is a number":        {`{"name":"n","document_type":5}`, "document_type"},
		"document_type is too long":        {`{"name":"n","document_type":"` + strings.Repeat("a", 65) + `"}`, "document_type"},
		"fields is an object":              {`{"name":"n","fields":{}}`, "fields"},
		"fields is null":                   {`{"name":"n","fields":null}`, "fields"},
		"a field is a string":              {`{"name":"n","fields":["a"]}`, "fields[0]"},
		"a field without a name":           {`{"name":"n","fields":[{"type":"string"}]}`, "fields[0].name"},
		"a field with an empty name":       {`{"name":"n","fields":[{"name":""}]}`, "fields[0].name"},
		"two fields of one name":           {`{"name":"n","fields":[{"name":"a"},{"name":"a"}]}`, "fields[1].name"},
		"a field of unknown type":          {`{"name":"n","fields":[{"name":"a","type":"text"}]}`, "fields[0].type"},
		"a field's description is wrong":   {`{"name":"n","fields":[{"name":"a","description":1}]}`, "fields[0].description"},
		"required is a string":             {`{"name":"n","fields":[{"name":"a","required":"yes"}]}`, "fields[0].required"},
		"a string has fields":              {`{"name":"n","fields":[{"name":"a","fields":[]}]}`, "fields[0].fields"},
		"an object has items":              {`{"name":"n","fields":[{"name":"a","type":"object","items":{}}]}`, "fields[0].items"},
		"an array has items and fields":    {`{"name":"n","fields":[{"name":"a","type":"array","items":{},"fields":[]}]}`, "fields[0].fields"},
		"a nested mistake":                 {`{"name":"n","fields":[{"name":"a","type":"array","items":{"type":"object","fields":[{"name":"b","type":"x"}]}}]}`, "fields[0].items.fields[0].type"},
		"an enum is empty":                 {`{"name":"n","fields":[{"name":"a","enum":[]}]}`, "fields[0].enum"},
		"an enum's value is of wrong type": {`{"name":"n","fields":[{"name":"a","enum":["x",1]}]}`, "fields[0].enum[1]"},
		"an enum's value stands twice":     {`{"name":"n","fields":[{"name":"a","enum":["x","x"]}]}`, "fields[0].enum[1]"},
		"a boolean has an enum":            {`{"name":"n","fields":[{"name":"a","type":"boolean","enum":["x"]}]}`, "fields[0].enum"},
		"fields are nested too deep":       {`{"name":"n","fields":` + deep + `}`, ""},
		"there are too many fields":        {`{"name":"n","fields":[` + strings.Join(many, ",") + `]}`, "fields"},
		"fields and schema":                {`{"name":"n","fields":[{"name":"a"}],"schema":{"type":"object","properties":{"a":{}}}}`, "schema"},
		"schema is a string":               {`{"name":"n","schema":"{}"}`, "schema"},
		"schema of another type":           {`{"name":"n","schema":{"type":"array","items":{}}}`, "schema.type"},
		"schema without properties":        {`{"name":"n","schema":{"type":"object"}}`, "schema.properties"},
		"schema with no property":          {`{"name":"n","schema":{"type":"object","properties":{}}}`, "schema.properties"},
		"schema that is not valid":         {`{"name":"n","schema":{"type":"object","properties":{"a":{"type":"text"}}}}`, "schema.properties.a.type"},
		"schema with a doubled key":        {`{"name":"n","schema":{"type":"object","properties":{"a":{},"a":{}}}}`, "schema"},
		"schema that refers elsewhere":     {`{"name":"n","schema":{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}}`, "schema"},
		"schema that refers to nothing":    {`{"name":"n","schema":{"type":"object","properties":{"a":{"$ref":"#/$defs/None"}}}}`, "schema"},
		"schema that contains itself":      {`{"name":"n","schema":{"type":"object","properties":{"a":{"$ref":"#"}}}}`, "schema"},
		"schema that refers in a circle":   {`{"name":"n","schema":{"$defs":{"A":{"$ref":"#/$defs/A"}},"type":"object","properties":{"a":{"$ref":"#/$defs/A"}}}}`, "schema"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, target := range []struct{ method, path string }{{"POST", "/v1/parsers"}, {"PATCH", "/v1/parsers/" + existing.ParserID}} {
				body := a.Send(t, target.method, target.path, test.body).WantError(t, 400, "INVALID_PAYLOAD")
				if test.field != "" && (len(body.Details) == 0 || body.Details[0].Field != test.field) {
					t.Errorf("%s: the details do not begin with %s: %+v", target.method, test.field, body.Details)
				}
			}
		})
	}
	t.Run("all mistakes are named at once", func(t *testing.T) {
		body := a.Send(t, "POST", "/v1/parsers", `{"name":7,"result_mode":"x","fields":[{"type":"y"}]}`).WantError(t, 400, "INVALID_PAYLOAD")
		var fields []string
		for _, d := range body.Details {
			fields = append(fields, d.Field)
		}
		if diff := cmp.Diff([]string{"name", "fields[0].type", "fields[0].name", "result_mode"}, fields); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("an answer is never much longer than what it answers", func(t *testing.T) {
		answer := a.Send(t, "POST", "/v1/parsers", `{"name":"n","fields":[0`+strings.Repeat(",0", 400_000)+`]}`)
		answer.WantError(t, 400, "INVALID_PAYLOAD")
		if len(answer.Text) > 10_000 {
			t.Errorf("%d bytes", len(answer.Text))
		}
	})
	t.Run("a query that cannot be read", func(t *testing.T) {
		for _, query := range []string{"limit=%zz", "limit=5;x", "limit=%2B5", "limit=007"} {
			a.Send(t, "GET", "/v1/parsers?"+query, nil).WantError(t, 400, "INVALID_PAYLOAD")
		}
	})
	t.Run("a body over the limit", func(t *testing.T) {
		body := a.Send(t, "POST", "/v1/parsers", `{"name":"`+strings.Repeat("x", 1<<20)+`"}`).WantError(t, 413, "INVALID_PAYLOAD")
		if !strings.Contains(body.Message, "1048576") {
			t.Error(body.Message)
		}
	})
	t.Run("nothing was changed by any of it", func(t *testing.T) {
		if diff := cmp.Diff(existing, fetch(t, a, existing.ParserID)); diff != "" {
			t.Error(diff)
		}
		list, err := a.Client().ListParsers(t.Context(), api.ListOptions{})
		if err != nil || len(list.Parsers) != 1 {
			t.Errorf("%d parsers, %v", len(list.Parsers), err)
		}
	})
}

func TestFetchParser(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		p := create(t, a, `{"name":"Mine"}`)
		t.Run("GET /v1/parsers/{id}: 200 { parser }. Errors 401, 404 PARSER_NOT_FOUND.", func(t *testing.T) {
			fetch(t, a, p.ParserID)
			for _, id := range []string{fieldlift.NewID("par_"), "par_short", "x", "par_%00", "..%2f..", strings.Repeat("a", 3000), "%ff"} {
				a.Send(t, "GET", "/v1/parsers/"+id, nil).WantError(t, 404, "PARSER_NOT_FOUND")
				a.Send(t, "PATCH", "/v1/parsers/"+id, `{"name":"x"}`).WantError(t, 404, "PARSER_NOT_FOUND")
				a.Send(t, "DELETE", "/v1/parsers/"+id, nil).WantError(t, 404, "PARSER_NOT_FOUND")
			}
		})
		t.Run("A resource of another account is reported as not found.", func(t *testing.T) {
			other := a.NewKey(t, a.NewAccount(t, "eve@example.com", 0), "k")
			path := "/v1/parsers/" + p.ParserID
			a.Send(t, "GET", path, nil, "X-API-Key", other).WantError(t, 404, "PARSER_NOT_FOUND")
			a.Send(t, "PATCH", path, `{"name":"stolen"}`, "X-API-Key", other).WantError(t, 404, "PARSER_NOT_FOUND")
			a.Send(t, "DELETE", path, nil, "X-API-Key", other).WantError(t, 404, "PARSER_NOT_FOUND")
			list, err := a.ClientFor(other).ListParsers(t.Context(), api.ListOptions{})
			if err != nil || len(list.Parsers) != 0 {
				t.Errorf("%+v, %v", list, err)
			}
			if diff := cmp.Diff(p, fetch(t, a, p.ParserID)); diff != "" {
				t.Error(diff)
			}
		})
	})
}

func TestUpdateParser(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		p := create(t, a, `{"name":"Before","description":"d","document_type":"invoice","fields":[{"name":"a","description":"x"},{"name":"b"}]}`)

		t.Run("JSON, all optional. Partial update.", func(t *testing.T) {
			if diff := cmp.Diff(p, patch(t, a, p.ParserID, `{}`)); diff != "" {
				t.Errorf("an empty update changed something: %s", diff)
			}
			want := p
			want.Name = "After"
			got := patch(t, a, p.ParserID, `{"name":"After"}`)
			if !got.UpdatedAt.After(p.UpdatedAt.Time) {
				t.Errorf("updated_at did not move: %v", got.UpdatedAt)
			}
			want.UpdatedAt = got.UpdatedAt
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(got, fetch(t, a, p.ParserID)); diff != "" {
				t.Errorf("fetched otherwise than answered: %s", diff)
			}
			if got := patch(t, a, p.ParserID, `{"description":"","result_mode":"one_per_page"}`); got.Description != "" || got.ResultMode != "one_per_page" || got.Name != "After" {
				t.Errorf("%+v", got)
			}
		})
		t.Run("Supplying fields on update replaces the whole list and regenerates the underlying schema.", func(t *testing.T) {
			got := patch(t, a, p.ParserID, `{"fields":[{"name":"c","type":"number"}]}`)
			if string(got.Schema) != `{"type":"object","properties":{"c":{"type":"number"}}}` || len(got.Fields) != 1 {
				t.Errorf("%s %v", got.Schema, got.Fields)
			}
			got = patch(t, a, p.ParserID, `{"schema":{"type":"object","properties":{"d":{}}}}`)
			if string(got.Schema) != `{"type":"object","properties":{"d":{}}}` {
				t.Errorf("%s", got.Schema)
			}
			for _, clear := range []string{`{"fields":[]}`, `{"schema":null}`} {
				patch(t, a, p.ParserID, `{"fields":[{"name":"c"}]}`)
				if got := patch(t, a, p.ParserID, clear); string(got.Schema) != "null" || len(got.Fields) != 0 {
					t.Errorf("%s: %s %v", clear, got.Schema, got.Fields)
				}
			}
		})
		t.Run("409 CONFLICT", func(t *testing.T) {
			create(t, a, `{"name":"Taken"}`)
			a.Send(t, "PATCH", "/v1/parsers/"+p.ParserID, `{"name":"Taken"}`).WantError(t, 409, "CONFLICT")
			if got := patch(t, a, p.ParserID, `{"name":"After"}`); got.Name != "After" {
				t.Error("a parser's own name is refused")
			}
		})
	})
}

func TestDeleteParser(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		p := create(t, a, `{"name":"Gone"}`)
		path := "/v1/parsers/" + p.ParserID
		t.Run("DELETE: 204, empty body (soft delete).", func(t *testing.T) {
			if answer := a.Send(t, "DELETE", path, nil).WantStatus(t, 204); answer.Text != "" {
				t.Errorf("%q", answer.Text)
			}
		})
		t.Run("Parsers are soft-deleted; a deleted one is no longer served.", func(t *testing.T) {
			a.Send(t, "GET", path, nil).WantError(t, 404, "PARSER_NOT_FOUND")
			a.Send(t, "PATCH", path, `{"name":"Back"}`).WantError(t, 404, "PARSER_NOT_FOUND")
			a.Send(t, "DELETE", path, nil).WantError(t, 404, "PARSER_NOT_FOUND")
			list, err := a.Client().ListParsers(t.Context(), api.ListOptions{})
			if err != nil || len(list.Parsers) != 0 {
				t.Errorf("%+v, %v", list, err)
			}
		})
		t.Run("its name is free again", func(t *testing.T) {
			if again := create(t, a, `{"name":"Gone"}`); again.ParserID == p.ParserID {
				t.Error("the id came back")
			}
		})
	})
}

func TestListParsers(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		var newestFirst []string
		for i := range 45 {
			p := create(t, a, map[string]any{"name": fmt.Sprint("P", i)})
			newestFirst = append([]string{p.ParserID}, newestFirst...)
		}
		list := func(t *testing.T, query string) api.ParserList {
			t.Helper()
			return apptest.Into[api.ParserList](t, a.Send(t, "GET", "/v1/parsers"+query, nil).WantStatus(t, 200))
		}
		ids := func(l api.ParserList) (ids []string) {
			for _, p := range l.Parsers {
				ids = append(ids, p.ParserID)
			}
			return ids
		}
		t.Run("limit (integer, default 20, max 100), cursor (string). 200 { parsers: [Parser], pagination }.", func(t *testing.T) {
			first := list(t, "")
			if first.Pagination.Limit != 20 || !first.Pagination.HasNextPage || first.Pagination.NextCursor == nil {
				t.Errorf("%+v", first.Pagination)
			}
			second := list(t, "?cursor="+*first.Pagination.NextCursor)
			third := list(t, "?cursor="+*second.Pagination.NextCursor)
			if third.Pagination.HasNextPage || third.Pagination.NextCursor != nil {
				t.Errorf("%+v", third.Pagination)
			}
			if diff := cmp.Diff(newestFirst, append(append(ids(first), ids(second)...), ids(third)...)); diff != "" {
				t.Error(diff)
			}
			all := list(t, "?limit=100")
			if diff := cmp.Diff(newestFirst, ids(all)); diff != "" || all.Pagination.HasNextPage || all.Pagination.Limit != 100 {
				t.Errorf("%+v %s", all.Pagination, diff)
			}
			if exact := list(t, "?limit=45"); exact.Pagination.HasNextPage {
				t.Error("a full last page promises another")
			}
		})
		t.Run("limits and cursors that are refused", func(t *testing.T) {
			other := a.NewAccount(t, "other@example.com", 0)
			foreign := fieldlift.Cursor{At: other.CreatedAt, ID: newestFirst[0]}.Encode("parsers " + other.ID)
			otherList := fieldlift.Cursor{At: other.CreatedAt, ID: newestFirst[0]}.Encode("extractions " + a.Account.ID)
			for query, field := range map[string]string{
				"limit=0": "limit", "limit=101": "limit", "limit=-1": "limit", "limit=ten": "limit", "limit=": "limit", "limit=1.5": "limit",
				"cursor=": "cursor", "cursor=nonsense": "cursor", "cursor=%00": "cursor", "cursor=" + foreign: "cursor", "cursor=" + otherList: "cursor",
			} {
				body := a.Send(t, "GET", "/v1/parsers?"+query, nil).WantError(t, 400, "INVALID_PAYLOAD")
				if len(body.Details) != 1 || body.Details[0].Field != field {
					t.Errorf("%s: %+v", query, body.Details)
				}
			}
		})
		t.Run("a row is never skipped or repeated while others come and go", func(t *testing.T) {
			first := list(t, "?limit=10")
			create(t, a, `{"name":"In between"}`)
			a.Send(t, "DELETE", "/v1/parsers/"+newestFirst[9], nil).WantStatus(t, 204) // the row the cursor stands on
			a.Send(t, "DELETE", "/v1/parsers/"+newestFirst[20], nil).WantStatus(t, 204)
			seen := ids(first)
			for cursor := first.Pagination.NextCursor; cursor != nil; {
				page := list(t, "?limit=10&cursor="+*cursor)
				seen = append(seen, ids(page)...)
				cursor = page.Pagination.NextCursor
			}
			want := append(append([]string{}, newestFirst[:20]...), newestFirst[21:]...)
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Error(diff)
			}
		})
		t.Run("the client goes through all pages", func(t *testing.T) {
			n := 0
			for _, err := range a.Client().Parsers(t.Context()) {
				if err != nil {
					t.Fatal(err)
				}
				n++
			}
			if n != 44 {
				t.Errorf("%d parsers, want 44", n)
			}
		})
	})
}

func TestRacingCreatesMakeOneParser(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		statuses := make(chan int, 20)
		var racers sync.WaitGroup
		for range cap(statuses) {
			racers.Go(func() {
				request, _ := http.NewRequest("POST", a.URL()+"/v1/parsers", strings.NewReader(`{"name":"Race"}`))
				request.Header.Set("X-API-Key", a.Key)
				response, err := a.HTTP().Do(request)
				if err != nil {
					t.Error(err)
					return
				}
				_ = response.Body.Close()
				statuses <- response.StatusCode
			})
		}
		racers.Wait()
		close(statuses)
		count := map[int]int{}
		for status := range statuses {
			count[status]++
		}
		if count[201] != 1 || count[409] != 19 {
			t.Errorf("%v", count)
		}
	})
}

func TestConcurrentUpdatesLoseNothing(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		p := create(t, a, `{"name":"Shared"}`)
		var writers sync.WaitGroup
		for _, body := range []string{`{"description":"set"}`, `{"document_type":"invoice"}`, `{"result_mode":"one_per_page"}`, `{"fields":[{"name":"a"}]}`, `{"name":"Renamed"}`} {
			writers.Go(func() {
				var update api.ParserUpdate
				if err := json.Unmarshal([]byte(body), &update); err != nil {
					t.Error(err)
				}
				if _, err := a.Client().UpdateParser(t.Context(), p.ParserID, update); err != nil {
					t.Error(err)
				}
			})
		}
		writers.Wait()
		got := fetch(t, a, p.ParserID)
		if got.Description != "set" || *got.DocumentType != "invoice" || got.ResultMode != "one_per_page" || len(got.Fields) != 1 || got.Name != "Renamed" {
			t.Errorf("%+v", got)
		}
	})
}

package export

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"fieldlift"
)

func TestFormulasAreGuardedInCSV(t *testing.T) {
	fields := fieldsOf(t, `[{"name":"s"},{"name":"n","type":"number"},{"name":"d","type":"date"},
		{"name":"b","type":"boolean"},{"name":"l","type":"array","items":{"type":"string"}}]`)
	for _, c := range []struct{ field, value, want string }{
		{"s", `"=1+1"`, "'=1+1"},
		{"s", `"+49 221 1"`, "'+49 221 1"},
		{"s", `"-5.00"`, "'-5.00"},
		{"s", `"@SUM(A1)"`, "'@SUM(A1)"},
		{"s", `"\t=1"`, "'\t=1"},
		{"s", `"\n=1"`, "'\n=1"},
		{"s", `"\r=1"`, "'=1"}, // the csv package lets no lone CR through
		{"s", `"1=1"`, "1=1"},
		{"s", `"'=1"`, "'=1"},
		{"s", `" =1"`, " =1"},
		{"s", `""`, ""},
		{"s", `-5`, "'-5"},
		{"n", `-5.00`, "-5.00"},
		{"n", `-1e-7`, "-1e-7"},
		{"n", `"-5.00"`, "'-5.00"},
		{"n", `"=1"`, "'=1"},
		{"d", `"2026-02-28"`, "2026-02-28"},
		{"d", `"=TODAY()"`, "'=TODAY()"},
		{"b", `true`, "true"},
		{"b", `"=TRUE"`, "'=TRUE"},
		{"l", `["=1","b"]`, "'=1; b"},
		{"l", `["a","=1"]`, "a; =1"},
	} {
		table := Table{Fields: fields, Records: records(Record{Data: json.RawMessage(`{"` + c.field + `":` + c.value + `}`)})}
		rows := readCSV(t, write(t, CSV, table, Options{}))
		for i, name := range rows[0] {
			if name == c.field && rows[1][i] != c.want {
				t.Errorf("%s %s: %q, want %q", c.field, c.value, rows[1][i], c.want)
			}
		}
	}
	table := Table{
		Fields:  []fieldlift.Field{{Name: "=cmd|' /C calc'!A0", Type: fieldlift.StringField}},
		Records: records(Record{DocumentID: "=id", Filename: "@file", Status: "-status", ErrorMessage: "+error"}),
	}
	for _, row := range readCSV(t, write(t, CSV, table, Options{})) {
		for _, value := range row {
			if strings.ContainsAny(value[:min(1, len(value))], "=+-@") {
				t.Errorf("%q is not guarded", value)
			}
		}
	}
}

func readCSV(t interface{ Fatal(...any) }, file []byte) [][]string {
	rows, err := csv.NewReader(bytes.NewReader(file)).ReadAll() // it refuses rows of different lengths
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// anyData fits no schema in particular: it has the keys of the invoice's
// fields, and anything in them.
func anyData() *rapid.Generator[any] {
	keys := rapid.SampledFrom([]string{"invoice_number", "issued", "seller", "name", "address", "city", "total", "paid", "tags",
		"lines", "text", "amount", "taxes", "rate", "parts", "matrix", "extra", "note", "pages", "page", "other"})
	leaf := rapid.OneOf(
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.String().AsAny(), rapid.Float64().AsAny(), rapid.Int64().AsAny(),
		rapid.SampledFrom([]any{"=1+1", "2026-01-31", "a\r\nb", "\x00", "_x000D_", json.Number("1e400"), json.Number("123456789012345678901")}),
	)
	value := leaf
	for range 4 {
		value = rapid.OneOf(leaf,
			rapid.SliceOfN(value, 0, 3).AsAny(),
			rapid.MapOfN(keys, value, 0, 6).AsAny())
	}
	return rapid.OneOf(rapid.MapOfN(keys, value, 0, 12).AsAny(), value)
}

func TestAnyDataMakesSoundFiles(t *testing.T) {
	fields := fieldsOf(t, invoiceFields)
	rapid.Check(t, func(t *rapid.T) {
		table := Table{Name: rapid.String().Draw(t, "name"), Fields: fields, PerPage: rapid.Bool().Draw(t, "per page")}
		var list []Record
		for range rapid.IntRange(0, 3).Draw(t, "documents") {
			data, err := json.Marshal(anyData().Draw(t, "data"))
			if err != nil {
				t.Skip(err)
			}
			list = append(list, Record{DocumentID: "doc", Filename: rapid.String().Draw(t, "file"), Data: data})
		}
		table.Records = records(list...)
		for _, explode := range []string{"", "lines"} {
			var b bytes.Buffer
			if err := Write(&b, CSV, table, Options{Explode: explode}); err != nil {
				t.Fatal(err)
			}
			if rows := readCSV(t, b.Bytes()); len(rows) < len(list)+1 {
				t.Fatalf("%d rows of %d documents", len(rows), len(list))
			}
		}
		var b bytes.Buffer
		if err := Write(&b, JSON, table, Options{}); err != nil || !json.Valid(b.Bytes()) {
			t.Fatalf("%v: %s", err, b.Bytes())
		}
		checkXLSX(t, table)
	})
}

func FuzzCSV(f *testing.F) {
	fields := fieldsOf(f, invoiceFields)
	for r := range invoices(f).Records {
		f.Add([]byte(r.Data), false)
	}
	f.Add([]byte(`{"pages":[{"page":1,"lines":[[],{}]},7]}`), true)
	f.Add([]byte(` [1] `), true)
	f.Add([]byte("{\"note\":\"\xff\"}"), false)
	f.Fuzz(func(t *testing.T, data []byte, perPage bool) {
		table := Table{Fields: fields, PerPage: perPage, Records: records(Record{DocumentID: "doc", Data: data})}
		for _, explode := range []string{"", "lines"} {
			var b bytes.Buffer
			err := Write(&b, CSV, table, Options{Explode: explode})
			if sound := len(bytes.TrimSpace(data)) == 0 || json.Valid(data); (err == nil) != sound {
				t.Fatalf("sound: %v, error: %v", sound, err)
			}
			if err == nil && len(readCSV(t, b.Bytes())) < 2 {
				t.Fatal("the document has no row")
			}
		}
	})
}

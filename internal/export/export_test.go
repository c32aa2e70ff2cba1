package export

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"fieldlift"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func fieldsOf(t testing.TB, text string) []fieldlift.Field {
	t.Helper()
	fields, found := fieldlift.ParseFields([]byte(text))
	if found != nil {
		t.Fatal(found)
	}
	return fields
}

const invoiceFields = `[
	{"name":"invoice_number"},
	{"name":"issued","type":"date"},
	{"name":"seller","type":"object","fields":[
		{"name":"name"},
		{"name":"address","type":"object","fields":[{"name":"city"},{"name":"zip"}]}]},
	{"name":"total","type":"number"},
	{"name":"paid","type":"boolean"},
	{"name":"tags","type":"array","items":{"type":"string"}},
	{"name":"lines","type":"array","fields":[
		{"name":"text"},
		{"name":"amount","type":"number"},
		{"name":"due","type":"date"},
		{"name":"price","type":"object","fields":[{"name":"net","type":"number"},{"name":"currency"}]},
		{"name":"taxes","type":"array","fields":[
			{"name":"rate","type":"number"},
			{"name":"parts","type":"array","fields":[{"name":"a"}]}]}]},
	{"name":"matrix","type":"array","items":{"type":"array","items":{"type":"number"}}},
	{"name":"anything","type":"array"},
	{"name":"extra","type":"object"},
	{"name":"note"}]`

func invoices(t testing.TB) Table {
	return Table{
		Name:   "Juni “2026” – Rechnungen",
		Fields: fieldsOf(t, invoiceFields),
		Records: records(
			Record{
				DocumentID: "doc_1", Filename: "Müller & Söhne.pdf", Status: "completed", PageCount: 2, Confidence: 0.97,
				Data: json.RawMessage(`{"note":"two\nlines, \"quoted\"","invoice_number":"2026-001","issued":"2026-06-30",
					"seller":{"name":"Müller & Söhne <GmbH>","address":{"city":"Köln","zip":"05067"}},
					"total":-1190.50,"paid":true,"tags":["a","b; c",null,7],
					"lines":[
						{"text":"=1+1","amount":-5.00,"due":"2026-07-01","price":{"net":2.5,"currency":"EUR"},
							"taxes":[{"rate":19,"parts":[{"a":"x"}]},{"rate":7}]},
						{"text":"Bolt","amount":12}],
					"matrix":[[1, 2], [3]],"anything":[1,{"k": "v"}],"extra":{"z": 1, "a": [2]},"not_in_schema":"x"}`),
				Metadata:   json.RawMessage(`{"/total":{"confidence":0.97,"page":1,"boxes":[[0.1,0.2,0.3,0.4]],"text":"-1.190,50","source":"text"}}`),
				Validation: json.RawMessage(`[{"path":"/total","rule":"arithmetic","severity":"warning","message":"The lines do not add up."}]`),
			},
			Record{
				DocumentID: "doc_2", Filename: "=HYPERLINK(\"http://x\").png", Status: "failed", PageCount: 1,
				ErrorMessage: "The file cannot be read.",
			},
			Record{ // nothing has the type of its field
				DocumentID: "doc_3", Filename: "odd.pdf", Status: "completed", PageCount: 1, Confidence: 0.5,
				Data: json.RawMessage(`{"invoice_number":12,"issued":"30 June","seller":"just a name","total":"-5.00","paid":"yes",
					"tags":"one","lines":["loose",null,{"text":{"deep":1},"taxes":"19 %"}],"matrix":3,"anything":[],"extra":false,"note":-1}`),
			},
			Record{ // null where nothing was found
				DocumentID: "doc_4", Filename: "blank.pdf", Status: "completed", PageCount: 1, Confidence: 0,
				Data: json.RawMessage(`{"invoice_number":null,"issued":null,"seller":null,"total":null,"paid":false,"tags":null,"lines":[]}`),
			},
		),
	}
}

func pages(t testing.TB) Table {
	return Table{
		Name:    "Pages",
		Fields:  fieldsOf(t, `[{"name":"name"},{"name":"rows","type":"array","fields":[{"name":"n","type":"number"}]}]`),
		PerPage: true,
		Records: records(
			Record{DocumentID: "doc_1", Filename: "two.pdf", Status: "completed", PageCount: 2, Confidence: 0.9,
				Data: json.RawMessage(`{"pages":[{"page":1,"name":"A","rows":[{"n":1},{"n":2}]},{"page":2,"name":"B","rows":null}]}`)},
			Record{DocumentID: "doc_2", Filename: "broken.pdf", Status: "failed", PageCount: 3, ErrorMessage: "It broke."},
			Record{DocumentID: "doc_3", Filename: "none.pdf", Status: "completed", Confidence: 1, Data: json.RawMessage(`{"pages":[]}`)},
		),
	}
}

func records(list ...Record) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, r := range list {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func write(t testing.TB, f Format, table Table, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, table, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	golden(t, "invoices.json", write(t, JSON, invoices(t), Options{}))
	golden(t, "invoices.csv", write(t, CSV, invoices(t), Options{}))
	golden(t, "invoices_exploded.csv", write(t, CSV, invoices(t), Options{Explode: "lines"}))
	golden(t, "invoices_xlsx.txt", dump(t, write(t, XLSX, invoices(t), Options{})))
	golden(t, "pages.json", write(t, JSON, pages(t), Options{}))
	golden(t, "pages.csv", write(t, CSV, pages(t), Options{}))
	golden(t, "pages_exploded.csv", write(t, CSV, pages(t), Options{Explode: "rows"}))
	golden(t, "pages_xlsx.txt", dump(t, write(t, XLSX, pages(t), Options{})))
	single := invoices(t)
	for r := range single.Records {
		single.Records = records(r)
		break
	}
	golden(t, "document.json", write(t, JSON, single, Options{Single: true}))
}

// dump shows a workbook as text: each cell with its type, style and value.
func dump(t testing.TB, file []byte) []byte {
	t.Helper()
	f := openXLSX(t, file)
	var b bytes.Buffer
	for _, sheet := range f.GetSheetList() {
		panes, err := f.GetPanes(sheet)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "== %s (frozen: %v, rows above: %d)\n", sheet, panes.Freeze, panes.YSplit)
		rows, err := f.GetRows(sheet, excelize.Options{RawCellValue: true})
		if err != nil {
			t.Fatal(err)
		}
		for y, row := range rows {
			for x, value := range row {
				if value == "" {
					continue
				}
				cell, _ := excelize.CoordinatesToCellName(x+1, y+1)
				shown, _ := f.GetCellValue(sheet, cell)
				if formula, _ := f.GetCellFormula(sheet, cell); formula != "" {
					t.Errorf("%s!%s is a formula: %s", sheet, cell, formula)
				}
				fmt.Fprintf(&b, "%s %s%s %q", cell, typeName(t, f, sheet, cell), styleName(t, f, sheet, cell), value)
				if shown != value {
					fmt.Fprintf(&b, " shown as %q", shown)
				}
				b.WriteByte('\n')
			}
		}
	}
	return b.Bytes()
}

func openXLSX(t testing.TB, file []byte) *excelize.File {
	t.Helper()
	f, err := excelize.OpenReader(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func typeName(t testing.TB, f *excelize.File, sheet, cell string) string {
	t.Helper()
	kind, err := f.GetCellType(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	switch kind {
	case excelize.CellTypeInlineString:
		return "text"
	case excelize.CellTypeBool:
		return "boolean"
	case excelize.CellTypeUnset, excelize.CellTypeNumber:
		return "number"
	}
	return fmt.Sprint(kind)
}

func styleName(t testing.TB, f *excelize.File, sheet, cell string) string {
	t.Helper()
	id, err := f.GetCellStyle(sheet, cell)
	if err != nil {
		t.Fatal(err)
	}
	style, err := f.GetStyle(id)
	if err != nil {
		t.Fatal(err)
	}
	name := ""
	if style.Font != nil && style.Font.Bold {
		name += " bold"
	}
	if style.CustomNumFmt != nil {
		name += " " + *style.CustomNumFmt
	}
	return name
}

func TestJSONIsValidAndVerbatim(t *testing.T) {
	table := invoices(t)
	var got struct {
		Extraction struct {
			Name      string
			Documents []map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(write(t, JSON, table, Options{}), &got); err != nil {
		t.Fatal(err)
	}
	if got.Extraction.Name != table.Name {
		t.Errorf("name %q", got.Extraction.Name)
	}
	i := 0
	for r := range table.Records {
		document := got.Extraction.Documents[i]
		if r.Data != nil && !bytes.Equal(document["extracted_data"], r.Data) {
			t.Errorf("%s: the data is not verbatim: %s", r.DocumentID, document["extracted_data"])
		}
		if r.Data == nil && (string(document["extracted_data"]) != "null" || string(document["confidence"]) != "null") {
			t.Errorf("%s: without data: %s, %s", r.DocumentID, document["extracted_data"], document["confidence"])
		}
		i++
	}
	if i != len(got.Extraction.Documents) {
		t.Errorf("%d documents, not %d", len(got.Extraction.Documents), i)
	}
}

func TestASingleDocumentIsExactlyOne(t *testing.T) {
	for _, list := range [][]Record{nil, {{DocumentID: "a"}, {DocumentID: "b"}}} {
		var b bytes.Buffer
		if err := Write(&b, JSON, Table{Records: records(list...)}, Options{Single: true}); err == nil || b.Len() > 0 {
			t.Errorf("%d documents: error %v, written %q", len(list), err, b.String())
		}
	}
}

func TestAnEmptyExportHasItsHeaders(t *testing.T) {
	table := Table{Name: "Empty", Fields: fieldsOf(t, `[{"name":"a"}]`), Records: records()}
	if got := string(write(t, CSV, table, Options{})); got != "document_id,filename,status,error_message,confidence,a\r\n" {
		t.Errorf("CSV %q", got)
	}
	if got := string(write(t, JSON, table, Options{})); !json.Valid([]byte(got)) {
		t.Errorf("JSON %q", got)
	}
	if got := string(dump(t, write(t, XLSX, table, Options{}))); !strings.Contains(got, `F1 text bold "a"`) {
		t.Errorf("XLSX %s", got)
	}
}

func TestErrorsOfTheRecordsSurface(t *testing.T) {
	away := fieldlift.Unavailable(errors.New("the database is away"))
	for _, f := range []Format{JSON, CSV, XLSX} {
		for _, single := range []bool{false, true} {
			table := invoices(t)
			table.Records = func(yield func(Record, error) bool) {
				if yield(Record{DocumentID: "doc_1", Data: json.RawMessage(`{"total":1}`)}, nil) && yield(Record{}, away) {
					t.Error("records are asked for after an error")
				}
			}
			var b bytes.Buffer
			err := Write(&b, f, table, Options{Single: single})
			if !errors.Is(err, away) || fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable {
				t.Errorf("%s: %v", f, err)
			}
			if b.Len() > 0 {
				t.Errorf("%s: %d bytes were written though they fit in the buffer", f, b.Len())
			}
		}
	}
}

func TestDataThatIsNoJSONIsAnError(t *testing.T) {
	for _, f := range []Format{CSV, XLSX} {
		for _, data := range []string{`{"a":`, `abc`, `{"a":1}x`} {
			table := Table{Fields: fieldsOf(t, `[{"name":"a"}]`), Records: records(Record{DocumentID: "doc_7", Data: json.RawMessage(data)})}
			if err := Write(io.Discard, f, table, Options{}); err == nil || !strings.Contains(err.Error(), "doc_7") {
				t.Errorf("%s %s: %v", f, data, err)
			}
		}
	}
}

// failing takes some bytes and then no more, as a client that has gone.
type failing struct{ left int }

var errGone = errors.New("gone")

func (w *failing) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left < 0 {
		return 0, errGone
	}
	return len(p), nil
}

func TestErrorsOfTheWriterSurface(t *testing.T) {
	for _, f := range []Format{JSON, CSV, XLSX} {
		for _, left := range []int{0, 100_000} {
			asked := 0
			table := invoices(t)
			all := table.Records
			table.Records = func(yield func(Record, error) bool) {
				for asked < 20_000 {
					for r := range all {
						if asked++; !yield(r, nil) {
							return
						}
					}
				}
			}
			if f == XLSX {
				table.Records = all
				left /= 100
			}
			if err := Write(&failing{left}, f, table, Options{}); !errors.Is(err, errGone) {
				t.Errorf("%s after %d bytes: %v", f, left, err)
			}
			if asked > 5_000 {
				t.Errorf("%s: %d records were read for a client that has gone", f, asked)
			}
		}
	}
}

func TestFormats(t *testing.T) {
	for s, want := range map[string]Format{"": JSON, "json": JSON, "csv": CSV, "xlsx": XLSX} {
		if got, err := ParseFormat(s); got != want || err != nil {
			t.Errorf("%q: %q, %v", s, got, err)
		}
	}
	for _, s := range []string{"xml", "CSV", " json"} {
		_, err := ParseFormat(s)
		e, ok := errors.AsType[*fieldlift.Error](err)
		if !ok || e.Code != fieldlift.InvalidPayload || len(e.Details) != 1 || e.Details[0].Field != "format" {
			t.Errorf("%q: %v", s, err)
		}
	}
	if err := Write(io.Discard, "xml", Table{Records: records()}, Options{}); err == nil {
		t.Error("an unknown format was written")
	}
}

func TestExplodeNamesAnArrayOfObjects(t *testing.T) {
	fields := fieldsOf(t, `[{"name":"a"},{"name":"tags","type":"array","items":{"type":"string"}},
		{"name":"lines","type":"array","fields":[{"name":"x"},{"name":"inner","type":"array","fields":[{"name":"y"}]}]},
		{"name":"order","type":"object","fields":[{"name":"items","type":"array","fields":[{"name":"x"}]}]}]`)
	for _, name := range []string{"", "lines", "order.items"} {
		if err := Check(fields, Options{Explode: name}); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"a", "tags", "order", "lines.inner", "Lines", "nothing"} {
		err := Check(fields, Options{Explode: name})
		e, ok := errors.AsType[*fieldlift.Error](err)
		if !ok || e.Code != fieldlift.InvalidPayload || e.Details[0].Field != "explode" || !strings.Contains(e.Message, "lines, order.items") {
			t.Errorf("%q: %v", name, err)
		}
		var b bytes.Buffer
		if err := Write(&b, CSV, Table{Fields: fields, Records: records()}, Options{Explode: name}); err == nil || b.Len() > 0 {
			t.Errorf("%q: %v, %d bytes written", name, err, b.Len())
		}
	}
}

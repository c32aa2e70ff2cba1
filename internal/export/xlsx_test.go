package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/xuri/excelize/v2"

	"fieldlift"
)

// checkXLSX writes a table as XLSX and reads every sheet again.
func checkXLSX(t interface{ Fatal(...any) }, table Table) {
	var b bytes.Buffer
	if err := Write(&b, XLSX, table, Options{}); err != nil {
		t.Fatal(err)
	}
	f, err := excelize.OpenReader(&b)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(sheet, err)
		}
		if len(rows) == 0 {
			t.Fatal(sheet, "has no header")
		}
	}
}

// oneCell writes a value in a field of the type and reads its cell again.
func oneCell(t *testing.T, kind fieldlift.FieldType, value string) (kindName, text string) {
	t.Helper()
	table := Table{
		Fields:  []fieldlift.Field{{Name: "f", Type: kind}},
		Records: records(Record{DocumentID: "doc", Data: json.RawMessage(`{"f":` + value + `}`)}),
	}
	f := openXLSX(t, write(t, XLSX, table, Options{}))
	text, err := f.GetCellValue(resultsSheet, "F2", excelize.Options{RawCellValue: true})
	if err != nil {
		t.Fatal(err)
	}
	if formula, _ := f.GetCellFormula(resultsSheet, "F2"); formula != "" {
		t.Errorf("%s became the formula %s", value, formula)
	}
	return typeName(t, f, resultsSheet, "F2") + styleName(t, f, resultsSheet, "F2"), text
}

func TestCellsOfXLSX(t *testing.T) {
	for _, c := range []struct {
		kind              fieldlift.FieldType
		value, name, text string
	}{
		{"string", `"=1+1"`, "text", "=1+1"},
		{"string", `"-5"`, "text", "-5"},
		{"string", `"007"`, "text", "007"},
		{"string", `" spaces "`, "text", " spaces "},
		{"string", `"a\r\nb\tc"`, "text", "a\r\nb\tc"},
		{"string", `"_x000D_"`, "text", "_x000D_"},
		{"string", `"a\u0000\u001b\ufffeb\ud83d\ude00"`, "text", "ab😀"},
		{"string", `"<&>\""`, "text", `<&>"`},
		{"number", `-5.00`, "number", "-5"},
		{"number", `0.1`, "number", "0.1"},
		{"number", `1e3`, "number", "1000"},
		{"number", `-123456789012345`, "number", "-123456789012345"},
		{"number", `1234567890123456`, "text", "1234567890123456"},
		{"number", `1e400`, "text", "1e400"},
		{"number", `1e308`, "text", "1e308"},
		{"number", `"=1"`, "text", "=1"},
		{"boolean", `true`, "boolean", "1"},
		{"boolean", `"true"`, "text", "true"},
		{"date", `"2026-02-28"`, "number yyyy-mm-dd", "46081"},
		{"date", `"1900-03-01"`, "number yyyy-mm-dd", "61"},
		{"date", `"9999-12-31"`, "number yyyy-mm-dd", "2958465"},
		{"date", `"1900-02-28"`, "text", "1900-02-28"},
		{"date", `"2026-02-29"`, "text", "2026-02-29"},
		{"date", `"2026-02-28T10:00:00Z"`, "text", "2026-02-28T10:00:00Z"},
		{"date", `20260228`, "text", "20260228"},
	} {
		if name, text := oneCell(t, c.kind, c.value); name != c.name || text != c.text {
			t.Errorf("%s %s: %s %q, want %s %q", c.kind, c.value, name, text, c.name, c.text)
		}
	}
}

func TestLongTextIsCutWithAMark(t *testing.T) {
	_, whole := oneCell(t, "string", `"`+strings.Repeat("x", mostUnits)+`"`)
	if len(whole) != mostUnits {
		t.Errorf("a text that fits became %d characters", len(whole))
	}
	for _, letter := range []string{"x", "ü", "😀"} {
		_, cut := oneCell(t, "string", `"`+strings.Repeat(letter, mostUnits+1)+`"`)
		if units := len(utf16.Encode([]rune(cut))); units > mostUnits || units < mostUnits-20 || !strings.HasSuffix(cut, letter+cutMark) {
			t.Errorf("%s: %d units that end with %q", letter, units, cut[len(cut)-30:])
		}
	}
}

func TestAFullSheetGoesOnInAnother(t *testing.T) {
	table := Table{Fields: fieldsOf(t, `[{"name":"n","type":"number"},{"name":"rows","type":"array","fields":[{"name":"x"}]}]`)}
	var list []Record
	for i := range 7 {
		list = append(list, Record{DocumentID: fmt.Sprint(i), Data: json.RawMessage(`{"n":1,"rows":[{"x":"a"},{"x":"b"}]}`)})
	}
	table.Records = records(list...)
	var b bytes.Buffer
	if err := writeXLSX(&b, table, t.TempDir(), 4); err != nil { // a header and three rows
		t.Fatal(err)
	}
	f := openXLSX(t, b.Bytes())
	found := map[string][]string{}
	for _, sheet := range f.GetSheetList() {
		rows, err := f.GetRows(sheet)
		if err != nil {
			t.Fatal(err)
		}
		if rows[0][0] != "document_id" || len(rows) > 4 {
			t.Errorf("%s: %d rows that begin with %v", sheet, len(rows), rows[0])
		}
		name, _, _ := strings.Cut(sheet, " ")
		for _, row := range rows[1:] {
			found[name] = append(found[name], row[0])
		}
	}
	sheets := f.GetSheetList()
	slices.Sort(sheets)
	if got := strings.Join(sheets, ", "); got != "Results, Results 2, Results 3, rows, rows 2, rows 3, rows 4, rows 5" {
		t.Error(got)
	}
	if got := fmt.Sprint(found); got != "map[Results:[0 1 2 3 4 5 6] rows:[0 0 1 1 2 2 3 3 4 4 5 5 6 6]]" {
		t.Error(got)
	}
}

func TestSheetNames(t *testing.T) {
	names := sheetNames{}
	for _, c := range []struct {
		name string
		part int
		want string
	}{
		{"Results", 1, "Results"},
		{"results", 1, "results (2)"},
		{"Results", 2, "Results 2"},
		{"Results 2", 1, "Results 2 (2)"},
		{`a:b\c/d?e*f[g]h`, 1, "a_b_c_d_e_f_g_h"},
		{"'quoted'", 1, "’quoted’"},
		{"", 1, "Sheet"},
		{" \x00\x1f ", 1, "Sheet (2)"},
		{"History", 1, "History_"},
		{strings.Repeat("x", 40), 1, strings.Repeat("x", 31)},
		{strings.Repeat("x", 50), 1, strings.Repeat("x", 27) + " (2)"},
		{strings.Repeat("x", 50), 2, strings.Repeat("x", 29) + " 2"},
		{strings.Repeat("😀", 20), 1, strings.Repeat("😀", 15)},
	} {
		if got := names.give(c.name, c.part); got != c.want {
			t.Errorf("%q %d: %q, want %q", c.name, c.part, got, c.want)
		}
	}
}

func FuzzSheetNames(f *testing.F) {
	f.Add("Results", "results", 2)
	f.Add("'a'", strings.Repeat("😀'", 20), 1)
	f.Fuzz(func(t *testing.T, a, b string, part int) {
		names := sheetNames{}
		for _, name := range []string{a, b, a, b} {
			given := names.give(name, min(part, 1_000_000))
			if given == "" || len(utf16.Encode([]rune(given))) > longestSheetName || strings.ContainsAny(given, ":\\/?*[]'\x00") {
				t.Errorf("%q became %q, which Excel does not take", name, given)
			}
		}
		if len(names) != 4 {
			t.Errorf("names are given twice: %v", names)
		}
	})
}

func TestArraysBeyondTheMostAreJSON(t *testing.T) {
	var fields []fieldlift.Field
	for i := range mostSheets + 5 {
		fields = append(fields, fieldlift.Field{Name: fmt.Sprintf("array %d", i), Type: fieldlift.ArrayField,
			Items: &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{{Name: "x", Type: fieldlift.StringField}}}})
	}
	last := fields[len(fields)-1].Name
	table := Table{Fields: fields, Records: records(Record{Data: json.RawMessage(`{"array 0":[{"x":1}],"` + last + `":[{"x":1}]}`)})}
	f := openXLSX(t, write(t, XLSX, table, Options{}))
	rows, err := f.GetRows(resultsSheet)
	if err != nil || len(f.GetSheetList()) != mostSheets || rows[1][5] != "1" || rows[1][len(rows[1])-1] != `[{"x":1}]` {
		t.Errorf("%d sheets, %v, %v", len(f.GetSheetList()), rows, err)
	}
}

func TestTemporaryFilesGo(t *testing.T) {
	for _, fails := range []bool{false, true} {
		dir := t.TempDir()
		seen := 0
		long := json.RawMessage(`{"note":"` + strings.Repeat("x", 30_000) + `"}`)
		table := Table{Fields: fieldsOf(t, `[{"name":"note"}]`), Records: func(yield func(Record, error) bool) {
			for range 600 { // 18 MB; excelize makes a file at 16
				if !yield(Record{DocumentID: "doc", Data: long}, nil) {
					return
				}
			}
			entries, _ := os.ReadDir(dir)
			seen = len(entries)
			if fails {
				yield(Record{}, errGone)
			}
		}}
		var b bytes.Buffer
		if err := Write(&b, XLSX, table, Options{TempDir: dir}); (err != nil) != fails {
			t.Fatal(err)
		}
		left, err := os.ReadDir(dir)
		if err != nil || seen != 1 || len(left) != 0 {
			t.Errorf("fails: %v; temporary files: %d on the way, %d left; %v", fails, seen, len(left), err)
		}
	}
}

package export_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/export"
	"fieldlift/internal/golden"
)

// texts gives each document's key as its file.
type texts struct{}

func (texts) Open(_ context.Context, key string) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader("file " + key)), nil
}

func caseOf(id string, mode fieldlift.ResultMode, contentType, data string) export.Case {
	schema := fieldlift.SchemaOf([]fieldlift.Field{{Name: "total", Type: fieldlift.NumberField}, {Name: "name", Type: fieldlift.StringField}})
	return export.Case{
		Extraction: fieldlift.Extraction{ParserName: "Bills", ResultMode: mode, DocumentType: "invoice", Schema: schema},
		Document:   fieldlift.Document{ID: id, ExtractionID: "ext_1", Filename: "../<a>.pdf", ContentType: contentType},
		Data:       json.RawMessage(data), Checked: true,
	}
}

func listed(cases ...export.Case) iter.Seq2[export.Case, error] {
	return func(yield func(export.Case, error) bool) {
		for _, c := range cases {
			if !yield(c, nil) {
				return
			}
		}
	}
}

// What is written can be unpacked and read as cases, one_per_page too.
func TestCasesAreGoldenCases(t *testing.T) {
	var packed bytes.Buffer
	if err := export.WriteCases(t.Context(), &packed, listed(
		caseOf("doc_a", fieldlift.OnePerFile, "application/pdf", `{"total": 1.50, "name": "A & <B>"}`),
		caseOf("doc_b", fieldlift.OnePerPage, "image/jpeg", `{"pages":[{"page":1,"total":1,"name":null},{"page":2,"total":2,"name":"x"}]}`),
	), texts{}); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(packed.Bytes()), int64(packed.Len()))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, archive); err != nil {
		t.Fatal(err)
	}
	cases, err := golden.Load(dir)
	if err != nil || len(cases) != 2 {
		t.Fatalf("%+v, %v", cases, err)
	}
	if c := cases[0]; c.File != "docs/doc_a.pdf" || c.Parser != "Bills" || c.Wanted.DocumentType != "invoice" || len(c.Fields) != 2 {
		t.Errorf("%+v", c)
	}
	if c := cases[1]; c.File != "docs/doc_b.jpg" || c.Wanted.ResultMode != fieldlift.OnePerPage || len(c.Expected) != 2 {
		t.Errorf("%+v", c)
	}
	for _, c := range cases {
		if text, err := os.ReadFile(c.Path); err != nil || !strings.HasPrefix(string(text), "file ext_1/doc_") {
			t.Errorf("%s, %v", text, err)
		}
	}
	lines, err := os.ReadFile(filepath.Join(dir, "cases.jsonl"))
	if err != nil || !strings.Contains(string(lines), `"expected":{"total":1.50,"name":"A & <B>"}`) || !strings.Contains(string(lines), `"filename":"../<a>.pdf"`) {
		t.Errorf("%s, %v", lines, err)
	}
}

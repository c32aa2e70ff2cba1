// Package export writes results as files: JSON, CSV and XLSX. It takes
// documents one by one and holds only the one at hand, so that the size of an
// export is bounded by nobody's memory. It reads nothing from the store and
// knows nothing of HTTP beyond the names of types and files.
//
// Tables, which CSV and XLSX are, have the schema's fields as columns in the
// schema's order. What is not in the schema is in the JSON only.
package export

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"fieldlift"
)

// Record is one document with its result.
type Record struct {
	DocumentID   string
	Filename     string
	Status       string
	ErrorMessage string // "" when nothing went wrong
	PageCount    int
	Confidence   float64         // means nothing without Data
	Data         json.RawMessage // extracted_data; nil or null when there is none
	Metadata     json.RawMessage // field_metadata; nil when there is none
	Validation   json.RawMessage // nil when there is none
}

func (r Record) hasData() bool { return !isNull(bytes.TrimSpace(r.Data)) }

// Stored gives records as the store streams them in the words of this package.
func Stored(records iter.Seq2[fieldlift.Record, error]) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for r, err := range records {
			d := r.Document
			if !yield(Record{
				DocumentID: d.ID, Filename: d.Filename, Status: string(d.Status), ErrorMessage: d.ErrorMessage,
				PageCount: int(d.PageCount), Confidence: d.Confidence,
				Data: []byte(r.Data), Metadata: []byte(cmp.Or(r.Metadata, "{}")), Validation: []byte(cmp.Or(r.Validation, "[]")),
			}, err) {
				return
			}
		}
	}
}

// Table is what is exported.
type Table struct {
	Name    string            // of the extraction or the document
	Fields  []fieldlift.Field // the parser's
	PerPage bool              // each page has a result of its own, in the data's "pages"
	Records iter.Seq2[Record, error]
}

// Options are the caller's wishes.
type Options struct {
	Single  bool   // JSON: the one document alone, not a list
	Explode string // CSV: the array of objects whose elements become rows
	TempDir string // XLSX: where large sheets wait for their turn; "": the system's place
}

// Check refuses options that do not fit the fields. Write does it too; by
// asking early a caller can refuse before anything is begun.
func Check(fields []fieldlift.Field, o Options) error {
	if o.Explode == "" {
		return nil
	}
	_, err := newLayout(fields).table(o.Explode)
	return err
}

// Write writes the table to w. An error of the records is returned as it is.
// XLSX writes nothing before all records are read; JSON and CSV begin as soon
// as a buffer is full, and leave a torn file behind when they fail later.
func Write(w io.Writer, f Format, t Table, o Options) error {
	if err := Check(t.Fields, o); err != nil {
		return err
	}
	switch f {
	case JSON:
		return writeJSON(w, t, o.Single)
	case CSV:
		return writeCSV(w, t, o.Explode)
	case XLSX:
		return writeXLSX(w, t, o.TempDir, mostRows)
	}
	return fmt.Errorf("export: there is no format %q", f)
}

package export

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"time"

	"fieldlift"
)

// Case is a reviewed document, as a labelled case for "fieldlift eval".
type Case struct {
	Extraction fieldlift.Extraction
	Document   fieldlift.Document
	Data       json.RawMessage // what is right
	Checked    bool            // a person looked at every value
}

// Files gives the files of documents.
type Files interface {
	Open(ctx context.Context, key string) (io.ReadCloser, error)
}

// CasesOf gives reviewed documents as the store streams them in the words of
// this package.
func CasesOf(reviewed iter.Seq2[fieldlift.DocumentReview, error]) iter.Seq2[Case, error] {
	return func(yield func(Case, error) bool) {
		for d, err := range reviewed {
			if err != nil {
				yield(Case{}, err)
				return
			}
			if !yield(Case{d.Extraction, d.Record.Document, json.RawMessage(d.Record.Data), d.Review.Checked()}, nil) {
				return
			}
		}
	}
}

// WriteCases writes reviewed documents as a zip: a file cases.jsonl and the
// documents' files, as "fieldlift eval" takes them when it is unpacked. Of the
// cases only the names of their files are held in memory.
func WriteCases(ctx context.Context, w io.Writer, cases iter.Seq2[Case, error], files Files) error {
	archive := zip.NewWriter(w)
	var documents []fieldlift.Document
	lines, err := archive.CreateHeader(&zip.FileHeader{Name: "cases.jsonl", Method: zip.Deflate, Modified: time.Now()})
	if err != nil {
		return err
	}
	for c, err := range cases {
		if err != nil {
			return err
		}
		line, err := caseLine(c)
		if err != nil {
			return err
		}
		if _, err := lines.Write(line); err != nil {
			return err
		}
		documents = append(documents, c.Document)
	}
	for _, d := range documents {
		if err := copyInto(ctx, archive, d, files); err != nil {
			return err
		}
	}
	return archive.Close()
}

func copyInto(ctx context.Context, archive *zip.Writer, d fieldlift.Document, files Files) error {
	content, err := files.Open(ctx, d.BlobKey())
	if err != nil {
		return fmt.Errorf("the file of %s: %w", d.ID, err)
	}
	defer content.Close()
	// Documents are compressed already.
	into, err := archive.CreateHeader(&zip.FileHeader{Name: caseFile(d), Method: zip.Store, Modified: d.CreatedAt})
	if err != nil {
		return err
	}
	_, err = io.Copy(into, content)
	return err
}

// caseFile is the name of a document's file beside the cases. Names that people
// gave are not used: they may be the same, or mean something to an unpacker.
func caseFile(d fieldlift.Document) string {
	extension := map[string]string{
		"application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg", "image/webp": ".webp",
		"image/tiff": ".tiff", "image/bmp": ".bmp", "image/gif": ".gif", "image/heic": ".heic",
	}[d.ContentType]
	return "docs/" + d.ID + extension
}

// caseLine is a case as one line of JSON.
func caseLine(c Case) ([]byte, error) {
	e := c.Extraction
	type parser struct {
		Name         string               `json:"name"`
		ResultMode   fieldlift.ResultMode `json:"result_mode"`
		DocumentType string               `json:"document_type,omitempty"`
		Schema       json.RawMessage      `json:"schema"`
	}
	expected, err := compact(Record{Data: c.Data})
	if err != nil {
		return nil, err
	}
	if e.ResultMode == fieldlift.OnePerPage {
		expected = memberOf(expected, "pages")
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b) // which ends with a line break
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(struct {
		File     string          `json:"file"`
		Filename string          `json:"filename"`
		Checked  bool            `json:"checked"`
		Parser   parser          `json:"parser"`
		Expected json.RawMessage `json:"expected"`
	}{caseFile(c.Document), c.Document.Filename, c.Checked, parser{e.ParserName, e.ResultMode, e.DocumentType, json.RawMessage(e.Schema.String())}, expected})
	return b.Bytes(), err
}

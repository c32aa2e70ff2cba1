package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// bufferSize holds small exports whole: what fails before it is full has
// written nothing.
const bufferSize = 64 << 10

// jsonWriter writes an export as JSON, each record as soon as it is made.
type jsonWriter struct {
	out     *bufio.Writer
	made    bytes.Buffer // not yet in out
	encoder *json.Encoder
}

func writeJSON(w io.Writer, t Table, single bool) error {
	j := &jsonWriter{out: bufio.NewWriterSize(w, bufferSize)}
	j.encoder = json.NewEncoder(&j.made)
	j.encoder.SetEscapeHTML(false)
	write := j.extraction
	if single {
		write = j.document
	}
	if err := write(t); err != nil {
		return err
	}
	if err := j.pass(); err != nil {
		return err
	}
	return j.out.Flush()
}

func (j *jsonWriter) extraction(t Table) error {
	j.made.WriteString(`{"extraction":{"name":`)
	if err := j.value(t.Name); err != nil {
		return err
	}
	j.made.WriteString(`,"documents":[`)
	separator := "\n"
	for r, err := range t.Records {
		if err != nil {
			return err
		}
		j.made.WriteString(separator)
		separator = ",\n"
		if err := j.record(r); err != nil {
			return err
		}
		if err := j.pass(); err != nil {
			return err
		}
	}
	j.made.WriteString("\n]}}\n")
	return nil
}

func (j *jsonWriter) document(t Table) error {
	for r, err := range t.Records {
		if err != nil {
			return err
		}
		if j.made.Len() > 0 {
			return errors.New("export: there is more than a single document")
		}
		j.made.WriteString(`{"document":`)
		if err := j.record(r); err != nil {
			return err
		}
	}
	if j.made.Len() == 0 {
		return errors.New("export: there is no document")
	}
	j.made.WriteString("}\n")
	return nil
}

// record adds the members that we make and copies those that are JSON already.
func (j *jsonWriter) record(r Record) error {
	members := struct {
		DocumentID   string   `json:"document_id"`
		Filename     string   `json:"filename"`
		Status       string   `json:"status"`
		PageCount    int      `json:"page_count"`
		Confidence   *float64 `json:"confidence"`
		ErrorMessage *string  `json:"error_message"`
	}{DocumentID: r.DocumentID, Filename: r.Filename, Status: r.Status, PageCount: r.PageCount}
	if r.hasData() {
		members.Confidence = &r.Confidence
	}
	if r.ErrorMessage != "" {
		members.ErrorMessage = &r.ErrorMessage
	}
	if err := j.value(members); err != nil {
		return err
	}
	j.made.Truncate(j.made.Len() - 1) // the closing brace
	j.verbatim("extracted_data", r.Data)
	j.verbatim("field_metadata", r.Metadata)
	j.verbatim("validation", r.Validation)
	j.made.WriteByte('}')
	return nil
}

func (j *jsonWriter) value(v any) error {
	if err := j.encoder.Encode(v); err != nil {
		return err
	}
	j.made.Truncate(j.made.Len() - 1) // the encoder ends with a line break
	return nil
}

func (j *jsonWriter) verbatim(key string, value json.RawMessage) {
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	j.made.WriteString(`,"` + key + `":`)
	j.made.Write(value)
}

// pass hands on what is made. It fails when w has failed, so that nobody
// reads on for a client that has gone.
func (j *jsonWriter) pass() error {
	_, err := j.made.WriteTo(j.out)
	return err
}

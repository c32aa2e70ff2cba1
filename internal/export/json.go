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

// jsonWriter writes an export as JSON. Errors of w stay with the buffer and
// are given back by its next flush.
type jsonWriter struct {
	out     *bufio.Writer
	made    bytes.Buffer // what encoding/json writes of a record
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
	return j.out.Flush()
}

func (j *jsonWriter) extraction(t Table) error {
	name, err := j.encode(t.Name)
	if err != nil {
		return err
	}
	j.out.WriteString(`{"extraction":{"name":`)
	j.out.Write(name)
	j.out.WriteString(`,"documents":[`)
	separator := "\n"
	for r, err := range t.Records {
		if err != nil {
			return err
		}
		j.out.WriteString(separator)
		separator = ",\n"
		if err := j.record(r); err != nil {
			return err
		}
	}
	_, err = j.out.WriteString("\n]}}\n")
	return err
}

func (j *jsonWriter) document(t Table) error {
	written := false
	for r, err := range t.Records {
		if err != nil {
			return err
		}
		if written {
			return errors.New("export: there is more than a single document")
		}
		written = true
		j.out.WriteString(`{"document":`)
		if err := j.record(r); err != nil {
			return err
		}
	}
	if !written {
		return errors.New("export: there is no document")
	}
	_, err := j.out.WriteString("}\n")
	return err
}

// record writes the members that we make and copies those that are JSON
// already. It ends early when w has failed, so that nobody reads on for it.
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
	made, err := j.encode(members)
	if err != nil {
		return err
	}
	j.out.Write(bytes.TrimSuffix(made, []byte("}")))
	j.verbatim("extracted_data", r.Data)
	j.verbatim("field_metadata", r.Metadata)
	j.verbatim("validation", r.Validation)
	return j.out.WriteByte('}')
}

func (j *jsonWriter) verbatim(key string, value json.RawMessage) {
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	j.out.WriteString(`,"` + key + `":`)
	j.out.Write(value)
}

// encode gives a value as JSON, until it is called again.
func (j *jsonWriter) encode(value any) ([]byte, error) {
	j.made.Reset()
	if err := j.encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(j.made.Bytes(), []byte("\n")), nil
}

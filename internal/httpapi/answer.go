package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
)

// answer is a JSON text in the making: whole before its first byte is sent,
// so that what cannot be written as JSON is answered with an error instead.
type answer struct {
	bytes.Buffer
	encoder *json.Encoder
}

func newAnswer() *answer {
	a := new(answer)
	a.encoder = json.NewEncoder(a)
	a.encoder.SetEscapeHTML(false)
	return a
}

// value adds a value as encoding/json writes it.
func (a *answer) value(v any) error {
	if err := a.encoder.Encode(v); err != nil {
		return err
	}
	a.Truncate(a.Len() - 1) // the encoder ends with a line break
	return nil
}

// verbatim is a member whose value is JSON already. Handed to encoding/json
// it would be parsed and copied once more, which is most of the work where
// schemas and results are large.
type verbatim struct{ key, value string }

// object adds a struct as an object, with verbatim members at its end.
func (a *answer) object(v any, more ...verbatim) error {
	if err := a.value(v); err != nil {
		return err
	}
	a.Truncate(a.Len() - 1) // the closing brace
	for _, m := range more {
		a.WriteString(`,"`)
		a.WriteString(m.key)
		a.WriteString(`":`)
		a.WriteString(m.value)
	}
	a.WriteByte('}')
	return nil
}

// send answers with the text.
func (a *answer) send(w http.ResponseWriter, status int) {
	a.WriteByte('\n')
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(a.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(a.Bytes()) // a client that has gone is no fault of ours
}

// writeJSON answers with a JSON value.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	a := newAnswer()
	if err := a.value(v); err != nil {
		return err
	}
	a.send(w, status)
	return nil
}

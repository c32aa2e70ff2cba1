package httpapi

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// mostBuffer keeps a rare large answer from living on in the pool.
const mostBuffer = 256 << 10

// writeJSON answers with a JSON value: whole or, if it cannot be written as
// JSON, not at all.
func writeJSON(w http.ResponseWriter, status int, value any) error {
	b := buffers.Get().(*bytes.Buffer)
	defer func() {
		if b.Cap() <= mostBuffer {
			buffers.Put(b)
		}
	}()
	b.Reset()
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a client that has gone is no fault of ours
	return nil
}

package httpapi

import (
	"cmp"
	"iter"
	"net/http"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/export"
)

func (s *Server) getResults(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := extractionID(r)
	if err != nil {
		return err
	}
	extraction, err := s.Store.ExtractionAlone(r.Context(), c.Account.ID, id)
	if err != nil {
		return err
	}
	a := newAnswer()
	a.WriteString(`{"extraction":`)
	if err := a.value(summary(extraction)); err != nil {
		return err
	}
	a.Truncate(a.Len() - 1) // the documents come into the same object
	a.WriteString(`,"documents":[`)
	first := true
	for record, err := range s.Store.Records(r.Context(), c.Account.ID, id) {
		if err != nil {
			return err
		}
		if !first {
			a.WriteByte(',')
		}
		first = false
		if err := a.object(api.Result{
			Document:         wireDocument(record.Document),
			Confidence:       record.Document.Confidence,
			ProcessingTimeMS: record.Document.ProcessingTime.Milliseconds(),
		}, resultMembers(record)...); err != nil {
			return err
		}
	}
	a.WriteString(`]}}`)
	a.send(w, http.StatusOK)
	return nil
}

// resultMembers are the parts of a result that are stored as they are shown.
func resultMembers(r fieldlift.Record) []verbatim {
	return []verbatim{
		{"extracted_data", cmp.Or(r.Data, "null")},
		{"field_metadata", cmp.Or(r.Metadata, "{}")},
		{"validation", cmp.Or(r.Validation, "[]")},
		{"pages", cmp.Or(r.Pages, "[]")},
		{"model", cmp.Or(r.Model, "null")},
	}
}

func (s *Server) getDocument(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	extraction, record, err := s.findRecord(r, c)
	if err != nil {
		return err
	}
	d := record.Document
	a := newAnswer()
	a.WriteString(`{"document":`)
	if err := a.object(api.SingleDocument{
		Document:         wireDocument(d),
		ExtractionID:     extraction.ID,
		ParserID:         extraction.ParserID,
		ParserName:       extraction.ParserName,
		Confidence:       d.Confidence,
		ProcessingTimeMS: d.ProcessingTime.Milliseconds(),
		ContentType:      d.ContentType,
		SizeBytes:        d.SizeBytes,
		SHA256:           d.SHA256,
	}, resultMembers(record)...); err != nil {
		return err
	}
	a.WriteByte('}')
	a.send(w, http.StatusOK)
	return nil
}

func (s *Server) findRecord(r *http.Request, c fieldlift.Caller) (e fieldlift.Extraction, record fieldlift.Record, err error) {
	extractionID, documentID, err := documentIDs(r)
	if err != nil {
		return e, record, err
	}
	if e, err = s.Store.ExtractionAlone(r.Context(), c.Account.ID, extractionID); err != nil {
		return e, record, err
	}
	record, err = s.Store.Record(r.Context(), c.Account.ID, extractionID, documentID)
	return e, record, err
}

func (s *Server) exportExtraction(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := extractionID(r)
	if err != nil {
		return err
	}
	extraction, err := s.Store.ExtractionAlone(r.Context(), c.Account.ID, id)
	if err != nil {
		return err
	}
	return s.export(w, r, extraction.Name, extraction, s.Store.Records(r.Context(), c.Account.ID, id), false)
}

func (s *Server) exportDocument(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	extraction, record, err := s.findRecord(r, c)
	if err != nil {
		return err
	}
	one := func(yield func(fieldlift.Record, error) bool) { yield(record, nil) }
	return s.export(w, r, record.Document.Filename, extraction, one, true)
}

// export streams records as a file. Nothing is sent before the request and the
// first record are known to be good.
func (s *Server) export(w http.ResponseWriter, r *http.Request, name string, e fieldlift.Extraction, records iter.Seq2[fieldlift.Record, error], single bool) error {
	query, err := readQuery(r)
	if err != nil {
		return err
	}
	format, err := export.ParseFormat(query.Get("format"))
	if err != nil {
		return err
	}
	options := export.Options{Explode: query.Get("explode"), Single: single}
	fields := e.Schema.Fields()
	if err := export.Check(fields, options); err != nil {
		return err
	}
	if err := passOver(w, r); err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", format.ContentType())
	header.Set("Content-Disposition", export.ContentDisposition(name, format))
	table := export.Table{Name: e.Name, Fields: fields, PerPage: e.ResultMode == fieldlift.OnePerPage, Records: export.Stored(records)}
	steady := steadyWriter{http.NewResponseController(w), w}
	if err := export.Write(steady, format, table, options); err != nil {
		if w.(*exchange).status != 0 {
			// Half a file is sent; only a broken connection tells the client that it is not whole.
			s.Log.ErrorContext(r.Context(), "an export broke off", "error", err)
			panic(http.ErrAbortHandler)
		}
		header.Del("Content-Disposition")
		return err
	}
	return nil
}

// steadyWriter lets a download take as long as it likes while the client
// reads, and ends one that stands still.
type steadyWriter struct {
	connection *http.ResponseController
	http.ResponseWriter
}

func (s steadyWriter) Write(b []byte) (int, error) {
	_ = s.connection.SetWriteDeadline(time.Now().Add(bodyTimeout)) // a connection without deadlines has nothing to guard
	return s.ResponseWriter.Write(b)
}

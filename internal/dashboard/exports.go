package dashboard

import (
	"cmp"
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"strconv"
	"time"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/export"
)

func (s *Server) exportExtraction(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	id, err := extractionOf(r)
	if err != nil {
		return err
	}
	e, err := s.Store.ExtractionAlone(r.Context(), v.Account.ID, id)
	if err != nil {
		return err
	}
	return s.export(w, r, e.Name, e, s.Store.Records(r.Context(), v.Account.ID, id), false)
}

func (s *Server) exportDocument(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	e, record, err := s.findRecord(r, v)
	if err != nil {
		return err
	}
	one := func(yield func(fieldlift.Record, error) bool) { yield(record, nil) }
	return s.export(w, r, record.Document.Filename, e, one, true)
}

func (s *Server) findRecord(r *http.Request, v fieldlift.Visitor) (e fieldlift.Extraction, record fieldlift.Record, err error) {
	extraction, document, err := documentOf(r)
	if err != nil {
		return e, record, err
	}
	if e, err = s.Store.ExtractionAlone(r.Context(), v.Account.ID, extraction); err != nil {
		return e, record, err
	}
	record, err = s.Store.Record(r.Context(), v.Account.ID, extraction, document)
	return e, record, err
}

func (s *Server) findDocument(r *http.Request, v fieldlift.Visitor) (fieldlift.Document, error) {
	extraction, document, err := documentOf(r)
	if err != nil {
		return fieldlift.Document{}, err
	}
	return s.Store.Document(r.Context(), v.Account.ID, extraction, document)
}

// export sends results as a file.
func (s *Server) export(w http.ResponseWriter, r *http.Request, name string, e fieldlift.Extraction, records iter.Seq2[fieldlift.Record, error], single bool) error {
	format, err := export.ParseFormat(r.URL.Query().Get("format"))
	if err != nil {
		return err
	}
	options := export.Options{Single: single}
	if format == export.CSV {
		options.Explode = r.URL.Query().Get("explode")
	}
	table := export.Table{Name: e.Name, Fields: e.Schema.Fields(), PerPage: e.ResultMode == fieldlift.OnePerPage, Records: export.Stored(records)}
	if err := export.Check(table.Fields, options); err != nil {
		return err
	}
	w.Header().Set("Content-Type", format.ContentType())
	w.Header().Set("Content-Disposition", export.ContentDisposition(name, format))
	return s.download(w, r, func(_ context.Context, to io.Writer) error { return export.Write(to, format, table, options) })
}

// download sends what is written, as long as the client reads. What fails
// before anything was sent is told; later only a broken connection can tell.
func (s *Server) download(w http.ResponseWriter, r *http.Request, write func(context.Context, io.Writer) error) error {
	to := &steadyWriter{connection: http.NewResponseController(w), to: w}
	err := write(r.Context(), to)
	if err == nil {
		return nil
	}
	if to.begun {
		s.Log.ErrorContext(r.Context(), "a download broke off", "error", err)
		panic(http.ErrAbortHandler)
	}
	w.Header().Del("Content-Disposition")
	w.Header().Del("Content-Length")
	return err
}

// steadyWriter lets a download take as long as it likes while the client
// reads, and ends one that stands still.
type steadyWriter struct {
	connection *http.ResponseController
	to         io.Writer
	begun      bool
}

func (s *steadyWriter) Write(b []byte) (int, error) {
	s.begun = true
	_ = s.connection.SetWriteDeadline(time.Now().Add(writeLimit)) // a connection without deadlines has nothing to guard
	return s.to.Write(b)
}

func (s *Server) exportCases(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	id, err := extractionOf(r)
	if err != nil {
		return err
	}
	e, err := s.Store.ExtractionAlone(r.Context(), v.Account.ID, id)
	if err != nil {
		return err
	}
	return s.cases(w, r, v, e.Name, fieldlift.ReviewedFilter{ExtractionID: id})
}

func (s *Server) exportCasesOfParser(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	id := r.PathValue("parser")
	if !fieldlift.ValidID(fieldlift.ParserPrefix, id) {
		return fieldlift.Errorf(fieldlift.ParserNotFound, "There is no such parser.")
	}
	p, err := s.Store.Parser(r.Context(), v.Account.ID, id)
	if err != nil {
		return err
	}
	return s.cases(w, r, v, p.Name, fieldlift.ReviewedFilter{ParserID: id})
}

// errNothingReviewed is told before a download begins.
var errNothingReviewed = fieldlift.Errorf(fieldlift.ResourceNotFound,
	"None of these documents was reviewed yet. Accept or correct values of some, and they can be downloaded as labelled cases.")

// cases sends reviewed documents as labelled cases.
func (s *Server) cases(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, name string, of fieldlift.ReviewedFilter) error {
	some := false
	for _, err := range s.Store.Reviewed(r.Context(), v.Account.ID, of) {
		if err != nil {
			return err
		}
		some = true
		break
	}
	if !some {
		return errNothingReviewed
	}
	w.Header().Set("Content-Type", "application/zip")
	w.Header().Set("Content-Disposition", export.Attachment(name+" cases", ".zip"))
	reviewed := s.Store.Reviewed(r.Context(), v.Account.ID, of)
	return s.download(w, r, func(ctx context.Context, to io.Writer) error {
		return export.WriteCases(ctx, to, export.CasesOf(reviewed), s.Files)
	})
}

// downloadFile gives a document's file back. Strangers sent it: no browser
// shows it as a page of ours.
func (s *Server) downloadFile(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	d, err := s.findDocument(r, v)
	if err != nil {
		return err
	}
	content, err := s.Files.Open(r.Context(), d.BlobKey())
	if errors.Is(err, blob.ErrNotFound) {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "The document's file is no longer there.")
	}
	if err != nil {
		return err
	}
	defer content.Close()
	w.Header().Set("Content-Type", cmp.Or(d.ContentType, "application/octet-stream"))
	w.Header().Set("Content-Length", strconv.FormatInt(d.SizeBytes, 10))
	w.Header().Set("Content-Disposition", export.Attachment(d.Filename, ""))
	return s.download(w, r, func(_ context.Context, to io.Writer) error {
		_, err := io.Copy(to, content)
		return err
	})
}

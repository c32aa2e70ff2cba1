package httpapi

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/intake"
)

func (s *Server) submitExtraction(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	key := r.Header.Get("Idempotency-Key")
	if _, given := r.Header["Idempotency-Key"]; given && !fieldlift.ValidIdempotencyKey(key) {
		return fieldlift.Invalid(fieldlift.Detail{
			Field: "Idempotency-Key", Issue: "format", Message: "The header Idempotency-Key must have 1 to 255 printable ASCII characters.",
		})
	}
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return fieldlift.Errorf(fieldlift.InvalidPayload, "The body must be multipart/form-data with parser_id and files.")
	}
	body := steadyReader{http.NewResponseController(w), http.MaxBytesReader(w, r.Body, s.MaxRequestBytes)}
	// When the files are in, nothing more is to come, however long reading them takes.
	defer func() { _ = body.connection.SetReadDeadline(time.Time{}) }()
	accepted, replayed, err := s.Intake.Accept(r.Context(), c.Account.ID, key, multipart.NewReader(body, parameters["boundary"]))
	if err != nil {
		if errors.Is(err, intake.ErrTooLarge) {
			return statusError{http.StatusRequestEntityTooLarge, err}
		}
		return err
	}
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
		if accepted.Differs {
			w.Header().Set("Idempotency-Mismatch", "true")
		}
	}
	return writeJSON(w, http.StatusAccepted, acceptedEnvelope(accepted))
}

func acceptedEnvelope(a fieldlift.Accepted) api.AcceptedEnvelope {
	e := a.Extraction
	answer := api.Accepted{
		ExtractionID: e.ID, Name: e.Name, ParserID: e.ParserID, Status: string(e.Status),
		FileCount: e.FileCount, PageCount: e.PageCount, CreditsUsed: e.CreditsUsed, CreditsRemaining: a.CreditsRemaining,
		Documents: make([]api.AcceptedDocument, 0, len(a.Documents)),
	}
	for _, d := range a.Documents {
		answer.Documents = append(answer.Documents, api.AcceptedDocument{
			DocumentID: d.ID, Filename: d.Filename, PageCount: d.PageCount, CreditsUsed: d.CreditsUsed, Status: string(d.Status),
		})
	}
	return api.AcceptedEnvelope{Extraction: answer}
}

// steadyReader lets an upload take as long as it likes while it goes on, and
// ends one that stands still.
type steadyReader struct {
	connection *http.ResponseController
	body       io.Reader
}

func (s steadyReader) Read(b []byte) (int, error) {
	// A connection without deadlines has nothing to guard.
	if err := s.connection.SetReadDeadline(time.Now().Add(bodyTimeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	return s.body.Read(b)
}

package httpapi

import (
	"errors"
	"mime"
	"mime/multipart"
	"net/http"

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
		// A key that was used before is answered as then, whatever comes with it.
		if accepted, found, err := s.Intake.Replay(r.Context(), c.Account.ID, key); err != nil || found {
			return answerAccepted(w, accepted, found, err)
		}
		return fieldlift.Errorf(fieldlift.InvalidPayload, "The body must be multipart/form-data with parser_id and files.")
	}
	body := s.newUpload(w, r)
	accepted, replayed, err := s.Intake.Accept(r.Context(), c.Account.ID, key, multipart.NewReader(body, parameters["boundary"]))
	body.answered()
	return answerAccepted(w, accepted, replayed, err)
}

func answerAccepted(w http.ResponseWriter, accepted fieldlift.Accepted, replayed bool, err error) error {
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

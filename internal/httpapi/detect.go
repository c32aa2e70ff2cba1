package httpapi

import (
	"errors"
	"mime"
	"mime/multipart"
	"net/http"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/intake"
)

// detectFields configures a parser from a sample: one that comes as a form, or
// one that was kept, named in JSON.
func (s *Server) detectFields(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := parserID(r)
	if err != nil {
		return err
	}
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return s.detectAgain(w, r, intake.SampleRequest{AccountID: c.Account.ID, ParserID: id})
	}
	if parameters["boundary"] == "" {
		return fieldlift.Errorf(fieldlift.InvalidPayload, "The multipart/form-data has no boundary.")
	}
	body := s.newUpload(w, r)
	detected, err := s.Sampler.Detect(r.Context(), c.Account.ID, id, multipart.NewReader(body, parameters["boundary"]))
	body.answered()
	return answerDetected(w, detected, err)
}

func (s *Server) detectAgain(w http.ResponseWriter, r *http.Request, request intake.SampleRequest) error {
	b, err := readBody(w, r)
	if err != nil {
		return err
	}
	if _, given := b.members["sample_file_id"]; !given {
		b.refuse("sample_file_id", "required", "sample_file_id is required, or file in multipart/form-data.")
	}
	if sample := b.text("sample_file_id"); sample != nil {
		request.SampleID = *sample
		if request.SampleID == "" {
			b.refuse("sample_file_id", "required", "sample_file_id must not be empty.")
		}
	}
	if prompt := b.text("prompt"); prompt != nil {
		request.Prompt = *prompt
	}
	request.Replace = member[bool](b, "replace_existing_schema", "true or false", false).Value
	if err := b.err(request.Check()...); err != nil {
		return err
	}
	detected, err := s.Sampler.DetectAgain(r.Context(), request)
	// It may have taken longer than the server gives small answers.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(bodyTimeout))
	return answerDetected(w, detected, err)
}

// detectedMembers is api.Detected but for the schema, which is written
// verbatim.
type detectedMembers struct {
	api.Detected
	Schema *struct{} `json:"schema,omitempty"`
}

func answerDetected(w http.ResponseWriter, d fieldlift.Detected, err error) error {
	if errors.Is(err, intake.ErrTooLarge) {
		return statusError{http.StatusRequestEntityTooLarge, err}
	}
	if err != nil {
		return err
	}
	members := detectedMembers{Detected: api.Detected{ParserID: d.Parser.ID, SampleFileID: d.Parser.SampleID, CreditsUsed: d.CreditsUsed}}
	if d.Parser.DocumentType != "" {
		members.DocumentType = &d.Parser.DocumentType
	}
	a := newAnswer()
	if err := a.object(members, verbatim{"schema", d.Parser.Schema.String()}); err != nil {
		return err
	}
	a.send(w, http.StatusOK)
	return nil
}

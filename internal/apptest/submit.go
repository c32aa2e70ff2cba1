package apptest

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"testing"
	"time"

	"fieldlift/api"
)

// File is a file to submit.
type File struct {
	Name    string
	Content []byte
}

// Form writes a submission: the fields in pairs of name and value, then the
// files. It gives the body and its content type.
func Form(t testing.TB, fields []string, files ...File) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range files {
		part, err := form.CreateFormFile("files", f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(f.Content); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), form.FormDataContentType()
}

// Submit sends a submission, whatever comes of it. Header lines are pairs of
// name and value.
func (a *App) Submit(t testing.TB, fields []string, files []File, header ...string) Answer {
	t.Helper()
	body, contentType := Form(t, fields, files...)
	return a.Send(t, http.MethodPost, "/v1/extractions", body, append([]string{"Content-Type", contentType}, header...)...)
}

// Accepted submits files to a parser and wants them accepted.
func (a *App) Accepted(t testing.TB, parserID string, files ...File) api.Accepted {
	t.Helper()
	answer := a.Submit(t, []string{"parser_id", parserID}, files).WantStatus(t, http.StatusAccepted)
	return Into[api.AcceptedEnvelope](t, answer).Extraction
}

// Finished waits until an extraction is over and gives it with its results.
func (a *App) Finished(t testing.TB, extractionID string) api.Results {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; {
		answer := a.Send(t, http.MethodGet, "/v1/extractions/"+extractionID+"/results", nil).WantStatus(t, http.StatusOK)
		results := Into[api.ResultsEnvelope](t, answer).Extraction
		switch results.Status {
		case "completed", "failed", "partial":
			return results
		}
		if time.Now().After(deadline) {
			t.Fatalf("the extraction is still %s", results.Status)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// NewParser makes a parser of fields and gives its id.
func (a *App) NewParser(t testing.TB, name string, fields ...api.Field) string {
	t.Helper()
	parser, err := a.Client().CreateParser(t.Context(), api.ParserCreate{Name: name, Fields: fields})
	if err != nil {
		t.Fatal(err)
	}
	return parser.ParserID
}

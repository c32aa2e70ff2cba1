package dashboard

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"

	"fieldlift"
	"fieldlift/internal/example"
)

// tryExample has the example extracted, by a parser that is made for it when
// there is none yet, and goes to see what comes of it.
func (s *Server) tryExample(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	parserID, err := s.exampleParser(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	form, err := exampleForm(parserID)
	if err != nil {
		return err
	}
	accepted, _, err := s.Intake.Accept(r.Context(), v.Account.ID, "", form)
	if err != nil {
		return err
	}
	return goTo(w, r, documentURL(accepted.Documents[0]), "example-sent")
}

// documentURL is where a document is shown.
func documentURL(d fieldlift.Document) string {
	return "/extractions/" + d.ExtractionID + "/documents/" + d.ID
}

// mostExamples bounds the names that are tried: an account may have other
// parsers of the name, or have changed the example's.
const mostExamples = 20

// exampleParser finds the example's parser in an account, or makes it.
func (s *Server) exampleParser(ctx context.Context, accountID string) (id string, err error) {
	wanted := example.Parser()
	wanted.AccountID = accountID
	for i := range mostExamples {
		if i > 0 {
			wanted.Name = fmt.Sprintf("%s, example %d", example.Parser().Name, i)
		}
		made, err := s.Store.CreateParser(ctx, wanted)
		if fieldlift.CodeOf(err) != fieldlift.Conflict {
			return made.ID, err
		}
		id, err := s.Store.ParserNamed(ctx, accountID, wanted.Name)
		if err != nil {
			return "", err
		}
		there, err := s.Store.Parser(ctx, accountID, id)
		if err != nil || there.Schema == wanted.Schema {
			return id, err
		}
	}
	return "", fieldlift.Errorf(fieldlift.Conflict, "There are many parsers with the example's name already. Rename one of them.")
}

// exampleForm is the submission that a person would send with the example.
func exampleForm(parserID string) (*multipart.Reader, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("parser_id", parserID); err != nil {
		return nil, err
	}
	if err := form.WriteField("name", "Example"); err != nil {
		return nil, err
	}
	file, err := form.CreateFormFile("files", example.InvoiceName)
	if err != nil {
		return nil, err
	}
	if _, err := file.Write(example.Invoice()); err != nil {
		return nil, err
	}
	return multipart.NewReader(&body, form.Boundary()), form.Close()
}

// showExample gives the example's file, to be looked at or sent by hand.
func (s *Server) showExample(w http.ResponseWriter, _ *http.Request, _ fieldlift.Visitor) error {
	w.Header().Set("Content-Type", "application/pdf")
	w.Header().Set("Content-Disposition", `attachment; filename="`+example.InvoiceName+`"`)
	_, _ = w.Write(example.Invoice()) // a client that has gone is no fault of ours
	return nil
}

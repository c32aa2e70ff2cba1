package dashboard

import (
	"net/http"
	"slices"

	"fieldlift"
)

// extractionPage is what stands on the page of one extraction.
type extractionPage struct {
	Extraction fieldlift.Extraction
	Documents  []fieldlift.Document
	Tables     []string // arrays that a CSV can have a row for each element of
	Reviewed   int      // documents
}

// Finished is how many documents are at their end.
func (p extractionPage) Finished() int64 { return p.Extraction.FileCount - p.Extraction.Unfinished }

func (s *Server) showExtraction(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	id, err := extractionOf(r)
	if err != nil {
		return err
	}
	var body extractionPage
	if body.Extraction, body.Documents, err = s.Store.Extraction(r.Context(), v.Account.ID, id); err != nil {
		return err
	}
	body.Tables = tablesOf(body.Extraction.Schema.Fields())
	for _, d := range body.Documents {
		if !d.ReviewedAt.IsZero() {
			body.Reviewed++
		}
	}
	return s.show(w, r, v, "extraction", page{Title: body.Extraction.Name, Section: "extractions", Body: body})
}

// tablesOf names the arrays of objects at the top, which exports can have rows
// of.
func tablesOf(fields []fieldlift.Field) (names []string) {
	for _, f := range fields {
		if f.Type == fieldlift.ArrayField && f.Items != nil && f.Items.Type == fieldlift.ObjectField && len(f.Items.Fields) > 0 {
			names = append(names, f.Name)
		}
	}
	return names
}

func (s *Server) deleteExtraction(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	id, err := extractionOf(r)
	if err != nil {
		return err
	}
	if err := s.Remover.Remove(r.Context(), v.Account.ID, id); err != nil {
		return err
	}
	return goTo(w, r, "/extractions", "extraction-deleted")
}

// extractionOf reads the id in a path. What has not the form of one is not
// looked up.
func extractionOf(r *http.Request) (string, error) {
	id := r.PathValue("extraction")
	if !fieldlift.ValidID(fieldlift.ExtractionPrefix, id) {
		return "", fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no such extraction.")
	}
	return id, nil
}

// documentOf reads both ids in the path of a document.
func documentOf(r *http.Request) (extraction, document string, err error) {
	if extraction, err = extractionOf(r); err != nil {
		return "", "", err
	}
	document = r.PathValue("document")
	if !fieldlift.ValidID(fieldlift.DocumentPrefix, document) {
		return "", "", fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no such document.")
	}
	return extraction, document, nil
}

// around tells which documents stand before and after one; "" where none does.
func around(documents []fieldlift.Document, id string) (position int, before, after string) {
	at := slices.IndexFunc(documents, func(d fieldlift.Document) bool { return d.ID == id })
	if at > 0 {
		before = documents[at-1].ID
	}
	if at >= 0 && at+1 < len(documents) {
		after = documents[at+1].ID
	}
	return at + 1, before, after
}

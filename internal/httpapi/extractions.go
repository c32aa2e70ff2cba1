package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"time"

	"fieldlift"
	"fieldlift/api"
)

const usualExtractions = 50

func (s *Server) listExtractions(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	query, err := readQuery(r)
	if err != nil {
		return err
	}
	filter, err := readExtractionFilter(query)
	if err != nil {
		return err
	}
	scope := fmt.Sprintf("extractions %s %q %q %d", c.Account.ID, filter.ParserID, filter.Status, filter.Since.UnixMicro())
	page, err := readPage(query, usualExtractions, scope, fieldlift.ExtractionPrefix)
	if err != nil {
		return err
	}
	extractions, more, err := s.Store.Extractions(r.Context(), c.Account.ID, filter, page)
	if err != nil {
		return err
	}
	list := api.ExtractionList{Extractions: make([]api.ExtractionSummary, 0, len(extractions))}
	var last fieldlift.Cursor
	for _, e := range extractions {
		list.Extractions = append(list.Extractions, summary(e))
		last = fieldlift.Cursor{At: e.CreatedAt, ID: e.ID}
	}
	list.Pagination = pagination(page, more, last, scope)
	return writeJSON(w, http.StatusOK, list)
}

// readExtractionFilter reads the filters; a parser that cannot be chooses
// nothing and is no error.
func readExtractionFilter(query url.Values) (fieldlift.ExtractionFilter, error) {
	var filter fieldlift.ExtractionFilter
	if query.Has("parser_id") {
		filter.ParserID = query.Get("parser_id")
		if !fieldlift.ValidID(fieldlift.ParserPrefix, filter.ParserID) {
			filter.ParserID = "none"
		}
	}
	if query.Has("status") {
		filter.Status = fieldlift.ExtractionStatus(query.Get("status"))
		if !slices.Contains(fieldlift.ExtractionStatuses, filter.Status) {
			return filter, fieldlift.Invalid(fieldlift.Detail{
				Field: "status", Issue: "enum", Message: "status must be one of queued, pending, processing, completed, failed and partial.",
			})
		}
	}
	if query.Has("since") {
		since, err := time.Parse(time.RFC3339Nano, query.Get("since"))
		if err != nil {
			return filter, fieldlift.Invalid(fieldlift.Detail{
				Field: "since", Issue: "format", Message: "since must be a time such as 2026-05-03T09:30:00.123456Z.",
			})
		}
		filter.Since = since
	}
	return filter, nil
}

func summary(e fieldlift.Extraction) api.ExtractionSummary {
	return api.ExtractionSummary{
		ExtractionID: e.ID,
		Name:         e.Name,
		ParserID:     e.ParserID,
		ParserName:   e.ParserName,
		Status:       string(e.Status),
		FileCount:    e.FileCount,
		PageCount:    e.PageCount,
		CreditsUsed:  e.CreditsUsed,
		CreatedAt:    api.Time{Time: e.CreatedAt},
		UpdatedAt:    api.Time{Time: e.UpdatedAt},
		CompletedAt:  api.Time{Time: e.CompletedAt},
	}
}

func (s *Server) getExtraction(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := extractionID(r)
	if err != nil {
		return err
	}
	extraction, documents, err := s.Store.Extraction(r.Context(), c.Account.ID, id)
	if err != nil {
		return err
	}
	answer := api.Extraction{ExtractionSummary: summary(extraction), Documents: make([]api.Document, 0, len(documents))}
	for _, d := range documents {
		answer.Documents = append(answer.Documents, wireDocument(d))
	}
	return writeJSON(w, http.StatusOK, api.ExtractionEnvelope{Extraction: answer})
}

func wireDocument(d fieldlift.Document) api.Document {
	return api.Document{
		DocumentID:   d.ID,
		Filename:     d.Filename,
		Status:       string(d.Status),
		PageCount:    d.PageCount,
		CreditsUsed:  d.CreditsUsed,
		ErrorMessage: orNull(d.ErrorMessage),
		CreatedAt:    api.Time{Time: d.CreatedAt},
		UpdatedAt:    api.Time{Time: d.UpdatedAt},
	}
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func (s *Server) deleteExtraction(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := extractionID(r)
	if err != nil {
		return err
	}
	if err := s.Remover.Remove(r.Context(), c.Account.ID, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// extractionID reads the id in the path. What has not the form of one is not
// looked up.
func extractionID(r *http.Request) (string, error) {
	id := r.PathValue("extraction_id")
	if !fieldlift.ValidID(fieldlift.ExtractionPrefix, id) {
		return "", fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no extraction %s.", id)
	}
	return id, nil
}

// documentIDs reads both ids in the path of a document.
func documentIDs(r *http.Request) (extraction, document string, err error) {
	if extraction, err = extractionID(r); err != nil {
		return "", "", err
	}
	document = r.PathValue("document_id")
	if !fieldlift.ValidID(fieldlift.DocumentPrefix, document) {
		return "", "", fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no document %s in this extraction.", document)
	}
	return extraction, document, nil
}

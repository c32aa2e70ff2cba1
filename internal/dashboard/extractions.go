package dashboard

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"fieldlift"
)

// extractionList is what stands on the page of extractions.
type extractionList struct {
	Extractions []fieldlift.Extraction
	Parsers     []fieldlift.Parser // that files can be submitted to
	Filter      fieldlift.ExtractionFilter
	Statuses    []fieldlift.ExtractionStatus
	Filtered    bool
	Older       string // the address of the next page; "" on the last one
	Newest      string // the address of the first page; "" on it
	Once        string // keeps a form that is sent twice from being accepted twice
	Fault       *fault
}

const (
	extractionsOnPage = 50
	mostSearched      = 100  // characters
	mostChoices       = 1000 // parsers to choose from
)

func (s *Server) listExtractions(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.showExtractions(w, r, v, nil)
}

func (s *Server) showExtractions(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, f *fault) error {
	body := extractionList{Statuses: fieldlift.ExtractionStatuses, Once: fieldlift.RandomText(24), Fault: f}
	query := r.URL.Query()
	if r.Method != http.MethodGet {
		query = url.Values{} // a form that was refused
	}
	body.Filter = extractionFilter(query)
	body.Filtered = body.Filter != fieldlift.ExtractionFilter{}
	list := fieldlift.Page{Limit: extractionsOnPage}
	scope := fmt.Sprintf("page of extractions %s %q %q %q", v.Account.ID, body.Filter.ParserID, body.Filter.Status, body.Filter.Search)
	if after := query.Get("after"); after != "" {
		var err error
		if list.After, err = fieldlift.DecodeCursor(after, scope, fieldlift.ExtractionPrefix); err != nil {
			return err
		}
		body.Newest = pathWith("/extractions", query, "after", "")
	}
	var more bool
	var err error
	if body.Extractions, more, err = s.Store.Extractions(r.Context(), v.Account.ID, body.Filter, list); err != nil {
		return err
	}
	if more {
		last := body.Extractions[len(body.Extractions)-1]
		body.Older = pathWith("/extractions", query, "after", fieldlift.Cursor{At: last.CreatedAt, ID: last.ID}.Encode(scope))
	}
	if body.Parsers, err = s.choices(r.Context(), v.Account.ID); err != nil {
		return err
	}
	status := http.StatusOK
	if f != nil {
		status = f.Status
	}
	return s.showStatus(w, r, v, status, "extractions", page{Title: "Extractions", Section: "extractions", Body: body})
}

// extractionFilter reads what to show; what makes no sense is passed over.
func extractionFilter(query url.Values) (filter fieldlift.ExtractionFilter) {
	if id := query.Get("parser"); fieldlift.ValidID(fieldlift.ParserPrefix, id) {
		filter.ParserID = id
	}
	if status := fieldlift.ExtractionStatus(query.Get("status")); slices.Contains(fieldlift.ExtractionStatuses, status) {
		filter.Status = status
	}
	if text := strings.TrimSpace(query.Get("search")); utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		filter.Search = string([]rune(text)[:min(mostSearched, utf8.RuneCountInString(text))])
	}
	return filter
}

// pathWith is a path with a query of which one value is set, or left out.
func pathWith(path string, query url.Values, name, value string) string {
	kept := url.Values{}
	for key, values := range query {
		if key != name && key != "done" && len(values) > 0 && values[0] != "" {
			kept.Set(key, values[0])
		}
	}
	if value != "" {
		kept.Set(name, value)
	}
	if len(kept) == 0 {
		return path
	}
	return path + "?" + kept.Encode()
}

// choices are the account's parsers, by name.
func (s *Server) choices(ctx context.Context, accountID string) ([]fieldlift.Parser, error) {
	parsers, _, err := s.Store.Parsers(ctx, accountID, fieldlift.Page{Limit: mostChoices})
	slices.SortStableFunc(parsers, func(a, b fieldlift.Parser) int {
		return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name))
	})
	return parsers, err
}

// submit takes files in, from a form or from our script.
func (s *Server) submit(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body, err := r.MultipartReader()
	if err != nil {
		return &fieldlift.Error{Code: fieldlift.InvalidPayload, Message: "The form could not be read. Try again.", Err: err}
	}
	once := r.URL.Query().Get("once")
	if once != "" && !fieldlift.ValidIdempotencyKey(once) {
		once = ""
	}
	if once != "" {
		once = "page " + once // apart from the keys of programs
	}
	accepted, replayed, err := s.Intake.Accept(r.Context(), v.Account.ID, once, body)
	if err == nil && replayed && accepted.Differs {
		err = fieldlift.Errorf(fieldlift.Conflict, "Other files were sent from this page before; they are in the list of extractions. Load the page again to send these.")
	}
	if f, ok := tellable(err); ok && !wantsJSON(r) {
		return s.showExtractions(w, r, v, f)
	}
	if err != nil {
		return err
	}
	where := "/extractions/" + accepted.Extraction.ID
	if wantsJSON(r) {
		return showJSON(w, http.StatusAccepted, map[string]string{"extraction_id": accepted.Extraction.ID, "url": where})
	}
	return goTo(w, r, where, "submitted")
}

package dashboard

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"fieldlift"
	"fieldlift/internal/value"
)

// correct does what a person wants done to a value or a row.
func (s *Server) correct(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	extraction, document, err := documentOf(r)
	if err != nil {
		return err
	}
	if err := readForm(w, r); err != nil {
		return err
	}
	amendment := fieldlift.Amendment{Kind: fieldlift.CorrectionKind(r.PostFormValue("kind")), Pointer: r.PostFormValue("pointer")}
	by := reviewer(r, v)
	if amendment.Kind == fieldlift.CorrectionSet {
		review, err := s.Store.Review(r.Context(), v.Account.ID, extraction, document)
		if err != nil {
			return err
		}
		amendment.Value = entered(fieldAt(review, amendment.Pointer), r.PostFormValue("value"))
	}
	_, err = s.Store.Correct(r.Context(), v.Account.ID, extraction, document, by, amendment)
	selected := amendment.Pointer
	if amendment.Kind == fieldlift.CorrectionAdd || amendment.Kind == fieldlift.CorrectionRemove {
		selected = ""
	}
	return s.corrected(w, r, v, selected, err)
}

func (s *Server) takeBack(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	extraction, document, err := documentOf(r)
	if err != nil {
		return err
	}
	if err := readForm(w, r); err != nil {
		return err
	}
	number, err := strconv.ParseInt(r.PathValue("number"), 10, 64)
	if err != nil {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no such correction.")
	}
	_, err = s.Store.TakeBack(r.Context(), v.Account.ID, extraction, document, reviewer(r, v), number)
	return s.corrected(w, r, v, r.PostFormValue("pointer"), err)
}

// reviewer is who sends a form, and the revision that the form was made for.
func reviewer(r *http.Request, v fieldlift.Visitor) fieldlift.Reviewer {
	seen, err := strconv.ParseInt(r.PostFormValue("revision"), 10, 64)
	if err != nil || seen < 0 {
		seen = fieldlift.AnyRevision
	}
	return fieldlift.Reviewer{Email: v.Account.Email, Seen: seen}
}

// corrected shows the document again, or tells our script what has changed.
func (s *Server) corrected(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, selected string, err error) error {
	err = withoutPointer(err)
	f, ok := tellable(err)
	if err != nil && (!ok || wantsJSON(r) || f.Status == http.StatusNotFound) {
		return err
	}
	extraction, document, _ := documentOf(r)
	if err == nil && !wantsJSON(r) {
		where := documentPath(fieldlift.Document{ExtractionID: extraction, ID: document})
		if selected != "" {
			where += "?" + url.Values{"value": {selected}}.Encode() + "#selected"
		}
		return goTo(w, r, where, "")
	}
	body, err := s.documentPage(r, v, selected)
	if err != nil {
		return err
	}
	if f != nil {
		body.Fault = f
		return s.showDocumentPage(w, r, v, body)
	}
	return s.showParts(w, body, true)
}

// withoutPointer leaves out where a value stands, which a person sees.
func withoutPointer(err error) error {
	told, ok := errors.AsType[*fieldlift.Error](err)
	if !ok || len(told.Details) != 1 {
		return err
	}
	plain := *told
	plain.Message = sentence(strings.TrimPrefix(told.Message, told.Details[0].Field+": "))
	return &plain
}

// fieldAt is the field of the single value at a pointer; the zero Field when
// there is none, which the store will refuse.
func fieldAt(d fieldlift.DocumentReview, pointer string) (found fieldlift.Field) {
	var look func(values []fieldlift.ReviewedValue)
	look = func(values []fieldlift.ReviewedValue) {
		for _, one := range values {
			if one.Pointer == pointer {
				found = one.Field
			}
			if strings.HasPrefix(pointer, one.Pointer+"/") {
				look(one.Members)
				look(one.Rows)
			}
		}
	}
	for _, sheet := range d.Review.Sheets() {
		look(sheet.Values)
	}
	return found
}

// entered is what a person typed, as JSON of the field's type. What cannot be
// read goes on as text, to be refused with a sentence that helps. Nothing typed
// is nothing there.
func entered(f fieldlift.Field, text string) json.RawMessage {
	text = strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n")
	if text == "" {
		return json.RawMessage("null")
	}
	switch f.Type {
	case fieldlift.NumberField:
		if n, ok := number(text); ok {
			return json.RawMessage(n)
		}
	case fieldlift.BooleanField:
		if yes, ok := value.Boolean(text); ok {
			return json.RawMessage(strconv.FormatBool(yes))
		}
	case fieldlift.DateField:
		if date, ok := value.Date(text, value.DecideLocale([]string{text})); ok {
			text = date
		}
	}
	written, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage("null") // a string can always be written
	}
	return written
}

// number reads a number as JSON has it, or as people write it: 1,234.50 or
// 1.234,50.
func number(text string) (json.Number, bool) {
	if _, err := strconv.ParseFloat(text, 64); err == nil && json.Valid([]byte(text)) {
		return json.Number(text), true
	}
	return value.Number(text, value.DecideLocale([]string{text}))
}

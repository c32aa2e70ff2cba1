package dashboard

import (
	"bytes"
	"encoding/json"
	"net/http"

	"fieldlift"
	"fieldlift/internal/schema"
)

// fieldsPage is what stands on the page where a parser's fields are edited, in
// either of two views.
type fieldsPage struct {
	parserPage
	View       string // "fields" or "schema"
	FieldsText string // their definitions, for the editor
	SchemaText string
	Loses      bool // the schema says more than fields can
	Sample     fieldlift.Sample
	Pages      []samplePage // of the sample, the first ones
	Available  int64
	Prompt     string
	Fault      *fault
	Misplaced  []misplaced // what is wrong with SchemaText
}

// definition is a field as the editor has it: as clients of the interface send
// it.
type definition struct {
	Name        string              `json:"name,omitzero"`
	Type        fieldlift.FieldType `json:"type"`
	Description string              `json:"description,omitzero"`
	Required    bool                `json:"required,omitzero"`
	Enum        []any               `json:"enum,omitzero"`
	Fields      []definition        `json:"fields,omitzero"`
	Items       *definition         `json:"items,omitzero"`
}

func definitionOf(f fieldlift.Field) definition {
	d := definition{Name: f.Name, Type: f.Type, Description: f.Description, Required: f.Required, Enum: f.Enum, Fields: definitionsOf(f.Fields)}
	if f.Items != nil {
		d.Items = new(definitionOf(*f.Items))
	}
	return d
}

func definitionsOf(fields []fieldlift.Field) []definition {
	var all []definition
	for _, f := range fields {
		all = append(all, definitionOf(f))
	}
	return all
}

// fieldType tells what a field holds, in the editor's words.
func fieldType(f fieldlift.Field) string {
	switch f.Type {
	case fieldlift.StringField:
		return "text"
	case fieldlift.BooleanField:
		return "yes or no"
	case fieldlift.ObjectField:
		return "group"
	case fieldlift.ArrayField:
		switch {
		case f.Items == nil:
			return "list"
		case f.Items.Type == fieldlift.ObjectField:
			return "table"
		}
		return "list of " + fieldType(*f.Items)
	}
	return string(f.Type)
}

// definitionsText writes fields for the editor.
func definitionsText(fields []fieldlift.Field) (string, error) {
	if len(fields) == 0 {
		return "[]", nil
	}
	text, err := json.Marshal(definitionsOf(fields))
	return string(text), err
}

// readable lays the text of a schema out for people.
func readable(s fieldlift.Schema) string {
	if s.IsZero() {
		return ""
	}
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(s.String()), "", "  "); err != nil {
		return s.String()
	}
	return b.String()
}

// loses tells whether the schema would lose something if it were made anew of
// the fields that it is read as.
func loses(s fieldlift.Schema) bool {
	return !s.IsZero() && fieldlift.SchemaOf(s.Fields()).String() != s.String()
}

func (s *Server) showFields(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	body, err := newFieldsPage(p)
	if err != nil {
		return err
	}
	if r.URL.Query().Get("view") == "schema" {
		body.View = "schema"
	}
	return s.showFieldsWith(w, r, v, body)
}

func newFieldsPage(p fieldlift.Parser) (fieldsPage, error) {
	body := fieldsPage{parserPage: newParserPage(p, "fields"), View: "fields", SchemaText: readable(p.Schema), Loses: loses(p.Schema)}
	var err error
	body.FieldsText, err = definitionsText(body.Fields)
	return body, err
}

func (s *Server) showFieldsWith(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, body fieldsPage) error {
	var err error
	if body.Available, err = s.Store.Available(r.Context(), v.Account.ID); err != nil {
		return err
	}
	if body.Parser.SampleID != "" {
		if body.Sample, err = s.Store.Sample(r.Context(), v.Account.ID, body.Parser.SampleID); err != nil {
			return err
		}
		body.Pages = s.samplePages(r.Context(), body.Sample)
	}
	status := http.StatusOK
	if body.Fault != nil {
		status = body.Fault.Status
	}
	return s.showStatus(w, r, v, status, "fields", page{Title: body.Parser.Name, Section: "parsers", Wide: true, Body: body})
}

// given is the fields of a parser as one of the two views sends them.
type given struct {
	View   string
	Fields string
	Schema string
}

// parse reads what was given. What is wrong with the text of a schema is told
// with its lines.
func (g given) parse() (fieldlift.Schema, *refusal) {
	var parsed fieldlift.Schema
	var found []fieldlift.Detail
	if g.View == "schema" {
		if len(bytes.TrimSpace([]byte(g.Schema))) == 0 {
			return parsed, nil
		}
		parsed, found = schema.Parse([]byte(g.Schema))
	} else {
		var fields []fieldlift.Field
		fields, found = fieldlift.ParseFields([]byte(g.Fields))
		parsed = fieldlift.SchemaOf(fields)
	}
	if len(found) == 0 {
		return parsed, nil
	}
	refused := &refusal{fault: fault{Status: http.StatusBadRequest, Code: fieldlift.InvalidPayload, Message: fieldlift.Invalid(found...).Message}}
	for _, d := range found {
		refused.Details = append(refused.Details, misplaced{Field: d.Field, Message: d.Message})
	}
	if g.View == "schema" {
		for i, line := range schema.Lines([]byte(g.Schema), found) {
			refused.Details[i].Line = line
		}
	}
	return parsed, refused
}

// refusal is a fault with the places of what is wrong.
type refusal struct {
	fault
	Details []misplaced `json:"details"`
}

// misplaced is something that is wrong, and where.
type misplaced struct {
	Field   string `json:"field"`
	Message string `json:"message"`
	Line    int    `json:"line"` // of a schema's text, from 1; 0 for fields
}

func (f *refusal) answer(w http.ResponseWriter) error {
	return showJSON(w, f.Status, struct {
		Error *refusal `json:"error"`
	}{f})
}

func readGiven(w http.ResponseWriter, r *http.Request) (given, error) {
	err := readForm(w, r)
	g := given{"fields", r.PostFormValue("fields"), r.PostFormValue("schema")}
	if r.PostFormValue("view") == "schema" {
		g.View = "schema"
	}
	return g, err
}

// views is what both views show of a schema.
type views struct {
	Fields json.RawMessage `json:"fields"`
	Schema string          `json:"schema"`
	Loses  bool            `json:"loses"`
}

func viewsOf(s fieldlift.Schema) (views, error) {
	text, err := definitionsText(s.Fields())
	return views{json.RawMessage(text), readable(s), loses(s)}, err
}

// saveFields gives a parser its fields.
func (s *Server) saveFields(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	g, err := readGiven(w, r)
	if err != nil {
		return err
	}
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	parsed, refused := g.parse()
	switch {
	case refused != nil && wantsJSON(r):
		return refused.answer(w)
	case refused != nil:
		body, err := newFieldsPage(p)
		if err != nil {
			return err
		}
		body.View, body.SchemaText, body.Fault, body.Misplaced = g.View, g.Schema, &refused.fault, refused.Details
		return s.showFieldsWith(w, r, v, body)
	}
	if p, err = s.Store.UpdateParser(r.Context(), v.Account.ID, p.ID, fieldlift.ParserChange{Schema: &parsed}); err != nil {
		return err
	}
	if wantsJSON(r) {
		both, err := viewsOf(p.Schema)
		if err != nil {
			return err
		}
		return showJSON(w, http.StatusOK, both)
	}
	where := "/parsers/" + p.ID + "/fields"
	if g.View == "schema" {
		where += "?view=schema"
	}
	return goTo(w, r, where, "fields-saved")
}

// convertFields shows in both views what one of them sends; nothing is saved.
func (s *Server) convertFields(w http.ResponseWriter, r *http.Request, _ fieldlift.Visitor) error {
	g, err := readGiven(w, r)
	if err != nil {
		return err
	}
	parsed, refused := g.parse()
	if refused != nil {
		return refused.answer(w)
	}
	both, err := viewsOf(parsed)
	if err != nil {
		return err
	}
	return showJSON(w, http.StatusOK, both)
}

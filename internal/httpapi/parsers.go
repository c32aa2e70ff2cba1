package httpapi

import (
	"cmp"
	"net/http"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/schema"
)

const usualParsers = 20

func (s *Server) listParsers(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	query, err := readQuery(r)
	if err != nil {
		return err
	}
	scope := "parsers " + c.Account.ID
	page, err := readPage(query, usualParsers, scope, fieldlift.ParserPrefix)
	if err != nil {
		return err
	}
	parsers, more, err := s.Store.Parsers(r.Context(), c.Account.ID, page)
	if err != nil {
		return err
	}
	size := 0
	for _, p := range parsers {
		size += 2*len(p.Schema.String()) + len(p.Description) + 512
	}
	a := newAnswer()
	a.Grow(size) // at once, instead of again and again
	a.WriteString(`{"parsers":[`)
	var last fieldlift.Cursor
	for i, p := range parsers {
		if i > 0 {
			a.WriteByte(',')
		}
		if err := a.parser(p); err != nil {
			return err
		}
		last = fieldlift.Cursor{At: p.CreatedAt, ID: p.ID}
	}
	a.WriteString(`],"pagination":`)
	if err := a.value(pagination(page, more, last, scope)); err != nil {
		return err
	}
	a.WriteByte('}')
	a.send(w, http.StatusOK)
	return nil
}

func (s *Server) createParser(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	b, err := readBody(w, r)
	if err != nil {
		return err
	}
	if _, given := b.members["name"]; !given {
		b.refuse("name", "required", "name is required.")
	}
	change, err := readParserChange(b)
	if err != nil {
		return err
	}
	parser := change.Apply(fieldlift.Parser{AccountID: c.Account.ID, ResultMode: fieldlift.OnePerFile})
	if parser, err = s.Store.CreateParser(r.Context(), parser); err != nil {
		return err
	}
	return writeParser(w, http.StatusCreated, parser)
}

func (s *Server) getParser(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := parserID(r)
	if err != nil {
		return err
	}
	parser, err := s.Store.Parser(r.Context(), c.Account.ID, id)
	if err != nil {
		return err
	}
	return writeParser(w, http.StatusOK, parser)
}

func (s *Server) updateParser(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := parserID(r)
	if err != nil {
		return err
	}
	b, err := readBody(w, r)
	if err != nil {
		return err
	}
	change, err := readParserChange(b)
	if err != nil {
		return err
	}
	parser, err := s.Store.UpdateParser(r.Context(), c.Account.ID, id, change)
	if err != nil {
		return err
	}
	return writeParser(w, http.StatusOK, parser)
}

func (s *Server) deleteParser(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := parserID(r)
	if err != nil {
		return err
	}
	if err := s.Store.DeleteParser(r.Context(), c.Account.ID, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// parserID reads the id in the path. What has not the form of one is not
// looked up.
func parserID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !fieldlift.ValidID(fieldlift.ParserPrefix, id) {
		return "", fieldlift.Errorf(fieldlift.ParserNotFound, "There is no parser %s.", id)
	}
	return id, nil
}

// readParserChange reads the members that create and update have in common.
func readParserChange(b *body) (fieldlift.ParserChange, error) {
	change := fieldlift.ParserChange{
		Name:         b.text("name"),
		Description:  b.text("description"),
		DocumentType: b.textOrNull("document_type"),
	}
	if mode := b.text("result_mode"); mode != nil {
		change.ResultMode = new(fieldlift.ResultMode(*mode))
	}
	if engine := b.textOrNull("engine"); engine != nil {
		change.Engine = new(fieldlift.EngineChoice(*engine))
	}
	change.Schema = readSchema(b)
	return change, b.err(change.Check()...)
}

// readSchema reads the schema from fields or from schema; an empty list and
// null are the zero Schema, nil is none of them.
func readSchema(b *body) *fieldlift.Schema {
	fieldsText, hasFields := b.members["fields"]
	schemaText, hasSchema := b.members["schema"]
	isNull := string(schemaText) == "null"
	switch {
	case hasFields && hasSchema && !isNull:
		b.refuse("schema", "conflict", "Give fields or schema, not both.")
	case hasFields:
		fields, found := fieldlift.ParseFields(fieldsText)
		b.found = append(b.found, found...)
		return new(fieldlift.SchemaOf(fields))
	case isNull:
		return &fieldlift.Schema{}
	case hasSchema:
		parsed, found := schema.Parse(schemaText)
		b.found = append(b.found, found...)
		return &parsed
	}
	return nil
}

func writeParser(w http.ResponseWriter, status int, p fieldlift.Parser) error {
	a := newAnswer()
	a.WriteString(`{"parser":`)
	if err := a.parser(p); err != nil {
		return err
	}
	a.WriteByte('}')
	a.send(w, status)
	return nil
}

// parserMembers is api.Parser but for the members that are written verbatim.
type parserMembers struct {
	api.Parser
	Schema *struct{} `json:"schema,omitempty"`
	Fields *struct{} `json:"fields,omitempty"`
}

// parser adds a parser as the interface shows it.
func (a *answer) parser(p fieldlift.Parser) error {
	members := parserMembers{Parser: api.Parser{
		ParserID:      p.ID,
		Name:          p.Name,
		Description:   p.Description,
		ResultMode:    string(p.ResultMode),
		HasSampleFile: p.SampleID != "",
		CreatedAt:     api.Time{Time: p.CreatedAt},
		UpdatedAt:     api.Time{Time: p.UpdatedAt},
	}}
	if p.DocumentType != "" {
		members.DocumentType = &p.DocumentType
	}
	if p.Engine != "" {
		members.Engine = new(string(p.Engine))
	}
	if p.SampleID != "" {
		members.SampleFileID = &p.SampleID
	}
	return a.object(members, verbatim{"schema", cmp.Or(p.Schema.String(), "null")}, verbatim{"fields", p.Schema.Summary()})
}

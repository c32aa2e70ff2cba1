package dashboard

import (
	"net/http"
	"strings"

	"fieldlift"
)

const parsersAtOnce = 50

// parserList is what stands on the page of parsers.
type parserList struct {
	Parsers []fieldlift.Parser
	Older   string // the address of the next page; "" on the last one
	Newest  string // the address of the first page; "" on it
}

func (s *Server) showParsers(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	scope := "dashboard parsers " + v.Account.ID
	wanted := fieldlift.Page{Limit: parsersAtOnce}
	body := parserList{}
	if cursor := r.URL.Query().Get("cursor"); cursor != "" {
		var err error
		if wanted.After, err = fieldlift.DecodeCursor(cursor, scope, fieldlift.ParserPrefix); err != nil {
			return err
		}
		body.Newest = "/parsers"
	}
	list, more, err := s.Store.Parsers(r.Context(), v.Account.ID, wanted)
	if err != nil {
		return err
	}
	body.Parsers = list
	if more {
		last := list[len(list)-1]
		body.Older = "/parsers?cursor=" + fieldlift.Cursor{At: last.CreatedAt, ID: last.ID}.Encode(scope)
	}
	return s.show(w, r, v, "parsers", page{Title: "Parsers", Section: "parsers", Body: body})
}

// parserForm is what a person says of a parser but for its fields.
type parserForm struct {
	Name         string
	Description  string
	ResultMode   fieldlift.ResultMode
	DocumentType string
	Engine       fieldlift.EngineChoice
	Models       bool // the engine can be chosen
	Fault        *fault
}

// documentTypes are offered where one can be chosen; any slug will do.
func (parserForm) DocumentTypes() []string {
	return []string{
		"bank_statement", "bill_of_lading", "contract", "credit_note", "delivery_note", "driver_license", "expense_report", "form", "id_card",
		"insurance_claim", "insurance_policy", "invoice", "lab_report", "letter", "medical_record", "passport", "payslip", "purchase_order",
		"quote", "receipt", "resume", "tax_form", "utility_bill", "other",
	}
}

func (s *Server) readParserForm(r *http.Request) parserForm {
	return parserForm{
		Engine: fieldlift.EngineChoice(r.PostFormValue("engine")), Models: s.Models,
		Name: strings.TrimSpace(r.PostFormValue("name")), Description: strings.TrimSpace(r.PostFormValue("description")),
		ResultMode: fieldlift.ResultMode(r.PostFormValue("result_mode")), DocumentType: strings.TrimSpace(r.PostFormValue("document_type")),
	}
}

func (f parserForm) change() fieldlift.ParserChange {
	return fieldlift.ParserChange{Name: &f.Name, Description: &f.Description, ResultMode: &f.ResultMode, DocumentType: &f.DocumentType, Engine: &f.Engine}
}

func (s *Server) showNewParser(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.show(w, r, v, "newparser", page{Title: "New parser", Section: "parsers", Body: parserForm{ResultMode: fieldlift.OnePerFile, Models: s.Models}})
}

func (s *Server) createParser(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	form := s.readParserForm(r)
	var parser fieldlift.Parser
	err := check(form.change())
	if err == nil {
		parser, err = s.Store.CreateParser(r.Context(), form.change().Apply(fieldlift.Parser{AccountID: v.Account.ID}))
	}
	if f, ok := tellable(err); ok {
		form.Fault = f
		return s.showStatus(w, r, v, f.Status, "newparser", page{Title: "New parser", Section: "parsers", Body: form})
	}
	if err != nil {
		return err
	}
	return goTo(w, r, "/parsers/"+parser.ID+"/fields", "parser-made")
}

func check(c fieldlift.ParserChange) error {
	if found := c.Check(); len(found) > 0 {
		return fieldlift.Invalid(found...)
	}
	return nil
}

// parser finds the parser that the path names.
func (s *Server) parser(r *http.Request, v fieldlift.Visitor) (fieldlift.Parser, error) {
	id := r.PathValue("parser")
	if !fieldlift.ValidID(fieldlift.ParserPrefix, id) {
		return fieldlift.Parser{}, fieldlift.Errorf(fieldlift.ParserNotFound, "There is no such parser.")
	}
	return s.Store.Parser(r.Context(), v.Account.ID, id)
}

// parserPage is what all pages of one parser have.
type parserPage struct {
	Parser fieldlift.Parser
	Tab    string
	Fields []fieldlift.Field
}

// Doubtful is the confidence below which values are pointed out.
func (parserPage) Doubtful() float64 { return doubtful }

func newParserPage(p fieldlift.Parser, tab string) parserPage {
	return parserPage{p, tab, p.Schema.Fields()}
}

// overview is what stands on a parser's first page.
type overview struct {
	parserPage
	Extractions []fieldlift.Extraction // the last ones
	Address     string                 // where the service answers
}

const extractionsOfParser = 5

func (s *Server) showParser(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	body := overview{parserPage: newParserPage(p, "overview"), Address: baseURL(r)}
	filter := fieldlift.ExtractionFilter{ParserID: p.ID}
	if body.Extractions, _, err = s.Store.Extractions(r.Context(), v.Account.ID, filter, fieldlift.Page{Limit: extractionsOfParser}); err != nil {
		return err
	}
	return s.show(w, r, v, "parser", page{Title: p.Name, Section: "parsers", Body: body})
}

// baseURL is the address under which the browser found us.
func baseURL(r *http.Request) string {
	if isSecure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

// parserSettings is what stands on the page of a parser's settings.
type parserSettings struct {
	parserPage
	Form parserForm
}

func (s *Server) showParserSettings(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	form := parserForm{Name: p.Name, Description: p.Description, ResultMode: p.ResultMode, DocumentType: p.DocumentType, Engine: p.Engine, Models: s.Models}
	return s.showParserSettingsWith(w, r, v, p, form)
}

func (s *Server) showParserSettingsWith(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, p fieldlift.Parser, form parserForm) error {
	status := http.StatusOK
	if form.Fault != nil {
		status = form.Fault.Status
	}
	return s.showStatus(w, r, v, status, "parsersettings", page{
		Title: p.Name, Section: "parsers", Body: parserSettings{newParserPage(p, "settings"), form},
	})
}

func (s *Server) changeParser(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	form := s.readParserForm(r)
	if err = check(form.change()); err == nil {
		_, err = s.Store.UpdateParser(r.Context(), v.Account.ID, p.ID, form.change())
	}
	if f, ok := tellable(err); ok {
		form.Fault = f
		return s.showParserSettingsWith(w, r, v, p, form)
	}
	if err != nil {
		return err
	}
	return goTo(w, r, "/parsers/"+p.ID+"/settings", "parser-changed")
}

func (s *Server) deleteParser(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	if err := s.Store.DeleteParser(r.Context(), v.Account.ID, p.ID); err != nil {
		return err
	}
	return goTo(w, r, "/parsers", "parser-deleted")
}

package dashboard

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strconv"

	"fieldlift"
	"fieldlift/internal/intake"
	"fieldlift/internal/pageimage"
)

// detect takes a sample, or looks at the one that is there again, and gives
// the parser the fields that it shows.
func (s *Server) detect(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	form, err := r.MultipartReader()
	if err != nil {
		return notAFile
	}
	detected, err := s.Sampler.Detect(r.Context(), v.Account.ID, p.ID, form)
	if f, ok := tellable(err); ok {
		if wantsJSON(r) {
			return err
		}
		body, err := newFieldsPage(p)
		if err != nil {
			return err
		}
		body.Fault = f
		return s.showFieldsWith(w, r, v, body)
	}
	if err != nil {
		return err
	}
	where := "/parsers/" + detected.Parser.ID + "/fields"
	if wantsJSON(r) {
		return showJSON(w, http.StatusOK, map[string]string{"location": where + "?done=fields-detected"})
	}
	return goTo(w, r, where, "fields-detected")
}

var notAFile = fieldlift.Errorf(fieldlift.InvalidPayload, "Choose a file first.")

// previewed is a preview as our scripts are told it.
type previewed struct {
	Filename   string                             `json:"filename"`
	PageCount  int64                              `json:"page_count"`
	Looked     int64                              `json:"looked"`
	Data       json.RawMessage                    `json:"data"`
	Metadata   map[string]fieldlift.FieldMetadata `json:"metadata"`
	Validation []fieldlift.Violation              `json:"validation"`
	Confidence float64                            `json:"confidence"`
	Pictures   []picture                          `json:"pictures,omitempty"`
}

type picture struct {
	Type    string `json:"type"`
	Content []byte `json:"content"` // base64
}

func newPreviewed(p fieldlift.Preview) previewed {
	r := p.Result
	if r.Validation == nil {
		r.Validation = []fieldlift.Violation{} // scripts go through it
	}
	shown := previewed{p.Filename, p.PageCount, p.Looked, r.Data, r.Metadata, r.Validation, r.Confidence, nil}
	for _, one := range p.Pictures {
		shown.Pictures = append(shown.Pictures, picture{one.ContentType, one.Content})
	}
	return shown
}

// preview tells what fields that need not be saved find in the parser's
// sample.
func (s *Server) preview(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	g, err := readGiven(w, r)
	if err != nil {
		return err
	}
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	parsed, refused := g.parse()
	if refused != nil {
		return refused.answer(w)
	}
	found, err := s.Sampler.Preview(r.Context(), intake.PreviewRequest{
		AccountID: v.Account.ID, ParserID: p.ID, Change: fieldlift.ParserChange{Schema: &parsed},
	})
	if err != nil {
		return err
	}
	return showJSON(w, http.StatusOK, newPreviewed(found))
}

// trial is what stands on the page where a parser is tried.
type trial struct {
	parserPage
	Fault *fault
	Found *previewed
	Text  string // what was found, for people
}

func (s *Server) showTry(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	return s.showTryWith(w, r, v, http.StatusOK, trial{parserPage: newParserPage(p, "try")})
}

func (s *Server) showTryWith(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, status int, body trial) error {
	return s.showStatus(w, r, v, status, "try", page{Title: body.Parser.Name, Section: "parsers", Wide: true, Body: body})
}

// try extracts from a file that nothing is kept of.
func (s *Server) try(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	form, err := r.MultipartReader()
	if err != nil {
		return notAFile
	}
	if err := s.throttle(r.Context(), fieldlift.TrialThrottles(v.Account.ID)); err != nil {
		return err
	}
	found, err := s.Sampler.Try(r.Context(), v.Account.ID, p.ID, form)
	body := trial{parserPage: newParserPage(p, "try")}
	if f, ok := tellable(err); ok && !wantsJSON(r) {
		body.Fault = f
		return s.showTryWith(w, r, v, f.Status, body)
	}
	if err != nil {
		return err
	}
	shown := newPreviewed(found)
	if wantsJSON(r) {
		return showJSON(w, http.StatusOK, shown)
	}
	body.Found = &shown
	indented, err := json.MarshalIndent(shown.Data, "", "  ")
	if err != nil {
		return err
	}
	body.Text = string(indented)
	return s.showTryWith(w, r, v, http.StatusOK, body)
}

// samplePage is a page of a sample, with its size for the browser to leave
// room.
type samplePage struct{ Number, Width, Height int }

// mostSamplePages are shown of a sample; fields are looked for on as many.
const mostSamplePages = 20

func (s *Server) samplePages(ctx context.Context, sample fieldlift.Sample) []samplePage {
	pages := make([]samplePage, min(sample.PageCount, mostSamplePages))
	sizes, err := s.Images.Sizes(ctx, pageimage.OfSample(sample))
	if err != nil {
		s.Log.WarnContext(ctx, "the sizes of a sample are not known", "error", err) // its fields can be edited all the same
	}
	for i := range pages {
		pages[i] = samplePage{i + 1, 210, 297}
		if i < len(sizes) {
			pages[i].Width, pages[i].Height = int(math.Ceil(sizes[i].Width)), int(math.Ceil(sizes[i].Height))
		}
	}
	return pages
}

// showSamplePage gives the picture of a page of the parser's sample.
func (s *Server) showSamplePage(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	p, err := s.parser(r, v)
	if err != nil {
		return err
	}
	if p.SampleID == "" {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "The parser has no sample.")
	}
	sample, err := s.Store.Sample(r.Context(), v.Account.ID, p.SampleID)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || number < 1 || int64(number) > sample.PageCount {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "The sample has no such page.")
	}
	return s.showImage(w, r, pageimage.OfSample(sample), number)
}

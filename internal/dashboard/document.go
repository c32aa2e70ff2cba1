package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"fieldlift"
	"fieldlift/internal/pageimage"
	"fieldlift/internal/reader"
)

// documentPage is what stands on the page of a document: its pages on one
// side, what was found in them on the other.
type documentPage struct {
	Extraction fieldlift.Extraction
	Document   fieldlift.Document
	Path       string // of this page
	Position   int    // among the extraction's documents, from 1
	Before     string // ids of its neighbours; "" where there is none
	After      string
	Pages      []pageView
	Tables     []string
	Fault      *fault

	// Of a document that is completed:
	Model     *fieldlift.ModelUse // nil: none took part
	Revision  int64
	Sheets    []sheetView
	Selected  *valueView
	Doubtful  int // values that a person should look at
	Values    int // that are there
	Checked   int // of which a person looked at so many
	Messages  []fieldlift.Violation
	History   []fieldlift.Correction // newest first
	AllRows   bool
	HasHidden bool // rows that are not shown
}

// pageView is a page of the document, and where values stand on it.
type pageView struct {
	Number        int
	Width, Height int // of its image
	Turn          int // degrees clockwise by which it must be turned to be read
	Boxes         []boxView
}

// boxView is a place on a page, in thousandths of its width and height.
type boxView struct {
	Pointer             string
	Label               string
	State               string
	Lit                 bool
	X, Y, Width, Height string
}

func (s *Server) showDocument(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body, err := s.documentPage(r, v, r.URL.Query().Get("value"))
	if err != nil {
		return err
	}
	if wantsJSON(r) {
		return s.showParts(w, body, false)
	}
	return s.showDocumentPage(w, r, v, body)
}

func (s *Server) showDocumentPage(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, body documentPage) error {
	status := http.StatusOK
	if body.Fault != nil {
		status = body.Fault.Status
	}
	return s.showStatus(w, r, v, status, "document", page{Title: body.Document.Filename, Section: "extractions", Wide: true, Body: body})
}

// documentPage gathers what the page of a document shows, with one value
// selected.
func (s *Server) documentPage(r *http.Request, v fieldlift.Visitor, selected string) (body documentPage, err error) {
	extraction, document, err := documentOf(r)
	if err != nil {
		return body, err
	}
	e, documents, err := s.Store.Extraction(r.Context(), v.Account.ID, extraction)
	if err != nil {
		return body, err
	}
	d, err := s.Store.Document(r.Context(), v.Account.ID, extraction, document)
	if err != nil {
		return body, err
	}
	body = documentPage{
		Extraction: e, Document: d, Path: documentPath(d), Tables: tablesOf(e.Schema.Fields()), AllRows: r.URL.Query().Has("all"),
	}
	body.Position, body.Before, body.After = around(documents, document)
	if d.Status != fieldlift.DocumentCompleted {
		body.Pages = s.pageViews(r.Context(), d, "")
		return body, nil
	}
	review, err := s.Store.Review(r.Context(), v.Account.ID, extraction, document)
	if err != nil {
		return body, err
	}
	if review.Record.Model != "" {
		if err := json.Unmarshal([]byte(review.Record.Model), &body.Model); err != nil {
			return body, err
		}
	}
	body.Pages = s.pageViews(r.Context(), d, review.Record.Pages)
	body.show(review, selected)
	return body, nil
}

func documentPath(d fieldlift.Document) string {
	return "/extractions/" + d.ExtractionID + "/documents/" + d.ID
}

// shownWidth is that of page images, as they are asked for.
const shownWidth = 1200

// pageViews lays the pages out; read says how they were read. When their sizes
// cannot be had, such as of a file that is gone, they are laid out as sheets of
// A4.
func (s *Server) pageViews(ctx context.Context, d fieldlift.Document, read string) []pageView {
	ctx, cancel := context.WithTimeout(ctx, sizesLimit)
	defer cancel()
	sizes, err := s.Images.Sizes(ctx, pageimage.OfDocument(d))
	if err != nil {
		s.Log.InfoContext(ctx, "the sizes of a document's pages cannot be had", "document_id", d.ID, "error", err)
	}
	views := make([]pageView, d.PageCount)
	for n := range views {
		size := reader.Size{Width: 595, Height: 842}
		if n < len(sizes) {
			size = sizes[n]
		}
		views[n] = pageView{Number: n + 1, Width: shownWidth, Height: max(1, int(shownWidth*size.Height/size.Width))}
	}
	var readings []fieldlift.PageReading
	if json.Unmarshal([]byte(read), &readings) == nil { // there are none of a document that is not at its end
		for n, reading := range readings[:min(len(readings), len(views))] {
			views[n].Turn = reading.Rotation
		}
	}
	return views
}

// sizesLimit is how long a page waits for the sizes of a document's pages.
const sizesLimit = 8 * time.Second

// showParts answers our script with the parts of the page that change.
func (s *Server) showParts(w http.ResponseWriter, body documentPage, all bool) error {
	parts := map[string]any{"revision": body.Revision, "doubtful": body.Doubtful}
	names := []string{"selected"}
	if all {
		names = append(names, "values", "history", "progress")
	}
	for _, name := range names {
		text, err := s.part("document", name, body)
		if err != nil {
			return err
		}
		parts[name] = text
	}
	if all {
		overlays := make([]string, len(body.Pages))
		for i, p := range body.Pages {
			text, err := s.part("document", "boxes", p)
			if err != nil {
				return err
			}
			overlays[i] = text
		}
		parts["boxes"] = overlays
	}
	return showJSON(w, http.StatusOK, parts)
}

// part makes a part of a page alone.
func (s *Server) part(page, name string, data any) (string, error) {
	var text bytes.Buffer
	if err := s.pages[page].ExecuteTemplate(&text, name, data); err != nil {
		return "", err
	}
	return text.String(), nil
}

// showPage gives a page of a document as an image.
func (s *Server) showPage(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	d, err := s.findDocument(r, v)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || number < 1 || int64(number) > d.PageCount {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "The document has no such page.")
	}
	return s.showImage(w, r, pageimage.OfDocument(d), number)
}

// showImage sends a page of a file, as wide as its query wishes. Whose file it
// is was decided before.
func (s *Server) showImage(w http.ResponseWriter, r *http.Request, of pageimage.Source, number int) error {
	width, err := strconv.Atoi(r.URL.Query().Get("width"))
	if err != nil {
		width = shownWidth
	}
	// A file never changes under its id, but who may see it may: the browser asks each time.
	tag := fmt.Sprintf(`"%s-%d-%d"`, of.SHA256, number, pageimage.Width(width))
	w.Header().Set("Cache-Control", "private, no-cache")
	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	image, err := s.Images.Page(r.Context(), of, number, width)
	if err != nil {
		w.Header().Del("ETag")
		return err
	}
	w.Header().Set("Content-Type", image.ContentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(image.Content)))
	_, _ = w.Write(image.Content) // a client that has gone is no fault of ours
	return nil
}

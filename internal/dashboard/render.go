package dashboard

import (
	"bytes"
	"compress/gzip"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"path"
	"strings"

	"fieldlift"
)

//go:embed templates
var templateFiles embed.FS

// templates are the pages by name, each with the layout around it.
type templates map[string]*template.Template

// loadTemplates reads all pages. What is in the folder parts every page may
// use; its layout.html is around all of them.
func loadTemplates(functions template.FuncMap) (templates, error) {
	layout, err := template.New("layout.html").Funcs(functions).ParseFS(templateFiles, "templates/parts/*.html")
	if err != nil {
		return nil, err
	}
	files, err := fs.Glob(templateFiles, "templates/*.html")
	if err != nil {
		return nil, err
	}
	pages := templates{}
	for _, file := range files {
		page, err := layout.Clone()
		if err == nil {
			_, err = page.ParseFS(templateFiles, file)
		}
		if err != nil {
			return nil, err
		}
		pages[strings.TrimSuffix(path.Base(file), ".html")] = page
	}
	return pages, nil
}

// page is what a template is given.
type page struct {
	Title      string
	Section    string // the entry of the navigation that it belongs to
	Wide       bool   // it uses the whole width of the window
	Visitor    fieldlift.Visitor
	Appearance string // "light", "dark", or "" for the system's
	Notice     string // what has just been done
	SignUp     bool   // strangers may make accounts
	Query      map[string][]string
	Body       any // what is particular to this page
}

// SignedIn reports whether a person is known.
func (p page) SignedIn() bool { return p.Visitor.Account.ID != "" }

// show answers with a page.
func (s *Server) show(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, name string, p page) error {
	return s.showStatus(w, r, v, http.StatusOK, name, p)
}

// showStatus answers with a page and a status other than 200. The page is
// complete before its first byte is sent.
func (s *Server) showStatus(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, status int, name string, p page) error {
	tmpl, found := s.pages[name]
	if !found {
		return fmt.Errorf("there is no page %q", name)
	}
	p.Visitor, p.SignUp, p.Query = v, s.SignUp, r.URL.Query()
	p.Appearance = appearance(r)
	if p.Notice == "" {
		p.Notice = notices[r.URL.Query().Get("done")]
	}
	var text bytes.Buffer
	if err := tmpl.Execute(&text, p); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Vary", "Accept-Encoding")
	body := text.Bytes()
	if len(body) > worthPacking && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Encoding", "gzip")
		body = pack(body)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a client that has gone is no fault of ours
	return nil
}

// worthPacking is the size from which a page is compressed.
const worthPacking = 16 << 10

func pack(body []byte) []byte {
	var packed bytes.Buffer
	writer, _ := gzip.NewWriterLevel(&packed, gzip.BestSpeed) // it knows the level
	_, _ = writer.Write(body)                                 // into memory
	_ = writer.Close()
	return packed.Bytes()
}

// showJSON answers our scripts.
func showJSON(w http.ResponseWriter, status int, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a client that has gone is no fault of ours
	return nil
}

// goTo sends the browser to a page after something was done, which it tells.
// What is told is one of notices, so that nobody can have us tell anything else.
func goTo(w http.ResponseWriter, r *http.Request, where, done string) error {
	if done != "" {
		separator := "?"
		if strings.Contains(where, "?") {
			separator = "&"
		}
		where += separator + "done=" + done
	}
	http.Redirect(w, r, where, http.StatusSeeOther) //nolint:gosec // a path of ours, or one that localPath let pass
	return nil
}

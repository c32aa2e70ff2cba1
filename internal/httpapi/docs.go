package httpapi

import (
	"embed"
	"encoding/json"
	"net/http"
	"sync"

	"github.com/swaggest/swgui/v5/static"
	"github.com/vearutop/statigz"
	"go.yaml.in/yaml/v3"

	"fieldlift/api"
)

//go:embed docs
var docsFiles embed.FS

// docsPolicy lets the page run our scripts only. Swagger UI sets styles on
// elements and draws icons from data, hence the two exceptions.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// getDocs serves the page that shows the OpenAPI document and tries it out.
func (s *Server) getDocs(w http.ResponseWriter, _ *http.Request) error {
	page, err := docsFiles.ReadFile("docs/page.html")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", docsPolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page) // a client that has gone is no fault of ours
	return nil
}

// docsAssets names what the page loads: our few lines, and Swagger UI from the
// module that carries it.
func docsAssets() []string {
	return []string{"start.js", "page.css", "swagger-ui-bundle.js", "swagger-ui.css", "favicon-32x32.png"}
}

func docsAsset(name string) http.Handler {
	asset := http.StripPrefix("/docs/", statigz.FileServer(static.FS))
	if _, err := docsFiles.Open("docs/" + name); err == nil {
		asset = http.FileServerFS(docsFiles)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "public, max-age=3600")
		r.Header.Del("Range") // whole or not at all
		asset.ServeHTTP(w, r)
	})
}

func (s *Server) getOpenAPIAsYAML(w http.ResponseWriter, _ *http.Request) error {
	w.Header().Set("Content-Type", "application/yaml")
	_, _ = w.Write(api.OpenAPI) // a client that has gone is no fault of ours
	return nil
}

func (s *Server) getOpenAPIAsJSON(w http.ResponseWriter, _ *http.Request) error {
	document, err := openAPIAsJSON()
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, json.RawMessage(document))
}

// openAPIAsJSON turns the document into JSON when it is first asked for.
var openAPIAsJSON = sync.OnceValues(func() ([]byte, error) {
	var document any
	if err := yaml.Unmarshal(api.OpenAPI, &document); err != nil {
		return nil, err
	}
	return json.Marshal(document)
})

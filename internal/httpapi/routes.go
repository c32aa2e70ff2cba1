package httpapi

import (
	"net/http"

	"fieldlift"
)

// route is one operation of the OpenAPI document; a test holds both equal.
type route struct {
	method, path string
	handler      http.Handler
}

func (s *Server) routes() []route {
	routes := []route{
		{"GET", "/v1/me", s.keyed(s.getMe)},
		{"GET", "/v1/credits", s.keyed(s.getCredits)},

		{"GET", "/v1/parsers", s.keyed(s.listParsers)},
		{"POST", "/v1/parsers", s.keyed(s.createParser)},
		{"GET", "/v1/parsers/{id}", s.keyed(s.getParser)},
		{"PATCH", "/v1/parsers/{id}", s.keyed(s.updateParser)},
		{"DELETE", "/v1/parsers/{id}", s.keyed(s.deleteParser)},

		{"GET", "/healthz", s.open(s.getHealth)},
		{"GET", "/readyz", s.open(s.getReadiness)},
		{"GET", "/openapi.yaml", s.open(s.getOpenAPIAsYAML)},
		{"GET", "/openapi.json", s.open(s.getOpenAPIAsJSON)},
		{"GET", "/docs", s.open(s.getDocs)},
	}
	if s.Metrics {
		routes = append(routes, route{"GET", "/metrics", s.metrics.handler})
	}
	return routes
}

// keyed adapts a handler that answers the caller of a valid key.
func (s *Server) keyed(handle func(http.ResponseWriter, *http.Request, fieldlift.Caller) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := w.(*exchange) // ServeHTTP hands nothing else on
		if x.caller.Key.ID == "" {
			panic("a keyed route was reached without a key") // 500, rather than a stranger inside
		}
		if err := handle(w, r, x.caller); err != nil {
			s.refuse(x, r, err)
		}
	})
}

// open adapts a handler that answers anyone.
func (s *Server) open(handle func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			s.refuse(w.(*exchange), r, err)
		}
	})
}

package httpapi

import (
	"context"
	"net/http"
	"time"

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
		{"POST", "/v1/parsers/{id}/detect-fields", s.streaming(s.detectFields)},

		{"GET", "/v1/extractions", s.keyed(s.listExtractions)},
		{"POST", "/v1/extractions", s.streaming(s.submitExtraction)},
		{"GET", "/v1/extractions/{extraction_id}", s.keyed(s.getExtraction)},
		{"DELETE", "/v1/extractions/{extraction_id}", s.keyed(s.deleteExtraction)},
		{"GET", "/v1/extractions/{extraction_id}/results", s.keyed(s.getResults)},
		{"GET", "/v1/extractions/{extraction_id}/export", s.streaming(s.exportExtraction)},
		{"GET", "/v1/extractions/{extraction_id}/documents/{document_id}", s.keyed(s.getDocument)},
		{"GET", "/v1/extractions/{extraction_id}/documents/{document_id}/export", s.streaming(s.exportDocument)},

		{"GET", "/v1/webhooks", s.keyed(s.listWebhooks)},
		{"POST", "/v1/webhooks", s.keyed(s.createWebhook)},
		{"GET", "/v1/webhooks/{id}", s.keyed(s.getWebhook)},
		{"PATCH", "/v1/webhooks/{id}", s.keyed(s.updateWebhook)},
		{"DELETE", "/v1/webhooks/{id}", s.keyed(s.deleteWebhook)},
		{"POST", "/v1/webhooks/{id}/test", s.keyed(s.testWebhook)},
		{"POST", "/v1/webhooks/{id}/rotate-secret", s.keyed(s.rotateSecret)},
		{"GET", "/v1/webhooks/{id}/deliveries", s.keyed(s.listDeliveries)},
		{"POST", "/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver", s.keyed(s.redeliver)},

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

// requestTimeout bounds the work for one small request: a database that hangs
// is one that is away.
const requestTimeout = 15 * time.Second

// keyedHandler answers the caller of a valid key.
type keyedHandler func(http.ResponseWriter, *http.Request, fieldlift.Caller) error

// keyed adapts a handler of small requests and answers.
func (s *Server) keyed(handle keyedHandler) http.Handler {
	return s.streaming(func(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		return handle(w, r.WithContext(ctx), c)
	})
}

// streaming adapts a handler that takes as long as the client's files need.
func (s *Server) streaming(handle keyedHandler) http.Handler {
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
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		if err := handle(w, r.WithContext(ctx)); err != nil {
			s.refuse(w.(*exchange), r, err)
		}
	})
}

// Package httpapi serves the REST interface: it reads requests, calls what
// does the work, and writes answers as the OpenAPI document says.
//
// It holds no SQL and no business rule; routes.go shows all of it at a glance.
package httpapi

import (
	"cmp"
	"context"
	"iter"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/netip"
	"path"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/intake"
	"fieldlift/internal/ratelimit"
)

// Store is what this package asks of the store.
type Store interface {
	Admit(ctx context.Context, k fieldlift.Knock) (fieldlift.Caller, ratelimit.Window, bool, error)
	CountAddress(ctx context.Context, bucket string) (ratelimit.Window, error)

	Available(ctx context.Context, accountID string) (int64, error)
	Balance(ctx context.Context, accountID string) (fieldlift.Balance, error)

	CreateParser(ctx context.Context, p fieldlift.Parser) (fieldlift.Parser, error)
	Parser(ctx context.Context, accountID, id string) (fieldlift.Parser, error)
	Parsers(ctx context.Context, accountID string, page fieldlift.Page) ([]fieldlift.Parser, bool, error)
	UpdateParser(ctx context.Context, accountID, id string, change fieldlift.ParserChange) (fieldlift.Parser, error)
	DeleteParser(ctx context.Context, accountID, id string) error

	Extractions(ctx context.Context, accountID string, filter fieldlift.ExtractionFilter, page fieldlift.Page) ([]fieldlift.Extraction, bool, error)
	Extraction(ctx context.Context, accountID, id string) (fieldlift.Extraction, []fieldlift.Document, error)
	ExtractionAlone(ctx context.Context, accountID, id string) (fieldlift.Extraction, error)
	Records(ctx context.Context, accountID, extractionID string) iter.Seq2[fieldlift.Record, error]
	Record(ctx context.Context, accountID, extractionID, documentID string) (fieldlift.Record, error)

	CreateWebhook(ctx context.Context, w fieldlift.Webhook, secrets fieldlift.WebhookSecrets, most int) (fieldlift.Webhook, error)
	Webhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) (fieldlift.Webhook, error)
	Webhooks(ctx context.Context, accountID string, kind fieldlift.WebhookKind, page fieldlift.Page) ([]fieldlift.Webhook, bool, error)
	UpdateWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string, change fieldlift.WebhookChange) (fieldlift.Webhook, error)
	DeleteWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) error
	RotateSecret(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id, secret string) (fieldlift.Webhook, error)
	RecentAttempts(ctx context.Context, webhookID string, most int) ([]fieldlift.Attempt, error)
	Deliveries(ctx context.Context, webhookID string, status fieldlift.DeliveryStatus, page fieldlift.Page) ([]fieldlift.DeliveryRecord, bool, error)
	Redeliver(ctx context.Context, w fieldlift.Webhook, deliveryID string) (fieldlift.DeliveryRecord, error)
	ResultData(ctx context.Context, documentID string) (string, error)
}

// Intake accepts submissions.
type Intake interface {
	Accept(ctx context.Context, accountID, idempotencyKey string, body *multipart.Reader) (fieldlift.Accepted, bool, error)
	Replay(ctx context.Context, accountID, idempotencyKey string) (fieldlift.Accepted, bool, error)
}

// Sampler configures parsers from samples.
type Sampler interface {
	Detect(ctx context.Context, accountID, parserID string, body *multipart.Reader) (fieldlift.Detected, error)
	DetectAgain(ctx context.Context, r intake.SampleRequest) (fieldlift.Detected, error)
}

// Remover removes a finished extraction with its files.
type Remover interface {
	Remove(ctx context.Context, accountID, extractionID string) error
}

// Receivers knows whom webhooks may call.
type Receivers interface {
	Check(ctx context.Context, url string) []fieldlift.Detail
}

// Tester sends a webhook a test.
type Tester interface {
	Test(ctx context.Context, accountID string, kind fieldlift.WebhookKind, webhookID string) (fieldlift.Attempt, error)
}

// Pages are what people see in a browser: whatever is not of the interface.
type Pages interface {
	// Route gives the pattern under which there is something for a request; ""
	// when there is nothing.
	Route(r *http.Request) string
	// ServeHTTP answers such a request. Its body may be read at leisure: one
	// that stands still or only drips is ended.
	ServeHTTP(w http.ResponseWriter, r *http.Request)
	// NotFound tells a person that there is nothing here.
	NotFound(w http.ResponseWriter, r *http.Request)
}

// Config is all that a Server needs.
type Config struct {
	Store           Store
	Intake          Intake
	Sampler         Sampler
	Remover         Remover
	Receivers       Receivers
	Tester          Tester
	Pages           Pages                          // nil: there are none
	MaxWebhooks     int                            // of an account
	MaxRequestBytes int64                          // of a submission
	OperationsOnly  bool                           // nothing under /v1: a node that only works
	Proxies         []netip.Prefix                 // whose X-Forwarded-For is believed
	UploadStall     time.Duration                  // how long an upload may stand still; 10 s when 0
	Ready           func(context.Context) error    // nil error: requests can be taken
	Missing         func(context.Context) []string // what documents may need and is not there, a sentence each
	Log             *slog.Logger
	Registry        *prometheus.Registry
	Metrics         bool // serve /metrics here
	Now             func() time.Time
}

// Server answers requests.
type Server struct {
	Config
	mux     *http.ServeMux
	metrics metrics
}

// New makes a Server.
func New(c Config) *Server {
	s := &Server{Config: c, mux: http.NewServeMux(), metrics: newMetrics(c.Registry)}
	for _, r := range s.routes() {
		if c.OperationsOnly && isV1(r.path) {
			continue
		}
		s.mux.Handle(r.method+" "+r.path, r.handler)
	}
	for _, name := range docsAssets() {
		s.mux.Handle("GET /docs/"+name, docsAsset(name))
	}
	return s
}

// unwantedBodyTimeout bounds the wait for a body that nobody reads: net/http
// takes it in before it answers.
const unwantedBodyTimeout = time.Second

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x, r := s.begin(w, r)
	defer s.conclude(x, r)

	handler, pattern := s.mux.Handler(r)
	shown := "" // the pattern of a page
	if written := r.URL.EscapedPath(); !isClean(written) {
		// The mux would send the client elsewhere; there is nothing here.
		handler, pattern = http.NotFoundHandler(), ""
	} else if pattern == "" && s.Pages != nil {
		shown = s.Pages.Route(r)
	}
	x.route = cmp.Or(pattern, shown)
	// A request that is refused before its body is wanted waits no longer for
	// the rest of it than this; handlers that read bodies give more time. Where
	// there is none, net/http would take the deadline for the client's going away.
	if r.Body != http.NoBody {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(unwantedBodyTimeout))
	}
	switch {
	case strings.Contains(pattern, " /v1/") || isV1(r.URL.Path) || isV1(path.Clean(r.URL.Path)):
		// The key comes before all else: without one, not even what exists is told.
		if r = s.admit(x, r); r == nil {
			return
		}
	case shown != "":
		x.upload = s.newUpload(w, r)
		r.Body = x.upload
		s.Pages.ServeHTTP(x, r)
		return
	case pattern == "":
		if !s.countAddress(x, r) {
			return
		}
	}
	if pattern == "" {
		s.unmatched(x, r, handler)
		return
	}
	s.mux.ServeHTTP(x, r)
}

// isClean reports whether a path has no empty, "." or ".." elements.
func isClean(written string) bool {
	clean := path.Clean(written)
	return clean == written || clean+"/" == written
}

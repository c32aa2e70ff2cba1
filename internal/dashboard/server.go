// Package dashboard serves the pages that people see in a browser: HTML made
// here, a style sheet and small scripts. Every page can be read without
// scripts; they add what HTML alone cannot do.
//
// It holds no SQL and no business rule, and knows nothing of the REST
// interface, which stands beside it; routes.go shows all of it at a glance.
package dashboard

import (
	"context"
	"log/slog"
	"mime/multipart"
	"net/http"
	"time"

	"fieldlift"
	"fieldlift/internal/intake"
	"fieldlift/internal/pageimage"
	"fieldlift/internal/reader"
)

// Store is what this package asks of the store.
type Store interface {
	AccountByEmail(ctx context.Context, email string) (fieldlift.Account, error)
	UpdateAccount(ctx context.Context, id string, change fieldlift.AccountChange) (fieldlift.Account, error)
	ChangePassword(ctx context.Context, accountID, hash, keepSession string) error
	SignUp(ctx context.Context, a fieldlift.Account, credits int64, s fieldlift.Session, token string) (fieldlift.Account, error)

	Visitor(ctx context.Context, token, address string) (fieldlift.Visitor, bool, error)
	OpenSession(ctx context.Context, s fieldlift.Session, token string) (fieldlift.Session, error)
	Sessions(ctx context.Context, accountID string) ([]fieldlift.Session, error)
	EndSession(ctx context.Context, accountID, id string, act fieldlift.Act) error
	EndOtherSessions(ctx context.Context, accountID, keepID string) error

	Throttle(ctx context.Context, throttles []fieldlift.Throttle) (time.Duration, error)
	Relieve(ctx context.Context, t fieldlift.Throttle) error
	NoteRefusal(accountID string)

	Parsers(ctx context.Context, accountID string, page fieldlift.Page) (list []fieldlift.Parser, more bool, err error)
	Parser(ctx context.Context, accountID, id string) (fieldlift.Parser, error)
	ParserNamed(ctx context.Context, accountID, name string) (id string, err error)
	CreateParser(ctx context.Context, p fieldlift.Parser) (fieldlift.Parser, error)
	UpdateParser(ctx context.Context, accountID, id string, change fieldlift.ParserChange) (fieldlift.Parser, error)
	DeleteParser(ctx context.Context, accountID, id string) error
	Sample(ctx context.Context, accountID, id string) (fieldlift.Sample, error)

	Available(ctx context.Context, accountID string) (int64, error)
	Extractions(ctx context.Context, accountID string, filter fieldlift.ExtractionFilter, page fieldlift.Page) (list []fieldlift.Extraction, more bool, err error)
	NeedLook(ctx context.Context, accountID string, most int) ([]fieldlift.Document, error)

	Keys(ctx context.Context, accountID string) ([]fieldlift.Key, error)
	CreateKey(ctx context.Context, k fieldlift.Key, full string) (fieldlift.Key, error)
	RevokeKeyByID(ctx context.Context, accountID, id string) error

	CreateWebhook(ctx context.Context, w fieldlift.Webhook, secrets fieldlift.WebhookSecrets, most int) (fieldlift.Webhook, error)
	Webhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) (fieldlift.Webhook, error)
	Webhooks(ctx context.Context, accountID string, kind fieldlift.WebhookKind, page fieldlift.Page) ([]fieldlift.Webhook, bool, error)
	UpdateWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string, change fieldlift.WebhookChange) (fieldlift.Webhook, error)
	DeleteWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) error
	RotateSecret(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id, secret string) (fieldlift.Webhook, error)
	Deliveries(ctx context.Context, webhookID string, status fieldlift.DeliveryStatus, page fieldlift.Page) ([]fieldlift.DeliveryRecord, bool, error)
	Redeliver(ctx context.Context, w fieldlift.Webhook, deliveryID string) (fieldlift.DeliveryRecord, error)
	ResultData(ctx context.Context, documentID string) (string, error)

	Balance(ctx context.Context, accountID string) (fieldlift.Balance, error)
	Usage(ctx context.Context, accountID string, span fieldlift.Days) ([]fieldlift.UsageDay, error)
	UsageByParser(ctx context.Context, accountID string, span fieldlift.Days) ([]fieldlift.ParserUsage, error)
	Activities(ctx context.Context, accountID string, filter fieldlift.ActivityFilter, page fieldlift.Page) ([]fieldlift.Activity, bool, error)

	Queue(ctx context.Context) (fieldlift.Queue, error)
	Running(ctx context.Context, most int) ([]fieldlift.RunningDocument, error)
	Waiting(ctx context.Context, most int) ([]fieldlift.WaitingAccount, error)
	Failures(ctx context.Context, since time.Time) ([]fieldlift.FailureGroup, error)
	AccountSummaries(ctx context.Context, filter fieldlift.AccountFilter, page fieldlift.Page) ([]fieldlift.AccountSummary, bool, error)
	AccountSummary(ctx context.Context, id string) (fieldlift.AccountSummary, error)
	AddPurchase(ctx context.Context, p fieldlift.Purchase) (fieldlift.Purchase, error)
}

// Intake accepts submissions.
type Intake interface {
	Accept(ctx context.Context, accountID, idempotencyKey string, body *multipart.Reader) (accepted fieldlift.Accepted, replayed bool, err error)
}

// Sampler configures parsers from samples, and shows what they would find.
type Sampler interface {
	Detect(ctx context.Context, accountID, parserID string, body *multipart.Reader) (fieldlift.Detected, error)
	Preview(ctx context.Context, r intake.PreviewRequest) (fieldlift.Preview, error)
	Try(ctx context.Context, accountID, parserID string, body *multipart.Reader) (fieldlift.Preview, error)
}

// Images shows the pages of files.
type Images interface {
	Page(ctx context.Context, of pageimage.Source, number, width int) (reader.PageImage, error)
	Sizes(ctx context.Context, of pageimage.Source) ([]reader.Size, error)
}

// Receivers knows whom webhooks may call.
type Receivers interface {
	Check(ctx context.Context, url string) []fieldlift.Detail
}

// Tester sends a webhook a test.
type Tester interface {
	Test(ctx context.Context, accountID string, kind fieldlift.WebhookKind, webhookID string) (fieldlift.Attempt, error)
}

// Config is all that a Server needs.
type Config struct {
	Store         Store
	Intake        Intake
	Sampler       Sampler
	Images        Images
	SignUp        bool  // strangers may make accounts
	SignUpCredits int64 // what such an account begins with
	Production    bool  // keys are made for earnest
	Receivers     Receivers
	Tester        Tester
	MaxWebhooks   int // of an account
	Machine       func(context.Context) (fieldlift.Machine, error)
	Log           *slog.Logger
	Now           func() time.Time
}

// Server answers requests for pages.
type Server struct {
	Config
	mux     *http.ServeMux
	foreign *http.CrossOriginProtection
	pages   templates
	assets  *assets
	hashing chan struct{} // a place for each password that is being hashed
}

// mostHashing bounds how many passwords are hashed at once: each takes 64 MB
// and a core.
const mostHashing = 2

// New makes a Server.
func New(c Config) (*Server, error) {
	s := &Server{
		Config:  c,
		mux:     http.NewServeMux(),
		foreign: http.NewCrossOriginProtection(),
		hashing: make(chan struct{}, mostHashing),
	}
	var err error
	if s.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	if s.pages, err = loadTemplates(s.functions()); err != nil {
		return nil, err
	}
	for _, r := range s.routes() {
		s.mux.Handle(r.method+" "+r.path, r.handler)
	}
	return s, nil
}

// Route gives the pattern under which there is something for a request; ""
// when there is nothing.
func (s *Server) Route(r *http.Request) string {
	_, pattern := s.mux.Handler(r)
	return pattern
}

// policy lets pages load our own things only, and nobody show them in a frame.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Security-Policy", policy)
	header.Set("Referrer-Policy", "same-origin")
	header.Set("X-Frame-Options", "DENY") // for browsers that do not know frame-ancestors
	if err := s.foreign.Check(r); err != nil {
		s.refuse(w, r, fieldlift.Visitor{}, fieldlift.Errorf(fieldlift.Unauthorized, "The request came from another site, so nothing was done. Open the page here and try again."))
		return
	}
	s.mux.ServeHTTP(w, r)
}

// NotFound tells a person that there is nothing here.
func (s *Server) NotFound(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Security-Policy", policy)
	v, _, _ := s.visitor(r) // who cannot be recognised is told all the same
	s.refuse(w, r, v, errNothingHere)
}

var errNothingHere = fieldlift.Errorf(fieldlift.ResourceNotFound, "There is nothing at this address.")

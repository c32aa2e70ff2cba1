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
	"net/http"
	"net/netip"
	"sync"
	"time"

	"fieldlift"
)

// Config is all that a Server needs; asks.go says what is asked of the others.
type Config struct {
	Store         Store
	Intake        Intake
	Sampler       Sampler
	Remover       Remover
	Images        Images
	Files         Files
	Receivers     Receivers
	Tester        Tester
	Machine       func(context.Context) (fieldlift.Machine, error)
	SignUp        bool                   // strangers may make accounts
	SignUpCredits int64                  // what such an account begins with
	Production    bool                   // keys are made for earnest
	Models        bool                   // a model is connected
	Budgets       fieldlift.ModelBudgets // for models, a day
	MaxWebhooks   int                    // of an account
	Proxies       []netip.Prefix         // whose X-Forwarded-For is believed
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

	stopping chan struct{} // closed when the service stops
	stop     sync.Once
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

		stopping: make(chan struct{}),
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

// Stop ends what would go on for as long as a browser listens.
func (s *Server) Stop() { s.stop.Do(func() { close(s.stopping) }) }

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

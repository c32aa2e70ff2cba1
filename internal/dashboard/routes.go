package dashboard

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/telemetry"
)

type route struct {
	method, path string
	handler      http.Handler
}

func (s *Server) routes() []route {
	return []route{
		{"GET", "/{$}", s.signedIn(s.showHome)},

		{"GET", "/sign-in", s.open(s.showSignIn)},
		{"POST", "/sign-in", s.open(s.signIn)},
		{"GET", "/sign-up", s.open(s.showSignUp)},
		{"POST", "/sign-up", s.open(s.signUp)},
		{"POST", "/sign-out", s.signedIn(s.signOut)},

		{"GET", "/extractions", s.signedIn(s.listExtractions)},
		{"POST", "/extractions", s.streaming(s.submit)},
		{"GET", "/extractions/{extraction}", s.signedIn(s.showExtraction)},
		{"POST", "/extractions/{extraction}/delete", s.signedIn(s.deleteExtraction)},
		{"GET", "/extractions/{extraction}/export", s.streaming(s.exportExtraction)},
		{"GET", "/extractions/{extraction}/cases", s.streaming(s.exportCases)},
		{"GET", "/parsers/{parser}/cases", s.streaming(s.exportCasesOfParser)},
		{"GET", "/extractions/{extraction}/documents/{document}", s.signedIn(s.showDocument)},
		{"GET", "/extractions/{extraction}/documents/{document}/export", s.streaming(s.exportDocument)},
		{"GET", "/extractions/{extraction}/documents/{document}/file", s.streaming(s.downloadFile)},
		{"GET", "/extractions/{extraction}/documents/{document}/pages/{page}", s.streaming(s.showPage)},
		{"POST", "/extractions/{extraction}/documents/{document}/corrections", s.signedIn(s.correct)},
		{"POST", "/extractions/{extraction}/documents/{document}/corrections/{number}/take-back", s.signedIn(s.takeBack)},
		{"GET", "/events", s.streaming(s.streamChanges)},

		{"GET", "/settings", s.signedIn(s.showSettings)},
		{"POST", "/settings/name", s.signedIn(s.rename)},
		{"POST", "/settings/password", s.signedIn(s.changePassword)},
		{"POST", "/settings/appearance", s.signedIn(s.setAppearance)},
		{"POST", "/settings/sessions/end", s.signedIn(s.endOtherSessions)},
		{"POST", "/settings/sessions/{session}/end", s.signedIn(s.endSession)},

		{"POST", "/example", s.streaming(s.tryExample)},
		{"GET", "/example/invoice.pdf", s.signedIn(s.showExample)},

		{"GET", "/parsers", s.signedIn(s.showParsers)},
		{"GET", "/parsers/new", s.signedIn(s.showNewParser)},
		{"POST", "/parsers/new", s.signedIn(s.createParser)},
		{"POST", "/parsers/convert", s.signedIn(s.convertFields)},
		{"GET", "/parsers/{parser}", s.signedIn(s.showParser)},
		{"GET", "/parsers/{parser}/fields", s.signedIn(s.showFields)},
		{"POST", "/parsers/{parser}/fields", s.signedIn(s.saveFields)},
		{"POST", "/parsers/{parser}/detect", s.streaming(s.detect)},
		{"POST", "/parsers/{parser}/preview", s.streaming(s.preview)},
		{"GET", "/parsers/{parser}/sample/{page}", s.streaming(s.showSamplePage)},
		{"GET", "/parsers/{parser}/try", s.signedIn(s.showTry)},
		{"POST", "/parsers/{parser}/try", s.streaming(s.try)},
		{"GET", "/parsers/{parser}/settings", s.signedIn(s.showParserSettings)},
		{"POST", "/parsers/{parser}/settings", s.signedIn(s.changeParser)},
		{"POST", "/parsers/{parser}/delete", s.signedIn(s.deleteParser)},

		{"GET", "/integrations/keys", s.signedIn(s.showKeys)},
		{"POST", "/integrations/keys", s.signedIn(s.createKey)},
		{"POST", "/integrations/keys/{key}/revoke", s.signedIn(s.revokeKey)},
		{"GET", "/integrations/webhooks", s.signedIn(s.showWebhooks)},
		{"POST", "/integrations/webhooks", s.signedIn(s.createWebhook)},
		{"GET", "/integrations/webhooks/new", s.signedIn(s.newWebhook)},
		{"GET", "/integrations/webhooks/{webhook}", s.signedIn(s.showWebhook)},
		{"POST", "/integrations/webhooks/{webhook}", s.signedIn(s.changeWebhook)},
		{"POST", "/integrations/webhooks/{webhook}/test", s.signedIn(s.testWebhook)},
		{"POST", "/integrations/webhooks/{webhook}/pause", s.signedIn(s.pauseWebhook)},
		{"POST", "/integrations/webhooks/{webhook}/resume", s.signedIn(s.resumeWebhook)},
		{"POST", "/integrations/webhooks/{webhook}/rotate", s.signedIn(s.rotateSecret)},
		{"POST", "/integrations/webhooks/{webhook}/delete", s.signedIn(s.deleteWebhook)},
		{"POST", "/integrations/webhooks/{webhook}/deliveries/{delivery}/redeliver", s.signedIn(s.redeliver)},

		{"GET", "/credits", s.signedIn(s.showCredits)},
		{"GET", "/usage", s.signedIn(s.showUsage)},
		{"GET", "/activity", s.signedIn(s.showActivity)},

		{"GET", "/operator", s.admin(s.showOperator)},
		{"GET", "/operator/accounts", s.admin(s.showAccounts)},
		{"GET", "/operator/accounts/{account}", s.admin(s.showAccount)},
		{"POST", "/operator/accounts/{account}/credits", s.admin(s.grantCredits)},
		{"GET", "/operator/failures", s.admin(s.showFailures)},

		{"GET", "/assets/{version}/{name}", http.HandlerFunc(s.serveAsset)},
		{"GET", "/favicon.ico", http.HandlerFunc(s.serveIcon)},
	}
}

// requestTimeout bounds the work for one page: a database that hangs is one
// that is away.
const requestTimeout = 15 * time.Second

// handler answers a visitor; who is not signed in has an account without id.
type handler func(http.ResponseWriter, *http.Request, fieldlift.Visitor) error

// open adapts a handler of small requests that answers anyone.
func (s *Server) open(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		r = r.WithContext(ctx)
		v, _, err := s.visitor(r)
		if err == nil {
			err = handle(w, r, v)
		}
		if err != nil {
			s.refuse(w, r, v, err)
		}
	})
}

// signedIn adapts a handler of small requests that answers who has signed in.
func (s *Server) signedIn(handle handler) http.Handler {
	return s.streaming(func(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
		ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
		defer cancel()
		return handle(w, r.WithContext(ctx), v)
	})
}

// streaming adapts a handler that takes as long as files or events need.
func (s *Server) streaming(handle handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, known, err := s.visitor(r)
		switch {
		case err != nil:
			s.refuse(w, r, v, err)
			return
		case !known && wantsJSON(r):
			s.refuse(w, r, v, fieldlift.Errorf(fieldlift.Unauthorized, "You are not signed in any more. Sign in again."))
			return
		case !known:
			http.Redirect(w, r, signInURL(r), http.StatusSeeOther)
			return
		}
		r = r.WithContext(telemetry.With(acting(r.Context(), v.Account), slog.String("account_id", v.Account.ID)))
		if err := handle(w, r, v); err != nil {
			s.refuse(w, r, v, err)
		}
	})
}

// acting gives a context in which a person acts.
func acting(ctx context.Context, a fieldlift.Account) context.Context {
	return fieldlift.WithActor(ctx, fieldlift.Actor{Kind: fieldlift.Person, Name: a.Email})
}

// signInURL is where to sign in and then go on with what was wanted.
func signInURL(r *http.Request) string {
	if r.Method != http.MethodGet || r.URL.Path == "/" {
		return "/sign-in"
	}
	return "/sign-in?" + url.Values{"next": {r.URL.RequestURI()}}.Encode()
}

// wantsJSON tells our scripts' requests from those of a person.
func wantsJSON(r *http.Request) bool {
	return strings.HasPrefix(r.Header.Get("Accept"), "application/json")
}

package apptest

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"fieldlift/api"
	"fieldlift/internal/app"
)

// Call is a request that a Receiver got.
type Call struct {
	Header http.Header
	Body   []byte
	At     time.Time
}

// Receiver is a server that webhooks call. Until it is told otherwise it
// answers 200.
type Receiver struct {
	URL string

	mu     sync.Mutex
	calls  []Call
	answer http.HandlerFunc
	came   chan struct{} // closed and replaced at each call
}

// NewReceiver starts a receiver that ends with the test.
func NewReceiver(t testing.TB) *Receiver {
	t.Helper()
	r := &Receiver{came: make(chan struct{})}
	r.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.URL = server.URL
	return r
}

func (r *Receiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	at := time.Now()
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return // cut off by who sent it
	}
	r.mu.Lock()
	r.calls = append(r.calls, Call{Header: request.Header, Body: body, At: at})
	close(r.came)
	r.came = make(chan struct{})
	answer := r.answer
	r.mu.Unlock()
	answer(w, request)
}

// Answer sets what is answered from now on.
func (r *Receiver) Answer(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

// AnswerStatus answers with nothing but a status from now on.
func (r *Receiver) AnswerStatus(status int) {
	r.Answer(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
}

// Calls gives what has come so far.
func (r *Receiver) Calls() []Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.calls)
}

// Wait waits until so many calls have come, and gives all.
func (r *Receiver) Wait(t testing.TB, calls int) []Call {
	t.Helper()
	for deadline := time.After(30 * time.Second); ; {
		r.mu.Lock()
		got, came := slices.Clone(r.calls), r.came
		r.mu.Unlock()
		if len(got) >= calls {
			return got
		}
		select {
		case <-came:
		case <-deadline:
			t.Fatalf("%d calls came, want %d", len(got), calls)
		}
	}
}

// InDevelopment lets webhooks call receivers on this machine.
func InDevelopment() Option { return func(c *app.Config) { c.Env = app.Development } }

// NewWebhook makes a webhook of the account, for both events unless told
// otherwise.
func (a *App) NewWebhook(t testing.TB, url string, events ...string) api.Webhook {
	t.Helper()
	if len(events) == 0 {
		events = []string{api.EventDocumentCompleted, api.EventJobCompleted}
	}
	webhook, err := a.Client().CreateWebhook(t.Context(), api.WebhookCreate{URL: url, Events: events})
	if err != nil {
		t.Fatal(err)
	}
	return webhook
}

package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/ratelimit"
)

// faultyStore fails in a way that the real one does not show on demand.
type faultyStore struct{ Store }

func (faultyStore) Admit(context.Context, fieldlift.Knock) (fieldlift.Caller, ratelimit.Window, bool, error) {
	return fieldlift.Caller{Key: fieldlift.Key{ID: "key_1"}}, ratelimit.Window{Limit: 10, Used: 1, ResetsAt: time.Now()}, true, nil
}

func (faultyStore) Available(context.Context, string) (int64, error) {
	panic("the secret is Sesame")
}

func TestPanicIsAnsweredWithoutLeaking(t *testing.T) {
	var log bytes.Buffer
	server := New(Config{
		Store: faultyStore{}, Log: slog.New(slog.NewTextHandler(&log, nil)),
		Registry: prometheus.NewRegistry(), Now: time.Now,
	})
	recorder := httptest.NewRecorder()
	server.ServeHTTP(recorder, httptest.NewRequest("GET", "/v1/me", nil))
	body := recorder.Body.String()
	if recorder.Code != http.StatusInternalServerError || !strings.Contains(body, `"code":"INTERNAL_ERROR"`) || strings.Contains(body, "Sesame") {
		t.Errorf("%d %s", recorder.Code, body)
	}
	if !strings.Contains(log.String(), "the secret is Sesame") || !strings.Contains(log.String(), "panic_test.go") {
		t.Errorf("the log does not tell what happened: %s", log.String())
	}
}

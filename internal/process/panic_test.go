package process

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// breaking is an engine with a fault that some documents bring to light.
type breaking struct{ engine.Engine }

func (breaking) Extract(context.Context, engine.Request) (engine.Answer, error) {
	panic("out of range")
}

// found is a shelf that has every document.
type found struct{}

func (found) Find(context.Context, string, string, ...string) (*page.Document, string, error) {
	return &page.Document{Pages: []page.Page{{Number: 1}}}, "", nil
}

func (found) Keep(context.Context, string, *page.Document) {}

// ends notes how documents end.
type ends struct {
	Store
	claims []fieldlift.Claim
	failed []string
}

func (e *ends) BeginDocument(context.Context, ...fieldlift.EngineChoice) (c fieldlift.Claim, ok bool, err error) {
	if len(e.claims) == 0 {
		return c, false, nil
	}
	c, e.claims = e.claims[0], e.claims[1:]
	return c, true, nil
}

func (e *ends) FailDocument(_ context.Context, _ fieldlift.Claim, message string, _ time.Duration) error {
	e.failed = append(e.failed, message)
	return nil
}

// TestAPanicFailsTheDocumentAlone has two documents that an engine breaks at.
func TestAPanicFailsTheDocumentAlone(t *testing.T) {
	claim := fieldlift.Claim{Extraction: fieldlift.Extraction{Schema: fieldlift.SchemaOf([]fieldlift.Field{{Name: "badge", Type: fieldlift.StringField}})}}
	store := &ends{claims: []fieldlift.Claim{claim, claim}}
	var log bytes.Buffer
	p := &Processor{
		Store: store, Shelf: found{}, Engine: breaking{}, Log: slog.New(slog.NewTextHandler(&log, nil)), Now: time.Now,
		Metrics: NewMetrics(prometheus.NewRegistry()),
	}
	p.Take(t.Context())
	if len(store.failed) != 2 || store.failed[0] != "The document could not be processed because of a fault in the service." {
		t.Errorf("%q", store.failed)
	}
	if text := log.String(); !strings.Contains(text, "out of range") || !strings.Contains(text, "panic_test.go") {
		t.Errorf("the log does not tell: %s", text)
	}
}

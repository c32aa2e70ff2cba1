package deliver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/deliver"
	"fieldlift/internal/outbound"
	"fieldlift/internal/seal"
	"fieldlift/internal/store"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }

// rig is a real store without workers: its documents end as a test wants it.
type rig struct {
	*store.Store
	account fieldlift.Account
	parser  fieldlift.Parser
}

// onEach runs a test on SQLite and on PostgreSQL.
func onEach(t *testing.T, test func(t *testing.T, r *rig)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { test(t, newRig(t, store.Options{DataDir: t.TempDir()})) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, newRig(t, store.Options{DatabaseURL: apptest.NewDatabase(t)})) })
}

func newRig(t testing.TB, o store.Options) *rig {
	t.Helper()
	box, err := seal.New(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	o.Box = box
	opened, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(opened.Close)
	r := &rig{Store: opened}
	if err := r.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r.account, err = r.CreateAccount(t.Context(), fieldlift.Account{Email: "ada@example.com"}, 1_000_000); err != nil {
		t.Fatal(err)
	}
	r.parser = r.newParser(t, "Invoices")
	return r
}

func (r *rig) newParser(t testing.TB, name string) fieldlift.Parser {
	t.Helper()
	parser, err := r.CreateParser(t.Context(), fieldlift.Parser{
		AccountID: r.account.ID, Name: name, ResultMode: fieldlift.OnePerFile,
		Schema: fieldlift.SchemaOf([]fieldlift.Field{{Name: "invoice_number", Type: fieldlift.StringField}}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// newWebhook makes a webhook for the events, whose kind they decide.
func (r *rig) newWebhook(t testing.TB, url, parserID string, events ...fieldlift.EventType) fieldlift.Webhook {
	t.Helper()
	kind := fieldlift.APIWebhook
	if _, found := fieldlift.ParseEvents(kind, []string{string(events[0])}); found != nil {
		kind = fieldlift.DashboardWebhook
	}
	w, err := r.CreateWebhook(t.Context(), fieldlift.Webhook{AccountID: r.account.ID, Kind: kind, ParserID: parserID, URL: url, Events: events},
		fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// submit makes an extraction of one-page files that wait.
func (r *rig) submit(t testing.TB, files int) fieldlift.Extraction {
	t.Helper()
	s := fieldlift.Submission{Extraction: fieldlift.Extraction{
		ID: fieldlift.NewID(fieldlift.ExtractionPrefix), AccountID: r.account.ID, Name: `May "2026"`, ParserID: r.parser.ID,
		ParserName: r.parser.Name, ResultMode: r.parser.ResultMode, Schema: r.parser.Schema,
	}}
	for i := range files {
		s.Documents = append(s.Documents, fieldlift.Document{
			ID: fieldlift.NewID(fieldlift.DocumentPrefix), Filename: fmt.Sprint("file ", i, ".pdf"), ContentType: "application/pdf", PageCount: 2,
		})
	}
	accepted, _, err := r.Submit(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	return accepted.Extraction
}

// complete ends the document that waits longest, with data.
func (r *rig) complete(t testing.TB, data string) {
	t.Helper()
	err := r.CompleteDocument(t.Context(), r.begin(t), fieldlift.Result{Data: json.RawMessage(data), Confidence: 0.75}, time.Second)
	if err != nil {
		t.Fatal(err)
	}
}

// fail ends the document that waits longest, without.
func (r *rig) fail(t testing.TB, message string) {
	t.Helper()
	if err := r.FailDocument(t.Context(), r.begin(t), message, time.Second); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) begin(t testing.TB) fieldlift.Claim {
	t.Helper()
	claim, ok, err := r.BeginDocument(t.Context())
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return claim
}

// deliver begins to deliver, until it is stopped or the test ends.
func (r *rig) deliver(t testing.TB, set ...func(*deliver.Deliverer)) (stop func()) {
	t.Helper()
	client := outbound.New(outbound.Options{})
	d := &deliver.Deliverer{
		Store: r.Store, Client: client, Schedule: fieldlift.DefaultSchedule, SpoolDir: t.TempDir(),
		Log: slog.New(slog.DiscardHandler), Metrics: deliver.NewMetrics(prometheus.NewRegistry()), Now: time.Now,
	}
	for _, one := range set {
		one(d)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		d.Run(ctx)
	}()
	stop = func() {
		cancel()
		<-ended
		client.Close()
	}
	t.Cleanup(stop)
	return stop
}

// retrying sets the waits between tries.
func retrying(waits ...time.Duration) func(*deliver.Deliverer) {
	return func(d *deliver.Deliverer) { d.Schedule = waits }
}

// attempts gives the log of a webhook, oldest first.
func (r *rig) attempts(t testing.TB, w fieldlift.Webhook) []fieldlift.Attempt {
	t.Helper()
	records, _, err := r.Deliveries(t.Context(), w.ID, "", fieldlift.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var list []fieldlift.Attempt
	for i := len(records) - 1; i >= 0; i-- {
		list = append(list, records[i].Attempts...)
	}
	return list
}

// waitFor waits until a condition holds.
func waitFor(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited too long for %s", what)
		}
	}
}

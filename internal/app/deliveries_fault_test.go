package app_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// subscribe makes a webhook of the fleet's account that is told of everything.
func (f *fleet) subscribe(t *testing.T, url string) {
	t.Helper()
	if _, err := f.store.CreateWebhook(t.Context(), fieldlift.Webhook{
		AccountID: f.owner.ID, Kind: fieldlift.APIWebhook, URL: url, Events: fieldlift.EventsOf(fieldlift.APIWebhook),
	}, fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}, 25); err != nil {
		t.Fatal(err)
	}
}

// checkTold wants every event of what was accepted to have come at least once,
// documents first.
func (f *fleet) checkTold(t *testing.T, receiver *apptest.Receiver, within time.Duration) {
	t.Helper()
	want := len(f.accepted) // one for each extraction, and one for each document
	for _, x := range f.accepted {
		want += int(x.FileCount)
	}
	var first map[string]int // by event: when it came first
	for deadline := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		first = map[string]int{}
		for i, c := range receiver.Calls() {
			var e struct {
				Event string
				Data  struct {
					ExtractionID string `json:"extraction_id"`
					DocumentID   string `json:"document_id"`
				}
			}
			if err := json.Unmarshal(c.Body, &e); err != nil {
				t.Fatal(err)
			}
			subject := e.Data.DocumentID
			if e.Event == api.EventJobCompleted {
				subject = e.Data.ExtractionID
			}
			if _, seen := first[subject]; !seen {
				first[subject] = i
			}
		}
		if len(first) >= want {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d events came", len(first), want)
		}
	}
	for key, x := range f.accepted {
		job, told := first[x.ExtractionID]
		if !told {
			t.Errorf("%s: its end was not told", key)
		}
		for _, d := range x.Documents {
			if at, told := first[d.DocumentID]; !told || at > job {
				t.Errorf("%s: a document was told of after its extraction, or not at all", key)
			}
		}
	}
	t.Logf("%d events came in %d calls", len(first), len(receiver.Calls()))
}

// slowly answers after a moment, so that there is always something under way.
func slowly(w http.ResponseWriter, _ *http.Request) {
	time.Sleep(15 * time.Millisecond)
	w.WriteHeader(http.StatusOK)
}

// TestKillDuringDeliveriesOnSQLite kills the service again and again while it
// delivers.
func TestKillDuringDeliveriesOnSQLite(t *testing.T) {
	config := app.Default()
	config.DataDir = t.TempDir()
	where := []string{"--data", config.DataDir, "--env", "development"} // where this machine may be called
	n := startNode(t, where...)
	f := newFleet(t, config, n.url)
	receiver := apptest.NewReceiver(t)
	receiver.Answer(slowly)
	f.subscribe(t, receiver.URL)
	stop := f.load(t, 3)
	for range 5 {
		goal := len(receiver.Calls()) + 20
		waitFor(t, "deliveries", func() bool { return len(receiver.Calls()) >= goal })
		n.kill()
		n = startNode(t, where...)
		f.url.Store(n.url)
	}
	stop()
	f.check(t, time.Minute)
	f.checkTold(t, receiver, time.Minute)
}

// TestKillDuringDeliveriesOnPostgres kills one of two nodes again and again.
func TestKillDuringDeliveriesOnPostgres(t *testing.T) {
	config := app.Default()
	config.DataDir, config.DatabaseURL = t.TempDir(), apptest.NewDatabase(t)
	where := []string{"--data", config.DataDir, "--database-url", config.DatabaseURL, "--env", "development"}
	front := startNode(t, where...)
	victim := startNode(t, where...)
	f := newFleet(t, config, front.url)
	receiver := apptest.NewReceiver(t)
	receiver.Answer(slowly)
	f.subscribe(t, receiver.URL)
	stop := f.load(t, 3)
	for range 3 {
		goal := len(receiver.Calls()) + 20
		waitFor(t, "deliveries", func() bool { return len(receiver.Calls()) >= goal })
		victim.kill()
		victim = startNode(t, where...)
	}
	stop()
	f.check(t, time.Minute)
	f.checkTold(t, receiver, time.Minute)
}

package deliver_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"flag"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
	"fieldlift/internal/deliver"
	"fieldlift/internal/outbound"
	"fieldlift/internal/store"
)

var update = flag.Bool("update", false, "write the golden files anew")

var changing = regexp.MustCompile(`(ext|doc|par)_[0-9a-z]{26}|\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// golden holds a body against a file, byte for byte but for ids and times,
// which are named in the order in which they come.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	apptest.CheckEvent(t, body)
	names := map[string]string{}
	text := changing.ReplaceAllStringFunc(string(body), func(found string) string {
		if names[found] == "" {
			kind, _, isID := strings.Cut(found, "_")
			if !isID {
				kind = "time"
			}
			names[found] = "<" + kind + " " + string(rune('A'+len(names))) + ">"
		}
		return names[found]
	}) + "\n"
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s: %s", name, diff)
	}
}

// start starts a service whose webhooks may call receivers of the test.
func start(t testing.TB, options ...apptest.Option) *apptest.App {
	t.Helper()
	return apptest.Start(t, append(options, apptest.InDevelopment())...)
}

// newParser makes the parser of the tests' invoices.
func newParser(t testing.TB, a *apptest.App) string {
	t.Helper()
	return a.NewParser(t, "Invoices", api.Field{Name: "invoice_number"}, api.Field{Name: "total", Type: "number"})
}

func invoice(number string) apptest.File {
	return apptest.File{Name: number + ".pdf", Content: apptest.Invoice(number)}
}

// TestPayloads holds each event against its golden file.
func TestPayloads(t *testing.T) {
	onEach(t, func(t *testing.T, r *rig) {
		receiver, dashboard, elsewhere := apptest.NewReceiver(t), apptest.NewReceiver(t), apptest.NewReceiver(t)
		r.newWebhook(t, receiver.URL, "", fieldlift.EventsOf(fieldlift.APIWebhook)...)
		r.newWebhook(t, dashboard.URL, r.parser.ID, fieldlift.EventsOf(fieldlift.DashboardWebhook)...)
		r.newWebhook(t, elsewhere.URL, r.newParser(t, "Other").ID, fieldlift.EventsOf(fieldlift.DashboardWebhook)...)
		r.deliver(t)

		r.submit(t, 2)
		r.complete(t, `{"invoice_number":"A-1 <\u00e4>","total":12.50}`)
		r.complete(t, `{"invoice_number":null,"total":null}`)
		calls := receiver.Wait(t, 3)
		golden(t, "document_completed", calls[0].Body)
		golden(t, "job_completed", calls[2].Body)
		golden(t, "batch_completed", dashboard.Wait(t, 1)[0].Body)

		r.submit(t, 2)
		r.complete(t, `{"invoice_number":"A-3","total":1}`)
		r.fail(t, "The PDF needs a password.")
		calls = receiver.Wait(t, 6)
		golden(t, "document_failed", calls[4].Body)
		golden(t, "job_partial", calls[5].Body)
		golden(t, "batch_partial", dashboard.Wait(t, 2)[1].Body)

		r.submit(t, 1)
		r.fail(t, "The file is empty.")
		golden(t, "job_failed", receiver.Wait(t, 8)[7].Body)
		golden(t, "batch_failed", dashboard.Wait(t, 3)[2].Body)

		if calls := elsewhere.Calls(); len(calls) != 0 {
			t.Errorf("a webhook limited to another parser got %s", calls[0].Body)
		}
	})
}

// TestSignatures computes them anew, by hand.
func TestSignatures(t *testing.T) {
	a := start(t, apptest.OnSQLite(t))
	receiver := apptest.NewReceiver(t)
	webhook, err := a.Client().CreateWebhook(t.Context(), api.WebhookCreate{
		URL: receiver.URL, Events: []string{api.EventJobCompleted}, Secret: "correct horse",
	})
	if err != nil {
		t.Fatal(err)
	}
	check := func(c apptest.Call, secrets ...string) {
		t.Helper()
		mac := hmac.New(sha256.New, []byte(secrets[0]))
		mac.Write(c.Body)
		if got := c.Header.Get("X-Service-Signature"); got != hex.EncodeToString(mac.Sum(nil)) {
			t.Errorf("X-Service-Signature is %s", got)
		}
		var want []string
		for _, secret := range secrets {
			key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
			if err != nil || len(key) != 32 {
				t.Fatal(secret, err)
			}
			mac := hmac.New(sha256.New, key)
			mac.Write([]byte(c.Header.Get("webhook-id") + "." + c.Header.Get("webhook-timestamp") + "."))
			mac.Write(c.Body)
			want = append(want, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
			if err := api.VerifyWebhook(c.Header, c.Body, secret); err != nil {
				t.Errorf("it is not verified: %v", err)
			}
			if err := api.VerifyWebhook(c.Header, append(c.Body, ' '), secret); err == nil {
				t.Error("a changed body is verified")
			}
		}
		if got := c.Header.Get("webhook-signature"); got != strings.Join(want, " ") {
			t.Errorf("webhook-signature is %s, want %s", got, want)
		}
		if c.Header.Get("X-Webhook-Secret") != "correct horse" || c.Header.Get("User-Agent") != "Fieldlift/"+fieldlift.Version ||
			c.Header.Get("Content-Type") != "application/json" || !fieldlift.ValidID(fieldlift.EventPrefix, c.Header.Get("webhook-id")) {
			t.Errorf("%v", c.Header)
		}
	}
	parser := newParser(t, a)
	a.Accepted(t, parser, invoice("1"))
	check(receiver.Wait(t, 1)[0], webhook.SigningSecret)

	rotated, err := a.Client().RotateSecret(t.Context(), webhook.WebhookID)
	if err != nil || rotated.SigningSecret == webhook.SigningSecret || rotated.SigningSecret == "" {
		t.Fatal(rotated, err)
	}
	a.Accepted(t, parser, invoice("2"))
	check(receiver.Wait(t, 2)[1], rotated.SigningSecret, webhook.SigningSecret)
	again, err := a.Client().RotateSecret(t.Context(), webhook.WebhookID)
	if err != nil {
		t.Fatal(err)
	}
	a.Accepted(t, parser, invoice("2 again"))
	check(receiver.Wait(t, 3)[2], again.SigningSecret, rotated.SigningSecret, webhook.SigningSecret)

	plain := apptest.NewReceiver(t)
	a.NewWebhook(t, plain.URL, api.EventJobCompleted)
	a.Accepted(t, parser, invoice("3"))
	if header := plain.Wait(t, 1)[0].Header; header.Values("X-Webhook-Secret") != nil || header.Values("Idempotency-Key") != nil {
		t.Errorf("%v", header)
	}
}

// TestTestOfADashboardWebhook: it is of the kind that the webhook gets.
func TestTestOfADashboardWebhook(t *testing.T) {
	r := newRig(t, store.Options{DataDir: t.TempDir()})
	receiver := apptest.NewReceiver(t)
	w := r.newWebhook(t, receiver.URL, r.parser.ID, fieldlift.EventBatchFailed)
	d := &deliver.Deliverer{Store: r.Store, Client: outbound.New(outbound.Options{}), Log: slog.New(slog.DiscardHandler), Now: time.Now}
	if a, err := d.Test(t.Context(), r.account.ID, w.Kind, w.ID); err != nil || a.Status != fieldlift.DeliverySuccess || a.EventType != fieldlift.EventBatchCompleted {
		t.Errorf("%+v, %v", a, err)
	}
	golden(t, "batch_test", receiver.Wait(t, 1)[0].Body)
}

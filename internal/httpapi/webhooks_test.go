package httpapi_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

const bothEvents = `["extraction.document_completed","extraction.job_completed"]`

func createHook(t *testing.T, a *apptest.App, body string) api.Webhook {
	t.Helper()
	return apptest.Into[api.WebhookEnvelope](t, a.Send(t, "POST", "/v1/webhooks", body).WantStatus(t, 201)).Webhook
}

func fetchHook(t *testing.T, a *apptest.App, id string) api.Webhook {
	t.Helper()
	return apptest.Into[api.WebhookEnvelope](t, a.Send(t, "GET", "/v1/webhooks/"+id, nil).WantStatus(t, 200)).Webhook
}

// public makes every name lead to a public address, wherever the tests run.
func public(t *testing.T) apptest.Option {
	resolver := apptest.NewResolver(t, "93.184.216.34")
	return func(c *app.Config) { c.Resolver = resolver }
}

func TestWebhooks(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on, public(t))

		t.Run("POST /v1/webhooks: 201 { webhook } including signing_secret.", func(t *testing.T) {
			w := createHook(t, a, `{"url":"https://example.com/hook","events":`+bothEvents+`,"secret":"eight ch"}`)
			if !fieldlift.ValidID("whk_", w.WebhookID) || w.URL != "https://example.com/hook" || !w.IsActive || w.PausedReason != nil || w.CreatedAt.IsZero() ||
				strings.Join(w.Events, " ") != "extraction.document_completed extraction.job_completed" ||
				!strings.HasPrefix(w.SigningSecret, "whsec_") || w.RecentDeliveries != nil {
				t.Errorf("%+v", w)
			}
			secret := w.SigningSecret
			w.SigningSecret, w.RecentDeliveries = "", []api.DeliveryAttempt{}
			if diff := cmp.Diff(w, fetchHook(t, a, w.WebhookID)); diff != "" {
				t.Errorf("fetched otherwise than created: %s", diff)
			}
			for _, path := range []string{"/v1/webhooks", "/v1/webhooks/" + w.WebhookID} {
				if answer := a.Send(t, "GET", path, nil); strings.Contains(answer.Text, secret) || strings.Contains(answer.Text, "eight ch") || strings.Contains(answer.Text, "secret") {
					t.Errorf("a secret is shown again: %s", answer.Text)
				}
			}
		})
		t.Run("Validation failure on create gives 400 INVALID_PAYLOAD", func(t *testing.T) {
			for body, fields := range map[string]string{
				`{}`: "url events",
				`{"url":"http://example.com/","events":` + bothEvents + `}`:                          "url",
				`{"url":"https://127.0.0.1/","events":` + bothEvents + `}`:                           "url",
				`{"url":"https://[::ffff:10.0.0.1]/","events":` + bothEvents + `}`:                   "url",
				`{"url":"https://user:pass@example.com/","events":` + bothEvents + `}`:               "url",
				`{"url":"https://example.com:25/","events":` + bothEvents + `}`:                      "url",
				`{"url":7,"events":"extraction.job_completed"}`:                                      "url events",
				`{"url":null,"events":null}`:                                                         "url events",
				`{"url":"https://example.com/","events":[]}`:                                         "events",
				`{"url":"https://example.com/","events":["extraction.job_completed","x"]}`:           "events[1]",
				`{"url":"https://example.com/","events":["batch.completed"]}`:                        "events[0]",
				`{"url":"https://example.com/","events":["extraction.job_completed",null]}`:          "events[1]",
				`{"url":"https://2130706433/","events":` + bothEvents + `}`:                          "url",
				`{"url":"https://example.com/#x","events":` + bothEvents + `}`:                       "url",
				`{"url":"https://example.com/","events":` + bothEvents + `,"secret":"seven c"}`:      "secret",
				`{"url":"https://example.com/","events":` + bothEvents + `,"secret":"line\nbreak!"}`: "secret",
				`{"url":"https://example.com/","events":` + bothEvents + `,"secret":12345678}`:       "secret",
				`{"url":"ftp://x","events":["no"],"secret":"short"}`:                                 "secret url events[0]",
			} {
				var got []string
				for _, d := range a.Send(t, "POST", "/v1/webhooks", body).WantError(t, 400, "INVALID_PAYLOAD").Details {
					got = append(got, d.Field)
				}
				if strings.Join(got, " ") != fields {
					t.Errorf("%s: %q is named, want %q", body, got, fields)
				}
			}
			a.Send(t, "POST", "/v1/webhooks", `{"url":`).WantError(t, 400, "INVALID_PAYLOAD")
		})
		t.Run("PATCH /v1/webhooks/{id}: url, events, is_active, all optional", func(t *testing.T) {
			w := createHook(t, a, `{"url":"https://example.com/1","events":`+bothEvents+`}`)
			change := func(body string) api.Webhook {
				t.Helper()
				return apptest.Into[api.WebhookEnvelope](t, a.Send(t, "PATCH", "/v1/webhooks/"+w.WebhookID, body).WantStatus(t, 200)).Webhook
			}
			if got := change(`{}`); got.URL != w.URL || len(got.Events) != 2 || !got.IsActive {
				t.Errorf("%+v", got)
			}
			if got := change(`{"is_active":false}`); got.IsActive || got.URL != w.URL {
				t.Errorf("%+v", got)
			}
			if got := change(`{"url":"https://example.com/2","events":["extraction.job_completed","extraction.job_completed"]}`); got.IsActive ||
				got.URL != "https://example.com/2" || len(got.Events) != 1 {
				t.Errorf("%+v", got)
			}
			for _, body := range []string{`{"url":"http://example.com/"}`, `{"events":[]}`, `{"is_active":"no"}`, `{"is_active":null}`, `{"url":null}`, `{"secret":"seven c"}`, `{"secret":""}`, `{"secret":7}`, `[]`} {
				a.Send(t, "PATCH", "/v1/webhooks/"+w.WebhookID, body).WantError(t, 400, "INVALID_PAYLOAD")
			}
			if got := fetchHook(t, a, w.WebhookID); got.URL != "https://example.com/2" || got.IsActive {
				t.Errorf("a refused change changed %+v", got)
			}
		})
		t.Run("DELETE /v1/webhooks/{id}: 204 (soft delete)", func(t *testing.T) {
			w := createHook(t, a, `{"url":"https://example.com/","events":`+bothEvents+`}`)
			if answer := a.Send(t, "DELETE", "/v1/webhooks/"+w.WebhookID, nil).WantStatus(t, 204); answer.Text != "" {
				t.Errorf("%q", answer.Text)
			}
			wantNoHook(t, a, w.WebhookID)
		})
		t.Run("Unknown or foreign webhook gives 404 RESOURCE_NOT_FOUND.", func(t *testing.T) {
			w := createHook(t, a, `{"url":"https://example.com/","events":`+bothEvents+`}`)
			wantNoHook(t, a, "whk_00000000000000000000000000")
			wantNoHook(t, a, "nonsense")
			own := a.Key
			a.Key = a.NewKey(t, a.NewAccount(t, "eve@example.com", 0), "k")
			wantNoHook(t, a, w.WebhookID)
			a.Key = own
			dashboard, err := a.Store.CreateWebhook(t.Context(), fieldlift.Webhook{
				AccountID: a.Account.ID, Kind: fieldlift.DashboardWebhook, URL: "https://example.com/", Events: []fieldlift.EventType{fieldlift.EventBatchFailed},
			}, fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}, 25)
			if err != nil {
				t.Fatal(err)
			}
			wantNoHook(t, a, dashboard.ID)
			if strings.Contains(a.Send(t, "GET", "/v1/webhooks", nil).Text, dashboard.ID) {
				t.Error("the interface lists a dashboard webhook")
			}
		})
	})
}

func wantNoHook(t *testing.T, a *apptest.App, id string) {
	t.Helper()
	for _, request := range [][2]string{
		{"GET", ""}, {"PATCH", ""}, {"DELETE", ""}, {"POST", "/test"}, {"POST", "/rotate-secret"}, {"GET", "/deliveries"},
		{"POST", "/deliveries/dlv_00000000000000000000000000/redeliver"},
	} {
		a.Send(t, request[0], "/v1/webhooks/"+id+request[1], `{}`).WantError(t, 404, "RESOURCE_NOT_FOUND")
	}
}

func TestWebhookList(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on, public(t), apptest.With(func(c *app.Config) { c.MaxWebhooks = 7 }))
		var made []string
		for i := range 7 {
			made = append([]string{createHook(t, a, fmt.Sprintf(`{"url":"https://example.com/%d","events":%s}`, i, bothEvents)).WebhookID}, made...)
		}
		a.Send(t, "POST", "/v1/webhooks", `{"url":"https://example.com/","events":`+bothEvents+`}`).WantError(t, 400, "INVALID_PAYLOAD")
		var listed []string
		page := apptest.Into[api.WebhookList](t, a.Send(t, "GET", "/v1/webhooks?limit=3", nil).WantStatus(t, 200))
		for {
			for _, w := range page.Webhooks {
				listed = append(listed, w.WebhookID)
			}
			if page.Pagination.NextCursor == nil {
				break
			}
			page = apptest.Into[api.WebhookList](t, a.Send(t, "GET", "/v1/webhooks?limit=3&cursor="+*page.Pagination.NextCursor, nil).WantStatus(t, 200))
		}
		if diff := cmp.Diff(made, listed); diff != "" {
			t.Error(diff)
		}
		if all := apptest.Into[api.WebhookList](t, a.Send(t, "GET", "/v1/webhooks", nil)); all.Pagination.Limit != 20 || all.Pagination.HasNextPage || len(all.Webhooks) != 7 {
			t.Errorf("%+v", all.Pagination)
		}
		for _, query := range []string{"limit=0", "limit=101", "limit=x", "cursor=x"} {
			a.Send(t, "GET", "/v1/webhooks?"+query, nil).WantError(t, 400, "INVALID_PAYLOAD")
		}
		// Those who come together are counted one by one.
		a.Send(t, "DELETE", "/v1/webhooks/"+made[0], nil).WantStatus(t, 204)
		var taken sync.Map
		var senders sync.WaitGroup
		for i := range 8 {
			senders.Go(func() {
				taken.Store(i, a.Send(t, "POST", "/v1/webhooks", `{"url":"https://example.com/","events":`+bothEvents+`}`).Status)
			})
		}
		senders.Wait()
		created := 0
		for _, status := range taken.Range {
			if status == 201 {
				created++
			}
		}
		if created != 1 {
			t.Errorf("%d webhooks found room for one", created)
		}
	})
}

func TestWebhookTest(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on, apptest.InDevelopment())
		receiver := apptest.NewReceiver(t)
		w := a.NewWebhook(t, receiver.URL)
		test := func() api.TestResult {
			t.Helper()
			return apptest.Into[api.TestResultEnvelope](t, a.Send(t, "POST", "/v1/webhooks/"+w.WebhookID+"/test", nil).WantStatus(t, 200)).TestResult
		}
		if result := test(); !result.Delivered || result.StatusCode != 200 || result.Error != nil {
			t.Errorf("%+v", result)
		}
		call := receiver.Wait(t, 1)[0]
		apptest.CheckEvent(t, call.Body)
		if err := api.VerifyWebhook(call.Header, call.Body, w.SigningSecret); err != nil {
			t.Error(err)
		}
		var body struct {
			Event, Timestamp string
			Test             bool
			Data             struct {
				Test      bool
				Status    string
				Documents []map[string]any
			}
		}
		if err := json.Unmarshal(call.Body, &body); err != nil || body.Event != "extraction.job_completed" || !body.Test || !body.Data.Test || len(body.Data.Documents) != 1 {
			t.Errorf("%s, %v", call.Body, err)
		}
		receiver.AnswerStatus(500)
		if result := test(); result.Delivered || result.StatusCode != 500 || result.Error == nil {
			t.Errorf("%+v", result)
		}
		// A secret that is sent verbatim can be set and removed later.
		for _, set := range []api.Optional[string]{api.Some("correct horse"), api.Null[string]()} {
			if _, err := a.Client().UpdateWebhook(t.Context(), w.WebhookID, api.WebhookUpdate{Secret: set}); err != nil {
				t.Fatal(err)
			}
			test()
			calls := receiver.Calls()
			if got := calls[len(calls)-1].Header.Get("X-Webhook-Secret"); got != set.Value {
				t.Errorf("X-Webhook-Secret is %q, want %q", got, set.Value)
			}
		}
		// A 410 pauses, and a paused one can be tried.
		receiver.AnswerStatus(410)
		for range 2 {
			if result := test(); result.Delivered || result.StatusCode != 410 || !strings.Contains(*result.Error, "paused") {
				t.Errorf("%+v", result)
			}
			if got := fetchHook(t, a, w.WebhookID); got.IsActive || got.PausedReason == nil || !strings.Contains(*got.PausedReason, "410 Gone") {
				t.Errorf("%+v", got)
			}
		}
		recent := fetchHook(t, a, w.WebhookID).RecentDeliveries
		if len(recent) != 6 || recent[0].StatusCode != 410 || recent[0].Status != "failed" || recent[5].Status != "success" || recent[5].Event != "extraction.job_completed" {
			t.Errorf("%+v", recent)
		}
		closed := apptest.NewReceiver(t).URL + "0"
		a.Send(t, "PATCH", "/v1/webhooks/"+w.WebhookID, map[string]string{"url": strings.Replace(closed, closed[strings.LastIndex(closed, ":"):], ":1", 1)}).WantStatus(t, 200)
		if result := test(); result.Delivered || result.StatusCode != 0 || result.Error == nil || !strings.Contains(*result.Error, "refused") {
			t.Errorf("%+v", result)
		}
	})
}

// TestDeliveryLog follows deliveries through the whole service.
func TestDeliveryLog(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on, apptest.InDevelopment(), apptest.With(func(c *app.Config) {
			c.WebhookRetries = fieldlift.Schedule{time.Millisecond, time.Hour}
		}))
		receiver := apptest.NewReceiver(t)
		receiver.Answer(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(503)
			_, _ = io.WriteString(w, "try later")
		})
		w := a.NewWebhook(t, receiver.URL, api.EventJobCompleted)
		x := a.Accepted(t, a.NewParser(t, "P", invoiceFields...), invoice("L-1"))
		list := func(query string) api.DeliveryList {
			t.Helper()
			return apptest.Into[api.DeliveryList](t, a.Send(t, "GET", "/v1/webhooks/"+w.WebhookID+"/deliveries"+query, nil).WantStatus(t, 200))
		}
		var log api.DeliveryList
		waitUntil(t, func() bool {
			log = list("?status=pending_retry")
			return len(log.Deliveries) == 1 && len(log.Deliveries[0].Attempts) == 2
		})
		d := log.Deliveries[0]
		if d.Event != "extraction.job_completed" || *d.ExtractionID != x.ExtractionID || d.Status != "pending_retry" || d.RequestBodyIsCut ||
			time.Until(d.NextAttemptAt.Time) < 50*time.Minute {
			t.Errorf("%+v", d)
		}
		for i, attempt := range d.Attempts {
			if attempt.Status != "pending_retry" || attempt.StatusCode != 503 || attempt.ResponseBody != "try later" || attempt.RetryCount != int64(i) || attempt.Error == nil {
				t.Errorf("%+v", attempt)
			}
		}
		first := receiver.Wait(t, 2)[0]
		if d.RequestBody != string(first.Body) || d.EventID != first.Header.Get("webhook-id") {
			t.Errorf("%s was sent, %s is shown", first.Body, d.RequestBody)
		}
		recent := fetchHook(t, a, w.WebhookID).RecentDeliveries
		if len(recent) != 2 || recent[0].RetryCount != 1 || recent[1].RetryCount != 0 || recent[0].DeliveryID != d.DeliveryID || recent[0].AttemptedAt.Before(recent[1].AttemptedAt.Time) {
			t.Errorf("%+v", recent)
		}

		// Again, by hand.
		receiver.AnswerStatus(200)
		path := "/v1/webhooks/" + w.WebhookID + "/deliveries/" + d.DeliveryID + "/redeliver"
		again := apptest.Into[api.DeliveryEnvelope](t, a.Send(t, "POST", path, nil).WantStatus(t, 202)).Delivery
		if again.DeliveryID == d.DeliveryID || again.EventID != d.EventID || again.RequestBody != d.RequestBody {
			t.Errorf("%+v", again)
		}
		third := receiver.Wait(t, 3)[2]
		if string(third.Body) != string(first.Body) || third.Header.Get("webhook-id") != first.Header.Get("webhook-id") {
			t.Errorf("%s", third.Body)
		}
		waitUntil(t, func() bool { return len(list("?status=success").Deliveries) == 1 })
		if got := list("?limit=1"); !got.Pagination.HasNextPage || got.Deliveries[0].DeliveryID != again.DeliveryID {
			t.Errorf("%+v", got)
		} else if next := list("?limit=1&cursor=" + *got.Pagination.NextCursor); len(next.Deliveries) != 1 || next.Deliveries[0].DeliveryID != d.DeliveryID {
			t.Errorf("%+v", next)
		}
		for _, query := range []string{"?status=lost", "?limit=0", "?cursor=x"} {
			a.Send(t, "GET", "/v1/webhooks/"+w.WebhookID+"/deliveries"+query, nil).WantError(t, 400, "INVALID_PAYLOAD")
		}
		other := a.NewWebhook(t, receiver.URL)
		a.Send(t, "POST", strings.Replace(path, w.WebhookID, other.WebhookID, 1), nil).WantError(t, 404, "RESOURCE_NOT_FOUND")
		a.Send(t, "PATCH", "/v1/webhooks/"+w.WebhookID, `{"is_active":false}`).WantStatus(t, 200)
		a.Send(t, "POST", path, nil).WantError(t, 409, "CONFLICT")
		a.Send(t, "POST", strings.Replace(path, d.DeliveryID, "dlv_00000000000000000000000000", 1), nil).WantError(t, 404, "RESOURCE_NOT_FOUND")

		// What belonged to an extraction goes with it.
		a.Send(t, "DELETE", "/v1/extractions/"+x.ExtractionID, nil).WantStatus(t, 204)
		if got := list(""); len(got.Deliveries) != 0 {
			t.Errorf("%+v", got)
		}
		a.Send(t, "POST", path, nil).WantStatus(t, 404)
	})
}

func waitUntil(t *testing.T, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("waited too long")
		}
	}
}

// TestRebinding goes through the whole service in production.
func TestRebinding(t *testing.T) {
	resolver := apptest.NewResolver(t, "93.184.216.34", "127.0.0.1")
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.Resolver = resolver }))
	receiver := apptest.NewReceiver(t)
	w := a.NewWebhook(t, strings.Replace(receiver.URL, "http://127.0.0.1", "https://rebind.test", 1))
	result := apptest.Into[api.TestResultEnvelope](t, a.Send(t, "POST", "/v1/webhooks/"+w.WebhookID+"/test", nil).WantStatus(t, 200)).TestResult
	if result.Delivered || result.Error == nil || *result.Error != "The host's address is not one that webhooks may call." {
		t.Errorf("%+v", result)
	}
	a.Send(t, "POST", "/v1/webhooks", map[string]any{"url": w.URL, "events": w.Events}).WantError(t, 400, "INVALID_PAYLOAD")
}

// TestSecretsAreSealed: whoever has only the database cannot sign.
func TestSecretsAreSealed(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t), public(t))
	w, err := a.Client().CreateWebhook(t.Context(), api.WebhookCreate{URL: "https://example.com/", Events: []string{api.EventJobCompleted}, Secret: "correct horse"})
	if err != nil {
		t.Fatal(err)
	}
	a.Stop()
	for _, secret := range []string{w.SigningSecret, strings.TrimPrefix(w.SigningSecret, "whsec_"), "correct horse"} {
		if out, err := exec.CommandContext(t.Context(), "grep", "-r", "-a", "-l", "-F", secret, a.Config.DataDir).Output(); err == nil {
			t.Errorf("a secret stands in %s", out)
		}
	}
	key := filepath.Join(a.Config.DataDir, "secret.key")
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	// Another key opens nothing: the service says so, and goes on without.
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	other := apptest.Launch(t, apptest.With(func(c *app.Config) { c.DataDir = a.Config.DataDir }), public(t))
	other.Key = a.Key
	other.Send(t, "GET", "/v1/webhooks/"+w.WebhookID, nil).WantStatus(t, 200)
	for _, path := range []string{"/v1/webhooks/" + w.WebhookID + "/rotate-secret", "/v1/webhooks"} {
		body := other.Send(t, "POST", path, `{"url":"https://example.com/","events":`+bothEvents+`}`).WantError(t, 503, "SERVICE_UNAVAILABLE")
		if !strings.Contains(body.Message, "--secret-key") {
			t.Errorf("%s", body.Message)
		}
	}
	other.Send(t, "POST", "/v1/webhooks/"+w.WebhookID+"/test", nil).WantStatus(t, 503)
}

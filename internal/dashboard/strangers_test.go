package dashboard_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
	"fieldlift/internal/dashboard"
)

// openToAll are the pages for which nobody needs to sign in.
var openToAll = []string{"/sign-in", "/sign-up", "/assets/{version}/{name}", "/favicon.ico"}

var placeholder = regexp.MustCompile(`\{([a-z_]+)\}`)

// TestNobodyReachesWhatIsAnothers tries every page with the ids of another
// account's things, and without being signed in.
func TestNobodyReachesWhatIsAnothers(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	ids := things(t, a)
	before := activityOf(t, a, a.Account)
	grace := a.NewPerson(t, "grace@example.com", 10)
	other, stranger := a.PagesOf(t, grace), a.NewPages(t)
	for _, pattern := range dashboard.Routes() {
		method, path, _ := strings.Cut(pattern, " ")
		if slices.Contains(openToAll, path) {
			continue
		}
		concrete := placeholder.ReplaceAllStringFunc(strings.TrimSuffix(path, "{$}"), func(name string) string {
			id, known := ids[strings.Trim(name, "{}")]
			if !known {
				t.Errorf("%s: this test does not know what %s is", pattern, name)
			}
			return id
		})
		for _, accept := range []string{"text/html", "application/json", "text/event-stream"} {
			got := stranger.Do(t, method, concrete, "", "", "Accept", accept)
			signIn := got.Status == http.StatusSeeOther && strings.HasPrefix(got.Header.Get("Location"), "/sign-in")
			if !signIn && got.Status != http.StatusForbidden {
				t.Errorf("a stranger gets %d from %s %s", got.Status, method, concrete)
			}
			if concrete == strings.TrimSuffix(path, "{$}") {
				continue // it names nothing that is another's
			}
			body, contentType := "", ""
			if method == "POST" {
				body, contentType = apptest.Form(t, []string{"label", "x"}, apptest.File{Name: "a.pdf", Content: apptest.Invoice("1")})
			}
			got = other.Do(t, method, concrete, body, contentType, "Accept", accept)
			if got.Status != http.StatusNotFound {
				t.Errorf("another account gets %d from %s %s: %.300s", got.Status, method, concrete, got.Body)
			}
			for name, id := range ids {
				if len(id) > 10 && strings.Contains(got.Body, id) && !strings.Contains(concrete, id) {
					t.Errorf("%s %s tells another account the %s", method, concrete, name)
				}
			}
		}
	}
	if after := activityOf(t, a, a.Account); len(after) != len(before) {
		t.Errorf("somebody %v in another's account", after[0])
	}
	if got := a.Send(t, "GET", "/v1/me", nil); got.Status != http.StatusOK {
		t.Errorf("the other account's key was revoked: %d", got.Status)
	}
}

// things makes one of everything for the first account, and gives the ids by
// the names that they have in the patterns of pages.
func things(t *testing.T, a *apptest.App) map[string]string {
	t.Helper()
	parser := a.NewParser(t, "Invoices", api.Field{Name: "invoice_number"})
	x := a.Accepted(t, parser, apptest.File{Name: "a.pdf", Content: apptest.Invoice("1")})
	results := a.Finished(t, x.ExtractionID)
	hook, delivery := tested(t, a)
	keys, err := a.Store.Keys(t.Context(), a.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	session, err := a.Store.OpenSession(t.Context(), fieldlift.Session{AccountID: a.Account.ID}, fieldlift.NewSessionToken())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"parser": parser, "page": "1", "session": session.ID,
		"extraction": x.ExtractionID, "document": results.Documents[0].DocumentID,
		"key": keys[0].ID, "webhook": hook.ID, "delivery": delivery, "account": a.Account.ID,
	}
}

// tested makes a webhook of the first account and the delivery of a test.
func tested(t *testing.T, a *apptest.App) (hook fieldlift.Webhook, deliveryID string) {
	t.Helper()
	hook, err := a.Store.CreateWebhook(t.Context(), fieldlift.Webhook{
		AccountID: a.Account.ID, Kind: fieldlift.APIWebhook, URL: "https://example.com/hook", Events: fieldlift.EventsOf(fieldlift.APIWebhook),
	}, fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}, 10)
	if err != nil {
		t.Fatal(err)
	}
	deliveryID = fieldlift.NewID(fieldlift.DeliveryPrefix)
	event := fieldlift.NewTest(time.Now(), a.Account.ID, hook.Kind)
	err = a.Store.KeepTest(t.Context(), event, fieldlift.AttemptEnd{Attempt: fieldlift.Attempt{
		DeliveryID: deliveryID, WebhookID: hook.ID, EventType: event.Type, Status: fieldlift.DeliverySuccess, StatusCode: http.StatusOK, AttemptedAt: time.Now(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return hook, deliveryID
}

package dashboard_test

import (
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

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
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.InDevelopment())
	ids := things(t, a)
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
	if got := a.Send(t, "GET", "/v1/me", nil); got.Status != http.StatusOK {
		t.Errorf("the other account's key was revoked: %d", got.Status)
	}
}

// things makes one of everything for the first account, and gives the ids by
// the names that they have in the patterns of pages.
func things(t *testing.T, a *apptest.App) map[string]string {
	t.Helper()
	webhook := a.NewWebhook(t, apptest.NewReceiver(t).URL).WebhookID
	parser := a.NewParser(t, "Invoices", api.Field{Name: "invoice_number"})
	x := a.Accepted(t, parser, apptest.File{Name: "a.pdf", Content: apptest.Invoice("1")})
	results := a.Finished(t, x.ExtractionID)
	deliveries := apptest.Into[api.DeliveryList](t, a.Send(t, "GET", "/v1/webhooks/"+webhook+"/deliveries", nil))
	keys, err := a.Store.Keys(t.Context(), a.Account.ID)
	if err != nil {
		t.Fatal(err)
	}
	session, err := a.Store.OpenSession(t.Context(), fieldlift.Session{AccountID: a.Account.ID}, fieldlift.NewSessionToken())
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{
		"account": a.Account.ID, "session": session.ID, "key": keys[0].ID, "parser": parser,
		"webhook": webhook, "delivery": deliveries.Deliveries[0].DeliveryID, "page": "1", "number": "1",
		"extraction": x.ExtractionID, "document": results.Documents[0].DocumentID,
	}
}

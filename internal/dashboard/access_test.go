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
	apptest.OnEach(t, tryEverything)
}

func tryEverything(t *testing.T, on apptest.Option) {
	a := apptest.Start(t, on, apptest.InDevelopment())
	ids := things(t, a)
	before := len(activityOf(t, a, a.Account))
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
	if after := len(activityOf(t, a, a.Account)); after != before {
		t.Errorf("%d things were done in the other account", after-before)
	}
	// A delivery of one's own, but not of this webhook's.
	second := a.NewWebhook(t, "http://127.0.0.1:9/")
	if got := a.PagesOf(t, a.Account).Post(t, "/integrations/webhooks/"+second.WebhookID+"/deliveries/"+ids["delivery"]+"/redeliver"); got.Status != http.StatusNotFound {
		t.Errorf("another webhook's delivery: %d", got.Status)
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

func activityOf(t testing.TB, a *apptest.App, account fieldlift.Account) []fieldlift.Activity {
	t.Helper()
	list, _, err := a.Store.Activities(t.Context(), account.ID, fieldlift.ActivityFilter{}, fieldlift.Page{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestOperatorsPagesAreForAdmins: for others there is nothing there, and the
// right ends as soon as it is taken.
func TestOperatorsPagesAreForAdmins(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 10)
	p := a.PagesOf(t, grace)
	nothing := p.Get(t, "/nothing-here")
	try := func(admin bool) {
		t.Helper()
		if _, err := a.Store.UpdateAccount(t.Context(), grace.ID, fieldlift.AccountChange{Admin: &admin}); err != nil {
			t.Fatal(err)
		}
		for _, pattern := range dashboard.Routes() {
			method, path, _ := strings.Cut(pattern, " ")
			if !strings.HasPrefix(path, "/operator") {
				continue
			}
			got := p.Do(t, method, placeholder.ReplaceAllString(path, grace.ID), "amount=5", "application/x-www-form-urlencoded")
			if found := got.Status != http.StatusNotFound; found != admin || !admin && got.Body != nothing.Body {
				t.Errorf("%s as admin %v: %d", pattern, admin, got.Status)
			}
		}
		if shown := strings.Contains(p.Get(t, "/settings").Body, `href="/operator"`); shown != admin {
			t.Errorf("the navigation shows it: %v", shown)
		}
	}
	try(false)
	try(true)
	try(false)
	if balance, err := a.Store.Balance(t.Context(), grace.ID); err != nil || balance.Available != 15 {
		t.Errorf("%+v, %v", balance, err)
	}
}

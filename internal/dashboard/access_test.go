package dashboard_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/apptest"
)

// routes reads the table of routes off the source, so that none is forgotten.
func routes(t testing.TB) (list [][2]string) {
	t.Helper()
	source, err := os.ReadFile("routes.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range regexp.MustCompile(`\{"(GET|POST|PUT|PATCH|DELETE)", "([^"]+)", s\.(signedIn|streaming|admin)\(`).FindAllStringSubmatch(string(source), -1) {
		list = append(list, [2]string{found[1], strings.TrimSuffix(found[2], "{$}")})
	}
	if len(list) < 20 {
		t.Fatalf("only %d routes were found", len(list))
	}
	return list
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// TestSignedOutOnesGetNowhere tries every route that is for who has signed in.
func TestSignedOutOnesGetNowhere(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	p := a.NewPages(t)
	for _, route := range routes(t) {
		path := placeholder.ReplaceAllString(route[1], "x")
		got := p.Do(t, route[0], path, "", "")
		if got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/sign-in") {
			t.Errorf("%s %s: %d to %q", route[0], path, got.Status, got.Header.Get("Location"))
		}
		script := p.Do(t, route[0], path, "", "", "Accept", "application/json")
		if script.Status != http.StatusForbidden || strings.Contains(script.Body, "<") {
			t.Errorf("%s %s for a script: %d %s", route[0], path, script.Status, script.Body)
		}
	}
}

// TestAnothersThingsDoNotExist tries every route with ids of keys, webhooks,
// deliveries and sessions that are another account's.
func TestAnothersThingsDoNotExist(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on, inDevelopment())
		owner, stranger := a.NewPerson(t, "owner@example.com", 10), a.NewPerson(t, "stranger@example.com", 10)
		a.Key = a.NewKey(t, owner, "owned")
		hook := a.NewWebhook(t, apptest.NewReceiver(t).URL)
		pages := a.PagesOf(t, owner)
		pages.Post(t, "/integrations/webhooks/"+hook.WebhookID+"/test")
		deliveries, _, err := a.Store.Deliveries(t.Context(), hook.WebhookID, "", fieldlift.Page{Limit: 1})
		if err != nil || len(deliveries) != 1 {
			t.Fatal(deliveries, err)
		}
		keys, err := a.Store.Keys(t.Context(), owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		sessions, err := a.Store.Sessions(t.Context(), owner.ID)
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]string{
			"key": keys[0].ID, "webhook": hook.WebhookID, "delivery": deliveries[0].Delivery.ID, "session": sessions[0].ID, "account": owner.ID,
		}
		before := len(activityOf(t, a, owner))
		p := a.PagesOf(t, stranger)
		tried := 0
		for _, route := range routes(t) {
			ours := placeholder.MatchString(route[1])
			path := placeholder.ReplaceAllStringFunc(route[1], func(name string) string {
				id, known := ids[strings.Trim(name, "{}")]
				ours = ours && known
				return id
			})
			if !ours {
				continue // about nothing in particular, or about things that others try
			}
			tried++
			got := p.Do(t, route[0], path, "url=http%3A%2F%2F127.0.0.1%2F&events=extraction.job_completed&amount=5", "application/x-www-form-urlencoded")
			if got.Status != http.StatusNotFound || strings.Contains(got.Body, "127.0.0.1") {
				t.Errorf("%s %s: %d %s", route[0], path, got.Status, got.Body)
			}
		}
		if tried < 10 {
			t.Errorf("only %d routes were tried", tried)
		}
		if after := len(activityOf(t, a, owner)); after != before {
			t.Errorf("a stranger did %d things in the account", after-before)
		}
		// A delivery of one’s own webhook, but not of this one.
		second := a.NewWebhook(t, hook.URL)
		if got := pages.Post(t, "/integrations/webhooks/"+second.WebhookID+"/deliveries/"+ids["delivery"]+"/redeliver"); got.Status != http.StatusNotFound {
			t.Errorf("another webhook’s delivery: %d", got.Status)
		}
	})
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
		for _, route := range routes(t) {
			if !strings.HasPrefix(route[1], "/operator") {
				continue
			}
			got := p.Do(t, route[0], placeholder.ReplaceAllString(route[1], grace.ID), "amount=5", "application/x-www-form-urlencoded")
			if found := got.Status != http.StatusNotFound; found != admin || !admin && got.Body != nothing.Body {
				t.Errorf("%s %s as admin %v: %d", route[0], route[1], admin, got.Status)
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

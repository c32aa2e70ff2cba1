package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/dashboard"
)

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
		tried := 0
		for _, pattern := range dashboard.Routes() {
			method, path, _ := strings.Cut(pattern, " ")
			if !strings.HasPrefix(path, "/operator") {
				continue
			}
			tried++
			got := p.Do(t, method, placeholder.ReplaceAllString(path, grace.ID), "amount=5", "application/x-www-form-urlencoded")
			if found := got.Status != http.StatusNotFound; found != admin || !admin && got.Body != nothing.Body {
				t.Errorf("%s as admin %v: %d", pattern, admin, got.Status)
			}
		}
		if tried < 5 {
			t.Errorf("only %d pages were tried", tried)
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

package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// TestModelsInTheDashboard: a parser's engine is chosen on its page, and what a
// model did and took is told.
func TestModelsInTheDashboard(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		stand := apptest.NewModel(t, apptest.Cite(map[string]string{"badge": "Marking of the thing"}))
		a := apptest.Start(t, on, apptest.With(func(c *app.Config) {
			c.Model.Name, c.Model.URL, c.Model.Key = "stand-in", stand.URL+"/v1", "sk-secret"
			c.Model.Prices = fieldlift.ModelPrices{Input: 1, Output: 5}
		}))
		if _, err := a.Store.UpdateAccount(t.Context(), a.Account.ID, fieldlift.AccountChange{Admin: new(true)}); err != nil {
			t.Fatal(err)
		}
		parser := a.NewParser(t, "Odd", api.Field{Name: "badge"})
		p := a.PagesOf(t, a.Account)
		if got := p.Post(t, "/parsers/"+parser+"/settings", "name", "Odd", "result_mode", "one_per_file", "engine", "everything"); got.Status != http.StatusBadRequest {
			t.Errorf("an unknown engine: %d", got.Status)
		}
		if got := p.Post(t, "/parsers/"+parser+"/settings", "name", "Odd", "result_mode", "one_per_file", "engine", "model"); got.Status != http.StatusSeeOther {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		x := a.Accepted(t, parser, apptest.File{Name: "odd.pdf", Content: apptest.PDF("Marking of the thing B-1")})
		document := a.Finished(t, x.ExtractionID).Documents[0].DocumentID
		for path, want := range map[string]string{
			"/parsers/" + parser + "/settings":                          `value="model" selected`,
			"/extractions/" + x.ExtractionID + "/documents/" + document: "stand-in was asked for 1 of 1 field",
			"/usage":    "stand-in",
			"/operator": "stand-in",
		} {
			if got := p.Get(t, path); got.Status != http.StatusOK || !strings.Contains(got.Body, want) {
				t.Errorf("%s: %d, %q is not there: %s", path, got.Status, want, got.Body)
			}
		}
	})
}

// TestBudgetsInTheDashboard: what is left of a day's budgets is told to whom
// they bind, before anything is spent and after.
func TestBudgetsInTheDashboard(t *testing.T) {
	for name, c := range map[string]struct {
		model                  string
		spent                  fieldlift.ModelTokens
		cost                   float64
		usage, operator, never string
	}{
		"nothing is spent":      {"stand-in", fieldlift.ModelTokens{}, 0, "1,000,000 tokens of 1,000,000 tokens left", "20.00 of 20.00 left", ""},
		"some is spent":         {"stand-in", fieldlift.ModelTokens{Calls: 1, Input: 200_000, Output: 50_000}, 12.5, "750,000 tokens of 1,000,000 tokens left", "7.50 of 20.00 left", ""},
		"too much is spent":     {"stand-in", fieldlift.ModelTokens{Calls: 1, Input: 2_000_000}, 21, "0 tokens of 1,000,000 tokens left", "0.00 of 20.00 left", ""},
		"no model is connected": {"", fieldlift.ModelTokens{}, 0, "", "", "Budget for models today"},
	} {
		t.Run(name, func(t *testing.T) {
			a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(config *app.Config) {
				config.Model.Name = c.model
				config.Model.Prices = fieldlift.ModelPrices{Input: 1, Output: 5}
				config.Model.Budget, config.Model.AccountBudget = fieldlift.ModelBudget{Cost: 20}, fieldlift.ModelBudget{Tokens: 1_000_000}
			}))
			if _, err := a.Store.UpdateAccount(t.Context(), a.Account.ID, fieldlift.AccountChange{Admin: new(true)}); err != nil {
				t.Fatal(err)
			}
			if c.spent.Calls > 0 {
				if err := a.Store.SpendOnModel(t.Context(), a.Account.ID, "stand-in", fieldlift.ModelReservation{}, fieldlift.ModelSpending{Tokens: c.spent, Cost: c.cost}); err != nil {
					t.Fatal(err)
				}
			}
			p := a.PagesOf(t, a.Account)
			for path, want := range map[string]string{"/usage": c.usage, "/operator": c.operator} {
				if got := p.Get(t, path); got.Status != http.StatusOK || !strings.Contains(got.Body, want) || c.never != "" && strings.Contains(got.Body, c.never) {
					t.Errorf("%s: %d, %q is not there: %s", path, got.Status, want, got.Body)
				}
			}
		})
	}
}

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

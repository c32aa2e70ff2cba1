package httpapi_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"go.yaml.in/yaml/v3"

	"fieldlift/internal/apptest"
)

// TestDocsPage uses the page as a person would: read it, give it a key, try
// an operation and read the answer.
func TestDocsPage(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	tab := apptest.NewBrowser(t)
	const me = "#operations-Account-getMe"
	css := func(selector string) chromedp.CSS { return chromedp.CSS(selector) }
	apptest.Browse(t, tab, chromedp.Navigate(a.URL()+"/docs"), chromedp.WaitVisible(css(me)))
	shown := apptest.ReadText(t, tab, "#document")
	apptest.Browse(t, tab,
		chromedp.Click(css("button.authorize")),
		chromedp.SendKeys(css(".auth-container input"), a.Key),
		chromedp.Click(css(".auth-btn-wrapper button[type=submit]")),
		chromedp.Click(css(".auth-btn-wrapper .btn-done")),
		chromedp.Click(css(me+" .opblock-summary-control")),
		chromedp.Click(css(me+" .execute")),
		chromedp.WaitVisible(css(me+" .live-responses-table .response-col_description .microlight")),
	)
	answered := apptest.ReadText(t, tab, me+" .live-responses-table")
	for _, path := range []string{"/v1/me", "/v1/credits", "/v1/parsers", "/v1/parsers/{id}", "/healthz"} {
		if !strings.Contains(strings.ReplaceAll(shown, "\u200b", ""), path) {
			t.Errorf("%s is not on the page", path)
		}
	}
	if !strings.Contains(answered, "200") || !strings.Contains(answered, a.Account.ID) {
		t.Errorf("the answer on the page is %s", answered)
	}
}

func TestOpenAPIIsServed(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	asYAML := a.Send(t, "GET", "/openapi.yaml", nil, "X-API-Key", "").WantStatus(t, 200)
	asJSON := a.Send(t, "GET", "/openapi.json", nil, "X-API-Key", "").WantStatus(t, 200)
	var one, other struct {
		OpenAPI string         `yaml:"openapi" json:"openapi"`
		Paths   map[string]any `yaml:"paths" json:"paths"`
	}
	if err := yaml.Unmarshal([]byte(asYAML.Text), &one); err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal([]byte(asJSON.Text), &other); err != nil { // JSON is YAML
		t.Fatal(err)
	}
	if one.OpenAPI != "3.1.0" || other.OpenAPI != "3.1.0" || len(one.Paths) == 0 || len(one.Paths) != len(other.Paths) {
		t.Errorf("%s with %d paths and %s with %d", one.OpenAPI, len(one.Paths), other.OpenAPI, len(other.Paths))
	}
	a.Send(t, "GET", "/docs/swagger-ui-bundle.js", nil, "X-API-Key", "").WantStatus(t, 200)
}

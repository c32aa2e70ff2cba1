package dashboard_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/example"
)

var (
	screenshots = flag.String("screenshots", "", "a folder into which pictures of all pages are put")
	shown       = flag.String("shown", "", "the pictures wanted, such as document-light-1280, with commas between; all unless set")
)

// TestScreenshots draws every page, light and dark, wide and narrow, for people
// to look at. "make screenshots" has it draw those of the documentation.
func TestScreenshots(t *testing.T) {
	if *screenshots == "" {
		t.Skip("a folder for them is given with -screenshots")
	}
	a := apptest.Launch(t, apptest.OnSQLite(t), apptest.InDevelopment(), apptest.With(func(c *app.Config) { c.SignUp = true }))
	grace := a.NewPerson(t, "grace@example.com", 1000)
	stranger, tab := apptest.NewBrowser(t), a.SignIn(t, grace)
	draw := func(tab context.Context, name, path string) {
		for _, colours := range []string{"light", "dark"} {
			for _, width := range []int64{1280, 390} {
				picture := fmt.Sprintf("%s-%s-%d", name, colours, width)
				if *shown == "" || slices.Contains(strings.Split(*shown, ","), picture) {
					drawPage(tab, t, a.URL()+path, colours, width, filepath.Join(*screenshots, picture+".png"))
				}
			}
		}
	}
	draw(stranger, "sign-in", "/sign-in")
	draw(stranger, "sign-up", "/sign-up")
	for _, path := range []string{"/", "/extractions", "/parsers", "/integrations/keys", "/integrations/webhooks", "/usage", "/credits", "/activity"} {
		draw(tab, "empty"+strings.ReplaceAll(path, "/", "-"), path)
	}

	document, parser := furnish(t, a, grace)
	extraction, _, _ := strings.Cut(document, "/documents/")
	draw(tab, "home", "/")
	draw(tab, "extractions", "/extractions")
	draw(tab, "extraction", extraction)
	draw(tab, "document", document)
	draw(tab, "parsers", "/parsers")
	draw(tab, "parser", parser)
	draw(tab, "fields", parser+"/fields")
	draw(tab, "try", parser+"/try")
	draw(tab, "parser-settings", parser+"/settings")
	draw(tab, "keys", "/integrations/keys")
	draw(tab, "webhooks", "/integrations/webhooks")
	hooks, _, err := a.Store.Webhooks(t.Context(), grace.ID, fieldlift.APIWebhook, fieldlift.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	draw(tab, "webhook", "/integrations/webhooks/"+hooks[0].ID)
	draw(tab, "new-webhook", "/integrations/webhooks/new")
	for _, path := range []string{"/usage", "/credits", "/activity", "/settings", "/operator", "/operator/accounts", "/operator/accounts/" + grace.ID, "/operator/failures"} {
		name := strings.ReplaceAll(strings.TrimSuffix(strings.Trim(path, "/"), grace.ID), "/", "-")
		draw(tab, name, path)
	}
}

// furnish fills an account with things to look at, and gives the addresses of
// a document and of its parser.
func furnish(t *testing.T, a *apptest.App, grace fieldlift.Account) (document, parser string) {
	t.Helper()
	if _, err := a.Store.UpdateAccount(t.Context(), grace.ID, fieldlift.AccountChange{Admin: new(true)}); err != nil {
		t.Fatal(err)
	}
	a.Account, a.Key = grace, a.NewKey(t, grace, "production")
	a.NewKey(t, grace, "laptop")
	receiver := apptest.NewReceiver(t)
	a.NewWebhook(t, receiver.URL)
	p := a.PagesOf(t, grace)
	where := p.Post(t, "/example").Header.Get("Location")
	extraction := regexp.MustCompile(`ext_[0-9a-z]+`).FindString(where)
	results := a.Finished(t, extraction)
	receiver.Wait(t, 2)
	document = "/extractions/" + extraction + "/documents/" + results.Documents[0].DocumentID
	parsers, _, err := a.Store.Parsers(t.Context(), grace.ID, fieldlift.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	parser = "/parsers/" + parsers[0].ID
	form, contentType := upload(t, example.Invoice(), "replace_existing_schema", "true")
	a.Send(t, "POST", "/v1"+parser+"/detect-fields", form, "Content-Type", contentType).WantStatus(t, http.StatusOK)
	for i := range 3 {
		files := []apptest.File{{Name: "invoice.pdf", Content: apptest.Invoice(fmt.Sprint(i))}, {Name: "letter.pdf", Content: apptest.PDF("Dear Sir or Madam")}}
		x := a.Accepted(t, parsers[0].ID, files...)
		a.Finished(t, x.ExtractionID)
	}
	return document, parser
}

func drawPage(tab context.Context, t *testing.T, url, colours string, width int64, file string) {
	t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: colours}}}
	apptest.Browse(t, tab,
		chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
			_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, media)
			return err
		}),
		chromedp.EmulateViewport(width, 800),
		chromedp.Navigate(url),
		until(`[...document.images].filter(i => i.loading !== "lazy").every(i => i.complete)`),
	)
	drawn, err := chromedp.Run(tab, chromedp.FullScreenshot(100))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, drawn, 0o644); err != nil { //nolint:gosec // for all to see
		t.Fatal(err)
	}
	if wider, err := chromedp.Run(tab, chromedp.Evaluate[int](`document.documentElement.scrollWidth - document.documentElement.clientWidth`)); err != nil || wider > 0 {
		t.Errorf("%s is %d pixels wider than the window of %d, %v", url, wider, width, err)
	}
}

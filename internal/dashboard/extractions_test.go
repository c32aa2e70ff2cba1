package dashboard_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fieldlift"
	"fieldlift/internal/apptest"
)

// TestSubmitInTheBrowser chooses files and watches them turn into data, without
// loading a page anew.
func TestSubmitInTheBrowser(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	dir := t.TempDir()
	var files []string
	for i := range 3 {
		path := filepath.Join(dir, fmt.Sprintf("bill-%d.pdf", i))
		if err := os.WriteFile(path, bill(fmt.Sprint("INV-", i)), 0o600); err != nil {
			t.Fatal(err)
		}
		files = append(files, path)
	}
	tab := d.SignIn(t, d.person)
	apptest.Browse(t, tab,
		chromedp.Navigate(d.URL()+"/extractions"),
		chromedp.WaitReady(css("form.with-script")),
		chromedp.SetUploadFiles(css("input[type=file]"), files),
		until(`document.querySelectorAll(".files li").length === 3`),
		chromedp.Click(css(".files li:last-child button")),
		until(`document.querySelectorAll(".files li").length === 2`),
		chromedp.SendKeys(css("input[name=name]"), "Two bills"),
		chromedp.Click(css(".upload button[type=submit]")),
		chromedp.WaitReady(css("#documents")),
		until(`document.querySelector("h1").textContent === "Two bills"`),
		until(`document.querySelectorAll("#documents .badge.good").length === 2`),
		chromedp.Click(css("#documents a")),
		chromedp.WaitReady(css(`.value[data-pointer="/total"]`)),
	)

	// A list follows what others do.
	apptest.Browse(t, tab, chromedp.Navigate(d.URL()+"/extractions"), until(`document.querySelectorAll("#list tbody tr").length === 1`))
	d.done(t, apptest.File{Name: "other.pdf", Content: bill("O-1")})
	apptest.Browse(t, tab,
		until(`document.querySelectorAll("#list tbody tr").length === 2 && document.querySelectorAll("#list .badge.good").length === 2`),
		chromedp.Click(css(".upload button[type=submit]")),
		chromedp.WaitVisible(css(".upload .wrong")),
	)

	// Deleting is asked about first.
	apptest.Browse(t, tab,
		chromedp.Click(css("#list tbody a")),
		chromedp.Click(css("#delete")),
		chromedp.WaitVisible(css("dialog[open]")),
		chromedp.Click(css("dialog[open] .danger")),
		chromedp.WaitReady(css("#list")),
		until(`document.querySelectorAll("#list tbody tr").length === 1`),
	)
}

func TestExtractionsAreFound(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		d := newDesk(t, on)
		p := d.PagesOf(t, d.person)
		if empty := p.Get(t, "/extractions").Body; !strings.Contains(empty, "No extractions yet") {
			t.Errorf("%s", empty)
		}
		nobody := d.NewPerson(t, "nobody@example.com", 0)
		if empty := d.PagesOf(t, nobody).Get(t, "/extractions").Body; !strings.Contains(empty, "A parser comes first") {
			t.Errorf("%s", empty)
		}
		for _, name := range []string{"May 100%", "June", "July_x"} {
			d.Submit(t, []string{"parser_id", d.parser, "name", name}, []apptest.File{{Name: name + " Überweisung.pdf", Content: apptest.Invoice("1")}}).WantStatus(t, http.StatusAccepted)
		}
		for query, want := range map[string][]string{
			"":                                      {"May 100%", "June", "July_x"},
			"search=ju":                             {"June", "July_x"},
			"search=100%25":                         {"May 100%"},
			"search=%25":                            {"May 100%"},
			"search=y_x":                            {"July_x"},
			"search=Überweisung":                    {"May 100%", "June", "July_x"},
			"search=nothing":                        nil,
			"parser=" + d.parser:                    {"May 100%", "June", "July_x"},
			"parser=par_00000000000000000000000000": nil,
			"status=nonsense":                       {"May 100%", "June", "July_x"},
		} {
			got := p.Get(t, "/extractions?"+query)
			for _, name := range []string{"May 100%", "June", "July_x"} {
				shown := strings.Contains(got.Body, ">"+name+"</a>")
				if wanted := strings.Contains(strings.Join(want, "\n"), name); shown != wanted {
					t.Errorf("%q: %s is shown: %v", query, name, shown)
				}
			}
		}
		if got := p.Get(t, "/extractions?after=nonsense"); got.Status != http.StatusBadRequest {
			t.Errorf("%d", got.Status)
		}
		wrong := p.Do(t, "POST", "/extractions", "x", "text/plain")
		body, contentType := apptest.Form(t, []string{"parser_id", d.parser}, apptest.File{Name: "a.txt", Content: []byte("no document")})
		refused := p.Do(t, "POST", "/extractions", body, contentType)
		if wrong.Status != http.StatusBadRequest || refused.Status != http.StatusBadRequest || !strings.Contains(refused.Body, "a.txt") || !strings.Contains(refused.Body, "Extract from files") {
			t.Errorf("%d, %d %s", wrong.Status, refused.Status, refused.Body)
		}
	})
}

func TestPagesOfAList(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	for i := range 55 {
		d.Submit(t, []string{"parser_id", d.parser, "name", fmt.Sprintf("number-%02d", i)}, []apptest.File{{Name: "a.pdf", Content: apptest.Invoice("1")}}).WantStatus(t, http.StatusAccepted)
	}
	p := d.PagesOf(t, d.person)
	first := p.Get(t, "/extractions?search=number").Body
	_, rest, _ := strings.Cut(first, `href="/extractions?after=`)
	cursor, _, found := strings.Cut(rest, `"`)
	if !found || strings.Count(first, ">number-") != 50 || !strings.Contains(first, ">number-54<") {
		t.Fatalf("%s", first)
	}
	second := p.Get(t, "/extractions?after="+strings.ReplaceAll(cursor, "&amp;", "&")).Body
	if strings.Count(second, ">number-") != 5 || !strings.Contains(second, ">number-00<") || !strings.Contains(second, `href="/extractions?search=number"`) {
		t.Errorf("%s", second)
	}
}

// TestStrangersSeeNothing tries every route of extractions with another
// account's ids, and with nobody signed in.
func TestStrangersSeeNothing(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	path := d.done(t, apptest.File{Name: "a.pdf", Content: bill("INV-1")})
	extraction, _, _ := strings.Cut(path, "/documents/")
	if got := d.PagesOf(t, d.person).Post(t, path+"/corrections", "kind", "accept", "pointer", "/total"); got.Status != http.StatusSeeOther {
		t.Fatal(got.Status)
	}
	other := d.NewPerson(t, "mallory@example.com", 10)
	mallory, nobody := d.PagesOf(t, other), d.NewPages(t)
	for _, route := range []struct{ method, path string }{
		{"GET", extraction},
		{"POST", extraction + "/delete"},
		{"GET", extraction + "/export?format=csv"},
		{"GET", extraction + "/cases"},
		{"GET", "/parsers/" + d.parser + "/cases"},
		{"GET", path},
		{"GET", path + "?value=/total"},
		{"GET", path + "/export"},
		{"GET", path + "/file"},
		{"GET", path + "/pages/1"},
		{"GET", path + "/pages/1?width=160"},
		{"POST", path + "/corrections"},
		{"POST", path + "/corrections/1/take-back"},
	} {
		form := "kind=accept&pointer=/total"
		if got := mallory.Do(t, route.method, route.path, form, "application/x-www-form-urlencoded"); got.Status != http.StatusNotFound || strings.Contains(got.Body, "INV-1") {
			t.Errorf("%s %s: another account gets %d", route.method, route.path, got.Status)
		}
		if got := nobody.Do(t, route.method, route.path, form, "application/x-www-form-urlencoded"); got.Status != http.StatusSeeOther || !strings.HasPrefix(got.Header.Get("Location"), "/sign-in") {
			t.Errorf("%s %s: a stranger gets %d", route.method, route.path, got.Status)
		}
		if got := nobody.Do(t, route.method, route.path, form, "application/x-www-form-urlencoded", "Accept", "application/json"); got.Status != http.StatusForbidden {
			t.Errorf("%s %s: a stranger's script gets %d", route.method, route.path, got.Status)
		}
	}
	// The document's id does not help within an extraction of one's own.
	own := "/extractions/" + d.newExtractionOf(t, other)
	if got := mallory.Get(t, own+path[len(extraction):]); got.Status != http.StatusNotFound {
		t.Errorf("through an extraction of his own: %d", got.Status)
	}
	if got := mallory.Get(t, "/extractions").Body; strings.Contains(got, extraction) {
		t.Error("another account's extraction is listed")
	}
	if got := nobody.Get(t, "/events"); got.Status != http.StatusSeeOther {
		t.Errorf("%d", got.Status)
	}
	mine := mallory.Do(t, "GET", "/events", "", "", "Accept", "application/json").Body
	d.done(t, apptest.File{Name: "b.pdf", Content: bill("INV-2")})
	if now := mallory.Do(t, "GET", "/events", "", "", "Accept", "application/json").Body; now != mine {
		t.Errorf("another account's work is heard: %s, %s", mine, now)
	}
	wantData(t, d.document(t, path), `"total":85.00`)
}

// newExtractionOf submits a file for another account.
func (d desk) newExtractionOf(t testing.TB, account fieldlift.Account) string {
	t.Helper()
	app := *d.App
	app.Key = d.NewKey(t, account, "its own")
	accepted := app.Accepted(t, app.NewParser(t, "P", invoiceFields...), apptest.File{Name: "m.pdf", Content: bill("M")})
	return app.Finished(t, accepted.ExtractionID).ExtractionID
}

func TestEventsStream(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	p := d.PagesOf(t, d.person)
	lines := p.Stream(t, "/events")
	next := func() string {
		select {
		case line := <-lines:
			return line
		case <-time.After(10 * time.Second):
			t.Fatal("nothing comes")
			return ""
		}
	}
	for next() != "" { // the first event: where things stand
	}
	d.Accepted(t, d.parser, apptest.File{Name: "a.pdf", Content: bill("INV-1")})
	if line := next(); !strings.HasPrefix(line, "data: ") {
		t.Errorf("%q", line)
	}
}

// BenchmarkExtractionList answers the page with ten thousand extractions on
// SQLite, as a browser asks for it.
func BenchmarkExtractionList(b *testing.B) {
	d := newDesk(b, apptest.OnSQLite(b))
	parser, err := d.Store.Parser(b.Context(), d.person.ID, d.parser)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := d.Store.AddPurchase(b.Context(), fieldlift.Purchase{AccountID: d.person.ID, Source: fieldlift.SourceGrant, Credits: 100_000, Remaining: 100_000}); err != nil {
		b.Fatal(err)
	}
	for i := range 10_000 {
		in := fieldlift.Submission{
			Extraction: fieldlift.Extraction{
				ID: fieldlift.NewID(fieldlift.ExtractionPrefix), AccountID: d.person.ID, ParserID: parser.ID, ParserName: parser.Name,
				ResultMode: parser.ResultMode, Schema: parser.Schema, Name: fmt.Sprint("Invoices of day ", i),
			},
			Documents: []fieldlift.Document{{ID: fieldlift.NewID(fieldlift.DocumentPrefix), Filename: fmt.Sprint(i, ".pdf"), ContentType: "application/pdf", SizeBytes: 1, SHA256: "x", PageCount: 1}},
		}
		if _, _, err := d.Store.Submit(b.Context(), in); err != nil {
			b.Fatal(err)
		}
		// At its end, so that nobody works beside what is measured.
		if claim, ok, err := d.Store.BeginDocument(b.Context()); err != nil || ok && d.Store.FailDocument(b.Context(), claim, "It is not there.", 0) != nil {
			b.Fatal(err)
		}
	}
	p := d.PagesOf(b, d.person)
	for name, query := range map[string]string{"all": "", "parser": "?parser=" + d.parser, "search": "?search=day+77", "in vain": "?search=no+such+thing"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if got := p.Get(b, "/extractions"+query); got.Status != http.StatusOK {
					b.Fatal(got.Status)
				}
			}
		})
	}
}

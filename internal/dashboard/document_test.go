package dashboard_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
	"fieldlift/internal/cli"
)

func value(pointer string) chromedp.CSS { return css(`.value[data-pointer="` + pointer + `"]`) }

// until waits until an expression of the page is true.
func until(expression string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := chromedp.Poll[bool](expression, chromedp.WithPollingTimeout(20*time.Second))(ctx, t)
		if err != nil {
			err = fmt.Errorf("waiting for %s: %w", expression, err)
		}
		return chromedp.Void{}, err
	}
}

// press presses a key that a script takes for itself, so that it writes
// nothing.
func press(key string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeRawKeyDown, input.DispatchKeyEventTypeKeyUp} {
			if _, err := chromedp.Call(ctx, input.DispatchKeyEvent, input.DispatchKeyEventParams{Type: kind, Key: key}); err != nil {
				return err
			}
		}
		return nil
	})
}

// document fetches a document as programs do.
func (d desk) document(t testing.TB, path string) api.SingleDocument {
	t.Helper()
	answer := d.Send(t, http.MethodGet, "/v1"+path, nil).WantStatus(t, http.StatusOK)
	return apptest.Into[api.DocumentEnvelope](t, answer).Document
}

func wantData(t testing.TB, d api.SingleDocument, want ...string) {
	t.Helper()
	for _, part := range want {
		if !strings.Contains(string(d.ExtractedData), part) {
			t.Errorf("%s is not in %s", part, d.ExtractedData)
		}
	}
}

// TestReview is what a person does all day: look at what is in doubt, accept
// or correct it, and send it on.
func TestReview(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	path := d.done(t, apptest.File{Name: "bill.pdf", Content: bill("INV-1")})
	before := d.document(t, path)
	tab := d.SignIn(t, d.person)
	apptest.Browse(t, tab,
		chromedp.Navigate(d.URL()+path),
		until(`[...document.querySelectorAll(".sheet img")].some(i => i.complete && i.naturalWidth > 0)`),
	)

	// A value and its place light each other up.
	apptest.Browse(t, tab,
		chromedp.Focus(value("/invoice_number")),
		chromedp.WaitReady(css(`.box.lit[data-box="/invoice_number"]`)),
		until(`document.querySelector("#selected").textContent.includes("Invoice number")`),
		chromedp.Click(css(`[data-box="/total"]`)),
		until(`document.activeElement.dataset.pointer === "/total"`),
		chromedp.WaitReady(css(`.box.lit[data-box="/total"]`)),
	)

	// Keys: to the order that is missing, and to the total that does not come out.
	apptest.Browse(t, tab,
		chromedp.Focus(value("/invoice_number")),
		press("n"),
		until(`document.activeElement.dataset.pointer === "/purchase_order"`),
		press("e"),
		until(`document.activeElement.name === "value"`),
		chromedp.KeyEvent("PO <b>7</b>"+kb.Enter),
		chromedp.WaitReady(css(`.value[data-pointer="/purchase_order"][data-state="changed"]`)),
		until(`document.activeElement.dataset.state === "doubtful"`), // on to the next, whichever it is
		chromedp.Focus(value("/currency")),
		press("a"),
		chromedp.WaitReady(css(`.value[data-pointer="/currency"][data-state="checked"]`)),
		chromedp.Focus(value("/tax")),
		press("n"),
		until(`document.activeElement.dataset.pointer === "/total"`),
		press("e"),
		until(`document.activeElement.name === "value"`),
		chromedp.KeyEvent("eighty four"+kb.Enter),
		chromedp.WaitVisible(css(".in-place .wrong")),
		chromedp.KeyEvent(kb.Escape),
		until(`document.activeElement.dataset.pointer === "/total"`),
		press("e"),
		until(`document.activeElement.name === "value"`),
		chromedp.KeyEvent("84.00"+kb.Enter),
		chromedp.WaitReady(css(`.value[data-pointer="/total"][data-state="changed"]`)),
	)
	now := d.document(t, path)
	wantData(t, now, `"purchase_order":"PO <b>7</b>"`, `"total":84`)
	if m := now.FieldMetadata["/total"]; m.Reviewed == nil || m.Reviewed.By != d.person.Email || string(m.Reviewed.Original) != "85.00" || m.Confidence != 1 {
		t.Errorf("%+v", m)
	}
	if len(now.Validation) != 0 || len(before.Validation) == 0 || !now.UpdatedAt.After(before.UpdatedAt.Time) || now.Status != "completed" {
		t.Errorf("%+v", now)
	}

	// Rows come and go.
	apptest.Browse(t, tab,
		chromedp.Click(css(`form:has([value="/items/1"]) button`)),
		until(`document.querySelectorAll(".cells tbody tr").length === 2`),
		chromedp.Click(css(`form[data-act="/items"] button`)),
		until(`document.activeElement.name === "value"`),
		chromedp.KeyEvent("Saw"+kb.Enter),
		chromedp.WaitReady(css(`.value[data-pointer="/items/2/description"][data-state="changed"]`)),
	)
	wantData(t, d.document(t, path), `"items":[{"description":"Claw hammer","quantity":2,"price":14.50,"amount":29.00},{"description":"Folding rule","quantity":1,"price":9.00,"amount":9.00},{"description":"Saw","quantity":null,"price":null,"amount":null}]`)

	// What was done can be taken back, from the value and from the history.
	apptest.Browse(t, tab,
		chromedp.Focus(value("/total")),
		press("u"),
		chromedp.WaitReady(css(`.value[data-pointer="/total"][data-state="doubtful"]`)),
		chromedp.Click(css(".history summary")),
		chromedp.Click(css(".history li:not(.gone):has(code) form button")),
		until(`document.querySelectorAll(".history .gone").length === 2`),
	)
	wantData(t, d.document(t, path), `"total":85.00`)

	// The keys are told.
	apptest.Browse(t, tab, press("?"), chromedp.WaitVisible(css("#help")))
}

// TestReviewWithoutScripts does the same with forms alone.
func TestReviewWithoutScripts(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		d := newDesk(t, on)
		p := d.PagesOf(t, d.person)
		body, contentType := apptest.Form(t, []string{"parser_id", d.parser, "name", "<i>May</i>"}, apptest.File{Name: "<b>x<b>.pdf", Content: bill("INV-1")})
		submitted := p.Do(t, "POST", "/extractions?once=abc", body, contentType)
		extraction, _, _ := strings.Cut(submitted.Header.Get("Location"), "?")
		if submitted.Status != http.StatusSeeOther || !strings.HasPrefix(extraction, "/extractions/ext_") {
			t.Fatalf("%d %s", submitted.Status, submitted.Body)
		}
		if again := p.Do(t, "POST", "/extractions?once=abc", body, contentType); again.Header.Get("Location") != submitted.Header.Get("Location") {
			t.Errorf("a form that was sent twice: %d %s", again.Status, again.Header.Get("Location"))
		}
		results := d.Finished(t, strings.TrimPrefix(extraction, "/extractions/"))
		path := extraction + "/documents/" + results.Documents[0].DocumentID

		list, one := p.Get(t, "/extractions?search=%3CB%3Ex").Body, p.Get(t, extraction).Body
		shown := p.Get(t, path).Body
		for _, page := range []string{list, one, shown} {
			if strings.Contains(page, "<b>x") || strings.Contains(page, "<i>May") || !strings.Contains(page, "&lt;i&gt;May") {
				t.Errorf("names are not shown as they are: %s", page)
			}
		}
		if !strings.Contains(shown, "INV-1") || !strings.Contains(shown, "to check, confidence") || !strings.Contains(shown, `data-box="/total"`) {
			t.Errorf("%s", shown)
		}
		selected := p.Get(t, path+"?value=/total").Body
		if !strings.Contains(selected, `class="box doubtful lit" data-box="/total"`) || !strings.Contains(selected, `name="value" value="85.00"`) {
			t.Errorf("%s", selected)
		}
		for name, test := range map[string]struct {
			form   []string
			status int
			text   string
		}{
			"a wrong value":     {[]string{"kind", "set", "pointer", "/total", "value", "much"}, http.StatusBadRequest, "A number is needed"},
			"a wrong choice":    {[]string{"kind", "set", "pointer", "/currency", "value", "DEM"}, http.StatusBadRequest, "is needed"},
			"an old revision":   {[]string{"kind", "accept", "pointer", "/total", "revision", "7"}, http.StatusConflict, "changed by someone else"},
			"no such value":     {[]string{"kind", "accept", "pointer", "/nothing"}, http.StatusNotFound, "no value"},
			"no such act":       {[]string{"kind", "praise", "pointer", "/total"}, http.StatusBadRequest, "There is no correction"},
			"nothing to remove": {[]string{"kind", "remove", "pointer", "/total"}, http.StatusBadRequest, "Only a row"},
		} {
			if got := p.Post(t, path+"/corrections", test.form...); got.Status != test.status || !strings.Contains(got.Body, test.text) {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		for _, form := range [][]string{
			{"kind", "set", "pointer", "/total", "value", "84,00 €", "revision", "0"},
			{"kind", "set", "pointer", "/invoice_date", "value", "4.5.2026", "revision", "1"},
			{"kind", "set", "pointer", "/paid", "value", "yes"},
			{"kind", "set", "pointer", "/vendor/vat_id", "value", " "},
			{"kind", "remove", "pointer", "/items/0"},
			{"kind", "add", "pointer", "/items/-"},
			{"kind", "accept", "pointer", ""},
		} {
			if got := p.Post(t, path+"/corrections", form...); got.Status != http.StatusSeeOther {
				t.Fatalf("%v: %d %s", form, got.Status, got.Body)
			}
		}
		now := d.document(t, path)
		wantData(t, now, `"total":84`, `"invoice_date":"2026-05-04"`, `"paid":true`, `"vat_id":null`, `"amount":9.00},{"description":null`)
		if now.Confidence != 1 || now.FieldMetadata["/invoice_number"].Reviewed == nil {
			t.Errorf("%+v", now)
		}
		if page := p.Get(t, path+"?value=/total").Body; !strings.Contains(page, "<del>85.00</del>") || !strings.Contains(page, "nothing in doubt") {
			t.Errorf("%s", page)
		}

		csv := p.Get(t, extraction+"/export?format=csv")
		if csv.Status != http.StatusOK || !strings.Contains(csv.Body, ",84,") && !strings.Contains(csv.Body, ",84.00") || !strings.Contains(csv.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%d %s", csv.Status, csv.Body)
		}
		rows := p.Get(t, path+"/export?format=csv&explode=items")
		if rows.Status != http.StatusOK || strings.Count(rows.Body, "\n") < 3 {
			t.Errorf("%d %s", rows.Status, rows.Body)
		}
		if file := p.Get(t, path+"/file"); file.Body != string(bill("INV-1")) || !strings.HasPrefix(file.Header.Get("Content-Disposition"), "attachment") {
			t.Errorf("%d %v", file.Status, file.Header)
		}
		if got := p.Post(t, path+"/corrections/1/take-back", "pointer", "/total"); got.Status != http.StatusSeeOther {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		wantData(t, d.document(t, path), `"total":85.00`)
		if got := p.Post(t, extraction+"/delete"); got.Status != http.StatusSeeOther {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if got := p.Get(t, extraction); got.Status != http.StatusNotFound {
			t.Errorf("%d", got.Status)
		}
	})
}

func TestPageImages(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	path := d.done(t, apptest.File{Name: "bill.pdf", Content: bill("INV-1")})
	p := d.PagesOf(t, d.person)
	image := p.Get(t, path+"/pages/2?width=800")
	if image.Status != http.StatusOK || image.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(image.Body, "\x89PNG") {
		t.Fatalf("%d %v", image.Status, image.Header)
	}
	if again := p.Do(t, "GET", path+"/pages/2?width=800", "", "", "If-None-Match", image.Header.Get("ETag")); again.Status != http.StatusNotModified {
		t.Errorf("%d", again.Status)
	}
	for _, wrong := range []string{"0", "3", "-1", "x", "99999999999999999999"} {
		if got := p.Get(t, path+"/pages/"+wrong); got.Status != http.StatusNotFound {
			t.Errorf("page %s: %d", wrong, got.Status)
		}
	}
	if got := p.Get(t, path+"/pages/1?width=much"); got.Status != http.StatusOK {
		t.Errorf("%d", got.Status)
	}
}

// TestLabelledCases: what was reviewed is what "fieldlift eval" takes.
func TestLabelledCases(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	path := d.done(t, apptest.File{Name: "a.pdf", Content: bill("INV-1")}, apptest.File{Name: "b.pdf", Content: bill("INV-2")})
	extraction, _, _ := strings.Cut(path, "/documents/")
	p := d.PagesOf(t, d.person)
	if got := p.Get(t, extraction+"/cases"); got.Status != http.StatusNotFound || !strings.Contains(got.Body, "None of these documents was reviewed") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	for _, form := range [][]string{{"kind", "set", "pointer", "/total", "value", "84"}, {"kind", "accept", "pointer", ""}} {
		if got := p.Post(t, path+"/corrections", form...); got.Status != http.StatusSeeOther {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	for _, address := range []string{extraction + "/cases", "/parsers/" + d.parser + "/cases"} {
		got := p.Get(t, address)
		if got.Status != http.StatusOK || got.Header.Get("Content-Type") != "application/zip" {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
		dir := unzip(t, got.Body)
		lines, err := os.ReadFile(filepath.Join(dir, "cases.jsonl"))
		if err != nil || strings.Count(string(lines), "\n") != 1 || !strings.Contains(string(lines), `"checked":true`) {
			t.Errorf("%s, %v", lines, err)
		}
		var told bytes.Buffer
		code := cli.Run(t.Context(), []string{"eval", dir, "--failures"}, cli.Surroundings{
			Program: "fieldlift", Stdin: strings.NewReader(""), Stdout: &told, Stderr: &told, LookupEnv: func(string) (string, bool) { return "", false },
		})
		if code != 0 || !strings.Contains(told.String(), "total") || !strings.Contains(told.String(), "85") {
			t.Errorf("%d %s", code, told.String())
		}
	}
}

func unzip(t testing.TB, content string) string {
	t.Helper()
	archive, err := zip.NewReader(strings.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, file := range archive.File {
		if !filepath.IsLocal(file.Name) {
			t.Fatal(file.Name)
		}
		opened, err := file.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(opened)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, file.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestWebhooksAreToldWhatWasExtracted: a delivery has the same bytes at every
// try, whatever a person has made of the document since.
func TestWebhooksAreToldWhatWasExtracted(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t), apptest.InDevelopment())
	receiver := apptest.NewReceiver(t)
	hook := d.NewWebhook(t, receiver.URL, "extraction.document_completed")
	path := d.done(t, apptest.File{Name: "bill.pdf", Content: bill("INV-1")})
	first := receiver.Wait(t, 1)[0]
	if got := d.PagesOf(t, d.person).Post(t, path+"/corrections", "kind", "set", "pointer", "/total", "value", "84"); got.Status != http.StatusSeeOther {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	wantData(t, d.document(t, path), `"total":84`)
	deliveries := "/v1/webhooks/" + hook.WebhookID + "/deliveries"
	list := apptest.Into[api.DeliveryList](t, d.Send(t, http.MethodGet, deliveries, nil).WantStatus(t, http.StatusOK))
	d.Send(t, http.MethodPost, deliveries+"/"+list.Deliveries[0].DeliveryID+"/redeliver", nil).WantStatus(t, http.StatusAccepted)
	if second := receiver.Wait(t, 2)[1]; string(second.Body) != string(first.Body) || !strings.Contains(string(first.Body), `"total":85.00`) {
		t.Errorf("%s, then %s", first.Body, second.Body)
	}
}

// TestLongTables: many rows do not make a page that no browser can show.
func TestLongTables(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	path := d.done(t, apptest.File{Name: "bill.pdf", Content: bill("INV-1")})
	extraction, document, _ := strings.Cut(strings.TrimPrefix(path, "/extractions/"), "/documents/")
	rows := slices.Repeat([]fieldlift.Amendment{{Kind: fieldlift.CorrectionAdd, Pointer: "/items/-", Value: []byte(`{"description":"Nail"}`)}}, 300)
	by := fieldlift.Reviewer{Email: d.person.Email, Seen: fieldlift.AnyRevision}
	if _, err := d.Store.Correct(t.Context(), d.person.ID, extraction, document, by, rows...); err != nil {
		t.Fatal(err)
	}
	p := d.PagesOf(t, d.person)
	some, all := p.Get(t, path).Body, p.Get(t, path+"?all=yes").Body
	if n := strings.Count(some, `title="Remove row`); n != 200 || !strings.Contains(some, "Show all rows") {
		t.Errorf("%d rows at first", n)
	}
	if n := strings.Count(all, `title="Remove row`); n != 303 || strings.Contains(all, "Show all rows") {
		t.Errorf("%d rows of all", n)
	}
}

// TestNothingShifts: what is loaded later has its room from the beginning.
func TestNothingShifts(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	path := d.done(t, apptest.File{Name: "bill.pdf", Content: bill("INV-1")})
	extraction, _, _ := strings.Cut(path, "/documents/")
	tab := d.SignIn(t, d.person)
	for _, page := range []string{path, extraction, "/extractions"} {
		apptest.Browse(t, tab,
			chromedp.Navigate(d.URL()+page),
			until(`document.readyState === "complete" && [...document.images].every(i => i.loading === "lazy" || i.complete)`),
		)
		shift, err := chromedp.Run(tab, chromedp.Evaluate[float64](`new Promise(done => {
			let sum = 0;
			new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.value; }).observe({type: "layout-shift", buffered: true});
			requestAnimationFrame(() => setTimeout(() => done(sum), 300));
		})`, chromedp.EvalAwaitPromise))
		if err != nil || shift > 0.01 {
			t.Errorf("%s: things move by %v, %v", page, shift, err)
		}
	}
}

// TestHasteDoesNoHarm: opening and leaving a value changes nothing, and two
// clicks on one bin remove one row.
func TestHasteDoesNoHarm(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	path := d.done(t, apptest.File{Name: "bill.pdf", Content: bill("INV-1")})
	tab := d.SignIn(t, d.person)
	apptest.Browse(t, tab, chromedp.Navigate(d.URL()+path), chromedp.WaitReady(css("#values .value")))
	for _, pointer := range []string{"/invoice_date", "/currency"} {
		apptest.Browse(t, tab,
			chromedp.Focus(value(pointer)),
			press("a"),
			chromedp.WaitReady(css(`.value[data-pointer="`+pointer+`"][data-state="checked"]`)),
			chromedp.Focus(value(pointer)),
			press("e"),
			until(`document.activeElement.name === "value" && document.activeElement.value === document.querySelector(".in-place [name=value]").value && document.activeElement.value !== ""`),
			chromedp.Click(css(".in-place button")),
			chromedp.WaitReady(css(`.value[data-pointer="`+pointer+`"][data-state="checked"]`)),
		)
	}
	apptest.Browse(t, tab,
		chromedp.DoubleClick(css(`form:has([value="/items/0"]) button`)),
		until(`document.querySelectorAll(".cells tbody tr").length === 2`),
		chromedp.Focus(value("/total")), // what is asked for after it comes after it
		press("a"),
		chromedp.WaitReady(css(`.value[data-pointer="/total"][data-state="checked"]`)),
	)
	wantData(t, d.document(t, path), `"invoice_date":"2026-05-03"`, `"currency":"EUR"`,
		`"items":[{"description":"Box of nails","quantity":10,"price":3.20,"amount":32.00},{"description":"Folding rule","quantity":1,"price":9.00,"amount":9.00}]`)
}

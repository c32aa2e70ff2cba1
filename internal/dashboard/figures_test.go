package dashboard_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// wantOn looks for texts on a page that is there.
func wantOn(t testing.TB, got apptest.Shown, texts ...string) {
	t.Helper()
	if got.Status != http.StatusOK {
		t.Fatalf("%d %s", got.Status, got.Body)
	}
	for _, text := range texts {
		if !strings.Contains(got.Body, text) {
			t.Errorf("%q is not on the page: %s", text, got.Body)
		}
	}
}

// work has documents of an account done, without a service, and without files.
type work struct {
	t     testing.TB
	store *app.Store
	clock time.Time
}

// newWork opens a second store on a service's database whose clock the test has
// in hand. The service must not work itself.
func newWork(t testing.TB, a *apptest.App) *work {
	t.Helper()
	w := &work{t: t, clock: time.Now().Add(-time.Hour)}
	config := a.Config
	config.Now = func() time.Time { return w.clock }
	var err error
	if w.store, err = app.LookAtStore(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.store.Close)
	return w
}

func (w *work) parser(account fieldlift.Account, name string) fieldlift.Parser {
	w.t.Helper()
	p, err := w.store.CreateParser(w.t.Context(), fieldlift.Parser{
		AccountID: account.ID, Name: name, ResultMode: fieldlift.OnePerFile, Schema: fieldlift.SchemaOf([]fieldlift.Field{{Name: "total"}}),
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// submit accepts a document of so many pages.
func (w *work) submit(p fieldlift.Parser, pages int64) {
	w.t.Helper()
	_, _, err := w.store.Submit(w.t.Context(), fieldlift.Submission{
		Extraction: fieldlift.Extraction{
			ID: fieldlift.NewID(fieldlift.ExtractionPrefix), AccountID: p.AccountID, Name: "Some of " + p.Name, ParserID: p.ID, ParserName: p.Name, ResultMode: p.ResultMode, Schema: p.Schema,
		},
		Documents: []fieldlift.Document{{ID: fieldlift.NewID(fieldlift.DocumentPrefix), Filename: "secret-name.pdf", PageCount: pages}},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.clock = w.clock.Add(time.Second)
}

// begin begins the next document.
func (w *work) begin() fieldlift.Claim {
	w.t.Helper()
	claim, ok, err := w.store.BeginDocument(w.t.Context())
	if err != nil || !ok {
		w.t.Fatal(ok, err)
	}
	return claim
}

// done submits a document and ends it, with a failure if there is a message.
func (w *work) done(p fieldlift.Parser, pages int64, took time.Duration, message string) {
	w.t.Helper()
	w.submit(p, pages)
	var err error
	if claim := w.begin(); message != "" {
		err = w.store.FailDocument(w.t.Context(), claim, message, took)
	} else {
		err = w.store.CompleteDocument(w.t.Context(), claim, fieldlift.Result{Data: json.RawMessage(`{}`)}, took)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// idle has no workers of its own, on a database that allows it.
func idle(t testing.TB) *apptest.App {
	t.Helper()
	return apptest.Launch(t, apptest.OnPostgres(t), apptest.With(func(c *app.Config) { c.Role = app.API }))
}

func TestUsageAndCredits(t *testing.T) {
	a := idle(t)
	grace := a.NewPerson(t, "grace@example.com", 1000)
	p := a.PagesOf(t, grace)
	wantOn(t, p.Get(t, "/usage"), "Nothing was used in these days")
	wantOn(t, p.Get(t, "/credits"), "1,000", "spent next", "Sign-up", "Nothing in these days.")

	w := newWork(t, a)
	invoices, receipts := w.parser(grace, "Invoices"), w.parser(grace, "<b>Receipts</b>")
	w.clock = time.Now().AddDate(0, 0, -40)
	w.done(invoices, 100, time.Second, "")
	w.clock = time.Now().AddDate(0, 0, -3)
	w.done(invoices, 30, 2*time.Second, "")
	w.done(receipts, 10, 4*time.Second, "It is torn.")
	if _, err := a.Store.AddPurchase(t.Context(), fieldlift.Purchase{AccountID: grace.ID, Source: fieldlift.SourceGrant, Credits: 500, ExpiresAt: time.Now().AddDate(0, 0, 3)}); err != nil {
		t.Fatal(err)
	}

	day := time.Now().UTC().AddDate(0, 0, -3).Format("2 Jan 2006")
	month := p.Get(t, "/usage")
	wantOn(t, month, day+": 1 completed, 1 failed", day+": 40 pages", "1 of them failed", "40 credits were charged", "3.0 s", "75 %", "25 %", "&lt;b&gt;Receipts&lt;/b&gt;")
	if strings.Count(month.Body, `<g><title>`) != 3*30 {
		t.Errorf("there is not a bar for each day: %s", month.Body)
	}
	wantOn(t, p.Get(t, "/usage?days=90"), "140 credits were charged", "93 %")
	wantOn(t, p.Get(t, "/usage?days=nonsense"), "40 credits were charged")
	credits := p.Get(t, "/credits")
	wantOn(t, credits, "1,360", day+": 40 credits", "1,020 days", "soon")
	if strings.Index(credits.Body, "Grant") > strings.Index(credits.Body, "Sign-up") {
		t.Error("purchases are not in the order of spending")
	}
}

func TestActivity(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on)
		grace, other := a.NewPerson(t, "grace@example.com", 10), a.NewPerson(t, "other@example.com", 10)
		p := a.NewPages(t)
		p.Post(t, "/sign-in", "email", grace.Email, "password", "wrong")
		p.Post(t, "/sign-in", "email", grace.Email, "password", apptest.Password)
		p.Post(t, "/integrations/keys", "name", "<i>ci</i>")
		a.Key = a.NewKey(t, grace, "by the API")
		parser := a.NewParser(t, "Invoices")
		a.PagesOf(t, other).Post(t, "/integrations/keys", "name", "not graces")
		// A refusal is noted beside the request.
		for deadline := time.Now().Add(10 * time.Second); !strings.Contains(p.Get(t, "/activity?group=session").Body, "refused a sign-in"); {
			if time.Now().After(deadline) {
				t.Fatal("the refused sign-in is not noted")
			}
		}
		all := p.Get(t, "/activity")
		wantOn(t, all, "<b>You</b> signed in", "<b>You</b> created the key &lt;i&gt;ci&lt;/i&gt;", "<b>Fieldlift</b> refused a sign-in",
			`<b>The key by the API</b> <a href="/parsers/`+parser+`">created the parser Invoices</a>`)
		if strings.Contains(all.Body, "not graces") {
			t.Error("another account’s acts are shown")
		}
		keys := p.Get(t, "/activity?group=key")
		wantOn(t, keys, "created the key")
		if strings.Contains(keys.Body, "signed in") {
			t.Error("the filter does not filter")
		}
		wantOn(t, p.Get(t, "/activity?group=webhook"), "Nothing of this kind was done.")
		if got := p.Get(t, "/activity?after=nonsense"); got.Status != http.StatusBadRequest {
			t.Errorf("a cursor that is none: %d", got.Status)
		}
	})
}

// TestOperator is what those see who run the service.
func TestOperator(t *testing.T) {
	a := idle(t)
	admin, grace := a.NewPerson(t, "admin@example.com", 0), a.NewPerson(t, "grace@example.com", 20)
	p := a.PagesOf(t, admin)
	if _, err := a.Store.UpdateAccount(t.Context(), admin.ID, fieldlift.AccountChange{Admin: new(true)}); err != nil {
		t.Fatal(err)
	}
	wantOn(t, p.Get(t, "/"), `href="/operator"`)
	wantOn(t, p.Get(t, "/operator/failures"), "No document failed")

	w := newWork(t, a)
	parser := w.parser(grace, "Invoices")
	w.done(parser, 1, time.Second, "It is <torn>.")
	w.done(parser, 1, time.Second, "It is <torn>.")
	w.submit(parser, 3)
	running := w.begin().Document.ID
	w.submit(parser, 3)
	overview := p.Get(t, "/operator")
	if i := strings.Index(overview.Body, `id="live"`); i < 0 || i > strings.Index(overview.Body, running) {
		t.Error("what is in work is not kept up to date")
	}
	wantOn(t, overview, running, "grace@example.com", "PostgreSQL", fieldlift.Version, "The oldest has waited for", "This node only takes requests.", "free in the data folder")

	failures := p.Get(t, "/operator/failures")
	wantOn(t, failures, "It is &lt;torn&gt;.", "2 times", "doc_", "grace@example.com")
	for _, page := range []apptest.Shown{overview, failures} {
		if strings.Contains(page.Body, "secret-name") {
			t.Error("names of files are shown to who runs the service")
		}
	}

	found := p.Get(t, "/operator/accounts?search=GRACE%40")
	wantOn(t, found, "/operator/accounts/"+grace.ID)
	if strings.Contains(found.Body, admin.ID) {
		t.Error("the search finds all")
	}
	path := "/operator/accounts/" + grace.ID
	wantOn(t, p.Get(t, path), "12 available, 8 used")
	for _, amount := range []string{"", "0", "-5", "1.5", "1000000000001"} {
		if got := p.Post(t, path+"/credits", "amount", amount); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "Enter a whole number") {
			t.Errorf("%q: %d %s", amount, got.Status, got.Body)
		}
	}
	if got := p.Post(t, path+"/credits", "amount", "500", "source", "purchase", "expires", "365"); got.Status != http.StatusSeeOther {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	balance, err := a.Store.Balance(t.Context(), grace.ID)
	if err != nil || balance.Available != 512 || balance.Purchases[0].Source != fieldlift.SourcePurchase || balance.Purchases[0].ExpiresAt.IsZero() {
		t.Errorf("%+v, %v", balance, err)
	}
	wantOn(t, a.PagesOf(t, grace).Get(t, "/activity?group=credits"), "<b>admin@example.com</b> granted 500 credits")
	if got := p.Get(t, "/operator/accounts/"+fieldlift.NewID(fieldlift.AccountPrefix)); got.Status != http.StatusNotFound {
		t.Errorf("%d", got.Status)
	}
}

// TestFiguresInABrowser: an admin grants himself credits, and looks around; what
// breaks on any page fails the test.
func TestFiguresInABrowser(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	admin := a.NewPerson(t, "admin@example.com", 0)
	if _, err := a.Store.UpdateAccount(t.Context(), admin.ID, fieldlift.AccountChange{Admin: new(true)}); err != nil {
		t.Fatal(err)
	}
	tab := a.SignIn(t, admin)
	apptest.Browse(t, tab,
		chromedp.Click(css(`.side a[href="/credits"]`)),
		chromedp.Click(css(`main a[href^="/operator/accounts/"]`)),
		chromedp.SendKeys(css("input[name=amount]"), "25"),
		chromedp.Click(css(`form[action$="/credits"] button`)),
		chromedp.WaitVisible(css(".notice.good")),
	)
	if balance, err := a.Store.Balance(t.Context(), admin.ID); err != nil || balance.Available != 25 {
		t.Errorf("%+v, %v", balance, err)
	}
	for _, path := range []string{"/usage", "/credits", "/activity", "/operator", "/operator/accounts", "/operator/failures", "/integrations/keys", "/integrations/webhooks/new"} {
		apptest.Browse(t, tab, chromedp.EmulateViewport(360, 740), chromedp.Navigate(a.URL()+path), chromedp.WaitReady(css("h1")))
		wide, err := chromedp.Run(tab, chromedp.Evaluate[int]("document.documentElement.scrollWidth"))
		if err != nil || wide > 360 {
			t.Errorf("on a phone %s is %d wide, %v", path, wide, err)
		}
	}
}

// TestOperatorSeesTheQueueGrow without loading the page anew.
func TestOperatorSeesTheQueueGrow(t *testing.T) {
	a := idle(t)
	admin := a.NewPerson(t, "admin@example.com", 10)
	if _, err := a.Store.UpdateAccount(t.Context(), admin.ID, fieldlift.AccountChange{Admin: new(true)}); err != nil {
		t.Fatal(err)
	}
	tab := a.SignIn(t, admin)
	apptest.Browse(t, tab, chromedp.Click(css(`.side a[href="/operator"]`)), chromedp.WaitVisible(css("#live")))
	w := newWork(t, a)
	w.submit(w.parser(admin, "Invoices"), 1)
	apptest.Browse(t, tab, chromedp.WaitVisible(css(`#live a[href="/operator/accounts/`+admin.ID+`"]`)))
	if text := apptest.ReadText(t, tab, "#live .figure"); text != "1" {
		t.Errorf("%q documents wait", text)
	}
}

package dashboard_test

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// mayCall asks the API who a key stands for.
func mayCall(t testing.TB, a *apptest.App, key string) bool {
	t.Helper()
	_, err := a.ClientFor(key).Me(t.Context())
	return err == nil
}

// TestKeyFromItsMakingToItsEnd is what a person does with a key.
func TestKeyFromItsMakingToItsEnd(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 10)
	tab := a.SignIn(t, grace)
	create := css(`form[action="/integrations/keys"] button`)
	apptest.Browse(t, tab,
		chromedp.Navigate(a.URL()+"/integrations/keys"),
		chromedp.SendKeys(css("input[name=name]"), "<i>back</i>office"),
		chromedp.SetValue(css("select[name=expires]"), "90"),
		chromedp.Click(create),
		chromedp.WaitVisible(css("#full-key")),
	)
	key := apptest.ReadText(t, tab, "#full-key")
	if !fieldlift.WellFormedKey(key) || !strings.HasPrefix(key, "svc_live_") || !mayCall(t, a, key) {
		t.Fatalf("%q is no key that works", key)
	}
	// Loading the page anew neither shows the key again nor makes another.
	apptest.Browse(t, tab, chromedp.Reload(), chromedp.WaitReady(css("body:not(:has(#full-key))")))
	keys, err := a.Store.Keys(t.Context(), grace.ID)
	if err != nil || len(keys) != 1 || time.Until(keys[0].ExpiresAt).Round(time.Hour) != 90*24*time.Hour {
		t.Fatalf("%+v, %v", keys, err)
	}
	if text := apptest.ReadText(t, tab, "main table"); !strings.Contains(text, "<i>back</i>office") || !strings.Contains(text, keys[0].Hint) || strings.Contains(text, key) {
		t.Errorf("%q", text)
	}
	apptest.Browse(t, tab,
		chromedp.Click(css("main table button.danger")),
		chromedp.Click(css("dialog button.second")), // not after all
		chromedp.WaitNotPresent(css("dialog")),
	)
	if !mayCall(t, a, key) {
		t.Error("it was revoked though that was called off")
	}
	apptest.Browse(t, tab,
		chromedp.Click(css("main table button.danger")),
		chromedp.Click(css("dialog button.danger")),
		chromedp.WaitVisible(css(".notice.good")),
	)
	if mayCall(t, a, key) {
		t.Error("a revoked key works")
	}
}

// TestExpiryOfKeys makes keys with nothing but forms, on both databases.
func TestExpiryOfKeys(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on, apptest.InDevelopment())
		grace := a.NewPerson(t, "grace@example.com", 10)
		p := a.PagesOf(t, grace)
		now := time.Now().UTC()
		tomorrow := now.AddDate(0, 0, 1)
		for name, test := range map[string]struct {
			form   []string
			status int
			ends   time.Time
			told   string
		}{
			"never":      {[]string{"expires", "never"}, http.StatusCreated, time.Time{}, ""},
			"month":      {[]string{"expires", "30"}, http.StatusCreated, now.AddDate(0, 0, 30), ""},
			"year":       {[]string{"expires", "365"}, http.StatusCreated, now.AddDate(0, 0, 365), ""},
			"date":       {[]string{"expires", "date", "date", tomorrow.Format(time.DateOnly)}, http.StatusCreated, tomorrow.Truncate(24*time.Hour).AddDate(0, 0, 1), ""},
			"past":       {[]string{"expires", "date", "date", now.AddDate(0, 0, -1).Format(time.DateOnly)}, http.StatusBadRequest, time.Time{}, "Choose a date that is not over yet."},
			"no date":    {[]string{"expires", "date"}, http.StatusBadRequest, time.Time{}, "Choose a date that is not over yet."},
			"not a span": {[]string{"expires", "-5"}, http.StatusBadRequest, time.Time{}, "Choose when it ends."},
		} {
			got := p.Post(t, "/integrations/keys", append(test.form, "name", name)...)
			if got.Status != test.status || !strings.Contains(got.Body, test.told) {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
			full := regexp.MustCompile(`svc_test_\w{36}`).FindString(got.Body)
			if (full != "") != (test.status == http.StatusCreated) {
				t.Errorf("%s shows the key %q", name, full)
				continue
			}
			keys, err := a.Store.Keys(t.Context(), grace.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, k := range keys {
				if k.Name == name && (k.ExpiresAt.IsZero() != test.ends.IsZero() || k.ExpiresAt.Sub(test.ends).Abs() > time.Minute) {
					t.Errorf("%s ends %v, want %v", name, k.ExpiresAt, test.ends)
				}
			}
		}
		if got := p.Post(t, "/integrations/keys", "name", "month"); got.Status != http.StatusConflict || !strings.Contains(got.Body, `value="month"`) {
			t.Errorf("a label that is taken: %d %s", got.Status, got.Body)
		}
		if got := p.Post(t, "/integrations/keys", "name", " "); got.Status != http.StatusBadRequest {
			t.Errorf("no label: %d", got.Status)
		}
	})
}

// TestWebhookFromItsMakingToItsEnd is what a person does with a webhook.
func TestWebhookFromItsMakingToItsEnd(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t), apptest.InDevelopment())
	grace := a.NewPerson(t, "grace@example.com", 10)
	a.Key = a.NewKey(t, grace, "ci")
	parser := a.NewParser(t, "Invoices", api.Field{Name: "total", Type: "number"})
	receiver := apptest.NewReceiver(t)
	receiver.Answer(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<b>thanks</b>")) })
	tab := a.SignIn(t, grace)
	apptest.Browse(t, tab,
		chromedp.Navigate(a.URL()+"/integrations/webhooks"),
		chromedp.Click(css(".empty a.button")),
		chromedp.SendKeys(css("input[name=url]"), receiver.URL+"/hook"),
		chromedp.SetValue(css("select[name=parser]"), parser),
		chromedp.SendKeys(css("input[name=secret]"), "open sesame"),
		chromedp.Click(css("form.stack button")),
		chromedp.WaitVisible(css("#signing-secret")),
	)
	secret := apptest.ReadText(t, tab, "#signing-secret")
	id := strings.TrimPrefix(a.Location(t, tab), "/integrations/webhooks/")
	if _, err := fieldlift.SigningKey(secret); err != nil || !fieldlift.ValidID(fieldlift.WebhookPrefix, id) {
		t.Fatalf("the secret %q of %q", secret, id)
	}
	apptest.Browse(t, tab, chromedp.Reload(), chromedp.WaitReady(css("body:not(:has(#signing-secret))")))
	if list := webhooksOf(t, a, grace); len(list) != 1 || list[0].ParserID != parser || !list[0].Static || len(list[0].Events) != 3 {
		t.Fatalf("%+v", list)
	}

	press := func(act string) chromedp.Action[chromedp.Void] {
		return chromedp.Click(css(`form[action$="/` + act + `"] button`))
	}
	apptest.Browse(t, tab, press("test"), chromedp.WaitVisible(css(".notice.good")))
	if text := apptest.ReadText(t, tab, ".notice.good"); !strings.Contains(text, "answered 200") {
		t.Errorf("%q", text)
	}
	call := receiver.Wait(t, 1)[0]
	if call.Header.Get("X-Webhook-Secret") != "open sesame" || !strings.Contains(string(call.Body), `"test":true`) {
		t.Errorf("%v %s", call.Header, call.Body)
	}
	apptest.Browse(t, tab, chromedp.Click(css(".delivery summary")), chromedp.WaitVisible(css(".delivery pre")))
	log := apptest.ReadText(t, tab, ".delivery")
	for _, want := range []string{"POST " + receiver.URL + "/hook", `"event": "batch.completed"`, "First try: 200", "<b>thanks</b>"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not tell %q: %s", want, log)
		}
	}

	receiver.AnswerStatus(http.StatusInternalServerError)
	apptest.Browse(t, tab, press("test"), chromedp.WaitVisible(css(".notice.bad")))
	receiver.AnswerStatus(http.StatusOK)
	before := len(receiver.Calls())
	apptest.Browse(t, tab,
		chromedp.Click(css(".delivery summary")),
		chromedp.Click(css(".delivery button")),
		chromedp.WaitVisible(css(".notice.good")),
		press("pause"), chromedp.WaitVisible(css(".badge.warn")),
	)
	receiver.Wait(t, before+1) // it was delivered again
	apptest.Browse(t, tab,
		press("resume"), chromedp.WaitVisible(css(".badge.good")),
		press("rotate"), chromedp.Click(css("dialog button.danger")), chromedp.WaitVisible(css("#signing-secret")),
	)
	if again := apptest.ReadText(t, tab, "#signing-secret"); again == secret {
		t.Error("the secret is the old one")
	}
	apptest.Browse(t, tab,
		press("delete"), chromedp.Click(css("dialog button.danger")),
		chromedp.WaitVisible(css(".empty")),
	)
	if list := webhooksOf(t, a, grace); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// webhooksOf lists an account's webhooks of both kinds.
func webhooksOf(t testing.TB, a *apptest.App, account fieldlift.Account) (all []fieldlift.Webhook) {
	t.Helper()
	for _, kind := range []fieldlift.WebhookKind{fieldlift.APIWebhook, fieldlift.DashboardWebhook} {
		list, _, err := a.Store.Webhooks(context.WithoutCancel(t.Context()), account.ID, kind, fieldlift.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, list...)
	}
	return all
}

// TestWebhookForms has mistakes told in the form, on both databases.
func TestWebhookForms(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on, apptest.InDevelopment(), apptest.With(func(c *app.Config) { c.MaxWebhooks = 2 }))
		grace, other := a.NewPerson(t, "grace@example.com", 10), a.NewPerson(t, "other@example.com", 10)
		a.Key = a.NewKey(t, other, "ci")
		foreign := a.NewParser(t, "Foreign", api.Field{Name: "total"})
		p := a.PagesOf(t, grace)
		const url = "http://127.0.0.1:9/hook"
		for name, test := range map[string]struct {
			form   []string
			status int
			told   string
		}{
			"no address":       {[]string{"events", "batch.failed"}, http.StatusBadRequest, "url"},
			"a bad address":    {[]string{"url", "ftp://example.com", "events", "batch.failed"}, http.StatusBadRequest, "ftp://example.com"},
			"no events":        {[]string{"url", url}, http.StatusBadRequest, "at least one of batch.completed"},
			"the other kind’s": {[]string{"url", url, "events", "extraction.job_completed"}, http.StatusBadRequest, "not an event"},
			"a short secret":   {[]string{"url", url, "events", "batch.failed", "secret", "short"}, http.StatusBadRequest, "at least 8 characters"},
			"another’s parser": {[]string{"url", url, "events", "batch.failed", "parser", foreign}, http.StatusNotFound, "There is no parser"},
		} {
			got := p.Post(t, "/integrations/webhooks", append(test.form, "kind", "dashboard")...)
			if got.Status != test.status || !strings.Contains(got.Body, test.told) || strings.Contains(got.Body, "whsec_") {
				t.Errorf("%s: %d %s", name, got.Status, got.Body)
			}
		}
		if list := webhooksOf(t, a, grace); len(list) != 0 {
			t.Fatalf("%+v", list)
		}
		for kind, event := range map[string]string{"api": "extraction.job_completed", "dashboard": "batch.failed"} {
			got := p.Post(t, "/integrations/webhooks", "kind", kind, "url", url, "events", event)
			if got.Status != http.StatusOK || !strings.Contains(got.Body, "whsec_") {
				t.Errorf("%s: %d %s", kind, got.Status, got.Body)
			}
		}
		if got := p.Post(t, "/integrations/webhooks", "kind", "api", "url", url, "events", "extraction.job_completed"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, "which is the limit") {
			t.Errorf("one too many: %d %s", got.Status, got.Body)
		}
		list := webhooksOf(t, a, grace)
		if page := p.Get(t, "/integrations/webhooks"); len(list) != 2 || !strings.Contains(page.Body, list[0].ID) || !strings.Contains(page.Body, list[1].ID) {
			t.Errorf("%+v on %s", list, page.Body)
		}
		path := "/integrations/webhooks/" + list[0].ID
		if got := p.Post(t, path, "url", "nonsense", "events", "extraction.job_completed"); got.Status != http.StatusBadRequest || !strings.Contains(got.Body, `value="nonsense"`) {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if got := p.Post(t, path, "url", url+"/2", "events", "extraction.document_completed", "secret", "long enough"); got.Status != http.StatusSeeOther {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		changed := webhooksOf(t, a, grace)[0]
		if changed.URL != url+"/2" || changed.Events[0] != fieldlift.EventDocumentCompleted || !changed.Static {
			t.Errorf("%+v", changed)
		}
		if got := p.Post(t, path, "url", url, "events", "extraction.document_completed", "no_secret", "yes"); got.Status != http.StatusSeeOther || webhooksOf(t, a, grace)[0].Static {
			t.Errorf("%d, %+v", got.Status, webhooksOf(t, a, grace)[0])
		}
	})
}

// TestLogOfDeliveries pages and filters, on both databases.
func TestLogOfDeliveries(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on, apptest.InDevelopment())
		grace := a.NewPerson(t, "grace@example.com", 10)
		a.Key = a.NewKey(t, grace, "ci")
		receiver := apptest.NewReceiver(t)
		path := "/integrations/webhooks/" + a.NewWebhook(t, receiver.URL).WebhookID
		p := a.PagesOf(t, grace)
		for i := range 12 {
			if i == 11 {
				receiver.AnswerStatus(http.StatusTeapot)
			}
			if got := p.Post(t, path+"/test"); got.Status != http.StatusOK {
				t.Fatalf("%d %s", got.Status, got.Body)
			}
		}
		seen := map[string]bool{}
		next := path
		for next != "" {
			page := p.Get(t, next)
			for _, id := range regexp.MustCompile(`deliveries/(dlv_\w+)/`).FindAllStringSubmatch(page.Body, -1) {
				if seen[id[1]] {
					t.Errorf("%s comes twice", id[1])
				}
				seen[id[1]] = true
			}
			next = ""
			if link := regexp.MustCompile(`href="([^"]*)" rel="next"`).FindStringSubmatch(page.Body); link != nil {
				next = strings.ReplaceAll(link[1], "&amp;", "&")
			}
		}
		if len(seen) != 12 {
			t.Errorf("%d of 12 deliveries are shown", len(seen))
		}
		failed := p.Get(t, path+"?status=failed")
		if n := strings.Count(failed.Body, `<details class="delivery">`); n != 1 || !strings.Contains(failed.Body, "First try: 418") {
			t.Errorf("%d failed ones: %s", n, failed.Body)
		}
		if got := p.Get(t, path+"?after=nonsense"); got.Status != http.StatusBadRequest {
			t.Errorf("a cursor that is none: %d", got.Status)
		}
		if got := p.Post(t, path+"/pause"); got.Status != http.StatusSeeOther {
			t.Errorf("%d", got.Status)
		}
		second := a.NewWebhook(t, receiver.URL).WebhookID
		for id := range seen {
			if got := p.Post(t, "/integrations/webhooks/"+second+"/deliveries/"+id+"/redeliver"); got.Status != http.StatusNotFound {
				t.Errorf("the other webhook’s delivery: %d", got.Status)
			}
			if got := p.Post(t, path+"/deliveries/"+id+"/redeliver"); got.Status != http.StatusConflict || !strings.Contains(got.Body, "paused") {
				t.Errorf("%d %s", got.Status, got.Body)
			}
			break
		}
		// Nobody is called by hand without end.
		for range 100 {
			if wait, err := a.Store.Throttle(t.Context(), fieldlift.CallThrottles(grace.ID)); err != nil {
				t.Fatal(err)
			} else if wait > 0 {
				break
			}
		}
		before := len(receiver.Calls())
		if got := p.Post(t, path+"/test"); got.Status != http.StatusTooManyRequests || len(receiver.Calls()) != before {
			t.Errorf("%d after too many tests", got.Status)
		}
	})
}

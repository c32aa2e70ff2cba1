package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

func css(selector string) chromedp.CSS { return chromedp.CSS(selector) }

// TestSignUpToSignOut is what a new person does first.
func TestSignUpToSignOut(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.SignUp, c.SignUpCredits = true, 50 }))
	tab := apptest.NewBrowser(t)
	apptest.Browse(t, tab,
		chromedp.Navigate(a.URL()+"/settings"),
		chromedp.WaitVisible(css("input[name=password]")),
		chromedp.Click(css(`a[href="/sign-up"]`)),
		chromedp.SendKeys(css("input[name=email]"), "Grace@example.com"),
		chromedp.SendKeys(css("input[name=name]"), "Grace <b>Hopper</b>"),
		chromedp.SendKeys(css("input[name=password]"), "nanoseconds"),
		chromedp.Click(css("main button[type=submit]")),
		chromedp.WaitVisible(css(".side nav")),
	)
	if text := apptest.ReadText(t, tab, ".side .person span"); text != "Grace <b>Hopper</b>" {
		t.Errorf("the name is shown as %q", text)
	}
	account, err := a.Store.AccountByEmail(t.Context(), "grace@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if balance, err := a.Store.Balance(t.Context(), account.ID); err != nil || balance.Available != 50 {
		t.Errorf("%+v, %v", balance, err)
	}
	apptest.Browse(t, tab,
		chromedp.Navigate(a.URL()+"/settings"),
		chromedp.SendKeys(css("input[name=current]"), "nanoseconds"),
		chromedp.SendKeys(css("input[name=password]"), "microseconds"),
		chromedp.Click(css(`form[action="/settings/password"] button`)),
		chromedp.WaitVisible(css(".notice.good")),
		chromedp.Click(css(".side .person button")),
		chromedp.WaitVisible(css("body.stranger .notice")),
		chromedp.SendKeys(css("input[name=email]"), "grace@example.com"),
		chromedp.SendKeys(css("input[name=password]"), "nanoseconds"),
		chromedp.Click(css("main button[type=submit]")),
		chromedp.WaitVisible(css(".notice.bad")),
	)
}

// TestPagesWithoutScripts signs in with nothing but forms, on both databases.
func TestPagesWithoutScripts(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Launch(t, on)
		grace := a.NewPerson(t, "grace@example.com", 10)
		p := a.NewPages(t)
		if got := p.Get(t, "/settings?x=1"); got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/sign-in?next=%2Fsettings%3Fx%3D1" {
			t.Fatalf("a stranger gets %d to %s", got.Status, got.Header.Get("Location"))
		}
		wrong := p.Post(t, "/sign-in", "email", grace.Email, "password", "wrong")
		nobody := p.Post(t, "/sign-in", "email", "nobody@example.com", "password", "wrong")
		if wrong.Status != http.StatusForbidden || nobody.Status != http.StatusForbidden ||
			strings.ReplaceAll(wrong.Body, grace.Email, "") != strings.ReplaceAll(nobody.Body, "nobody@example.com", "") {
			t.Errorf("a wrong password %d and an unknown address %d can be told apart", wrong.Status, nobody.Status)
		}
		for next, want := range map[string]string{"/settings?x=1": "/settings?x=1", "//evil.example": "/", "https://evil.example": "/", "/\\evil.example": "/"} {
			got := p.Post(t, "/sign-in", "email", grace.Email, "password", apptest.Password, "next", next)
			if got.Status != http.StatusSeeOther || got.Header.Get("Location") != want {
				t.Errorf("%s leads to %d %s", next, got.Status, got.Header.Get("Location"))
			}
		}
		settings := p.Get(t, "/settings")
		if settings.Status != http.StatusOK || strings.Count(settings.Body, "/settings/sessions/ses_") != 4 {
			t.Fatalf("%d %s", settings.Status, settings.Body)
		}
		other := a.PagesOf(t, grace)
		if got := p.Post(t, "/settings/sessions/end"); got.Status != http.StatusSeeOther {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if got := other.Get(t, "/settings"); got.Status != http.StatusSeeOther {
			t.Errorf("a session that was ended gets %d", got.Status)
		}
		if got := p.Post(t, "/sign-out"); got.Status != http.StatusSeeOther {
			t.Errorf("%d %s", got.Status, got.Body)
		}
		if got := p.Get(t, "/settings"); got.Status != http.StatusSeeOther {
			t.Errorf("signed out one gets %d", got.Status)
		}
	})
}

// TestGuessing: who guesses passwords waits longer and longer; who knows it
// from elsewhere is not locked out.
func TestGuessing(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 10)
	p := a.NewPages(t)
	for range 5 {
		if got := p.Post(t, "/sign-in", "email", grace.Email, "password", "guess"); got.Status != http.StatusForbidden {
			t.Fatalf("%d %s", got.Status, got.Body)
		}
	}
	if got := p.Post(t, "/sign-in", "email", grace.Email, "password", apptest.Password); got.Status != http.StatusTooManyRequests || !strings.Contains(got.Body, "second") {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	throttles := fieldlift.SignInThrottles(grace.Email, "192.0.2.1")
	if wait, err := a.Store.Throttle(t.Context(), throttles); err != nil || wait != 0 {
		t.Errorf("from elsewhere: %v, %v", wait, err)
	}
}

func TestSignUpMustBeAllowed(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	p := a.NewPages(t)
	if got := p.Get(t, "/sign-up"); got.Status != http.StatusNotFound {
		t.Errorf("%d", got.Status)
	}
	if got := p.Post(t, "/sign-up", "email", "x@example.com", "password", "long enough"); got.Status != http.StatusNotFound {
		t.Errorf("%d", got.Status)
	}
	if _, err := a.Store.AccountByEmail(t.Context(), "x@example.com"); fieldlift.CodeOf(err) != fieldlift.ResourceNotFound {
		t.Error(err)
	}
}

// TestHeaders: what every page tells the browser, and what a foreign site
// cannot have it do.
func TestHeaders(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 10)
	p := a.PagesOf(t, grace)
	for _, path := range []string{"/", "/settings", "/sign-in", "/nothing-here"} {
		got := p.Get(t, path)
		policy := got.Header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "default-src 'none'") || !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "unsafe") ||
			got.Header.Get("X-Content-Type-Options") != "nosniff" || got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("X-Request-Id") == "" {
			t.Errorf("%s: %v", path, got.Header)
		}
	}
	foreign := p.Do(t, "POST", "/sign-out", "", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example")
	if foreign.Status != http.StatusForbidden {
		t.Errorf("a foreign site's form: %d", foreign.Status)
	}
	if got := p.Get(t, "/settings"); got.Status != http.StatusOK {
		t.Errorf("it signed the person out: %d", got.Status)
	}
	if got := p.Do(t, "GET", "/nothing-here", "", "", "Accept", "*/*"); got.Status != http.StatusNotFound || !strings.HasPrefix(got.Body, "{") {
		t.Errorf("a program gets %d %s", got.Status, got.Body)
	}
	signIn := a.NewPages(t).Do(t, "POST", "/sign-in", "email=grace%40example.com&password=correct+horse+battery", "application/x-www-form-urlencoded", "X-Forwarded-Proto", "https")
	cookie := signIn.Header.Get("Set-Cookie")
	for _, part := range []string{"__Host-fieldlift_session=", "HttpOnly", "Secure", "SameSite=Lax", "Path=/"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("behind HTTPS the cookie is %q", cookie)
		}
	}
}

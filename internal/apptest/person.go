package apptest

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"fieldlift"
	"fieldlift/internal/password"
)

// Password is that of every person.
const Password = "correct horse battery"

var passwordHash = sync.OnceValues(func() (string, error) { return password.Hash(Password) })

// NewPerson makes an account with credits that can sign in, with Password.
func (a *App) NewPerson(t testing.TB, email string, credits int64) fieldlift.Account {
	t.Helper()
	hash, err := passwordHash()
	if err != nil {
		t.Fatal(err)
	}
	account, err := a.Store.CreateAccount(t.Context(), fieldlift.Account{Email: email, Name: "Grace", PasswordHash: hash}, credits)
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// SignIn opens a tab in which a person has signed in.
func (a *App) SignIn(t testing.TB, account fieldlift.Account) context.Context {
	t.Helper()
	tab := NewBrowser(t)
	Browse(t, tab,
		chromedp.Navigate(a.URL()+"/sign-in"),
		chromedp.SendKeys(chromedp.CSS("input[name=email]"), account.Email),
		chromedp.SendKeys(chromedp.CSS("input[name=password]"), Password),
		chromedp.Click(chromedp.CSS("main button[type=submit]")),
		chromedp.WaitReady(chromedp.CSS("body:not(.stranger)")),
	)
	return tab
}

// Pages is a browser without scripts: it keeps cookies, follows no redirect,
// and tells what came.
type Pages struct {
	url  string
	http *http.Client
}

// NewPages is a browser without scripts in which nobody has signed in.
func (a *App) NewPages(t testing.TB) *Pages {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Pages{a.URL(), &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// PagesOf is a browser without scripts in which the account has signed in; it
// needs no password for that.
func (a *App) PagesOf(t testing.TB, account fieldlift.Account) *Pages {
	t.Helper()
	p := a.NewPages(t)
	token := fieldlift.NewSessionToken()
	if _, err := a.Store.OpenSession(t.Context(), fieldlift.Session{AccountID: account.ID, Agent: "test"}, token); err != nil {
		t.Fatal(err)
	}
	where, err := url.Parse(a.URL())
	if err != nil {
		t.Fatal(err)
	}
	p.http.Jar.SetCookies(where, []*http.Cookie{{Name: "fieldlift_session", Value: token, Path: "/"}})
	return p
}

// Shown is a page as it came.
type Shown struct {
	Status int
	Header http.Header
	Body   string
}

// Get asks for a page.
func (p *Pages) Get(t testing.TB, path string) Shown {
	t.Helper()
	return p.Do(t, "GET", path, "", "")
}

// Post sends a form: names and values in turn.
func (p *Pages) Post(t testing.TB, path string, values ...string) Shown {
	t.Helper()
	form := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		form.Add(values[i], values[i+1])
	}
	return p.Do(t, "POST", path, form.Encode(), "application/x-www-form-urlencoded")
}

// Do sends anything; more are names and values of headers in turn.
func (p *Pages) Do(t testing.TB, method, path, body, contentType string, more ...string) Shown {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, p.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/html")
	if contentType != "" {
		request.Header.Set("Content-Type", contentType)
	}
	for i := 0; i+1 < len(more); i += 2 {
		request.Header.Set(more[i], more[i+1])
	}
	response, err := p.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Shown{response.StatusCode, response.Header, string(text)}
}

// Stream asks for a page that never ends and gives its lines as they come.
func (p *Pages) Stream(t testing.TB, path string) <-chan string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Accept", "text/event-stream")
	response, err := p.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	lines := make(chan string)
	var reader sync.WaitGroup
	reader.Go(func() {
		defer close(lines)
		for scan := bufio.NewScanner(response.Body); scan.Scan(); {
			select {
			case lines <- scan.Text():
			case <-t.Context().Done():
				return
			}
		}
	})
	t.Cleanup(func() {
		response.Body.Close()
		reader.Wait()
	})
	return lines
}

package apptest

import (
	"context"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// chromium is the headless browser that the package's tests share; each has a
// profile of its own in it.
var chromium struct {
	sync.Mutex
	browser context.Context
	close   func()
}

func sharedChromium() (context.Context, error) {
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.browser != nil {
		return chromium.browser, nil
	}
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true))
	allocator, free := chromedp.NewExecAllocator(context.Background(), options...)
	browser, closeBrowser := chromedp.NewContext(allocator)
	end := func() {
		closeBrowser()
		free()
	}
	if err := chromedp.Do(browser); err != nil { // starts it
		end()
		return nil, err
	}
	chromium.browser, chromium.close = browser, end
	return browser, nil
}

// refusal is what the browser says when a page tells what was wrong with a
// form: that is no error of the page. What is not there or fails still is one.
var refusal = regexp.MustCompile(`the server responded with a status of (400|402|403|409|429) `)

func closeChromium() {
	chromium.Lock()
	defer chromium.Unlock()
	if chromium.close != nil {
		chromium.close()
	}
}

// NewBrowser opens a tab of a headless Chromium, with cookies and a cache of
// its own, that is closed when the test ends. Errors on its pages, broken
// content security policies among them, fail the test.
func NewBrowser(t testing.TB) context.Context {
	t.Helper()
	browser, err := sharedChromium()
	if err != nil {
		t.Fatalf(`chromium is needed: install Debian's package chromium ("make test" does): %v`, err)
	}
	tab, closeTab := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	messages := chromedp.Console(tab)
	var reader sync.WaitGroup
	reader.Go(func() {
		for message, err := range messages {
			if err != nil {
				return // the tab is closed
			}
			if (message.IsException() || message.Type == "error") && !refusal.MatchString(message.String()) {
				t.Errorf("on the page: %s", message)
			}
		}
	})
	t.Cleanup(func() {
		closeTab()
		reader.Wait()
	})
	if err := chromedp.Do(tab, chromedp.EmulateViewport(1280, 900)); err != nil { // opens it, without the deadline below
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tab, 2*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Browse does things in a tab, in order. A step whose element went while it was
// looked at, because another page came, had no effect and is done again.
func Browse(t testing.TB, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	for i, step := range steps {
		err := chromedp.Do(tab, step)
		for err != nil && strings.Contains(err.Error(), "Could not find node with given id") {
			err = chromedp.Do(tab, step)
		}
		if err != nil {
			t.Fatalf("step %d: %v", i+1, err)
		}
	}
}

// ReadText reads what a person sees of the element that a CSS selector finds.
func ReadText(t testing.TB, tab context.Context, selector string) string {
	t.Helper()
	text, err := chromedp.Run(tab, chromedp.Text(chromedp.CSS(selector)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// Location tells where a tab is, without the service's address.
func (a *App) Location(t testing.TB, tab context.Context) string {
	t.Helper()
	url, err := chromedp.Run(tab, chromedp.Location())
	if err != nil {
		t.Fatal(err)
	}
	return url[min(len(url), len(a.URL())):]
}

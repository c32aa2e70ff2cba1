package apptest

import (
	"context"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// NewBrowser opens a tab of a headless Chromium that is closed when the test
// ends. Errors on its pages, broken content security policies among them,
// fail the test.
func NewBrowser(t testing.TB) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(`chromium is needed: install Debian's package chromium ("make test" does)`)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox,
		chromedp.DisableGPU, chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-quic", true))
	allocator, free := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(free)
	tab, closeTab := chromedp.NewContext(allocator)
	messages := chromedp.Console(tab)
	var reader sync.WaitGroup
	reader.Go(func() {
		for message, err := range messages {
			if err != nil {
				return // the tab is closed
			}
			if message.IsException() || message.Type == "error" {
				t.Errorf("on the page: %s", message)
			}
		}
	})
	t.Cleanup(func() {
		closeTab()
		reader.Wait()
	})
	if err := chromedp.Do(tab); err != nil { // starts the browser, without the deadline below
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// Browse does things in a tab, in order.
func Browse(t testing.TB, tab context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(tab, steps...); err != nil {
		t.Fatal(err)
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

package dashboard_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/example"
)

// evaluate runs a script in a tab and gives what it comes to.
func evaluate[T any](t testing.TB, tab context.Context, script string) T {
	t.Helper()
	value, err := chromedp.Run(tab, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return value
}

// exampleFile is the example on this computer's disk.
func exampleFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), example.InvoiceName)
	if err := os.WriteFile(path, example.Invoice(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// longFile has more pages than are tried.
func longFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "long.pdf")
	if err := os.WriteFile(path, apptest.PDF("1", "2", "3", "4", "5", "6"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// row is the selector of a field's row in the editor, counted from 1.
func row(n string, more string) chromedp.CSS {
	return css("#editor > .nest > .fields > .field:nth-child(" + n + ") " + more)
}

const names = `[...document.querySelectorAll("#editor > .nest > .fields > .field > .line > .name")].map((e) => e.value)`

func saved(t *testing.T, a *apptest.App, account fieldlift.Account) []fieldlift.Field {
	t.Helper()
	parsers, _, err := a.Store.Parsers(t.Context(), account.ID, fieldlift.Page{Limit: 1})
	if err != nil || len(parsers) != 1 {
		t.Fatalf("%v, %v", parsers, err)
	}
	return parsers[0].Schema.Fields()
}

// TestDetectionInABrowser takes a person from nothing to a parser: a sample,
// the fields found in it with their values and places, and what is made of them.
func TestDetectionInABrowser(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 5)
	tab := a.SignIn(t, grace)
	apptest.Browse(t, tab,
		chromedp.Click(css(`a[href="/parsers/new"]`)),
		chromedp.SendKeys(css("input[name=name]"), "Supplier invoices"),
		chromedp.Click(css("main button[type=submit]")),
		chromedp.WaitVisible(css("#detect")),
		chromedp.SetUploadFiles(css("#detect input[type=file]"), []string{exampleFile(t)}),
		chromedp.Click(css("#detect button[type=submit]")),
		chromedp.WaitVisible(css(".field .value")),
	)
	if found := evaluate[string](t, tab, `document.querySelector("#editor").innerText`); !strings.Contains(found, "LS-2026-0418") || !strings.Contains(found, "5 rows") || !strings.Contains(found, "Desk lamp") {
		t.Errorf("the values of the sample are not shown: %s", found)
	}
	apptest.Browse(t, tab, until(`document.querySelector(".sheet img").naturalWidth > 300`))

	// Pointing at a field lights its place, and pointing at a place its field.
	at := slices.Index(evaluate[[]string](t, tab, names), "invoice_number") + 1
	n := string(rune('0' + at))
	apptest.Browse(t, tab, chromedp.Focus(row(n, ".name")), chromedp.WaitReady(css("rect.lit")))
	if key := evaluate[bool](t, tab, `document.querySelector("rect.lit").dataset.key === document.querySelector(".field.lit").dataset.key`); !key {
		t.Error("another place is lit")
	}
	apptest.Browse(t, tab, chromedp.Evaluate[chromedp.Void](`(() => {
		const key = [...document.querySelectorAll(".field")].find((e) => e.querySelector(".name").value === "total_amount").dataset.key;
		document.querySelector("rect[data-key=" + key + "]").dispatchEvent(new MouseEvent("click", { bubbles: true }));
	})()`))
	if focused := evaluate[string](t, tab, `document.activeElement.value`); focused != "total_amount" {
		t.Errorf("a click on the total leads to %q", focused)
	}

	// Drop one, bring it back, drop it again; rename one, and the preview follows.
	apptest.Browse(t, tab,
		chromedp.Click(row("1", ".remove")),
		chromedp.Click(css(".dropped button")),
		chromedp.Click(row("1", ".remove")),
		chromedp.WaitVisible(css(".dropped")),
		chromedp.Click(css("#save")),
		chromedp.WaitNotPresent(css(".dropped")),
	)
	apptest.Browse(t, tab, until(`document.querySelector("#state").textContent === "Saved"`))
	if evaluate[[]string](t, tab, names)[0] != "invoice_number" {
		t.Errorf("%v", evaluate[[]string](t, tab, names))
	}
	apptest.Browse(t, tab,
		chromedp.Evaluate[chromedp.Void](`document.querySelector("#editor .field .name").select()`),
		chromedp.SendKeys(row("1", ".name"), "the_due_date"),
		chromedp.Evaluate[chromedp.Void](`(() => {
			const type = document.querySelector("#editor .field .type");
			type.value = "date";
			type.dispatchEvent(new Event("change"));
		})()`))
	apptest.Browse(t, tab, until(`document.querySelector("#editor .field .found").textContent.includes("2026-04-01")`))

	// Another file of this computer is looked at without being charged for.
	apptest.Browse(t, tab,
		chromedp.SetUploadFiles(css("#try-file"), []string{exampleFile(t)}),
		chromedp.WaitVisible(css(`.sheet img[src^="blob:"]`)),
		chromedp.Click(css("#back-to-sample")),
		chromedp.WaitNotPresent(css(`.sheet img[src^="blob:"]`)),
		chromedp.SetUploadFiles(css("#try-file"), []string{longFile(t)}),
		until(`document.querySelector("#state").textContent.includes("6 pages")`),
		until(`document.querySelector("#shown-file").textContent === "`+example.InvoiceName+`"`),
		chromedp.Click(css("#save")),
	)
	apptest.Browse(t, tab, until(`document.querySelector("#state").textContent === "Saved"`))
	if fields := saved(t, a, grace); fields[0].Name != "the_due_date" || fields[0].Type != fieldlift.DateField {
		t.Errorf("%+v", fields[0])
	}
	if balance, err := a.Store.Balance(t.Context(), grace.ID); err != nil || balance.Used != 1 {
		t.Errorf("%+v, %v", balance, err)
	}
}

// TestEditorInABrowser writes fields by hand, with nothing but the keyboard
// where that is possible.
func TestEditorInABrowser(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 5)
	at := makeParser(t, a.PagesOf(t, grace), "By hand")
	tab := a.SignIn(t, grace)
	add := css("#editor > .nest > .add")
	apptest.Browse(t, tab,
		chromedp.Navigate(a.URL()+at+"/fields"),
		chromedp.Click(add),
		chromedp.SendKeys(row("1", ".name"), "vendor"),
		chromedp.Click(add),
		chromedp.SendKeys(row("2", ".name"), "vendor"),
		chromedp.Click(css("#save")),
		chromedp.WaitVisible(row("2", ".wrong")),
	)
	if told := apptest.ReadText(t, tab, "#editor .field:nth-child(2) .wrong"); !strings.Contains(told, "used twice") {
		t.Errorf("%q", told)
	}
	apptest.Browse(t, tab,
		chromedp.SendKeys(row("2", ".name"), "s_items"),
		chromedp.Evaluate[chromedp.Void](`(() => {
			const type = document.querySelector("#editor .field:nth-child(2) .type");
			type.value = "table";
			type.dispatchEvent(new Event("change"));
		})()`),
		chromedp.SendKeys(row("2", ".nest .name"), "amount"),
		chromedp.Click(row("1", ".more")),
		chromedp.SendKeys(row("1", ".description"), "Who sends it"),
		chromedp.SendKeys(row("1", ".enum"), "ACME\nUmbrella"),
		chromedp.Click(row("1", ".required")),
		// The grip moves with the arrow keys, and says where it is.
		chromedp.Focus(row("1", ".grip")),
		chromedp.KeyEvent(kb.ArrowDown),
	)
	apptest.Browse(t, tab, until(names+`.join() === "vendors_items,vendor"`))
	if said := apptest.ReadText(t, tab, "#announce"); said != "vendor, 2 of 2" {
		t.Errorf("it says %q", said)
	}
	if on := evaluate[string](t, tab, `document.activeElement.className`); !strings.Contains(on, "grip") {
		t.Errorf("the focus is on %q", on)
	}

	// And with the pointer.
	place := func(n string) []float64 {
		return evaluate[[]float64](t, tab, `(() => { const b = document.querySelector("#editor > .nest > .fields > .field:nth-child(`+n+`) .grip").getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()`)
	}
	from, to := place("2"), place("1")
	apptest.Browse(t, tab,
		chromedp.MouseEvent(chromedp.MousePressed, from[0], from[1], chromedp.ButtonLeft, chromedp.ClickCount(1)),
		chromedp.MouseEvent(chromedp.MouseMoved, to[0], to[1]-5, chromedp.ButtonLeft),
		chromedp.MouseEvent(chromedp.MouseReleased, to[0], to[1]-5, chromedp.ButtonLeft, chromedp.ClickCount(1)),
	)
	apptest.Browse(t, tab, until(names+`.join() === "vendor,vendors_items"`))

	// The other view has what this one has, and the other way round.
	apptest.Browse(t, tab, chromedp.Click(css("#view-schema")), chromedp.WaitVisible(css("#schema-text")))
	schema := evaluate[string](t, tab, `document.querySelector("#schema-text").value`)
	if !strings.Contains(schema, `"ACME"`) || !strings.Contains(schema, `"amount": {`) {
		t.Errorf("%s", schema)
	}
	apptest.Browse(t, tab,
		chromedp.Evaluate[chromedp.Void](`(() => {
			const text = document.querySelector("#schema-text");
			text.value = text.value.replace('"array"', '"heap"');
			text.dispatchEvent(new Event("input"));
		})()`),
		chromedp.WaitVisible(css("#schema-faults button")),
	)
	line := slices.IndexFunc(strings.Split(schema, "\n"), func(l string) bool { return strings.Contains(l, `"array"`) }) + 1
	if told := evaluate[string](t, tab, `document.querySelector(".wrong-line").textContent.trim()`); told == "" || apptest.ReadText(t, tab, "#schema-faults button") != "Line "+told || told != evaluate[string](t, tab, "String("+strconv.Itoa(line)+")") {
		t.Errorf("line %s is marked, not %d", told, line)
	}
	apptest.Browse(t, tab,
		chromedp.Evaluate[chromedp.Void](`(() => {
			const text = document.querySelector("#schema-text");
			text.value = text.value.replace('"heap"', '"array"').replace('"amount"', '"sum"');
			text.dispatchEvent(new Event("input"));
		})()`),
		chromedp.Click(css("#view-fields")),
		chromedp.WaitVisible(row("2", ".nest .name")),
		chromedp.Click(css("#save")),
	)
	apptest.Browse(t, tab, until(`document.querySelector("#state").textContent === "Saved"`))
	fields := saved(t, a, grace)
	if len(fields) != 2 || !fields[0].Required || fields[0].Description != "Who sends it" || len(fields[0].Enum) != 2 ||
		fields[1].Type != fieldlift.ArrayField || fields[1].Items.Fields[0].Name != "sum" {
		t.Errorf("%+v", fields)
	}

	// It can be tried, and deleted after a question.
	apptest.Browse(t, tab,
		chromedp.Navigate(a.URL()+at+"/try"),
		chromedp.SetUploadFiles(css("#file"), []string{exampleFile(t)}),
		chromedp.WaitVisible(css(".found-values")),
		chromedp.WaitVisible(css(".sheet img")),
		chromedp.Navigate(a.URL()+at+"/settings"),
		chromedp.Click(css("button.danger")),
		chromedp.WaitVisible(css("dialog[open]")),
		chromedp.Click(css("dialog .danger")),
		chromedp.WaitVisible(css(".empty")),
	)
}

// TestTheExampleInABrowser is the first minute of a new person: one click, and
// an invoice is read.
func TestTheExampleInABrowser(t *testing.T) {
	a := apptest.Launch(t, apptest.OnSQLite(t))
	grace := a.NewPerson(t, "grace@example.com", 5)
	tab := a.SignIn(t, grace)
	apptest.Browse(t, tab,
		chromedp.Click(css(`form[action="/example"] button`)),
		chromedp.WaitVisible(css("#values")),
	)
	if values := apptest.ReadText(t, tab, "#values"); !strings.Contains(values, "LS-2026-0418") || !strings.Contains(values, "Desk lamp, oak and linen") {
		t.Errorf("%s", values)
	}
	apptest.Browse(t, tab,
		chromedp.Navigate(a.URL()+"/"),
		chromedp.WaitVisible(css(`a[href^="/extractions/ext_"]`)),
	)
}

package layout

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// prepare reads pages for a schema and stops before anything is decided.
func prepare(t testing.TB, fields string, pages ...page.Page) (*extraction, []choice) {
	t.Helper()
	x, choices, err := New().prepare(t.Context(), engine.Request{Pages: pages, Fields: fieldsOf(t, fields)})
	if err != nil {
		t.Fatal(err)
	}
	return x, choices
}

// candidatesWith gives the values of candidates that have a piece of evidence,
// each once and in order.
func candidatesWith(candidates []candidate, f feature) []string {
	var found []string
	for _, c := range candidates {
		if text := fmt.Sprint(c.value); c.evidence[f] != 0 && !slices.Contains(found, text) {
			found = append(found, text)
		}
	}
	return found
}

func TestFindRows(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // labels, from each place where they may begin, and amounts
	}{
		"an amount":                     {"Total   12.00", []string{"Total: 12.00"}},
		"in one segment":                {"Total 12.00", []string{"Total: 12.00"}},
		"several amounts":               {"Tax   2.00   14.00", []string{"Tax: 2.00 14.00"}},
		"too many":                      {"Rope   1.00   2.00   3.00   4.00", nil},
		"a currency behind it":          {"Total   12.00 EUR", []string{"Total: 12.00"}},
		"a mark behind it":              {"Bread   1.20 A", []string{"Bread: 1.20"}},
		"words behind it":               {"12.00   due today", nil},
		"words between":                 {"Paid 5.00 of the total 12.00", []string{"Paid 5.00 of the total: 12.00"}},
		"figures that are no amount":    {"Pages   12", nil},
		"no label":                      {"12.00", nil},
		"a currency instead of label":   {"EUR 12.00", nil},
		"a label in two parts":          {"Total sales   (inclusive of GST)   12.00", []string{"Total sales (inclusive of GST)|(inclusive of GST): 12.00"}},
		"a label that begins too early": {"Goods remain ours until they are paid   Amount due   12.00", []string{"Amount due: 12.00"}},
		"prose":                         {"All of the goods in here remain ours until paid 12.00", nil},
		"one a line":                    {"Net   10.00\nTax   2.00\n\nThank you\nTotal   12.00", []string{"Net: 10.00", "Tax: 2.00", "Total: 12.00"}},
	} {
		x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, c.text))
		var got []string
		for _, r := range x.figureRows {
			var labels, amounts []string
			for _, from := range r.starts {
				labels = append(labels, x.text(span{from, r.to}))
			}
			for _, a := range r.amounts {
				amounts = append(amounts, fmt.Sprint(a.value))
			}
			got = append(got, strings.Join(labels, "|")+": "+strings.Join(amounts, " "))
			if s := x.segments[r.segment]; r.to <= s.from || r.to > s.to {
				t.Errorf("%s: the label ends in segment %q", name, x.text(s.span))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestRowsAreBounded(t *testing.T) {
	var pages []page.Page
	for n := range 10 {
		pages = append(pages, sheet(n+1, strings.Repeat(fmt.Sprintf("Item   %d.00\n", n+1), 50)))
	}
	x, _ := prepare(t, `[{"name":"nothing"}]`, pages...)
	first, last := x.figureRows[0].amounts[0], x.figureRows[mostRows-1].amounts[0]
	if len(x.figureRows) != mostRows || first.number != 1 || last.number != 10 {
		t.Errorf("%d rows, from %v to %v", len(x.figureRows), first.number, last.number)
	}
}

func TestFindSettled(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []int64 // cents
	}{
		"cash and change":    {"Total   12.00\nCash   50.00\nChange   38.00", []int64{1200}},
		"change is negative": {"Cash   50.00\nChange   -38.00", []int64{1200}},
		"no change":          {"Cash   12.00", []int64{1200}},
		"change alone":       {"Change   38.00", nil},
		"nothing paid":       {"Net   10.00\nTotal   12.00", nil},
	} {
		x, _ := prepare(t, `[{"name":"total","type":"number"}]`, sheet(1, c.text))
		var got []int64
		for cents, role := range x.facts.sums {
			if role.isSettled {
				got = append(got, cents)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestRowed(t *testing.T) {
	for name, c := range map[string]struct {
		fields, text       string
		rows, early, gross []string
	}{
		"a label in two parts": {`[{"name":"total","type":"number"}]`, "Total   (incl. VAT)   12.00", []string{"12.00"}, nil, []string{"12.00"}},
		"several amounts":      {`[{"name":"total","type":"number"}]`, "Total   10.00   12.00", []string{"10.00", "12.00"}, []string{"10.00"}, nil},
		"another label":        {`[{"name":"total","type":"number"}]`, "Rope   12.00", nil, nil, nil},
		"text is asked for":    {`[{"name":"total"}]`, "Total   12.00", nil, nil, nil},
		"a list is asked for":  {`[{"name":"total","type":"array","items":{"type":"number"}}]`, "Total   12.00", nil, nil, nil},
	} {
		x, _ := prepare(t, c.fields, sheet(1, c.text))
		g := generator{extraction: x, t: &x.targets[0]}
		g.rowed()
		for f, want := range map[feature][]string{relationRow: c.rows, rowEarly: c.early, rowGross: c.gross} {
			if got := candidatesWith(g.found, f); !slices.Equal(got, want) {
				t.Errorf("%s: %s has %q, want %q", name, featureNames[f], got, want)
			}
		}
	}
}

package layout

import (
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/page"
)

// recognised makes the words of a sheet such as were recognised.
func recognised(p page.Page) page.Page {
	for i := range p.Words {
		p.Words[i].Source, p.Words[i].Confidence = fieldlift.SourceOCR, 0.95
	}
	return p
}

// A number that recognition has cut is joined, or doubted.
func TestCutNumbers(t *testing.T) {
	const fields = `[{"name":"subtotal","type":"number"},{"name":"tax","type":"number"},{"name":"total","type":"number"}]`
	const text = "RECEIPT\n\nSubtotal   19.83\nTax        3.96\nTotal      23.79\n"
	whole := extract(t, fields, recognised(sheet(1, text))).Metadata["/total"].Confidence
	if whole < 0.8 {
		t.Fatalf("a whole number has %v", whole)
	}
	cut := extract(t, fields, recognised(sheet(1, strings.Replace(text, "23.79", "  .79", 1)))).Metadata["/total"]
	if cut.Confidence > cutConfidence {
		t.Errorf("%q has %v", cut.Text, cut.Confidence)
	}
	p := recognised(sheet(1, text))
	last := &p.Words[len(p.Words)-1]
	rest := *last
	last.Text, rest.Text = "23", ".79"
	last.Box.X1 = last.Box.X0 + 0.4*last.Box.Width()
	rest.Box.X0 = last.Box.X1 + 0.001
	p.Words = append(p.Words, rest)
	joined := extract(t, fields, p)
	if want := `"total":23.79`; !strings.Contains(string(joined.Data), want) || joined.Metadata["/total"].Text != "23.79" {
		t.Errorf("%s, %q", joined.Data, joined.Metadata["/total"].Text)
	}
}

// Recognised amounts that do not add up are doubted, printed ones are not.
func TestDoubtSums(t *testing.T) {
	const fields = `[{"name":"subtotal","type":"number"},{"name":"tax","type":"number"},{"name":"shipping","type":"number"},{"name":"total","type":"number"}]`
	const text = "RECEIPT\n\nSubtotal   19.83\nTax        3.96\nShipping   5.00\nTotal      28.79\n"
	confidence := func(p page.Page) float64 { return extract(t, fields, p).Metadata["/tax"].Confidence }
	right, wrong := sheet(1, text), sheet(1, strings.Replace(text, "3.96", "6.96", 1))
	if a, b := confidence(wrong), confidence(recognised(wrong)); b > 0.8*a {
		t.Errorf("printed %v, recognised %v", a, b)
	}
	if a := confidence(recognised(right)); a < 0.8 {
		t.Errorf("amounts that add up have %v", a)
	}
}

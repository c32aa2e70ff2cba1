package layout

import (
	"testing"

	"fieldlift"
	"fieldlift/internal/einvoice"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// TestGivenAnswers has an electronic invoice say other things than its page:
// what is given counts, and is placed where it is printed.
func TestGivenAnswers(t *testing.T) {
	r := engine.Request{
		Pages: []page.Page{sheet(1, "Invoice number: R-1\nInvoice date: 2026-05-03\nTotal: 119.00")},
		Fields: fieldsOf(t, `[{"name":"invoice_number"},{"name":"invoice_date","type":"date"},{"name":"total","type":"number"},{"name":"buyer_reference"},
			{"name":"line_items","type":"array","fields":[{"name":"description"},{"name":"quantity","type":"number"},{"name":"unit_price","type":"number"}]}]`),
		Given: []einvoice.Given{
			{Labels: []string{"invoice number"}, Type: einvoice.Text, Value: "R-1"},
			{Labels: []string{"invoice date"}, Type: einvoice.Date, Value: "2026-05-04"},
			{Labels: []string{"total"}, Type: einvoice.Text, Value: "no number"},
			{Labels: []string{"buyer reference"}, Type: einvoice.Text, Value: "04011000-12345-67"},
			{Labels: []string{"description"}, Type: einvoice.Text, Value: "Rope", Line: 1},
			{Labels: []string{"quantity"}, Type: einvoice.Number, Value: "2", Line: 1},
			{Labels: []string{"unit price"}, Type: einvoice.Number, Value: "9.50", Line: 2},
			{Labels: []string{"description"}, Type: einvoice.Text, Value: "Anchor", Line: 2},
		},
	}
	answer, err := New().Extract(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"invoice_number":"R-1","invoice_date":"2026-05-04","total":119.00,"buyer_reference":"04011000-12345-67",` +
		`"line_items":[{"description":"Rope","quantity":2,"unit_price":null},{"description":"Anchor","quantity":null,"unit_price":9.50}]}`
	if string(answer.Data) != want {
		t.Errorf("%s, want %s", answer.Data, want)
	}
	for pointer, printed := range map[string]bool{"/invoice_number": true, "/invoice_date": false, "/buyer_reference": false} {
		m := answer.Metadata[pointer]
		if m.Source != fieldlift.SourceForm || (len(m.Boxes) > 0) != printed || m.Text == "" || m.Confidence < givenConfidence {
			t.Errorf("%s has %+v", pointer, m)
		}
	}
	if m := answer.Metadata["/total"]; m.Source != fieldlift.SourceText {
		t.Errorf("the total is of %+v", m)
	}
}

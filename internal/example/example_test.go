package example_test

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"

	"fieldlift/api"
	"fieldlift/internal/apptest"
	"fieldlift/internal/example"
	"fieldlift/internal/value"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }

func TestTheServiceReadsTheExampleCompletely(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	p := example.Parser()
	parser, err := a.Client().CreateParser(t.Context(), api.ParserCreate{
		Name: p.Name, DocumentType: &p.DocumentType, Schema: json.RawMessage(p.Schema.String()),
	})
	if err != nil {
		t.Fatal(err)
	}
	x := a.Accepted(t, parser.ParserID, apptest.File{Name: example.InvoiceName, Content: example.Invoice()})
	d := a.Finished(t, x.ExtractionID).Documents[0]
	want := `{"invoice_number":"LS-2026-0418","invoice_date":"2026-03-02","vendor_name":"Larkspur Office Supplies Ltd","currency":"EUR","total":578.10,` +
		`"line_items":[` +
		`{"description":"Recycled paper A4, 500 sheets","quantity":20,"unit_price":4.90,"amount":98.00},` +
		`{"description":"Fountain pen, fine nib","quantity":3,"unit_price":32.50,"amount":97.50},` +
		`{"description":"Desk lamp, oak and linen","quantity":2,"unit_price":74.00,"amount":148.00},` +
		`{"description":"Notebook A5, dotted, 192 pages","quantity":12,"unit_price":9.80,"amount":117.60},` +
		`{"description":"Delivery","quantity":1,"unit_price":8.90,"amount":8.90}]}`
	if got := string(d.ExtractedData); got != want {
		t.Errorf("it reads\n%s, not\n%s", got, want)
	}
	if len(d.Validation) > 0 {
		t.Errorf("it breaks rules: %+v", d.Validation)
	}
	for pointer, m := range d.FieldMetadata {
		if len(m.Boxes) == 0 || m.Confidence < 0.5 {
			t.Errorf("%s: %+v", pointer, m)
		}
	}
}

func TestTheFieldsOfTheExampleAreDetected(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser := a.NewParser(t, "Detected")
	found, err := a.Client().DetectFields(t.Context(), parser, api.Detection{
		File: api.Upload{Name: example.InvoiceName, Content: bytes.NewReader(example.Invoice())},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"vendor_name", "customer_name", "invoice_number", "invoice_date", "due_date", "line_items", "subtotal", "total_amount", "iban"} {
		if !bytes.Contains(found.Schema, []byte(`"`+name+`":`)) {
			t.Errorf("%s is not among %s", name, found.Schema)
		}
	}
}

func TestTheIBANOfTheExampleHasItsCheckDigits(t *testing.T) {
	if _, ok := value.IBAN("IE71 EXMP 9000 1712 3456 78"); !ok || !bytes.Contains(example.Invoice(), []byte("IE71 EXMP 9000 1712 3456 78")) {
		t.Error("it has not")
	}
}

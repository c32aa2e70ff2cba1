package dashboard_test

import (
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/apptest"
)

// desk is a service with a person who has a parser for invoices.
type desk struct {
	*apptest.App
	person fieldlift.Account
	parser string
}

func newDesk(t testing.TB, options ...apptest.Option) desk {
	t.Helper()
	a := apptest.Launch(t, options...)
	d := desk{App: a, person: a.NewPerson(t, "grace@example.com", 1000)}
	a.Key = a.NewKey(t, d.person, "test")
	d.parser = a.NewParser(t, "Invoices", invoiceFields...)
	return d
}

var invoiceFields = []api.Field{
	{Name: "vendor", Type: "object", Fields: []api.Field{{Name: "name"}, {Name: "vat_id"}}},
	{Name: "invoice_number", Required: true, Description: "As printed at the top"},
	{Name: "invoice_date", Type: "date"},
	{Name: "purchase_order", Required: true},
	{Name: "currency", Enum: []any{"EUR", "USD", "GBP"}},
	{Name: "paid", Type: "boolean"},
	{Name: "items", Type: "array", Fields: []api.Field{{Name: "description"}, {Name: "quantity", Type: "number"}, {Name: "price", Type: "number"}, {Name: "amount", Type: "number"}}},
	{Name: "subtotal", Type: "number"},
	{Name: "tax", Type: "number"},
	{Name: "total", Type: "number", Description: "What is to be paid, tax included"},
}

// bill is an invoice of two pages whose total is wrong by one.
func bill(number string) []byte {
	return apptest.Typed(strings.Join([]string{
		"ACME Tools Ltd                          VAT ID: GB123456789",
		"12 Forge Lane, Sheffield",
		"",
		"INVOICE",
		"",
		"Invoice Number: " + number,
		"Invoice Date:   3 May 2026",
		"Currency:       EUR",
		"",
		"Description               Quantity      Price     Amount",
		"Claw hammer                      2      14.50      29.00",
		"Box of nails                    10       3.20      32.00",
		"Folding rule                     1       9.00       9.00",
		"",
		"Subtotal                                           70.00",
		"Tax 20%                                            14.00",
		"Total                                              85.00",
	}, "\n"), "Terms\n\nPayment within 14 days.\nThank you for your business.")
}

// done submits files and waits for them; it gives the path of the first one's
// page.
func (d desk) done(t testing.TB, files ...apptest.File) string {
	t.Helper()
	accepted := d.Accepted(t, d.parser, files...)
	results := d.Finished(t, accepted.ExtractionID)
	return "/extractions/" + accepted.ExtractionID + "/documents/" + results.Documents[0].DocumentID
}

// Package example has something to try the service with: an invoice that is
// drawn by our own code, and a parser that reads it. Everything on the invoice
// is invented.
//
// It knows nothing of how documents are read; a test has the service read what
// this package draws.
package example

import "fieldlift"

// Parser reads invoices such as the example.
func Parser() fieldlift.Parser {
	return fieldlift.Parser{
		Name:         "Invoices",
		Description:  "Reads invoices; made as an example.",
		ResultMode:   fieldlift.OnePerFile,
		DocumentType: "invoice",
		Schema: fieldlift.SchemaOf([]fieldlift.Field{
			{Name: "invoice_number", Type: fieldlift.StringField, Required: true, Description: "The number the vendor gave the invoice"},
			{Name: "invoice_date", Type: fieldlift.DateField, Description: "The day the invoice was written"},
			{Name: "vendor_name", Type: fieldlift.StringField, Description: "Who sends the invoice"},
			{Name: "currency", Type: fieldlift.StringField, Description: "ISO 4217 code such as EUR"},
			{Name: "total", Type: fieldlift.NumberField, Required: true, Description: "The amount to pay, tax included"},
			{Name: "line_items", Type: fieldlift.ArrayField, Description: "What was delivered", Items: &fieldlift.Field{
				Type: fieldlift.ObjectField, Fields: []fieldlift.Field{
					{Name: "description", Type: fieldlift.StringField},
					{Name: "quantity", Type: fieldlift.NumberField},
					{Name: "unit_price", Type: fieldlift.NumberField},
					{Name: "amount", Type: fieldlift.NumberField},
				},
			}},
		}),
	}
}

package app

import (
	"context"

	"fieldlift"
	"fieldlift/internal/password"
	"fieldlift/internal/store"
)

// Welcome is what a very first start in development makes, to be told once.
type Welcome struct {
	Email    string
	Password string
	Credits  int64
	FullKey  string
	ParserID string
}

const demoEmail = "demo@fieldlift.example"

// welcome makes the demo account if there is no account at all.
func welcome(ctx context.Context, to *store.Store) (*Welcome, error) {
	secret := fieldlift.RandomText(16)
	hash, err := password.Hash(secret)
	if err != nil {
		return nil, err
	}
	demo, made, err := to.CreateDemo(ctx, store.Demo{
		Account: fieldlift.Account{Email: demoEmail, Name: "Demo", PasswordHash: hash, Admin: true},
		Credits: 1000,
		Key:     fieldlift.Key{Name: "demo"},
		FullKey: fieldlift.NewFullKey(false),
		Parser:  demoParser(),
	})
	if err != nil || !made {
		return nil, err
	}
	return &Welcome{
		Email:    demo.Account.Email,
		Password: secret,
		Credits:  demo.Credits,
		FullKey:  demo.FullKey,
		ParserID: demo.Parser.ID,
	}, nil
}

func demoParser() fieldlift.Parser {
	return fieldlift.Parser{
		Name:         "Invoices",
		Description:  "Reads invoices; made at the first start as an example.",
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

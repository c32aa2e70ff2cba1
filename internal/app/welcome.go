package app

import (
	"context"

	"fieldlift"
	"fieldlift/internal/example"
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
		Parser:  example.Parser(),
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

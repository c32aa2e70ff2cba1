package cli

import (
	"context"
	"fmt"
	"time"

	"fieldlift"
	"fieldlift/internal/app"
)

func keyCommands() []command {
	return []command{{
		name:     "key create",
		synopsis: "--account E --name LABEL [--expires 90d]",
		summary:  "Create an API key; prints it once",
		about: `
Works beside a running server. Prints the full key alone on standard output; it
is kept only as a hash and cannot be shown again.

Examples:

  fieldlift key create --account ada@example.com --name backoffice
  KEY=$(fieldlift key create --account ada@example.com --name ci --expires 90d)`,
		run: createKey,
	}, {
		name:     "key list",
		synopsis: "--account E",
		summary:  "List an account's keys",
		run:      listKeys,
	}, {
		name:     "key revoke",
		synopsis: "--account E --name LABEL",
		summary:  "Revoke an API key, effective at once",
		run:      revokeKey,
	}}
}

func createKey(ctx context.Context, c *call) error {
	name := c.text("name", "", "the key's label (required)")
	expires := time.Time{}
	c.custom("expires", "", "when the key ends: RFC 3339, a day, or a span such as 90d; never unless set", func(s string) (err error) {
		expires, err = parseExpiry(s, time.Now())
		return err
	})
	opened, account, config, err := openForAccount(ctx, c, func() {
		for _, d := range fieldlift.CheckName("--name", *name, fieldlift.MaxKeyName) {
			c.refuse("%s", d.Message)
		}
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	full := fieldlift.NewFullKey(config.Env == app.Production)
	if _, err := opened.CreateKey(ctx, fieldlift.Key{AccountID: account.ID, Name: *name, ExpiresAt: expires}, full); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Stdout, full)
	return err
}

func listKeys(ctx context.Context, c *call) error {
	opened, account, _, err := openForAccount(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	keys, err := opened.Keys(ctx, account.ID)
	if err != nil {
		return err
	}
	rows := [][]string{{"NAME", "KEY", "STATE", "CREATED", "EXPIRES", "LAST USED"}}
	for _, k := range keys {
		rows = append(rows, []string{k.Name, k.Hint + "…", keyState(k, time.Now()), shortTime(k.CreatedAt), shortTime(k.ExpiresAt), shortTime(k.LastUsedAt)})
	}
	return writeTable(c.Stdout, rows)
}

func keyState(k fieldlift.Key, now time.Time) string {
	switch {
	case k.Works(now):
		return "works"
	case !k.RevokedAt.IsZero():
		return "revoked"
	}
	return "expired"
}

func revokeKey(ctx context.Context, c *call) error {
	name := c.text("name", "", "the key's label (required)")
	opened, account, _, err := openForAccount(ctx, c, func() {
		if *name == "" {
			c.refuse("--name is missing")
		}
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	return opened.RevokeKey(ctx, account.ID, *name)
}

// openForAccount parses the flags, --account and those of the store among
// them, lets check add what it finds wrong, and opens the store. The caller
// closes it.
func openForAccount(ctx context.Context, c *call, check func()) (*app.Store, fieldlift.Account, app.Config, error) {
	return openForAccountBy(ctx, c, app.UseStore, check)
}

// openForAccountBy is openForAccount with another way to open the store.
func openForAccountBy(ctx context.Context, c *call, open func(context.Context, app.Config) (*app.Store, error), check func()) (*app.Store, fieldlift.Account, app.Config, error) {
	var account fieldlift.Account
	email := c.text("account", "", "the account's e-mail address (required)")
	config := app.Default()
	config.Log = c.log()
	stored := storeFlags(c)
	if _, err := c.parse(); err != nil {
		return nil, account, config, err
	}
	address := c.email("account", *email)
	if check != nil {
		check()
	}
	stored(&config)
	if err := c.err(config.ValidateStore()); err != nil {
		return nil, account, config, err
	}
	opened, err := open(ctx, config)
	if err != nil {
		return nil, account, config, err
	}
	if account, err = opened.AccountByEmail(ctx, address); err != nil {
		opened.Close()
		return nil, account, config, err
	}
	return opened, account, config, nil
}

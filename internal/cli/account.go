package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/password"
)

func accountCommands() []command {
	return []command{{
		name:     "account create",
		synopsis: "--email E [--name N] [--password P] [--credits N]",
		summary:  "Create an account",
		about: `
Works beside a running server. Prints the account's id. An account without a
password has keys but cannot sign in. A password in FIELDLIFT_PASSWORD, or on
standard input with --password -, stays out of the process list.

Example:

  fieldlift account create --email ada@example.com --name Ada --password - --credits 1000`,
		run: createAccount,
	}, {
		name:    "account list",
		summary: "List accounts",
		run:     listAccounts,
	}}
}

func createAccount(ctx context.Context, c *call) error {
	stored := storeFlags(c)
	email := c.text("email", "", "the account's e-mail address (required)")
	name := c.text("name", "", "the display name")
	secret := c.text("password", "", "the password for signing in; - reads it from standard input")
	credits := c.number("credits", 0, "credits to begin with")
	if _, err := c.parse(); err != nil {
		return err
	}
	if *email == "" {
		c.refuse("--email is missing")
	}
	if *credits < 0 || *credits > fieldlift.MaxCredits {
		c.refuse("--credits: a number from 0 to %d is needed, not %d", int64(fieldlift.MaxCredits), *credits)
	}
	if *name != "" {
		for _, d := range fieldlift.CheckName("--name", *name, fieldlift.MaxKeyName) {
			c.refuse("%s", d.Message)
		}
	}
	config := app.Default()
	stored(&config)
	if err := c.err(config.ValidateStore()); err != nil {
		return err
	}
	account := fieldlift.Account{Name: *name}
	var err error
	if account.Email, err = fieldlift.ParseEmail(*email); err != nil {
		return err
	}
	if *secret == "-" {
		line, err := io.ReadAll(io.LimitReader(c.Stdin, 1<<16))
		if err != nil {
			return err
		}
		*secret = strings.TrimRight(string(line), "\r\n")
	}
	if *secret != "" {
		if account.PasswordHash, err = password.Hash(*secret); err != nil {
			return err
		}
	}
	opened, err := app.OpenStore(ctx, config)
	if err != nil {
		return err
	}
	defer opened.Close()
	if account, err = opened.CreateAccount(ctx, account, *credits); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Stdout, account.ID)
	return err
}

func listAccounts(ctx context.Context, c *call) error {
	opened, _, err := openStore(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	accounts, err := opened.Accounts(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"ID", "EMAIL", "NAME", "CREATED"}}
	for _, a := range accounts {
		rows = append(rows, []string{a.ID, a.Email, a.Name, shortTime(a.CreatedAt)})
	}
	return writeTable(c.Stdout, rows)
}

// writeTable prints rows in columns.
func writeTable(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		if _, err := fmt.Fprintln(t, strings.Join(row, "\t")); err != nil {
			return err
		}
	}
	return t.Flush()
}

// shortTime prints a time for people; the zero time is never.
func shortTime(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

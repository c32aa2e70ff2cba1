package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
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
		synopsis: "--email E [--name N] [--password P] [--credits N] [--admin]",
		summary:  "Create an account",
		about: `
Works beside a running server. Prints the account's id. An account without a
password has keys but cannot sign in. A password in FIELDLIFT_PASSWORD, or on
standard input with --password -, stays out of the process list. An account with
--admin sees the figures of the whole service in the dashboard, and can grant
credits there.

Example:

  fieldlift account create --email ada@example.com --name Ada --password - --credits 1000`,
		run: createAccount,
	}, {
		name:     "account update",
		synopsis: "--email E [--name N] [--password P] [--admin true|false]",
		summary:  "Change an account's name, its password, or whether it runs the service",
		about: `
Works beside a running server. What is not named stays as it is. --name none
removes the name, --password none the password: the account cannot sign in
then.

Examples:

  fieldlift account update --email ada@example.com --admin true
  fieldlift account update --email ada@example.com --password -`,
		run: updateAccount,
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
	admin := c.boolean("admin", "the account runs the service: it sees figures of all accounts and grants credits")
	if _, err := c.parse(); err != nil {
		return err
	}
	account := fieldlift.Account{Name: *name, Email: c.email("email", *email), Admin: *admin}
	if *credits < 0 || *credits > fieldlift.MaxCredits {
		c.refuse("--credits: a number from 0 to %d is needed, not %d", int64(fieldlift.MaxCredits), *credits)
	}
	c.checkName(*name)
	if *secret != "" {
		account.PasswordHash = c.password(*secret)
	}
	config := app.Default()
	config.Log = c.log()
	stored(&config)
	if err := c.err(config.ValidateStore()); err != nil {
		return err
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

// checkName checks a display name, if there is one.
func (c *call) checkName(name string) {
	if name == "" {
		return
	}
	for _, d := range fieldlift.CheckName("--name", name, fieldlift.MaxKeyName) {
		c.refuse("%s", d.Message)
	}
}

// none removes what has a value.
const none = "none"

func updateAccount(ctx context.Context, c *call) error {
	stored := storeFlags(c)
	email := c.text("email", "", "the account's e-mail address (required)")
	name := c.text("name", "", "the display name from now on; none removes it")
	secret := c.text("password", "", "the password from now on; - reads it from standard input, none removes it")
	var change fieldlift.AccountChange
	c.custom("admin", "", "true or false: whether the account runs the service", func(s string) error {
		admin, err := strconv.ParseBool(s)
		if err != nil {
			return fmt.Errorf("true or false is needed, not %q", s)
		}
		change.Admin = &admin
		return nil
	})
	if _, err := c.parse(); err != nil {
		return err
	}
	address := c.email("email", *email)
	if *name == "" && *secret == "" && change.Admin == nil {
		c.refuse("--name, --password or --admin is missing")
	}
	switch *name {
	case "":
	case none:
		change.Name = new("")
	default:
		c.checkName(*name)
		change.Name = name
	}
	switch *secret {
	case "":
	case none:
		change.PasswordHash = new("")
	default:
		change.PasswordHash = new(c.password(*secret))
	}
	config := app.Default()
	config.Log = c.log()
	stored(&config)
	if err := c.err(config.ValidateStore()); err != nil {
		return err
	}
	opened, err := app.UseStore(ctx, config)
	if err != nil {
		return err
	}
	defer opened.Close()
	account, err := opened.AccountByEmail(ctx, address)
	if err != nil {
		return err
	}
	_, err = opened.UpdateAccount(ctx, account.ID, change)
	return err
}

// email reads an address; what is wrong with it is collected.
func (c *call) email(flag, text string) string {
	if text == "" {
		c.refuse("--%s is missing", flag)
		return ""
	}
	address, err := fieldlift.ParseEmail(text)
	if err != nil {
		c.refuse("--%s: an e-mail address such as ada@example.com is needed, not %q", flag, text)
	}
	return address
}

// password reads a password, from standard input for "-", and hashes it; what
// is wrong with it is collected.
func (c *call) password(text string) string {
	if text == "-" {
		_, _ = fmt.Fprintln(c.Stderr, "The password is read from standard input.")
		line, err := bufio.NewReader(io.LimitReader(c.Stdin, 1<<16)).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			c.refuse("--password: %v", err)
			return ""
		}
		text = strings.TrimRight(line, "\r\n")
	}
	hash, err := password.Hash(text)
	if err != nil {
		c.refuse("--password: %s", explain(err))
	}
	return hash
}

func listAccounts(ctx context.Context, c *call) error {
	opened, _, err := openStore(ctx, c, app.UseStore)
	if err != nil {
		return err
	}
	defer opened.Close()
	accounts, err := opened.Accounts(ctx)
	if err != nil {
		return err
	}
	rows := [][]string{{"ID", "EMAIL", "NAME", "ADMIN", "CREATED"}}
	for _, a := range accounts {
		admin := "no"
		if a.Admin {
			admin = "yes"
		}
		rows = append(rows, []string{a.ID, a.Email, a.Name, admin, shortTime(a.CreatedAt)})
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

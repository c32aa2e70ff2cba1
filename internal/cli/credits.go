package cli

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"fieldlift"
)

func creditsCommands() []command {
	return []command{{
		name:     "credits grant",
		synopsis: "--account E --amount N [--source grant|purchase] [--expires 365d]",
		summary:  "Give an account credits",
		about: `
One credit pays for one page. Credits that expire are spent first. Prints the
id of the purchase.

Example:

  fieldlift credits grant --account ada@example.com --amount 5000 --expires 365d`,
		run: grantCredits,
	}, {
		name:     "credits show",
		synopsis: "--account E",
		summary:  "Show an account's credits",
		run:      showCredits,
	}}
}

func grantCredits(ctx context.Context, c *call) error {
	amount := c.number("amount", 0, "how many credits (required)")
	source := c.text("source", string(fieldlift.SourceGrant), "grant or purchase")
	expires := time.Time{}
	c.custom("expires", "", "when they end: RFC 3339, a day, or a span such as 365d; never unless set", func(s string) (err error) {
		expires, err = parseExpiry(s, time.Now())
		return err
	})
	opened, account, _, err := openForAccount(ctx, c, func() {
		if *amount < 1 || *amount > fieldlift.MaxCredits {
			c.refuse("--amount: a number from 1 to %d is needed, not %d", int64(fieldlift.MaxCredits), *amount)
		}
		if s := fieldlift.Source(*source); s != fieldlift.SourceGrant && s != fieldlift.SourcePurchase {
			c.refuse("--source: grant or purchase is needed, not %q", *source)
		}
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	purchase, err := opened.AddPurchase(ctx, fieldlift.Purchase{
		AccountID: account.ID, Source: fieldlift.Source(*source), Credits: *amount, ExpiresAt: expires,
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Stdout, purchase.ID)
	return err
}

func showCredits(ctx context.Context, c *call) error {
	opened, account, _, err := openForAccount(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	balance, err := opened.Balance(ctx, account.ID)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.Stdout, "available %d, used %d\n", balance.Available, balance.Used); err != nil {
		return err
	}
	if len(balance.Purchases) == 0 {
		return nil
	}
	rows := [][]string{{"PURCHASE", "SOURCE", "CREDITS", "REMAINING", "PURCHASED", "EXPIRES"}}
	for _, p := range balance.Purchases {
		rows = append(rows, []string{
			p.ID, string(p.Source), strconv.FormatInt(p.Credits, 10), strconv.FormatInt(p.Remaining, 10),
			shortTime(p.PurchasedAt), shortTime(p.ExpiresAt),
		})
	}
	return writeTable(c.Stdout, rows)
}

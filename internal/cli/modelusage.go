package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fieldlift/internal/app"
)

func modelCommands() []command {
	return []command{{
		name:     "model usage",
		synopsis: "[--account E] [--days 30]",
		summary:  "Show what the connected model took, day by day",
		about: `
Calls, tokens and estimated costs (by the prices that were configured on that
day) of all accounts together, or of one. Days begin at midnight UTC.

Examples:

  fieldlift model usage
  fieldlift model usage --account ada@example.com --days 7`,
		run: showModelUsage,
	}}
}

func showModelUsage(ctx context.Context, c *call) error {
	email := c.text("account", "", "only this account's, by its e-mail address; unless set, all together")
	days := c.number("days", 30, "how many days back")
	opened, _, err := openStore(ctx, c, app.UseStore)
	if err != nil {
		return err
	}
	defer opened.Close()
	if *days < 1 || *days > 3650 {
		c.refuse("--days: a number from 1 to 3650 is needed, not %d", *days)
		return c.err()
	}
	accountID := ""
	if *email != "" {
		account, err := opened.AccountByEmail(ctx, strings.ToLower(strings.TrimSpace(*email)))
		if err != nil {
			return err
		}
		accountID = account.ID
	}
	list, err := opened.ModelDays(ctx, accountID, time.Now().AddDate(0, 0, 1-int(*days)))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.Stdout, "no model was asked in this time")
		return err
	}
	rows := [][]string{{"DAY", "MODEL", "CALLS", "TOKENS SENT", "TOKENS ANSWERED", "ESTIMATED COST"}}
	for _, d := range list {
		rows = append(rows, []string{
			d.Day, d.Model, strconv.FormatInt(d.Tokens.Calls, 10), strconv.FormatInt(d.Tokens.Input, 10),
			strconv.FormatInt(d.Tokens.Output, 10), strconv.FormatFloat(d.Cost, 'f', 4, 64),
		})
	}
	return writeTable(c.Stdout, rows)
}

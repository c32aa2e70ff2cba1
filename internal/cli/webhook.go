package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"fieldlift"
	"fieldlift/internal/app"
)

func webhookCommands() []command {
	return []command{{
		name:     "webhook create",
		synopsis: "--account E --url URL --events LIST [--parser NAME|ID] [--secret S]",
		summary:  "Create a webhook; prints its signing secret once",
		about: `
Works beside a running server. Prints the webhook's id and, on the next line,
its signing secret, which cannot be shown again.

Events are batch.completed, batch.failed and batch.partial, for a webhook that
the dashboard shows too and that may be limited to one parser, or
extraction.document_completed and extraction.job_completed, for one that
/v1/webhooks shows; not both.

Examples:

  fieldlift webhook create --account ada@example.com --url https://example.com/hook \
    --events batch.completed,batch.partial,batch.failed --parser Invoices
  fieldlift webhook create --account ada@example.com --url https://example.com/hook \
    --events extraction.job_completed`,
		run: createWebhook,
	}, {
		name:     "webhook list",
		synopsis: "--account E",
		summary:  "List an account's webhooks",
		run:      listWebhooks,
	}, {
		name:     "webhook deliveries",
		synopsis: "--account E --id ID",
		summary:  "Show the last attempts to call a webhook",
		run:      listAttempts,
	}, {
		name:     "webhook pause",
		synopsis: "--account E --id ID",
		summary:  "Pause a webhook",
		run:      func(ctx context.Context, c *call) error { return setActive(ctx, c, false) },
	}, {
		name:     "webhook resume",
		synopsis: "--account E --id ID",
		summary:  "Resume a webhook that was paused, by its owner or after an answer of 410",
		run:      func(ctx context.Context, c *call) error { return setActive(ctx, c, true) },
	}, {
		name:     "webhook delete",
		synopsis: "--account E --id ID",
		summary:  "Delete a webhook; it is called no more",
		run:      deleteWebhook,
	}}
}

func createWebhook(ctx context.Context, c *call) error {
	url := c.text("url", "", "where to send events (required)")
	events := c.text("events", "", "the events, with commas between (required)")
	parser := c.text("parser", "", "the name or id of the one parser whose batch.* events are sent; all unless set")
	secret := c.text("secret", "", "sent verbatim with each request, beside the signature; none unless set")
	limits := webhookFlags(c)
	w := fieldlift.Webhook{Kind: fieldlift.APIWebhook}
	opened, account, config, err := openForAccountBy(ctx, c, app.UseSecrets, func() {
		if *url == "" {
			c.refuse("--url is missing")
		}
		given := strings.FieldsFunc(*events, func(r rune) bool { return r == ',' || r == ' ' })
		if strings.HasPrefix(*events, "batch.") {
			w.Kind = fieldlift.DashboardWebhook
		}
		var found []fieldlift.Detail
		w.Events, found = fieldlift.ParseEvents(w.Kind, given)
		for _, d := range found {
			c.refuse("--events: %s", strings.TrimPrefix(d.Message, "events "))
		}
		if *secret != "" {
			for _, d := range fieldlift.CheckStaticSecret("--secret", *secret) {
				c.refuse("%s", d.Message)
			}
		}
		if *parser != "" && w.Kind == fieldlift.APIWebhook {
			c.refuse("--parser: only a webhook for batch.* events can be limited to a parser")
		}
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	limits(&config)
	w.AccountID, w.URL = account.ID, *url
	if err := app.CheckWebhookURL(ctx, config, *url); err != nil {
		return err
	}
	if *parser != "" {
		if w.ParserID, err = findParser(ctx, opened, account.ID, *parser); err != nil {
			return err
		}
	}
	secrets := fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret(), Static: *secret}
	if w, err = opened.CreateWebhook(ctx, w, secrets, config.MaxWebhooks); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.Stdout, "%s\n%s\n", w.ID, secrets.Signing)
	return err
}

// findParser finds a parser by its id or its name.
func findParser(ctx context.Context, from *app.Store, accountID, text string) (string, error) {
	if p, err := from.Parser(ctx, accountID, text); fieldlift.CodeOf(err) != fieldlift.ParserNotFound {
		return p.ID, err
	}
	return from.ParserNamed(ctx, accountID, text)
}

func listWebhooks(ctx context.Context, c *call) error {
	opened, account, _, err := openForAccount(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	rows := [][]string{{"ID", "STATE", "EVENTS", "PARSER", "URL"}}
	for _, kind := range []fieldlift.WebhookKind{fieldlift.APIWebhook, fieldlift.DashboardWebhook} {
		// An account has few of them; a page holds them all.
		webhooks, _, err := opened.Webhooks(ctx, account.ID, kind, fieldlift.Page{Limit: 10_000})
		if err != nil {
			return err
		}
		for _, w := range webhooks {
			events := make([]string, 0, len(w.Events))
			for _, e := range w.Events {
				events = append(events, string(e))
			}
			rows = append(rows, []string{w.ID, webhookState(w), strings.Join(events, ","), cmp.Or(w.ParserID, "all"), w.URL})
		}
	}
	return writeTable(c.Stdout, rows)
}

func webhookState(w fieldlift.Webhook) string {
	switch {
	case w.Active:
		return "active"
	case w.PausedReason != "":
		return "paused (410)"
	}
	return "paused"
}

func listAttempts(ctx context.Context, c *call) error {
	opened, w, err := openForWebhook(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	attempts, err := opened.RecentAttempts(ctx, w.ID, 50)
	if err != nil {
		return err
	}
	rows := [][]string{{"ATTEMPTED", "EVENT", "STATUS", "CODE", "RETRY", "TOOK", "ERROR"}}
	for _, a := range attempts {
		rows = append(rows, []string{
			shortTime(a.AttemptedAt), string(a.EventType), string(a.Status), fmt.Sprint(a.StatusCode), fmt.Sprint(a.RetryCount),
			fmt.Sprintf("%d ms", a.Took.Milliseconds()), a.Error,
		})
	}
	return writeTable(c.Stdout, rows)
}

func setActive(ctx context.Context, c *call, active bool) error {
	opened, w, err := openForWebhook(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	_, err = opened.UpdateWebhook(ctx, w.AccountID, w.Kind, w.ID, fieldlift.WebhookChange{Active: &active})
	return err
}

func deleteWebhook(ctx context.Context, c *call) error {
	opened, w, err := openForWebhook(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	return opened.DeleteWebhook(ctx, w.AccountID, w.Kind, w.ID)
}

// openForWebhook is openForAccount for a command about one webhook, of either
// kind.
func openForWebhook(ctx context.Context, c *call) (*app.Store, fieldlift.Webhook, error) {
	id := c.text("id", "", "the webhook's id (required)")
	opened, account, _, err := openForAccount(ctx, c, func() {
		if *id == "" {
			c.refuse("--id is missing")
		}
	})
	if err != nil {
		return nil, fieldlift.Webhook{}, err
	}
	w, err := opened.Webhook(ctx, account.ID, fieldlift.DashboardWebhook, *id)
	if fieldlift.CodeOf(err) == fieldlift.ResourceNotFound {
		w, err = opened.Webhook(ctx, account.ID, fieldlift.APIWebhook, *id)
	}
	if err != nil {
		opened.Close()
		return nil, w, err
	}
	return opened, w, nil
}

package cli

import (
	"cmp"
	"context"
	"errors"
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

A server that runs with --env production calls https:// addresses only, whatever
this command was told.

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
		name:     "webhook update",
		synopsis: "--account E --id ID [--url URL] [--events LIST] [--secret S]",
		summary:  "Change where a webhook leads, its events, or the secret sent verbatim",
		about: `
What is not named stays as it is. --secret none removes the secret.

Example:

  fieldlift webhook update --account ada@example.com --id whk_… --url https://example.com/new`,
		run: updateWebhook,
	}, {
		name:     "webhook test",
		synopsis: "--account E --id ID",
		summary:  "Send a webhook a test, from this machine, and tell what came of it",
		about: `
Sends extraction.job_completed or batch.completed, by the webhook's kind, with
"test": true, once, also to a webhook that is paused. Fails unless the receiver
answers 2xx; an answer of 410 pauses the webhook.`,
		run: testWebhook,
	}, {
		name:     "webhook rotate-secret",
		synopsis: "--account E --id ID",
		summary:  "Replace a webhook's signing secret; prints the new one once",
		about: `
The secret before it stays valid for 24 hours: so long requests carry a
signature of each.`,
		run: rotateSecret,
	}, {
		name:     "webhook redeliver",
		synopsis: "--account E --id ID --delivery ID",
		summary:  "Have an event delivered again, by the running server; prints the new delivery's id",
		run:      redeliver,
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
		w.Kind, w.Events = c.events(*events)
		c.checkSecret(*secret)
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
	if err := checkURL(ctx, c, config, *url); err != nil {
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

// events reads a list of events, and the kind of webhook that they are for.
func (c *call) events(text string) (fieldlift.WebhookKind, []fieldlift.EventType) {
	kind := fieldlift.APIWebhook
	if strings.HasPrefix(text, "batch.") {
		kind = fieldlift.DashboardWebhook
	}
	events, found := fieldlift.ParseEvents(kind, strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }))
	for _, d := range found {
		c.refuse("--events: %s", strings.TrimPrefix(d.Message, "events "))
	}
	return kind, events
}

// checkSecret checks a secret that is sent verbatim, if there is one.
func (c *call) checkSecret(secret string) {
	if secret == "" {
		return
	}
	for _, d := range fieldlift.CheckStaticSecret("--secret", secret) {
		c.refuse("%s", d.Message)
	}
}

// checkURL checks where a webhook leads. Whether the server is one for
// production is not known here, so plain http is possible but not silent.
func checkURL(ctx context.Context, c *call, config app.Config, url string) error {
	if err := app.CheckWebhookURL(ctx, config, url); err != nil {
		return err
	}
	if !strings.HasPrefix(strings.ToLower(url), "https:") {
		_, _ = fmt.Fprintln(c.Stderr, "fieldlift: a server that runs with --env production will not call this http:// address.")
	}
	return nil
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
	opened, w, _, err := openForWebhook(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	attempts, err := opened.RecentAttempts(ctx, w.ID, 50)
	if err != nil {
		return err
	}
	rows := [][]string{{"ATTEMPTED", "DELIVERY", "EVENT", "STATUS", "CODE", "RETRY", "TOOK", "ERROR"}}
	for _, a := range attempts {
		rows = append(rows, []string{
			shortTime(a.AttemptedAt), a.DeliveryID, string(a.EventType), string(a.Status), fmt.Sprint(a.StatusCode), fmt.Sprint(a.RetryCount),
			fmt.Sprintf("%d ms", a.Took.Milliseconds()), a.Error,
		})
	}
	return writeTable(c.Stdout, rows)
}

func updateWebhook(ctx context.Context, c *call) error {
	url := c.text("url", "", "where to send events from now on")
	events := c.text("events", "", "the events from now on, with commas between")
	secret := c.text("secret", "", "sent verbatim with each request from now on; none removes it")
	networks := networksFlag(c)
	var change fieldlift.WebhookChange
	var kind fieldlift.WebhookKind
	opened, w, config, err := openForWebhook(ctx, c, func() {
		if *url == "" && *events == "" && *secret == "" {
			c.refuse("--url, --events or --secret is missing")
		}
		if *events != "" {
			kind, change.Events = c.events(*events)
		}
		switch *secret {
		case "":
		case none:
			change.Static = new("")
		default:
			c.checkSecret(*secret)
			change.Static = secret
		}
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	networks(&config)
	if change.Events != nil && kind != w.Kind {
		return errors.New("--events: a webhook for batch.* events cannot become one for extraction.* events, nor the other way; create another one")
	}
	if *url != "" {
		if err := checkURL(ctx, c, config, *url); err != nil {
			return err
		}
		change.URL = url
	}
	_, err = opened.UpdateWebhook(ctx, w.AccountID, w.Kind, w.ID, change)
	return err
}

func testWebhook(ctx context.Context, c *call) error {
	networks := networksFlag(c)
	opened, w, config, err := openForWebhook(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	networks(&config)
	a, err := app.TestWebhook(ctx, config, opened, w)
	if err != nil {
		return err
	}
	if a.Status != fieldlift.DeliverySuccess {
		return errors.New(a.Error)
	}
	_, err = fmt.Fprintf(c.Stdout, "The receiver answered %d after %d ms.\n", a.StatusCode, a.Took.Milliseconds())
	return err
}

func rotateSecret(ctx context.Context, c *call) error {
	opened, w, _, err := openForWebhook(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	secret := fieldlift.NewSigningSecret()
	if _, err := opened.RotateSecret(ctx, w.AccountID, w.Kind, w.ID, secret); err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Stdout, secret)
	return err
}

func redeliver(ctx context.Context, c *call) error {
	delivery := c.text("delivery", "", "the id of the delivery whose event is sent again (required)")
	opened, w, _, err := openForWebhook(ctx, c, func() {
		if *delivery == "" {
			c.refuse("--delivery is missing")
		}
	})
	if err != nil {
		return err
	}
	defer opened.Close()
	record, err := opened.Redeliver(ctx, w, *delivery)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.Stdout, record.Delivery.ID)
	return err
}

func setActive(ctx context.Context, c *call, active bool) error {
	opened, w, _, err := openForWebhook(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	_, err = opened.UpdateWebhook(ctx, w.AccountID, w.Kind, w.ID, fieldlift.WebhookChange{Active: &active})
	return err
}

func deleteWebhook(ctx context.Context, c *call) error {
	opened, w, _, err := openForWebhook(ctx, c, nil)
	if err != nil {
		return err
	}
	defer opened.Close()
	return opened.DeleteWebhook(ctx, w.AccountID, w.Kind, w.ID)
}

// openForWebhook is openForAccount for a command about one webhook, of either
// kind.
func openForWebhook(ctx context.Context, c *call, check func()) (*app.Store, fieldlift.Webhook, app.Config, error) {
	id := c.text("id", "", "the webhook's id (required)")
	opened, account, config, err := openForAccount(ctx, c, func() {
		if *id == "" {
			c.refuse("--id is missing")
		}
		if check != nil {
			check()
		}
	})
	if err != nil {
		return nil, fieldlift.Webhook{}, config, err
	}
	w, err := opened.Webhook(ctx, account.ID, fieldlift.DashboardWebhook, *id)
	if fieldlift.CodeOf(err) == fieldlift.ResourceNotFound {
		w, err = opened.Webhook(ctx, account.ID, fieldlift.APIWebhook, *id)
	}
	if err != nil {
		opened.Close()
		return nil, w, config, err
	}
	return opened, w, config, nil
}

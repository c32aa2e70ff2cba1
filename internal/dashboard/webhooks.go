package dashboard

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"fieldlift"
)

// webhookList is what stands on the page of webhooks.
type webhookList struct {
	Webhooks []webhookRow
	Most     int // that an account can have
}

// webhookRow is a webhook with the name of its parser.
type webhookRow struct {
	fieldlift.Webhook
	Parser string // "" when it gets events of all
}

// IsDashboard reports whether the webhook gets batch.* events.
func (w webhookRow) IsDashboard() bool { return w.Kind == fieldlift.DashboardWebhook }

var webhookKinds = []fieldlift.WebhookKind{fieldlift.DashboardWebhook, fieldlift.APIWebhook}

func (s *Server) showWebhooks(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body := webhookList{Most: s.MaxWebhooks}
	for _, kind := range webhookKinds {
		// An account has few of them; a page holds them all.
		list, _, err := s.Store.Webhooks(r.Context(), v.Account.ID, kind, fieldlift.Page{Limit: s.MaxWebhooks})
		if err != nil {
			return err
		}
		for _, one := range list {
			row, err := s.webhookRow(r.Context(), one)
			if err != nil {
				return err
			}
			body.Webhooks = append(body.Webhooks, row)
		}
	}
	return s.show(w, r, v, "webhooks", page{Title: "Webhooks", Section: "integrations", Body: body})
}

func (s *Server) webhookRow(ctx context.Context, w fieldlift.Webhook) (webhookRow, error) {
	row := webhookRow{Webhook: w}
	if w.ParserID == "" {
		return row, nil
	}
	p, err := s.Store.Parser(ctx, w.AccountID, w.ParserID)
	if fieldlift.CodeOf(err) == fieldlift.ParserNotFound {
		row.Parser = "a deleted parser"
		return row, nil
	}
	row.Parser = p.Name
	return row, err
}

// webhookForm is what stands in the form for a new webhook.
type webhookForm struct {
	Kind     fieldlift.WebhookKind
	Known    []fieldlift.EventType
	URL      string
	Events   []string
	ParserID string
	Parsers  []fieldlift.Parser
	Fault    *fault
}

// IsDashboard reports whether the webhook is to get batch.* events.
func (f webhookForm) IsDashboard() bool { return f.Kind == fieldlift.DashboardWebhook }

// Wants reports whether an event is chosen.
func (f webhookForm) Wants(t fieldlift.EventType) bool { return slices.Contains(f.Events, string(t)) }

// readKind reads which kind of webhook is meant; the dashboard's own unless told.
func readKind(text string) fieldlift.WebhookKind {
	if text == string(fieldlift.APIWebhook) {
		return fieldlift.APIWebhook
	}
	return fieldlift.DashboardWebhook
}

func (s *Server) newWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	form := webhookForm{Kind: readKind(r.URL.Query().Get("kind"))}
	for _, e := range fieldlift.EventsOf(form.Kind) {
		form.Events = append(form.Events, string(e))
	}
	return s.showWebhookForm(w, r, v, form)
}

func (s *Server) showWebhookForm(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, form webhookForm) error {
	var err error
	form.Known = fieldlift.EventsOf(form.Kind)
	if form.IsDashboard() {
		if form.Parsers, _, err = s.Store.Parsers(r.Context(), v.Account.ID, fieldlift.Page{Limit: mostChoices}); err != nil {
			return err
		}
	}
	status := http.StatusOK
	if form.Fault != nil {
		status = form.Fault.Status
	}
	return s.showStatus(w, r, v, status, "webhook-new", page{Title: "New webhook", Section: "integrations", Body: form})
}

// createWebhook makes a webhook and shows its secret on the page that answers,
// never again.
func (s *Server) createWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	form := webhookForm{
		Kind: readKind(r.PostFormValue("kind")), URL: strings.TrimSpace(r.PostFormValue("url")),
		Events: r.PostForm["events"], ParserID: r.PostFormValue("parser"),
	}
	made, secret, err := s.makeWebhook(r, v, form)
	if f, ok := tellable(err); ok {
		form.Fault = f
		return s.showWebhookForm(w, r, v, form)
	}
	if err != nil {
		return err
	}
	return s.showWebhookWith(w, r, v, made, webhookPage{Secret: secret})
}

func (s *Server) makeWebhook(r *http.Request, v fieldlift.Visitor, form webhookForm) (fieldlift.Webhook, string, error) {
	hook := fieldlift.Webhook{AccountID: v.Account.ID, Kind: form.Kind, URL: form.URL}
	secrets := fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret(), Static: r.PostFormValue("secret")}
	found := s.Receivers.Check(r.Context(), form.URL)
	events, wrong := fieldlift.ParseEvents(form.Kind, form.Events)
	found = append(found, wrong...)
	if secrets.Static != "" {
		found = append(found, fieldlift.CheckStaticSecret("secret", secrets.Static)...)
	}
	if len(found) > 0 {
		return hook, "", fieldlift.Invalid(found...)
	}
	hook.Events = events
	if form.IsDashboard() {
		hook.ParserID = form.ParserID
	}
	hook, err := s.Store.CreateWebhook(r.Context(), hook, secrets, s.MaxWebhooks)
	return hook, secrets.Signing, err
}

// webhookPage is what stands on the page of one webhook.
type webhookPage struct {
	Webhook    webhookRow
	Known      []fieldlift.EventType
	Secret     string             // a signing secret that was just made: shown this once
	Tested     *fieldlift.Attempt // what came of the test that was just sent
	Editing    bool               // what was entered to change it is to be corrected
	URL        string             // as entered
	Events     []string           // as entered
	Status     fieldlift.DeliveryStatus
	Statuses   []fieldlift.DeliveryStatus
	Deliveries []deliveryRow
	Paging     paging
	Fault      *fault
}

// Wants reports whether an event is chosen.
func (p webhookPage) Wants(t fieldlift.EventType) bool { return slices.Contains(p.Events, string(t)) }

func (s *Server) showWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	hook, err := s.findWebhook(r, v)
	if err != nil {
		return err
	}
	return s.showWebhookWith(w, r, v, hook, webhookPage{})
}

// findWebhook finds the webhook that a path names, of either kind.
func (s *Server) findWebhook(r *http.Request, v fieldlift.Visitor) (w fieldlift.Webhook, err error) {
	id := r.PathValue("webhook")
	for _, kind := range webhookKinds {
		w, err = s.Store.Webhook(r.Context(), v.Account.ID, kind, id)
		if fieldlift.CodeOf(err) != fieldlift.ResourceNotFound {
			break
		}
	}
	return w, err
}

func (s *Server) showWebhookWith(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, hook fieldlift.Webhook, body webhookPage) error {
	var err error
	if body.Webhook, err = s.webhookRow(r.Context(), hook); err != nil {
		return err
	}
	body.Known = fieldlift.EventsOf(hook.Kind)
	if !body.Editing {
		body.URL = hook.URL
		for _, e := range hook.Events {
			body.Events = append(body.Events, string(e))
		}
	}
	if err := s.readDeliveries(r, hook, &body); err != nil {
		return err
	}
	status := http.StatusOK
	if body.Fault != nil {
		status = body.Fault.Status
	}
	return s.showStatus(w, r, v, status, "webhook", page{Title: "Webhook to " + hook.Host(), Section: "integrations", Body: body})
}

// toldOfWebhook ends what was asked of a webhook: on its page again, with what
// was wrong or what was done.
func (s *Server) toldOfWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, hook fieldlift.Webhook, body webhookPage, err error, done string) error {
	if f, ok := tellable(err); ok {
		body.Fault = f
		return s.showWebhookWith(w, r, v, hook, body)
	}
	if err != nil {
		return err
	}
	return goTo(w, r, "/integrations/webhooks/"+hook.ID, done)
}

func (s *Server) changeWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	hook, err := s.findWebhook(r, v)
	if err != nil {
		return err
	}
	body := webhookPage{Editing: true, URL: strings.TrimSpace(r.PostFormValue("url")), Events: r.PostForm["events"]}
	change := fieldlift.WebhookChange{URL: &body.URL}
	found := s.Receivers.Check(r.Context(), body.URL)
	events, wrong := fieldlift.ParseEvents(hook.Kind, body.Events)
	change.Events, found = events, append(found, wrong...)
	switch secret := r.PostFormValue("secret"); {
	case r.PostFormValue("no_secret") != "":
		change.Static = new("")
	case secret != "":
		found = append(found, fieldlift.CheckStaticSecret("secret", secret)...)
		change.Static = &secret
	}
	if len(found) > 0 {
		err = fieldlift.Invalid(found...)
	} else {
		_, err = s.Store.UpdateWebhook(r.Context(), v.Account.ID, hook.Kind, hook.ID, change)
	}
	return s.toldOfWebhook(w, r, v, hook, body, err, "webhook-changed")
}

func (s *Server) pauseWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.setActive(w, r, v, false, "webhook-paused")
}

func (s *Server) resumeWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.setActive(w, r, v, true, "webhook-resumed")
}

func (s *Server) setActive(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, active bool, done string) error {
	hook, err := s.findWebhook(r, v)
	if err != nil {
		return err
	}
	_, err = s.Store.UpdateWebhook(r.Context(), v.Account.ID, hook.Kind, hook.ID, fieldlift.WebhookChange{Active: &active})
	return s.toldOfWebhook(w, r, v, hook, webhookPage{}, err, done)
}

func (s *Server) testWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	hook, err := s.findWebhook(r, v)
	if err != nil {
		return err
	}
	if err := s.throttle(r.Context(), fieldlift.CallThrottles(v.Account.ID)); err != nil {
		return s.toldOfWebhook(w, r, v, hook, webhookPage{}, err, "")
	}
	attempt, err := s.Tester.Test(r.Context(), v.Account.ID, hook.Kind, hook.ID)
	if err != nil {
		return s.toldOfWebhook(w, r, v, hook, webhookPage{}, err, "")
	}
	// An answer of 410 has paused it.
	if hook, err = s.findWebhook(r, v); err != nil {
		return err
	}
	return s.showWebhookWith(w, r, v, hook, webhookPage{Tested: &attempt})
}

// rotateSecret replaces a signing secret and shows the new one on the page that
// answers, never again.
func (s *Server) rotateSecret(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	hook, err := s.findWebhook(r, v)
	if err != nil {
		return err
	}
	secret := fieldlift.NewSigningSecret()
	rotated, err := s.Store.RotateSecret(r.Context(), v.Account.ID, hook.Kind, hook.ID, secret)
	if err != nil {
		return s.toldOfWebhook(w, r, v, hook, webhookPage{}, err, "")
	}
	return s.showWebhookWith(w, r, v, rotated, webhookPage{Secret: secret})
}

func (s *Server) deleteWebhook(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	hook, err := s.findWebhook(r, v)
	if err != nil {
		return err
	}
	if err := s.Store.DeleteWebhook(r.Context(), v.Account.ID, hook.Kind, hook.ID); err != nil {
		return err
	}
	return goTo(w, r, "/integrations/webhooks", "webhook-deleted")
}

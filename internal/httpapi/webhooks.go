package httpapi

import (
	"fmt"
	"net/http"

	"fieldlift"
	"fieldlift/api"
)

const (
	usualWebhooks    = 20
	recentDeliveries = 10
)

func (s *Server) listWebhooks(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	query, err := readQuery(r)
	if err != nil {
		return err
	}
	scope := "webhooks " + c.Account.ID
	page, err := readPage(query, usualWebhooks, scope, fieldlift.WebhookPrefix)
	if err != nil {
		return err
	}
	webhooks, more, err := s.Store.Webhooks(r.Context(), c.Account.ID, fieldlift.APIWebhook, page)
	if err != nil {
		return err
	}
	list := api.WebhookList{Webhooks: make([]api.Webhook, 0, len(webhooks))}
	var last fieldlift.Cursor
	for _, webhook := range webhooks {
		list.Webhooks = append(list.Webhooks, wireWebhook(webhook))
		last = fieldlift.Cursor{At: webhook.CreatedAt, ID: webhook.ID}
	}
	list.Pagination = pagination(page, more, last, scope)
	return writeJSON(w, http.StatusOK, list)
}

func wireWebhook(w fieldlift.Webhook) api.Webhook {
	events := make([]string, 0, len(w.Events))
	for _, e := range w.Events {
		events = append(events, string(e))
	}
	return api.Webhook{
		WebhookID:    w.ID,
		URL:          w.URL,
		Events:       events,
		IsActive:     w.Active,
		PausedReason: orNull(w.PausedReason),
		CreatedAt:    api.Time{Time: w.CreatedAt},
	}
}

func (s *Server) createWebhook(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	b, err := readBody(w, r)
	if err != nil {
		return err
	}
	for _, key := range []string{"url", "events"} {
		if _, given := b.members[key]; !given {
			b.refuse(key, "required", "%s is required.", key)
		}
	}
	secrets := fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}
	if secret := b.text("secret"); secret != nil {
		b.found = append(b.found, fieldlift.CheckStaticSecret("secret", *secret)...)
		secrets.Static = *secret
	}
	change, err := s.readWebhookChange(r, b)
	if err != nil {
		return err
	}
	webhook, err := s.Store.CreateWebhook(r.Context(), fieldlift.Webhook{
		AccountID: c.Account.ID, Kind: fieldlift.APIWebhook, URL: *change.URL, Events: change.Events,
	}, secrets, s.MaxWebhooks)
	if err != nil {
		return err
	}
	return writeSecret(w, http.StatusCreated, webhook, secrets.Signing)
}

// readWebhookChange reads the members that create and update have in common.
func (s *Server) readWebhookChange(r *http.Request, b *body) (change fieldlift.WebhookChange, err error) {
	if change.URL = b.text("url"); change.URL != nil {
		b.found = append(b.found, s.Receivers.Check(r.Context(), *change.URL)...)
	}
	if given := member[[]*string](b, "events", "a list of strings", false); given.Present {
		change.Events = b.events(given.Value)
	}
	return change, b.err()
}

// events checks a list of events; null is no string, though it could be read
// as one.
func (b *body) events(given []*string) []fieldlift.EventType {
	names := make([]string, 0, len(given))
	for i, name := range given {
		if name == nil {
			b.refuse(fmt.Sprintf("events[%d]", i), "type", "events[%d] must be a string.", i)
			return nil
		}
		names = append(names, *name)
	}
	events, found := fieldlift.ParseEvents(fieldlift.APIWebhook, names)
	b.found = append(b.found, found...)
	return events
}

// writeSecret answers with a webhook and, this once, its signing secret.
func writeSecret(w http.ResponseWriter, status int, webhook fieldlift.Webhook, secret string) error {
	answer := wireWebhook(webhook)
	answer.SigningSecret = secret
	return writeJSON(w, status, api.WebhookEnvelope{Webhook: answer})
}

func (s *Server) getWebhook(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	webhook, err := s.findWebhook(r, c)
	if err != nil {
		return err
	}
	attempts, err := s.Store.RecentAttempts(r.Context(), webhook.ID, recentDeliveries)
	if err != nil {
		return err
	}
	answer := wireWebhook(webhook)
	answer.RecentDeliveries = make([]api.DeliveryAttempt, 0, len(attempts))
	for _, a := range attempts {
		answer.RecentDeliveries = append(answer.RecentDeliveries, api.DeliveryAttempt{
			DeliveryID:  a.DeliveryID,
			Event:       string(a.EventType),
			Status:      string(a.Status),
			StatusCode:  a.StatusCode,
			RetryCount:  a.RetryCount,
			AttemptedAt: api.Time{Time: a.AttemptedAt},
		})
	}
	return writeJSON(w, http.StatusOK, api.WebhookEnvelope{Webhook: answer})
}

func (s *Server) findWebhook(r *http.Request, c fieldlift.Caller) (fieldlift.Webhook, error) {
	id, err := webhookID(r)
	if err != nil {
		return fieldlift.Webhook{}, err
	}
	return s.Store.Webhook(r.Context(), c.Account.ID, fieldlift.APIWebhook, id)
}

// webhookID reads the id in the path. What has not the form of one is not
// looked up.
func webhookID(r *http.Request) (string, error) {
	id := r.PathValue("id")
	if !fieldlift.ValidID(fieldlift.WebhookPrefix, id) {
		return "", fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no webhook %s.", id)
	}
	return id, nil
}

func (s *Server) updateWebhook(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	webhook, err := s.findWebhook(r, c)
	if err != nil {
		return err
	}
	b, err := readBody(w, r)
	if err != nil {
		return err
	}
	active := member[bool](b, "is_active", "true or false", false)
	secret := member[string](b, "secret", "a string or null", true)
	if secret.Present && !secret.Null {
		b.found = append(b.found, fieldlift.CheckStaticSecret("secret", secret.Value)...)
	}
	change, err := s.readWebhookChange(r, b)
	if err != nil {
		return err
	}
	if active.Present {
		change.Active = &active.Value
	}
	if secret.Present {
		change.Static = &secret.Value
	}
	if webhook, err = s.Store.UpdateWebhook(r.Context(), c.Account.ID, fieldlift.APIWebhook, webhook.ID, change); err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.WebhookEnvelope{Webhook: wireWebhook(webhook)})
}

func (s *Server) deleteWebhook(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := webhookID(r)
	if err != nil {
		return err
	}
	if err := s.Store.DeleteWebhook(r.Context(), c.Account.ID, fieldlift.APIWebhook, id); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) testWebhook(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := webhookID(r)
	if err != nil {
		return err
	}
	a, err := s.Tester.Test(r.Context(), c.Account.ID, fieldlift.APIWebhook, id)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.TestResultEnvelope{TestResult: api.TestResult{
		Delivered:      a.Status == fieldlift.DeliverySuccess,
		StatusCode:     a.StatusCode,
		ResponseTimeMS: a.Took.Milliseconds(),
		Error:          orNull(a.Error),
	}})
}

func (s *Server) rotateSecret(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	id, err := webhookID(r)
	if err != nil {
		return err
	}
	secret := fieldlift.NewSigningSecret()
	webhook, err := s.Store.RotateSecret(r.Context(), c.Account.ID, fieldlift.APIWebhook, id, secret)
	if err != nil {
		return err
	}
	return writeSecret(w, http.StatusOK, webhook, secret)
}

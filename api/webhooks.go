package api

import (
	"context"
	"iter"
	"net/http"
	"net/url"
)

// CreateWebhook makes a webhook. Its SigningSecret is told only now.
func (c *Client) CreateWebhook(ctx context.Context, create WebhookCreate) (Webhook, error) {
	var answer WebhookEnvelope
	err := c.call(ctx, http.MethodPost, "/v1/webhooks", create, &answer)
	return answer.Webhook, err
}

// ListWebhooks lists one page of webhooks, newest first.
func (c *Client) ListWebhooks(ctx context.Context, o ListOptions) (WebhookList, error) {
	var answer WebhookList
	err := c.call(ctx, http.MethodGet, "/v1/webhooks"+o.query(url.Values{}), nil, &answer)
	return answer, err
}

// Webhooks goes through all webhooks, newest first, page by page. It ends
// after the first error.
func (c *Client) Webhooks(ctx context.Context) iter.Seq2[Webhook, error] {
	return pages(func(o ListOptions) ([]Webhook, Pagination, error) {
		list, err := c.ListWebhooks(ctx, o)
		return list.Webhooks, list.Pagination, err
	})
}

// Webhook fetches one webhook with its last attempts.
func (c *Client) Webhook(ctx context.Context, id string) (Webhook, error) {
	var answer WebhookEnvelope
	err := c.call(ctx, http.MethodGet, webhookPath(id), nil, &answer)
	return answer.Webhook, err
}

// UpdateWebhook sets what the update holds and leaves the rest.
func (c *Client) UpdateWebhook(ctx context.Context, id string, update WebhookUpdate) (Webhook, error) {
	var answer WebhookEnvelope
	err := c.call(ctx, http.MethodPatch, webhookPath(id), update, &answer)
	return answer.Webhook, err
}

// DeleteWebhook takes a webhook out of service.
func (c *Client) DeleteWebhook(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, webhookPath(id), nil, nil)
}

// TestWebhook has a test sent to a webhook and tells what came of it.
func (c *Client) TestWebhook(ctx context.Context, id string) (TestResult, error) {
	var answer TestResultEnvelope
	err := c.call(ctx, http.MethodPost, webhookPath(id)+"/test", nil, &answer)
	return answer.TestResult, err
}

// RotateSecret replaces a webhook's signing secret. The new one is told only
// now; VerifyWebhook takes the old one for another 24 hours.
func (c *Client) RotateSecret(ctx context.Context, id string) (Webhook, error) {
	var answer WebhookEnvelope
	err := c.call(ctx, http.MethodPost, webhookPath(id)+"/rotate-secret", nil, &answer)
	return answer.Webhook, err
}

// ListDeliveries lists one page of a webhook's deliveries, newest first. A
// status of "" chooses all.
func (c *Client) ListDeliveries(ctx context.Context, webhookID, status string, o ListOptions) (DeliveryList, error) {
	query := url.Values{}
	if status != "" {
		query.Set("status", status)
	}
	var answer DeliveryList
	err := c.call(ctx, http.MethodGet, webhookPath(webhookID)+"/deliveries"+o.query(query), nil, &answer)
	return answer, err
}

// Redeliver has an event delivered again, and gives the new delivery.
func (c *Client) Redeliver(ctx context.Context, webhookID, deliveryID string) (Delivery, error) {
	var answer DeliveryEnvelope
	err := c.call(ctx, http.MethodPost, webhookPath(webhookID)+"/deliveries/"+url.PathEscape(deliveryID)+"/redeliver", nil, &answer)
	return answer.Delivery, err
}

func webhookPath(id string) string { return "/v1/webhooks/" + url.PathEscape(id) }

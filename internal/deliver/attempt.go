package deliver

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"fieldlift"
	"fieldlift/internal/outbound"
	"fieldlift/internal/telemetry"
)

// lateAnswer is when an exchange has taken so long that its receiver gets
// fewer requests at once.
const lateAnswer = 2 * time.Second

// attempt tries a delivery once.
func (d *Deliverer) attempt(ctx context.Context, c fieldlift.DeliveryClaim) outcome {
	ctx = telemetry.With(ctx, slog.String("webhook_id", c.Delivery.WebhookID), slog.String("delivery_id", c.Delivery.ID))
	began := d.Now()
	body, header, err := d.prepare(ctx, c, began)
	if err != nil {
		// The database is away, or the extraction has just been deleted.
		if ctx.Err() == nil {
			d.Log.WarnContext(ctx, "a delivery could not be prepared", "error", err)
		}
		return outcome{claim: c}
	}
	defer body.remove()
	answer, err := d.Client.Post(ctx, c.URL, header, body.length, body.open)
	if ctx.Err() != nil {
		return outcome{claim: c}
	}
	end := d.judge(c, answer, err)
	end.Attempt.AttemptedAt = began
	d.Metrics.ended(end.Attempt)
	if status := end.Attempt.Status; status != fieldlift.DeliverySuccess {
		d.Log.InfoContext(ctx, "an attempt failed", "status", status, "status_code", answer.StatusCode, "retry_count", end.Attempt.RetryCount, "error", err)
	}
	return outcome{claim: c, end: &end, trouble: err != nil || answer.Cut || answer.Took > lateAnswer}
}

// prepare makes the body and the header that tells whom it is from.
func (d *Deliverer) prepare(ctx context.Context, c fieldlift.DeliveryClaim, at time.Time) (*body, http.Header, error) {
	signed, err := newSigner(c.Secrets, c.Delivery.EventID, at)
	if err != nil {
		return nil, nil, err
	}
	body, err := d.compose(ctx, c.Payload, signed)
	if err != nil {
		return nil, nil, err
	}
	header := http.Header{}
	header.Set("Content-Type", "application/json")
	header.Set("User-Agent", "Fieldlift/"+fieldlift.Version)
	signed.sign(header)
	return body, header, nil
}

// judge tells what an answer means for the delivery.
func (d *Deliverer) judge(c fieldlift.DeliveryClaim, answer outbound.Answer, err error) fieldlift.AttemptEnd {
	end := fieldlift.AttemptEnd{Fence: c.Fence, Attempt: fieldlift.Attempt{
		DeliveryID: c.Delivery.ID, WebhookID: c.Delivery.WebhookID, EventType: c.Delivery.EventType, RetryCount: c.Delivery.Attempts,
		StatusCode: answer.StatusCode, Response: answer.Excerpt, Took: answer.Took,
	}}
	a := &end.Attempt
	a.Error = fault(answer.StatusCode, err)
	if a.Error == "" {
		a.Status = fieldlift.DeliverySuccess
		return end
	}
	wait, again := d.Schedule.After(c.Delivery.Attempts)
	switch {
	case answer.StatusCode == http.StatusGone:
		a.Status = fieldlift.DeliveryFailed
		end.Pause = "The receiver answered 410 Gone: it wants no more deliveries."
	case again:
		a.Status = fieldlift.DeliveryPendingRetry
		end.NextAt = d.Now().Add(wait)
	default:
		a.Status = fieldlift.DeliveryFailed
	}
	return end
}

// fault tells why an attempt failed; "" when it did not.
func fault(status int, err error) string {
	switch {
	case err != nil:
		return outbound.Sentence(err)
	case status >= 200 && status < 300:
		return ""
	case status == http.StatusGone:
		return "The receiver answered 410 Gone: it wants no more deliveries, so its webhook is paused."
	case status >= 300 && status < 400:
		return fmt.Sprintf("The receiver answered %d; redirects are not followed.", status)
	}
	return fmt.Sprintf("The receiver answered %d.", status)
}

// Test sends a webhook a synthetic event, once, and tells what came of it. It
// is in the webhook's log, too.
func (d *Deliverer) Test(ctx context.Context, accountID string, kind fieldlift.WebhookKind, webhookID string) (fieldlift.Attempt, error) {
	c, err := d.Store.TestWebhook(ctx, accountID, kind, webhookID)
	if err != nil {
		return fieldlift.Attempt{}, err
	}
	began := d.Now()
	event := fieldlift.NewTest(began, accountID, kind)
	c.Payload = event.Payload
	c.Delivery = fieldlift.Delivery{ID: fieldlift.NewID(fieldlift.DeliveryPrefix), WebhookID: webhookID, EventID: event.ID, EventType: event.Type}
	body, header, err := d.prepare(ctx, c, began)
	if err != nil {
		return fieldlift.Attempt{}, err
	}
	defer body.remove()
	answer, err := d.Client.Post(ctx, c.URL, header, body.length, body.open)
	if ctx.Err() != nil {
		return fieldlift.Attempt{}, ctx.Err()
	}
	end := d.judge(c, answer, err)
	end.NextAt, end.Attempt.AttemptedAt = time.Time{}, began
	if end.Attempt.Status != fieldlift.DeliverySuccess {
		end.Attempt.Status = fieldlift.DeliveryFailed // a test is not repeated
	}
	if err := d.Store.KeepTest(ctx, event, end); err != nil {
		d.Log.WarnContext(ctx, "a test could not be kept", "webhook_id", webhookID, "error", err)
	}
	return end.Attempt, nil
}

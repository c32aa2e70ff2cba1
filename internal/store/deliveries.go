package store

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"fieldlift"
)

// claimTime is how long a claimed delivery is left alone: three times as long
// as a try can take. After it, whoever claimed it is dead, and it is due again.
const claimTime = 30 * time.Second

// DeliveryBell rings when this process has made deliveries that wait. What
// other processes made is found by looking.
func (s *Store) DeliveryBell() <-chan struct{} { return s.deliveryBell }

func (s *Store) wakeDeliverer() {
	select {
	case s.deliveryBell <- struct{}{}:
	default: // it rings already
	}
}

// DueWebhooks lists the webhooks for which deliveries are due. It hops from one
// webhook with waiting deliveries to the next, however many each has.
func (s *Store) DueWebhooks(ctx context.Context) ([]string, error) {
	return collect(ctx, s.db, func(r row) (id string, err error) { return id, r.Scan(&id) }, `
		WITH RECURSIVE waiting (webhook_id) AS (
			SELECT (SELECT d.webhook_id FROM deliveries d WHERE d.next_at IS NOT NULL ORDER BY d.webhook_id LIMIT 1)
			UNION ALL
			SELECT (SELECT d.webhook_id FROM deliveries d WHERE d.next_at IS NOT NULL AND d.webhook_id > waiting.webhook_id
				ORDER BY d.webhook_id LIMIT 1)
			FROM waiting WHERE waiting.webhook_id IS NOT NULL
		)
		SELECT w.id FROM waiting JOIN webhooks w ON w.id = waiting.webhook_id
		WHERE w.is_active AND w.deleted_at IS NULL
			AND (SELECT d.next_at FROM deliveries d WHERE d.webhook_id = w.id AND d.next_at IS NOT NULL ORDER BY d.next_at LIMIT 1) <= $1`,
		s.clock().UnixMicro())
}

// BeginDeliveries claims due deliveries, for each webhook at most so many as
// the map says. Within an extraction and webhook, a first try is begun only
// when the first try of every earlier event has ended.
func (s *Store) BeginDeliveries(ctx context.Context, room map[string]int) (claims []fieldlift.DeliveryClaim, err error) {
	now := s.clock()
	err = s.db.update(ctx, func(tx transaction) error {
		claims = nil
		for id, most := range room {
			begun, err := s.beginDeliveriesOf(ctx, tx, id, most, now)
			if err != nil {
				return err
			}
			claims = append(claims, begun...)
		}
		return nil
	})
	return claims, err
}

func (s *Store) beginDeliveriesOf(ctx context.Context, tx transaction, webhookID string, most int, now time.Time) ([]fieldlift.DeliveryClaim, error) {
	var url string
	var sealed sealedSecrets
	err := tx.queryRow(ctx, `
		SELECT url, signing_secret, static_secret FROM webhooks
		WHERE id = $1 AND is_active AND deleted_at IS NULL`, webhookID).Scan(&url, &sealed.signing, &sealed.static)
	if errors.Is(err, errNoRow) {
		return nil, nil // paused or deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	if sealed.former, err = s.formerSecrets(ctx, tx, webhookID); err != nil {
		return nil, err
	}
	secrets, err := s.openSecrets(webhookID, sealed)
	if err != nil {
		// One webhook that cannot be signed for must not hold up the others.
		s.log.ErrorContext(ctx, "a webhook's secrets cannot be opened", "webhook_id", webhookID, "error", err)
		return nil, nil
	}
	claims, err := collect(ctx, tx, scanClaim, `
		UPDATE deliveries SET next_at = $3, fence = fence + 1, claimed = true
		WHERE id IN (
			SELECT d.id FROM deliveries d
			WHERE d.webhook_id = $1 AND d.next_at <= $2 AND (d.attempts > 0 OR NOT EXISTS (
				SELECT 1 FROM deliveries e WHERE e.webhook_id = d.webhook_id AND e.extraction_id = d.extraction_id
					AND e.attempts = 0 AND e.next_at IS NOT NULL AND e.happened_at < d.happened_at))
			ORDER BY d.next_at, d.happened_at LIMIT $4 + 0`+s.db.skipLocked()+`
		) RETURNING `+deliveryColumns+`, fence, (SELECT e.payload FROM events e WHERE e.id = deliveries.event_id)`, webhookID, now.UnixMicro(), now.Add(claimTime).UnixMicro(), most)
	if err != nil {
		return nil, err
	}
	for i := range claims {
		claims[i].URL, claims[i].Secrets = url, secrets
	}
	slices.SortFunc(claims, func(a, b fieldlift.DeliveryClaim) int {
		return cmp.Or(a.Delivery.CreatedAt.Compare(b.Delivery.CreatedAt), cmp.Compare(a.Delivery.ID, b.Delivery.ID))
	})
	return claims, nil
}

const deliveryColumns = `id, webhook_id, event_id, extraction_id, type, status, attempts, created_at, next_at`

func deliveryInto(d *fieldlift.Delivery) (into []any, done func()) {
	var extraction *string
	var created int64
	var next *int64
	return []any{&d.ID, &d.WebhookID, &d.EventID, &extraction, &d.EventType, &d.Status, &d.Attempts, &created, &next}, func() {
		d.ExtractionID, d.CreatedAt, d.NextAt = textOf(extraction), timeOf(created), nullableTime(next)
	}
}

func scanClaim(r row) (c fieldlift.DeliveryClaim, err error) {
	into, done := deliveryInto(&c.Delivery)
	var payload string
	err = r.Scan(append(into, &c.Fence, &payload)...)
	done()
	c.Payload = fieldlift.Payload(payload)
	return c, err
}

// EndAttempts keeps what came of attempts. One whose delivery was claimed anew
// since, or is gone, or that was kept before, changes nothing.
func (s *Store) EndAttempts(ctx context.Context, ends []fieldlift.AttemptEnd) error {
	return s.db.update(ctx, func(tx transaction) error {
		for _, end := range ends {
			if err := s.endAttempt(ctx, tx, end); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s *Store) endAttempt(ctx context.Context, tx transaction, end fieldlift.AttemptEnd) error {
	a := end.Attempt
	ended, err := tx.exec(ctx, `
		UPDATE deliveries SET status = $3, attempts = attempts + 1, next_at = $4, claimed = false
		WHERE id = $1 AND fence = $2 AND claimed`, a.DeliveryID, end.Fence, a.Status, nullable(end.NextAt))
	if err != nil || ended == 0 {
		return err
	}
	return s.keepAttempt(ctx, tx, end)
}

// keepAttempt writes an attempt into the log, and pauses the webhook if its end
// says so.
func (s *Store) keepAttempt(ctx context.Context, tx transaction, end fieldlift.AttemptEnd) error {
	a := end.Attempt
	if _, err := tx.exec(ctx, `
		INSERT INTO attempts (delivery_id, retry_count, webhook_id, type, status, status_code, error, response, attempted_at, took_us)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		a.DeliveryID, a.RetryCount, a.WebhookID, a.EventType, a.Status, a.StatusCode, nullableText(a.Error), a.Response,
		a.AttemptedAt.UnixMicro(), a.Took.Microseconds()); err != nil || end.Pause == "" {
		return err
	}
	w, err := scanWebhook(tx.queryRow(ctx, `
		UPDATE webhooks SET is_active = false, paused_reason = $2 WHERE id = $1 AND is_active RETURNING `+webhookColumns, a.WebhookID, end.Pause))
	if errors.Is(err, errNoRow) {
		return nil // paused before
	}
	if err != nil {
		return err
	}
	return s.noteWebhook(fieldlift.WithActor(ctx, fieldlift.Actor{}), tx, fieldlift.WebhookPaused, w)
}

// ReleaseDeliveries gives claims back that were not tried to their end: they
// are due at once.
func (s *Store) ReleaseDeliveries(ctx context.Context, claims []fieldlift.DeliveryClaim) error {
	return s.db.update(ctx, func(tx transaction) error {
		for _, c := range claims {
			if _, err := tx.exec(ctx, `UPDATE deliveries SET next_at = $3, claimed = false WHERE id = $1 AND fence = $2 AND claimed`,
				c.Delivery.ID, c.Fence, s.clock().UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
}

// RecoverDeliveries makes all claimed deliveries due at once: for the start of
// the only process, which has claimed none of them.
func (s *Store) RecoverDeliveries(ctx context.Context) (recovered int64, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		recovered, err = tx.exec(ctx, `UPDATE deliveries SET next_at = $1, claimed = false WHERE claimed`, s.clock().UnixMicro())
		return err
	})
	return recovered, err
}

// TestWebhook finds what a test of a webhook needs, whether it is paused or not.
func (s *Store) TestWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) (c fieldlift.DeliveryClaim, err error) {
	var sealed sealedSecrets
	err = s.db.queryRow(ctx, `
		SELECT url, signing_secret, static_secret FROM webhooks
		WHERE id = $1 AND account_id = $2 AND kind = $3 AND deleted_at IS NULL`, id, accountID, kind).Scan(&c.URL, &sealed.signing, &sealed.static)
	if err != nil {
		return c, webhookNotFound(err, id)
	}
	if sealed.former, err = s.formerSecrets(ctx, s.db, id); err != nil {
		return c, err
	}
	c.Secrets, err = s.openSecrets(id, sealed)
	return c, err
}

// KeepTest keeps the one attempt of a test in the webhook's log, and pauses the
// webhook if the attempt's end says so.
func (s *Store) KeepTest(ctx context.Context, e fieldlift.Event, end fieldlift.AttemptEnd) error {
	a := end.Attempt
	return s.db.update(ctx, func(tx transaction) error {
		if err := s.insertEvent(ctx, tx, e, nil); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `
			INSERT INTO deliveries (id, webhook_id, event_id, type, status, attempts, happened_at, created_at) VALUES ($1, $2, $3, $4, $5, 1, $6, $6)`,
			a.DeliveryID, a.WebhookID, e.ID, e.Type, a.Status, e.CreatedAt.UnixMicro()); err != nil {
			return err
		}
		w, err := scanWebhook(tx.queryRow(ctx, `SELECT `+webhookColumns+` FROM webhooks WHERE id = $1`, a.WebhookID))
		if err != nil {
			return err
		}
		if err := s.noteWebhook(ctx, tx, fieldlift.WebhookTested, w); err != nil {
			return err
		}
		return s.keepAttempt(ctx, tx, end)
	})
}

const attemptColumns = `delivery_id, retry_count, webhook_id, type, status, status_code, error, response, attempted_at, took_us`

func scanAttempt(r row) (a fieldlift.Attempt, err error) {
	var message *string
	var attempted, took int64
	err = r.Scan(&a.DeliveryID, &a.RetryCount, &a.WebhookID, &a.EventType, &a.Status, &a.StatusCode, &message, &a.Response, &attempted, &took)
	a.Error, a.AttemptedAt, a.Took = textOf(message), timeOf(attempted), time.Duration(took)*time.Microsecond
	return a, err
}

// RecentAttempts lists the last attempts for a webhook, newest first.
func (s *Store) RecentAttempts(ctx context.Context, webhookID string, most int) ([]fieldlift.Attempt, error) {
	return collect(ctx, s.db, scanAttempt, `
		SELECT `+attemptColumns+` FROM attempts WHERE webhook_id = $1 ORDER BY attempted_at DESC, retry_count DESC LIMIT $2 + 0`, webhookID, most)
}

// Deliveries lists a page of a webhook's deliveries with their attempts, newest
// first, and tells whether more follow. A status of "" chooses all.
func (s *Store) Deliveries(ctx context.Context, webhookID string, status fieldlift.DeliveryStatus, page fieldlift.Page) (list []fieldlift.DeliveryRecord, more bool, err error) {
	// While it is being tried, next_at is no time that a client could make sense of.
	query := `SELECT d.id, d.webhook_id, d.event_id, d.extraction_id, d.type, d.status, d.attempts, d.created_at,
			CASE WHEN d.claimed THEN NULL ELSE d.next_at END, e.payload
		FROM deliveries d JOIN events e ON e.id = d.event_id WHERE d.webhook_id = $1 AND ($3 = '' OR d.status = $3)`
	args := []any{webhookID, page.Limit + 1, string(status)}
	if !page.After.IsZero() {
		query += ` AND (d.created_at, d.id) < ($4, $5)`
		args = append(args, page.After.At.UnixMicro(), page.After.ID)
	}
	query += ` ORDER BY d.created_at DESC, d.id DESC LIMIT $2 + 0` // "+ 0": see Parsers
	list, err = collect(ctx, s.db, scanDeliveryRecord, query, args...)
	if err != nil {
		return nil, false, err
	}
	if len(list) > page.Limit {
		list, more = list[:page.Limit], true
	}
	for i := range list {
		if list[i].Attempts, err = s.attemptsOf(ctx, list[i].Delivery); err != nil {
			return nil, false, err
		}
	}
	return list, more, nil
}

// attemptsOf lists the attempts that a delivery had when it was read, so that
// both tell the same.
func (s *Store) attemptsOf(ctx context.Context, d fieldlift.Delivery) ([]fieldlift.Attempt, error) {
	return collect(ctx, s.db, scanAttempt, `
		SELECT `+attemptColumns+` FROM attempts WHERE delivery_id = $1 AND retry_count < $2 ORDER BY retry_count`, d.ID, d.Attempts)
}

func scanDeliveryRecord(r row) (record fieldlift.DeliveryRecord, err error) {
	into, done := deliveryInto(&record.Delivery)
	var payload string
	err = r.Scan(append(into, &payload)...)
	done()
	record.Payload = fieldlift.Payload(payload)
	return record, err
}

// Redeliver makes a new delivery of the event of an earlier one, with all its
// retries. The earlier one stays in the log as it is.
func (s *Store) Redeliver(ctx context.Context, w fieldlift.Webhook, deliveryID string) (record fieldlift.DeliveryRecord, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		var e fieldlift.Event
		var extraction *string
		var payload string
		var created int64
		err := tx.queryRow(ctx, `
			SELECT e.id, e.extraction_id, e.type, e.payload, e.created_at FROM deliveries d JOIN events e ON e.id = d.event_id
			WHERE d.id = $1 AND d.webhook_id = $2`, deliveryID, w.ID).Scan(&e.ID, &extraction, &e.Type, &payload, &created)
		if err != nil {
			return notFound(err, fieldlift.ResourceNotFound, "There is no delivery "+deliveryID+" of this webhook.")
		}
		if !w.Active {
			return fieldlift.Errorf(fieldlift.Conflict, "The webhook is paused; set is_active to true first.")
		}
		e.ExtractionID, e.Payload, e.CreatedAt = textOf(extraction), fieldlift.Payload(payload), timeOf(created)
		record.Payload = e.Payload
		if record.Delivery, err = s.insertDelivery(ctx, tx, w.ID, e, s.clock()); err != nil {
			return err
		}
		return s.noteWebhook(ctx, tx, fieldlift.WebhookRedelivered, w)
	})
	if err == nil {
		s.wakeDeliverer()
	}
	return record, err
}

// DeliveryBacklog tells how many deliveries wait, for a first try or another.
func (s *Store) DeliveryBacklog(ctx context.Context) (waiting int64, err error) {
	err = s.db.queryRow(ctx, `SELECT count(*) FROM deliveries WHERE next_at IS NOT NULL`).Scan(&waiting)
	return waiting, err
}

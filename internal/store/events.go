package store

import (
	"context"
	"time"

	"fieldlift"
)

// announce writes, in the transaction in which a document ended, the events
// that tell of it, and the deliveries to the webhooks that want them. When it
// was the last of its extraction, that has ended too.
func (s *Store) announce(ctx context.Context, tx transaction, documentID, extractionID string, at int64, ended bool) error {
	hooks, err := collect(ctx, tx, scanWebhook, `
		SELECT w.id, w.account_id, w.kind, w.parser_id, w.url, w.events, w.is_active, w.paused_reason, w.static_secret IS NOT NULL, w.created_at
		FROM webhooks w JOIN extractions e ON e.account_id = w.account_id
		WHERE e.id = $1 AND w.is_active AND w.deleted_at IS NULL ORDER BY w.created_at, w.id`, extractionID)
	if err != nil || len(hooks) == 0 {
		return err
	}
	e, err := scanExtraction(tx.queryRow(ctx, `SELECT `+extractionColumns+` FROM extractions WHERE id = $1`, extractionID))
	if err != nil {
		return err
	}
	if wanting := wanting(hooks, fieldlift.EventDocumentCompleted, e); len(wanting) > 0 {
		d, err := scanDocument(tx.queryRow(ctx, `SELECT `+documentColumns+` FROM documents WHERE id = $1`, documentID))
		if err != nil {
			return err
		}
		if err := s.insertEvent(ctx, tx, fieldlift.NewDocumentCompleted(timeOf(at), e, d), wanting); err != nil {
			return err
		}
	}
	if !ended {
		return nil
	}
	return s.announceEnd(ctx, tx, e, hooks)
}

// announceEnd tells of the end of an extraction.
func (s *Store) announceEnd(ctx context.Context, tx transaction, e fieldlift.Extraction, hooks []fieldlift.Webhook) error {
	for _, newEvent := range []func(time.Time, fieldlift.Extraction, []fieldlift.Document) fieldlift.Event{fieldlift.NewJobCompleted, fieldlift.NewBatchEnded} {
		wanting := wanting(hooks, newEvent(e.CompletedAt, e, nil).Type, e)
		if len(wanting) == 0 {
			continue
		}
		documents, err := collect(ctx, tx, scanDocument, `SELECT `+documentColumns+` FROM documents WHERE extraction_id = $1 ORDER BY position`, e.ID)
		if err != nil {
			return err
		}
		// A moment of its own, after that of its last document: the order of events is that of their times.
		at, err := s.nextChange(ctx, tx, e.AccountID)
		if err != nil {
			return err
		}
		if err := s.insertEvent(ctx, tx, newEvent(timeOf(at), e, documents), wanting); err != nil {
			return err
		}
	}
	return nil
}

func wanting(hooks []fieldlift.Webhook, t fieldlift.EventType, e fieldlift.Extraction) (ids []string) {
	for _, w := range hooks {
		if w.Wants(t, e.ParserID) {
			ids = append(ids, w.ID)
		}
	}
	return ids
}

// insertEvent writes an event and its deliveries, which are due at once.
func (s *Store) insertEvent(ctx context.Context, tx transaction, e fieldlift.Event, webhookIDs []string) error {
	if _, err := tx.exec(ctx, `INSERT INTO events (id, account_id, extraction_id, type, payload, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		e.ID, e.AccountID, nullableText(e.ExtractionID), e.Type, string(e.Payload), e.CreatedAt.UnixMicro()); err != nil {
		return err
	}
	for _, id := range webhookIDs {
		if _, err := s.insertDelivery(ctx, tx, id, e, e.CreatedAt); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) insertDelivery(ctx context.Context, tx transaction, webhookID string, e fieldlift.Event, at time.Time) (fieldlift.Delivery, error) {
	d := fieldlift.Delivery{
		ID: fieldlift.NewID(fieldlift.DeliveryPrefix), WebhookID: webhookID, ExtractionID: e.ExtractionID, EventID: e.ID, EventType: e.Type,
		Status: fieldlift.DeliveryPending, NextAt: at, CreatedAt: at,
	}
	_, err := tx.exec(ctx, `
		INSERT INTO deliveries (id, webhook_id, event_id, extraction_id, type, status, happened_at, created_at, next_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)`,
		d.ID, webhookID, e.ID, nullableText(e.ExtractionID), e.Type, d.Status, e.CreatedAt.UnixMicro(), at.UnixMicro())
	return d, err
}

// ResultData gives what was extracted from a document, which an event's
// payload only names. It is what the engine gave, whatever a person has made of
// it since: every try of a delivery has the same bytes.
func (s *Store) ResultData(ctx context.Context, documentID string) (string, error) {
	var data string
	err := s.db.queryRow(ctx, `SELECT coalesce(original_data, data) FROM results WHERE document_id = $1`, documentID).Scan(&data)
	return data, notFound(err, fieldlift.ResourceNotFound, "The document is no longer there.")
}

// eventsAtOnce bounds how many events are forgotten in one transaction.
const eventsAtOnce = 500

// ForgetEvents drops events that happened before a time, and with them their
// deliveries and attempts.
func (s *Store) ForgetEvents(ctx context.Context, before time.Time) error {
	return s.forget(ctx, `DELETE FROM events WHERE id IN (SELECT id FROM events WHERE created_at <= $1 ORDER BY created_at LIMIT $2 + 0)`,
		before, eventsAtOnce)
}

// forget drops what is older than a time, so many rows in one transaction: no
// other writer waits long. The statement reads the time as $1 and the number
// as $2.
func (s *Store) forget(ctx context.Context, statement string, before time.Time, atOnce int64) error {
	for {
		var dropped int64
		err := s.db.update(ctx, func(tx transaction) error {
			var err error
			dropped, err = tx.exec(ctx, statement, before.UnixMicro(), atOnce)
			return err
		})
		if err != nil || dropped < atOnce {
			return err
		}
	}
}

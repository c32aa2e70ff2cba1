package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fieldlift"
)

// CreateWebhook makes a webhook; its secrets are kept sealed. An account has
// at most so many, of both kinds together.
func (s *Store) CreateWebhook(ctx context.Context, w fieldlift.Webhook, secrets fieldlift.WebhookSecrets, most int) (fieldlift.Webhook, error) {
	w.ID = fieldlift.NewID(fieldlift.WebhookPrefix)
	w.CreatedAt, w.Active, w.Static = s.clock(), true, secrets.Static != ""
	err := s.db.update(ctx, func(tx transaction) error {
		if err := s.adoptKey(ctx, tx); err != nil {
			return err
		}
		if err := s.checkRoom(ctx, tx, w.AccountID, most); err != nil {
			return err
		}
		if w.ParserID != "" {
			if err := s.checkParser(ctx, tx, fieldlift.Extraction{AccountID: w.AccountID, ParserID: w.ParserID}); err != nil {
				return err
			}
		}
		_, err := tx.exec(ctx, `
			INSERT INTO webhooks (id, account_id, kind, parser_id, url, events, is_active, signing_secret, static_secret, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
			w.ID, w.AccountID, w.Kind, nullableText(w.ParserID), w.URL, joinEvents(w.Events), w.Active,
			s.box.Seal(secrets.Signing, w.ID+signingPlace), s.sealOptional(secrets.Static, w.ID+staticPlace), w.CreatedAt.UnixMicro())
		if err != nil {
			return err
		}
		return s.noteWebhook(ctx, tx, fieldlift.WebhookCreated, w)
	})
	return w, err
}

// checkRoom refuses more webhooks than an account may have. It holds the
// account's row, so that those who come together are counted one by one.
func (s *Store) checkRoom(ctx context.Context, tx transaction, accountID string, most int) error {
	var id string
	if err := tx.queryRow(ctx, `SELECT id FROM accounts WHERE id = $1`+s.db.forUpdate(), accountID).Scan(&id); err != nil {
		return err
	}
	var count int
	if err := tx.queryRow(ctx, `SELECT count(*) FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL`, accountID).Scan(&count); err != nil {
		return err
	}
	if count >= most {
		return fieldlift.Errorf(fieldlift.InvalidPayload, "The account has %d webhooks, those for batch.* events included, which is the limit; delete one first.", count)
	}
	return nil
}

func joinEvents(events []fieldlift.EventType) string {
	texts := make([]string, 0, len(events))
	for _, e := range events {
		texts = append(texts, string(e))
	}
	return strings.Join(texts, ",")
}

const webhookColumns = `id, account_id, kind, parser_id, url, events, is_active, paused_reason, static_secret IS NOT NULL, created_at`

func scanWebhook(r row) (w fieldlift.Webhook, err error) {
	var parser, reason *string
	var events string
	var created int64
	err = r.Scan(&w.ID, &w.AccountID, &w.Kind, &parser, &w.URL, &events, &w.Active, &reason, &w.Static, &created)
	w.ParserID, w.PausedReason, w.CreatedAt = textOf(parser), textOf(reason), timeOf(created)
	for e := range strings.SplitSeq(events, ",") {
		w.Events = append(w.Events, fieldlift.EventType(e))
	}
	return w, err
}

func webhookNotFound(err error, id string) error {
	return notFound(err, fieldlift.ResourceNotFound, "There is no webhook "+id+".")
}

// Webhook finds a webhook of the account and kind.
func (s *Store) Webhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) (fieldlift.Webhook, error) {
	w, err := scanWebhook(s.db.queryRow(ctx, `
		SELECT `+webhookColumns+` FROM webhooks WHERE id = $1 AND account_id = $2 AND kind = $3 AND deleted_at IS NULL`, id, accountID, kind))
	return w, webhookNotFound(err, id)
}

// Webhooks lists a page of the account's webhooks of a kind, newest first, and
// tells whether more follow.
func (s *Store) Webhooks(ctx context.Context, accountID string, kind fieldlift.WebhookKind, page fieldlift.Page) (list []fieldlift.Webhook, more bool, err error) {
	query := `SELECT ` + webhookColumns + ` FROM webhooks WHERE account_id = $1 AND deleted_at IS NULL AND kind = $3`
	args := []any{accountID, page.Limit + 1, kind}
	if !page.After.IsZero() {
		query += ` AND (created_at, id) < ($4, $5)`
		args = append(args, page.After.At.UnixMicro(), page.After.ID)
	}
	query += ` ORDER BY created_at DESC, id DESC LIMIT $2 + 0` // "+ 0": see Parsers
	list, err = collect(ctx, s.db, scanWebhook, query, args...)
	if len(list) > page.Limit {
		return list[:page.Limit], true, err
	}
	return list, false, err
}

// UpdateWebhook sets what the change holds and leaves the rest. Deliveries
// that wait for a paused webhook go on when it is active again.
func (s *Store) UpdateWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string, change fieldlift.WebhookChange) (w fieldlift.Webhook, err error) {
	args := []any{id, accountID, kind}
	var assignments []string
	set := func(column string, value any) {
		args = append(args, value)
		assignments = append(assignments, fmt.Sprintf("%s = $%d", column, len(args)))
	}
	if change.URL != nil {
		set("url", *change.URL)
	}
	if change.Events != nil {
		set("events", joinEvents(change.Events))
	}
	if change.Active != nil {
		set("is_active", *change.Active)
		assignments = append(assignments, "paused_reason = NULL")
	}
	if change.Static != nil {
		if s.box == nil {
			return w, ErrOtherKey
		}
		set("static_secret", s.sealOptional(*change.Static, id+staticPlace))
	}
	if len(assignments) == 0 {
		return s.Webhook(ctx, accountID, kind, id)
	}
	err = s.db.update(ctx, func(tx transaction) error {
		if change.Static != nil {
			if err := s.adoptKey(ctx, tx); err != nil {
				return err
			}
		}
		w, err = scanWebhook(tx.queryRow(ctx, `
			UPDATE webhooks SET `+strings.Join(assignments, ", ")+`
			WHERE id = $1 AND account_id = $2 AND kind = $3 AND deleted_at IS NULL RETURNING `+webhookColumns, args...))
		if err != nil {
			return err
		}
		return s.noteWebhookChange(ctx, tx, w, change)
	})
	if err == nil {
		s.wakeDeliverer()
	}
	return w, webhookNotFound(err, id)
}

// noteWebhook notes what was done to a webhook. It is called by the host that it
// leads to: the rest of a URL may be a secret.
func (s *Store) noteWebhook(ctx context.Context, tx transaction, act fieldlift.Act, w fieldlift.Webhook) error {
	return s.note(ctx, tx, w.AccountID, act, w.ID, w.Host())
}

// noteWebhookChange tells pausing and resuming from other changes.
func (s *Store) noteWebhookChange(ctx context.Context, tx transaction, w fieldlift.Webhook, change fieldlift.WebhookChange) error {
	if change.URL != nil || change.Events != nil || change.Static != nil {
		if err := s.noteWebhook(ctx, tx, fieldlift.WebhookChanged, w); err != nil {
			return err
		}
	}
	switch {
	case change.Active == nil:
		return nil
	case *change.Active:
		return s.noteWebhook(ctx, tx, fieldlift.WebhookResumed, w)
	}
	return s.noteWebhook(ctx, tx, fieldlift.WebhookPaused, w)
}

// DeleteWebhook takes a webhook out of service. What waits for it is given up.
func (s *Store) DeleteWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) error {
	return s.db.update(ctx, func(tx transaction) error {
		// Of its secrets nothing stays: they cannot be asked for again.
		w, err := scanWebhook(tx.queryRow(ctx, `
			UPDATE webhooks SET deleted_at = $4, is_active = false, signing_secret = '', static_secret = NULL
			WHERE id = $1 AND account_id = $2 AND kind = $3 AND deleted_at IS NULL RETURNING `+webhookColumns,
			id, accountID, kind, s.clock().UnixMicro()))
		if err != nil {
			return webhookNotFound(err, id)
		}
		if err := s.noteWebhook(ctx, tx, fieldlift.WebhookDeleted, w); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `DELETE FROM former_secrets WHERE webhook_id = $1`, id); err != nil {
			return err
		}
		_, err = tx.exec(ctx, `UPDATE deliveries SET status = 'failed', next_at = NULL, claimed = false WHERE webhook_id = $1 AND next_at IS NOT NULL`, id)
		return err
	})
}

// RotateSecret gives a webhook another signing secret. Each one before it stays
// valid for the time of overlap after its own replacement, if it can be read
// at all; so there is a limit to how many can be replaced in that time.
func (s *Store) RotateSecret(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id, secret string) (w fieldlift.Webhook, err error) {
	now := s.clock()
	err = s.db.update(ctx, func(tx transaction) error {
		if err := s.adoptKey(ctx, tx); err != nil {
			return err
		}
		var before string
		if err := tx.queryRow(ctx, `
			SELECT signing_secret FROM webhooks WHERE id = $1 AND account_id = $2 AND kind = $3 AND deleted_at IS NULL`+s.db.forUpdate(),
			id, accountID, kind).Scan(&before); err != nil {
			return err
		}
		if err := s.keepFormer(ctx, tx, id, before, now); err != nil {
			return err
		}
		w, err = scanWebhook(tx.queryRow(ctx, `UPDATE webhooks SET signing_secret = $2 WHERE id = $1 RETURNING `+webhookColumns,
			id, s.box.Seal(secret, id+signingPlace)))
		if err != nil {
			return err
		}
		return s.noteWebhook(ctx, tx, fieldlift.WebhookRotated, w)
	})
	return w, webhookNotFound(err, id)
}

// keepFormer keeps a secret that is being replaced.
func (s *Store) keepFormer(ctx context.Context, tx transaction, webhookID, sealed string, now time.Time) error {
	if _, err := s.box.Open(sealed, webhookID+signingPlace); err != nil {
		// The key was lost and replaced: no secret before it can be opened.
		_, err := tx.exec(ctx, `DELETE FROM former_secrets WHERE webhook_id = $1`, webhookID)
		return err
	}
	if _, err := tx.exec(ctx, `DELETE FROM former_secrets WHERE webhook_id = $1 AND valid_until <= $2`, webhookID, now.UnixMicro()); err != nil {
		return err
	}
	var count int
	if err := tx.queryRow(ctx, `SELECT count(*) FROM former_secrets WHERE webhook_id = $1`, webhookID).Scan(&count); err != nil {
		return err
	}
	if count >= fieldlift.MaxFormerSecrets {
		return fieldlift.Errorf(fieldlift.Conflict,
			"The secret was rotated %d times within 24 hours, and all secrets before it are still valid; wait until the oldest is not.", count)
	}
	_, err := tx.exec(ctx, `INSERT INTO former_secrets (webhook_id, secret, valid_until) VALUES ($1, $2, $3)`,
		webhookID, sealed, now.Add(fieldlift.SecretOverlap).UnixMicro())
	return err
}

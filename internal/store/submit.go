package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"fieldlift"
)

// Submit accepts a submission in one transaction: the extraction with its
// documents, the charge for their pages, the idempotency key and the call to
// the workers come about together or not at all. A key that was used within
// the window gives what was accepted then; replayed tells so.
func (s *Store) Submit(ctx context.Context, in fieldlift.Submission) (accepted fieldlift.Accepted, replayed bool, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		// The account's row comes first and is held to the end: what one account
		// submits, it submits one after the other.
		at, err := s.nextChange(ctx, tx, in.Extraction.AccountID)
		if err != nil {
			return err
		}
		if in.IdempotencyKey != "" {
			accepted, replayed, err = s.replay(ctx, tx, in.Extraction.AccountID, in.IdempotencyKey, in.Fingerprint)
			if err != nil || replayed {
				return err
			}
		}
		if err := s.checkParser(ctx, tx, in.Extraction); err != nil {
			return err
		}
		accepted = in.Accept(timeOf(at))
		return s.insertExtraction(ctx, tx, in, &accepted)
	})
	if err == nil && !replayed {
		s.wake(len(accepted.Documents))
	}
	return accepted, replayed, err
}

// nextChange takes the next moment in the order of an account's changes, and
// locks the account until the transaction ends.
func (s *Store) nextChange(ctx context.Context, tx transaction, accountID string) (int64, error) {
	var at int64
	err := tx.queryRow(ctx, `
		UPDATE accounts SET changed_at = CASE WHEN changed_at >= $2 THEN changed_at + 1 ELSE $2 END
		WHERE id = $1 RETURNING changed_at`, accountID, s.clock().UnixMicro()).Scan(&at)
	return at, err
}

// checkParser makes sure that the parser is still the one the submission was
// read for.
func (s *Store) checkParser(ctx context.Context, tx transaction, e fieldlift.Extraction) error {
	var found string
	err := tx.queryRow(ctx, `SELECT id FROM parsers WHERE account_id = $1 AND id = $2 AND deleted_at IS NULL`, e.AccountID, e.ParserID).Scan(&found)
	return parserNotFound(err, e.ParserID)
}

func (s *Store) insertExtraction(ctx context.Context, tx transaction, in fieldlift.Submission, out *fieldlift.Accepted) error {
	e := out.Extraction
	at := e.CreatedAt.UnixMicro()
	if _, err := tx.exec(ctx, `
		INSERT INTO extractions (id, account_id, name, parser_id, parser_name, result_mode, document_type, schema, engine, status,
			file_count, page_count, credits_used, unfinished, failed, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $14, $9, $10, $11, $12, $10, 0, $13, $13)`,
		e.ID, e.AccountID, e.Name, e.ParserID, e.ParserName, e.ResultMode, nullableText(e.DocumentType), e.Schema.String(), e.Status,
		e.FileCount, e.PageCount, e.CreditsUsed, at, nullableText(string(e.Engine))); err != nil {
		return err
	}
	for _, d := range out.Documents {
		if _, err := tx.exec(ctx, `
			INSERT INTO documents (id, extraction_id, account_id, position, filename, content_type, size_bytes, sha256,
				page_count, credits_used, status, created_at, updated_at, available_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12, $12)`,
			d.ID, d.ExtractionID, d.AccountID, d.Position, d.Filename, d.ContentType, d.SizeBytes, d.SHA256,
			d.PageCount, d.CreditsUsed, d.Status, at); err != nil {
			return err
		}
	}
	if err := s.note(ctx, tx, e.AccountID, fieldlift.ExtractionSubmitted, e.ID, e.Name); err != nil {
		return err
	}
	if err := s.charge(ctx, tx, e.AccountID, e.ID, e.CreditsUsed); err != nil {
		return err
	}
	var err error
	if out.CreditsRemaining, err = s.available(ctx, tx, e.AccountID); err != nil {
		return err
	}
	if in.IdempotencyKey != "" {
		if err := s.remember(ctx, tx, in, *out); err != nil {
			return err
		}
	}
	return tx.ring(ctx, len(out.Documents), e.CreatedAt)
}

// Replay gives what was accepted under an idempotency key within the window,
// if anything was; differs tells that the request was another one then.
func (s *Store) Replay(ctx context.Context, accountID, key, fingerprint string) (accepted fieldlift.Accepted, found bool, err error) {
	return s.replay(ctx, s.db, accountID, key, fingerprint)
}

func (s *Store) replay(ctx context.Context, q querier, accountID, key, fingerprint string) (accepted fieldlift.Accepted, found bool, err error) {
	var before, text string
	err = q.queryRow(ctx, `SELECT fingerprint, answer FROM idempotency_keys WHERE account_id = $1 AND key = $2 AND created_at > $3`,
		accountID, key, s.clock().Add(-fieldlift.IdempotencyWindow).UnixMicro()).Scan(&before, &text)
	if errors.Is(err, errNoRow) {
		return accepted, false, nil
	}
	if err != nil {
		return accepted, false, err
	}
	if err := json.Unmarshal([]byte(text), &accepted); err != nil {
		return accepted, false, fmt.Errorf("read what was accepted: %w", err)
	}
	accepted.Differs = before != fingerprint
	return accepted, true, nil
}

func (s *Store) remember(ctx context.Context, tx transaction, in fieldlift.Submission, out fieldlift.Accepted) error {
	text, err := json.Marshal(out)
	if err != nil {
		return err
	}
	// A key whose window is over is used anew.
	_, err = tx.exec(ctx, `
		INSERT INTO idempotency_keys (account_id, key, fingerprint, answer, created_at) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (account_id, key) DO UPDATE SET fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at`,
		in.Extraction.AccountID, in.IdempotencyKey, in.Fingerprint, string(text), s.clock().UnixMicro())
	return err
}

// ForgetIdempotencyKeys drops keys whose window is over.
func (s *Store) ForgetIdempotencyKeys(ctx context.Context) error {
	return s.db.update(ctx, func(tx transaction) error {
		_, err := tx.exec(ctx, `DELETE FROM idempotency_keys WHERE created_at <= $1`, s.clock().Add(-fieldlift.IdempotencyWindow).UnixMicro())
		return err
	})
}

package store

import (
	"context"
	"errors"
	"time"

	"fieldlift"
)

// crashPauses is how long a document waits after it lost its worker once,
// twice, and so on; with one loss more it is given up.
//
// A dead worker says nothing about the document: machines are switched off and
// processes killed, and every document in work is lost with them. Only one
// that is lost again and again, each time later and so in other company, is
// itself the likely cause.
var crashPauses = [...]time.Duration{0, 0, 2 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute}

// Recover puts documents back into the queue whose workers gave no sign of
// life since a time; one that did so too often is failed. It gives how many
// there were. At the start of the only process that may be "since now".
func (s *Store) Recover(ctx context.Context, since time.Time) (int, error) {
	type lost struct {
		claim   fieldlift.Claim
		crashes int64
	}
	found, err := collect(ctx, s.db, func(r row) (l lost, err error) {
		d := &l.claim.Document
		return l, r.Scan(&d.ID, &d.ExtractionID, &d.AccountID, &l.claim.Attempt, &l.crashes)
	}, `SELECT id, extraction_id, account_id, attempt, crashes FROM documents WHERE status = 'processing' AND heartbeat_at <= $1`, since.UnixMicro())
	if err != nil {
		return 0, err
	}
	for i, l := range found {
		if l.crashes < int64(len(crashPauses)) {
			err = s.requeue(ctx, l.claim, since, crashPauses[l.crashes])
		} else {
			err = s.giveUp(ctx, l.claim, since)
		}
		if err != nil && !errors.Is(err, fieldlift.ErrClaimLost) {
			return i, err
		}
	}
	return len(found), nil
}

// giveUp fails a document that took its workers with it, unless the last one
// gave a sign of life after all.
func (s *Store) giveUp(ctx context.Context, c fieldlift.Claim, since time.Time) error {
	return s.end(ctx, func(tx transaction) error {
		ended, err := tx.exec(ctx, `
			UPDATE documents SET status = 'failed', error_message = $4, updated_at = $5, heartbeat_at = NULL
			WHERE id = $1 AND attempt = $2 AND status = 'processing' AND heartbeat_at <= $3`,
			c.Document.ID, c.Attempt, since.UnixMicro(),
			"The document could not be processed: it stopped the worker each time it was tried.", s.clock().UnixMicro())
		if err != nil || ended == 0 {
			return err
		}
		return s.endExtraction(ctx, tx, c.Document, 1, 0)
	})
}

// requeue has a document tried again after a pause, unless its worker gave a
// sign of life after all.
func (s *Store) requeue(ctx context.Context, c fieldlift.Claim, since time.Time, pause time.Duration) error {
	return s.db.update(ctx, func(tx transaction) error {
		due := s.clock().Add(pause)
		back, err := tx.exec(ctx, `
			UPDATE documents SET status = 'queued', available_at = $4, crashes = crashes + 1, heartbeat_at = NULL
			WHERE id = $1 AND attempt = $2 AND status = 'processing' AND heartbeat_at <= $3`,
			c.Document.ID, c.Attempt, since.UnixMicro(), due.UnixMicro())
		if err != nil {
			return err
		}
		if back == 0 {
			return fieldlift.ErrClaimLost
		}
		if pause > 0 {
			if err := s.putOff(ctx, tx, c.Document); err != nil {
				return err
			}
		}
		return tx.ring(ctx, 1, due)
	})
}

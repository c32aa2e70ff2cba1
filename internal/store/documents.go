package store

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"fieldlift"
)

// mostClaimTries bounds how often a claim is tried that others are quicker at.
const mostClaimTries = 10

// BeginDocument claims the next document that waits; ok is false when none
// does. Accounts take turns: next is the one that was served longest ago.
// Documents whose extraction asks for one of the engines in except are left.
func (s *Store) BeginDocument(ctx context.Context, except ...fieldlift.EngineChoice) (c fieldlift.Claim, ok bool, err error) {
	for range mostClaimTries {
		account, err := s.nextAccount(ctx, except)
		if errors.Is(err, errNoRow) {
			return fieldlift.Claim{}, false, nil
		}
		if err != nil {
			return fieldlift.Claim{}, false, err
		}
		c, err := s.beginDocumentOf(ctx, account, except)
		if !errors.Is(err, errNoRow) {
			return c, err == nil, err
		}
		// Another worker took the account's last document meanwhile.
	}
	return fieldlift.Claim{}, false, nil
}

// nextAccount finds the account whose turn it is. It hops from one account
// with waiting documents to the next, however many documents each has.
func (s *Store) nextAccount(ctx context.Context, except []fieldlift.EngineChoice) (string, error) {
	var id string
	left, args := without(except, 1)
	err := s.db.queryRow(ctx, `
		WITH RECURSIVE waiting (account_id) AS (
			SELECT (SELECT d.account_id FROM documents d WHERE d.status = 'queued' AND d.available_at <= $1`+left+` ORDER BY d.account_id LIMIT 1)
			UNION ALL
			SELECT (SELECT d.account_id FROM documents d WHERE d.status = 'queued' AND d.available_at <= $1`+left+`
				AND d.account_id > waiting.account_id ORDER BY d.account_id LIMIT 1)
			FROM waiting WHERE waiting.account_id IS NOT NULL
		)
		SELECT a.id FROM waiting JOIN accounts a ON a.id = waiting.account_id ORDER BY a.served_at, a.id LIMIT 1`,
		append([]any{s.clock().UnixMicro()}, args...)...).Scan(&id)
	return id, err
}

// without is the condition that leaves documents, "d", that ask for some
// engine, with what belongs to it after so many parameters.
func without(except []fieldlift.EngineChoice, after int) (condition string, args []any) {
	if len(except) == 0 {
		return "", nil
	}
	places := make([]string, len(except))
	for i, one := range except {
		places[i] = "$" + strconv.Itoa(after+i+1)
		args = append(args, string(one))
	}
	return ` AND NOT EXISTS (SELECT 1 FROM extractions x WHERE x.id = d.extraction_id AND coalesce(x.engine, '') IN (` + strings.Join(places, ", ") + `))`, args
}

func (s *Store) beginDocumentOf(ctx context.Context, accountID string, except []fieldlift.EngineChoice) (c fieldlift.Claim, err error) {
	now := s.clock().UnixMicro()
	left, args := without(except, 3)
	err = s.db.update(ctx, func(tx transaction) error {
		c.Document, err = scanDocument(tx.queryRow(ctx, `
			UPDATE documents SET status = 'processing', attempt = attempt + 1, heartbeat_at = $2, updated_at = $2, node = $3
			WHERE id = (
				SELECT d.id FROM documents d WHERE d.account_id = $1 AND d.status = 'queued' AND d.available_at <= $2`+left+`
				ORDER BY d.available_at, d.position LIMIT 1`+s.db.skipLocked()+`
			) RETURNING `+documentColumns, append([]any{accountID, now, nullableText(s.node)}, args...)...))
		if err != nil {
			return err
		}
		if err := tx.queryRow(ctx, `SELECT attempt, postponements FROM documents WHERE id = $1`, c.Document.ID).Scan(&c.Attempt, &c.Postponements); err != nil {
			return err
		}
		// With the account's row in hand, as every change: see nextChange.
		at, err := s.nextChange(ctx, tx, accountID)
		if err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `UPDATE accounts SET served_at = $2 WHERE id = $1`, accountID, at); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `
			UPDATE extractions SET status = 'processing', updated_at = $2 WHERE id = $1 AND status IN ('queued', 'pending')`,
			c.Document.ExtractionID, at); err != nil {
			return err
		}
		c.Extraction, err = scanExtraction(tx.queryRow(ctx, `SELECT `+extractionColumns+` FROM extractions WHERE id = $1`, c.Document.ExtractionID))
		return err
	})
	return c, err
}

// Beat keeps a claim alive; ok is false when it was taken away, because it was
// thought dead, and the work on it is in vain.
func (s *Store) Beat(ctx context.Context, c fieldlift.Claim) (ok bool, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		beaten, err := tx.exec(ctx, `
			UPDATE documents SET heartbeat_at = $3 WHERE id = $1 AND attempt = $2 AND status = 'processing'`,
			c.Document.ID, c.Attempt, s.clock().UnixMicro())
		ok = beaten == 1
		return err
	})
	return ok, err
}

// CompleteDocument keeps a document's result and, if it was the last, ends its
// extraction.
func (s *Store) CompleteDocument(ctx context.Context, c fieldlift.Claim, r fieldlift.Result, took time.Duration) error {
	texts, err := resultTexts(r)
	if err != nil {
		return err
	}
	var model *string
	if r.Model != nil {
		text, err := json.Marshal(r.Model)
		if err != nil {
			return err
		}
		model = new(string(text))
	}
	return s.end(ctx, func(tx transaction) error {
		if err := s.endDocument(ctx, tx, c, fieldlift.DocumentCompleted, "", r.Confidence, took); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `INSERT INTO results (document_id, data, field_metadata, validation, pages, model) VALUES ($1, $2, $3, $4, $5, $6)`,
			c.Document.ID, texts.Data, texts.Metadata, texts.Validation, texts.Pages, model); err != nil {
			return err
		}
		return s.endExtraction(ctx, tx, c.Document, 0, took)
	})
}

// resultTexts gives the parts of a result as they are kept and shown.
func resultTexts(r fieldlift.Result) (texts fieldlift.Record, err error) {
	texts.Data = string(r.Data)
	if r.Validation == nil {
		r.Validation = []fieldlift.Violation{}
	}
	if r.Pages == nil {
		r.Pages = []fieldlift.PageReading{}
	}
	for _, part := range []struct {
		into *string
		from any
	}{{&texts.Metadata, r.Metadata}, {&texts.Validation, r.Validation}, {&texts.Pages, r.Pages}} {
		text, err := json.Marshal(part.from)
		if err != nil {
			return texts, err
		}
		*part.into = string(text)
	}
	return texts, nil
}

// FailDocument ends a document without a result, with a sentence that says why.
func (s *Store) FailDocument(ctx context.Context, c fieldlift.Claim, message string, took time.Duration) error {
	return s.end(ctx, func(tx transaction) error {
		if err := s.endDocument(ctx, tx, c, fieldlift.DocumentFailed, message, 0, took); err != nil {
			return err
		}
		return s.endExtraction(ctx, tx, c.Document, 1, took)
	})
}

// end runs a transaction in which a document ends; its events may want to be
// delivered.
func (s *Store) end(ctx context.Context, act func(transaction) error) error {
	err := s.db.update(ctx, act)
	if err == nil {
		s.wakeDeliverer()
	}
	return err
}

func (s *Store) endDocument(ctx context.Context, tx transaction, c fieldlift.Claim, status fieldlift.DocumentStatus, message string, confidence float64, took time.Duration) error {
	ended, err := tx.exec(ctx, `
		UPDATE documents SET status = $3, error_message = $4, confidence = $5, processing_time_ms = $6, updated_at = $7, heartbeat_at = NULL
		WHERE id = $1 AND attempt = $2 AND status = 'processing'`,
		c.Document.ID, c.Attempt, status, nullableText(message), confidence, took.Milliseconds(), s.clock().UnixMicro())
	if err == nil && ended == 0 {
		return fieldlift.ErrClaimLost
	}
	return err
}

// endExtraction counts a finished document, ends its extraction with the last
// one, and writes the events that tell of both.
func (s *Store) endExtraction(ctx context.Context, tx transaction, d fieldlift.Document, failed int64, took time.Duration) error {
	at, err := s.nextChange(ctx, tx, d.AccountID)
	if err != nil {
		return err
	}
	var files, unfinished, failures int64
	if err := tx.queryRow(ctx, `
		UPDATE extractions SET unfinished = unfinished - 1, failed = failed + $2, updated_at = $3
		WHERE id = $1 RETURNING file_count, unfinished, failed`, d.ExtractionID, failed, at).Scan(&files, &unfinished, &failures); err != nil {
		return err
	}
	ended := unfinished == 0
	if ended {
		_, err = tx.exec(ctx, `UPDATE extractions SET status = $2, completed_at = $3 WHERE id = $1`, d.ExtractionID, fieldlift.Outcome(files, failures), at)
	} else {
		err = s.settlePending(ctx, tx, d.ExtractionID)
	}
	if err != nil {
		return err
	}
	if err := s.countUsage(ctx, tx, d.AccountID, d.ID, at, took); err != nil {
		return err
	}
	return s.announce(ctx, tx, d.ID, d.ExtractionID, at, ended)
}

// settlePending makes an extraction pending when every document that is not
// finished waits for a retry.
func (s *Store) settlePending(ctx context.Context, tx transaction, extractionID string) error {
	_, err := tx.exec(ctx, `
		UPDATE extractions SET status = 'pending' WHERE id = $1 AND NOT EXISTS (
			SELECT 1 FROM documents WHERE extraction_id = $1 AND (status = 'processing' OR status = 'queued' AND available_at <= $2))`,
		extractionID, s.clock().UnixMicro())
	return err
}

// PostponeDocument gives a claim back to be tried again at a time, because
// something that the work needs is away.
func (s *Store) PostponeDocument(ctx context.Context, c fieldlift.Claim, until time.Time) error {
	return s.db.update(ctx, func(tx transaction) error {
		postponed, err := tx.exec(ctx, `
			UPDATE documents SET status = 'queued', available_at = $3, postponements = postponements + 1, heartbeat_at = NULL, updated_at = $4
			WHERE id = $1 AND attempt = $2 AND status = 'processing'`,
			c.Document.ID, c.Attempt, until.UnixMicro(), s.clock().UnixMicro())
		if err != nil {
			return err
		}
		if postponed == 0 {
			return fieldlift.ErrClaimLost
		}
		if err := s.putOff(ctx, tx, c.Document); err != nil {
			return err
		}
		return tx.ring(ctx, 1, until)
	})
}

// putOff notes in a document's extraction that it waits for a retry.
func (s *Store) putOff(ctx context.Context, tx transaction, d fieldlift.Document) error {
	at, err := s.nextChange(ctx, tx, d.AccountID)
	if err != nil {
		return err
	}
	if _, err := tx.exec(ctx, `UPDATE extractions SET updated_at = $2 WHERE id = $1`, d.ExtractionID, at); err != nil {
		return err
	}
	return s.settlePending(ctx, tx, d.ExtractionID)
}

// RingIfWaiting calls the workers when documents wait: for calls that got
// lost.
func (s *Store) RingIfWaiting(ctx context.Context) error {
	var waiting int
	now := s.clock()
	if err := s.db.queryRow(ctx, `
		SELECT count(*) FROM (SELECT 1 FROM documents WHERE status = 'queued' AND available_at <= $1 LIMIT 8) AS few`,
		now.UnixMicro()).Scan(&waiting); err != nil || waiting == 0 {
		return err
	}
	s.wake(waiting)
	return s.db.update(ctx, func(tx transaction) error { return tx.ring(ctx, waiting, now) })
}

// Backlog tells how many documents wait and are worked on, and since when the
// one that has waited longest does; zero when none waits.
func (s *Store) Backlog(ctx context.Context) (waiting, processing int64, oldest time.Time, err error) {
	var since *int64
	err = s.db.queryRow(ctx, `
		SELECT (SELECT count(*) FROM documents WHERE status = 'queued'), (SELECT count(*) FROM documents WHERE status = 'processing'),
			(SELECT min(available_at) FROM documents WHERE status = 'queued' AND available_at <= $1)`,
		s.clock().UnixMicro()).Scan(&waiting, &processing, &since)
	return waiting, processing, nullableTime(since), err
}

// Work calls take, up to so many times at once, when documents wait, until ctx
// ends: it should take documents, by BeginDocument, until none waits.
//
// Calls come from the queue, which outlives this process and reaches others;
// what this process submits itself it hears of at once.
func (s *Store) Work(ctx context.Context, workers int, take func(context.Context)) error {
	free := make(chan struct{}, workers)
	var missed atomic.Bool
	answer := func() {
		for {
			select {
			case free <- struct{}{}:
			default: // all are at work, and will take this document too
				missed.Store(true) // or are about to stop, having seen none
				return
			}
			missed.Store(false)
			take(ctx)
			<-free
			if ctx.Err() != nil || !missed.Load() {
				return
			}
		}
	}
	var local sync.WaitGroup
	local.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-s.bell:
				local.Go(answer)
			}
		}
	})
	err := s.db.work(ctx, workers, func(context.Context) { answer() })
	local.Wait()
	return err
}

// Wake tells the workers of this process to look for documents again.
func (s *Store) Wake() { s.wake(1) }

// wake tells the workers of this process that documents wait.
func (s *Store) wake(documents int) {
	for range documents {
		select {
		case s.bell <- struct{}{}:
		default:
			return
		}
	}
}

// Shared reports whether other processes may work on this store.
func (s *Store) Shared() bool { return s.db.countsWindows() }

package store

import (
	"context"
	"errors"
	"time"

	"fieldlift"
	"fieldlift/internal/ratelimit"
)

// usedPrecision is how exact a key's time of last use is: writing it at every
// request would cost more than the request.
const usedPrecision = time.Minute

// noteTimeout bounds the note of a key's use.
const noteTimeout = 10 * time.Second

// Admit looks a key up and counts the request, in the key's windows if the key
// is valid, else in that of the address. Whether the request may go on is
// for the caller to read from the window; ok tells whether the key is valid.
// On PostgreSQL it is one statement, so that a revocation and the limits hold
// on every node at once.
func (s *Store) Admit(ctx context.Context, k fieldlift.Knock) (caller fieldlift.Caller, window ratelimit.Window, ok bool, err error) {
	if fieldlift.WellFormedKey(k.FullKey) {
		caller, window, err = s.admitKey(ctx, fieldlift.HashKey(k.FullKey), k.Submits)
		if err == nil {
			return caller, window, true, nil
		}
		if !errors.Is(err, errNoRow) {
			return fieldlift.Caller{}, s.countHere(k.Address), false, err
		}
	}
	window, err = s.CountAddress(ctx, k.Address)
	return fieldlift.Caller{}, window, false, err
}

// countHere counts in this process alone: all that can be shown while the
// database is away.
func (s *Store) countHere(addressBucket string) ratelimit.Window {
	return s.addresses.Count(addressBucket, s.rateLimit, s.clock())
}

// CountAddress counts a request for which no valid key answers.
func (s *Store) CountAddress(ctx context.Context, bucket string) (ratelimit.Window, error) {
	if !s.db.countsWindows() {
		return s.countHere(bucket), nil
	}
	window := ratelimit.Window{Limit: s.rateLimit}
	var resets int64
	now := s.clock()
	err := s.db.queryRow(ctx, `
		INSERT INTO rate_windows AS w (bucket, used, resets_at) VALUES ($2, 1, $3)`+countAgain+`
		RETURNING used, resets_at`,
		now.UnixMicro(), bucket, now.Add(ratelimit.Period).UnixMicro()).Scan(&window.Used, &resets)
	if err != nil {
		return s.countHere(bucket), err
	}
	window.ResetsAt = timeOf(resets)
	return window, nil
}

// countAgain counts one more in an open window, or opens a new one. It reads
// $1 as now; a node whose clock is behind counts in the window that another one
// opened.
const countAgain = `
	ON CONFLICT (bucket) DO UPDATE SET
		used      = CASE WHEN w.resets_at <= $1 THEN 1 ELSE w.used + 1 END,
		resets_at = CASE WHEN w.resets_at <= $1 THEN excluded.resets_at ELSE w.resets_at END`

const callerColumns = `
	SELECT k.id AS key_id, k.name AS key_name, k.expires_at, k.last_used_at,
		a.id AS account_id, a.email, a.name, a.created_at
	FROM keys k JOIN accounts a ON a.id = k.account_id
	WHERE k.hash = $2 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $1)`

// submitBucket is what a key's id gets for the window of its submissions.
const submitBucket = "/submit"

func (s *Store) admitKey(ctx context.Context, hash string, submits bool) (c fieldlift.Caller, window ratelimit.Window, err error) {
	now := s.clock()
	var created int64
	var expires, used *int64
	into := []any{&c.Key.ID, &c.Key.Name, &expires, &used, &c.Account.ID, &c.Account.Email, &c.Account.Name, &created}
	all, submit := ratelimit.Window{Limit: s.rateLimit}, ratelimit.Window{Limit: s.submitLimit}
	if s.db.countsWindows() {
		err = s.admitCounted(ctx, hash, submits, now, into, &all, &submit)
	} else if err = s.db.queryRow(ctx, callerColumns, now.UnixMicro(), hash).Scan(into...); err == nil {
		all = s.keys.Count(c.Key.ID, s.rateLimit, now)
		if submits {
			submit = s.keys.Count(c.Key.ID+submitBucket, s.submitLimit, now)
		}
	}
	if err != nil {
		return fieldlift.Caller{}, window, err
	}
	c.Account.CreatedAt = timeOf(created)
	c.Key.AccountID = c.Account.ID
	c.Key.ExpiresAt, c.Key.LastUsedAt = nullableTime(expires), nullableTime(used)
	if now.Sub(c.Key.LastUsedAt) >= usedPrecision {
		s.touchKey(c.Key.ID, now)
	}
	if submits && all.Allowed() {
		return c, submit, nil
	}
	return c, all, nil
}

// admitCounted looks the key up and counts in the windows that all nodes share.
func (s *Store) admitCounted(ctx context.Context, hash string, submits bool, now time.Time, into []any, all, submit *ratelimit.Window) error {
	buckets := `SELECT key_id, 1, CAST($3 AS bigint) FROM caller`
	if submits {
		buckets += ` UNION ALL SELECT key_id || '` + submitBucket + `', 1, CAST($3 AS bigint) FROM caller`
	}
	var allResets int64
	var submitUsed, submitResets *int64
	err := s.db.queryRow(ctx, `
		WITH caller AS (`+callerColumns+`),
		counted AS (
			INSERT INTO rate_windows AS w (bucket, used, resets_at) `+buckets+countAgain+`
			RETURNING bucket, used, resets_at
		)
		SELECT caller.*, a.used, a.resets_at, b.used, b.resets_at FROM caller
		JOIN counted a ON a.bucket = key_id LEFT JOIN counted b ON b.bucket = key_id || '`+submitBucket+`'`,
		now.UnixMicro(), hash, now.Add(ratelimit.Period).UnixMicro()).Scan(append(into, &all.Used, &allResets, &submitUsed, &submitResets)...)
	if err != nil {
		return err
	}
	all.ResetsAt = timeOf(allResets)
	if submitUsed != nil {
		submit.Used, submit.ResetsAt = *submitUsed, timeOf(*submitResets)
	}
	return nil
}

// touchKey notes beside the request that a key was used: no request waits for
// a writer that is held up, or fails with it. While one note is being taken,
// others are not: the next request of those keys sees to it.
func (s *Store) touchKey(id string, now time.Time) {
	if !s.noting.CompareAndSwap(false, true) {
		return
	}
	s.background.Go(func() {
		defer s.noting.Store(false)
		s.noteUse(id, now)
	})
}

func (s *Store) noteUse(id string, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTimeout)
	defer cancel()
	before := now.Add(-usedPrecision).UnixMicro()
	err := s.db.update(ctx, func(tx transaction) error {
		_, err := tx.exec(ctx, `
			UPDATE keys SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at <= $3)`,
			id, now.UnixMicro(), before)
		return err
	})
	if err != nil {
		s.log.WarnContext(ctx, "a key's time of use could not be noted", "key_id", id, "error", err)
	}
}

// ForgetWindows drops rate windows that closed a while ago: those of
// addresses would otherwise stay for good.
func (s *Store) ForgetWindows(ctx context.Context) error {
	if !s.db.countsWindows() {
		return nil // the memory forgets by itself
	}
	return s.db.update(ctx, func(tx transaction) error {
		_, err := tx.exec(ctx, `DELETE FROM rate_windows WHERE resets_at <= $1`, s.clock().Add(-time.Hour).UnixMicro())
		return err
	})
}

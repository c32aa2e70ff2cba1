package store

import (
	"context"
	"errors"
	"time"

	"fieldlift"
)

// OpenSession keeps a session that begins now; its secret is found by hash only.
func (s *Store) OpenSession(ctx context.Context, session fieldlift.Session, token string) (fieldlift.Session, error) {
	err := s.db.update(ctx, func(tx transaction) error {
		var err error
		if session, err = s.openSession(ctx, tx, session, token); err != nil {
			return err
		}
		return s.note(ctx, tx, session.AccountID, fieldlift.SignedIn, session.ID, "")
	})
	return session, err
}

func (s *Store) openSession(ctx context.Context, tx transaction, session fieldlift.Session, token string) (fieldlift.Session, error) {
	now := s.clock()
	session.ID = fieldlift.NewID(fieldlift.SessionPrefix)
	session.CreatedAt, session.LastSeenAt, session.ExpiresAt = now, now, fieldlift.SessionEnd(now, now)
	_, err := tx.exec(ctx, `
		INSERT INTO sessions (id, account_id, hash, agent, address, created_at, last_seen_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $6, $7)`,
		session.ID, session.AccountID, fieldlift.HashKey(token), session.Agent, session.Address, now.UnixMicro(), session.ExpiresAt.UnixMicro())
	return session, err
}

// SignUp makes an account, with credits to begin with, and its first session.
func (s *Store) SignUp(ctx context.Context, a fieldlift.Account, credits int64, session fieldlift.Session, token string) (fieldlift.Account, error) {
	err := s.db.update(ctx, func(tx transaction) error {
		var err error
		if a, err = s.createAccount(ctx, tx, a, credits); err != nil {
			return err
		}
		session.AccountID = a.ID
		_, err = s.openSession(ctx, tx, session, token)
		return err
	})
	return a, err
}

const sessionColumns = `s.id, s.account_id, s.agent, s.address, s.created_at, s.last_seen_at, s.expires_at`

func scanSession(r row) (session fieldlift.Session, err error) {
	return scanSessionAnd(r)
}

// scanSessionAnd reads a session and what stands behind its columns.
func scanSessionAnd(r row, more ...any) (session fieldlift.Session, err error) {
	var created, seen, expires int64
	into := append([]any{&session.ID, &session.AccountID, &session.Agent, &session.Address, &created, &seen, &expires}, more...)
	err = r.Scan(into...)
	session.CreatedAt, session.LastSeenAt, session.ExpiresAt = timeOf(created), timeOf(seen), timeOf(expires)
	return session, err
}

// Visitor finds who has a session's secret; ok is false when no session that
// is still valid has it. Its use from an address is noted.
func (s *Store) Visitor(ctx context.Context, token, address string) (v fieldlift.Visitor, ok bool, err error) {
	now := s.clock()
	var created int64
	v.Session, err = scanSessionAnd(s.db.queryRow(ctx, `
		SELECT `+sessionColumns+`, a.id, a.email, a.name, a.is_admin, a.created_at
		FROM sessions s JOIN accounts a ON a.id = s.account_id WHERE s.hash = $1 AND s.expires_at > $2`,
		fieldlift.HashKey(token), now.UnixMicro()), &v.Account.ID, &v.Account.Email, &v.Account.Name, &v.Account.Admin, &created)
	if errors.Is(err, errNoRow) {
		return fieldlift.Visitor{}, false, nil
	}
	if err != nil {
		return fieldlift.Visitor{}, false, err
	}
	v.Account.CreatedAt = timeOf(created)
	if now.Sub(v.Session.LastSeenAt) >= usedPrecision || v.Session.Address != address {
		s.touchSession(v.Session, address, now) //nolint:contextcheck // it outlives the request
	}
	return v, true, nil
}

// touchSession notes beside the request that a session was used, as touchKey
// does for keys.
func (s *Store) touchSession(session fieldlift.Session, address string, now time.Time) {
	if !s.noting.CompareAndSwap(false, true) {
		return
	}
	s.background.Go(func() {
		defer s.noting.Store(false)
		s.noteVisit(session, address, now)
	})
}

func (s *Store) noteVisit(session fieldlift.Session, address string, now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), noteTimeout)
	defer cancel()
	err := s.db.update(ctx, func(tx transaction) error {
		_, err := tx.exec(ctx, `UPDATE sessions SET last_seen_at = $2, address = $3, expires_at = $4 WHERE id = $1`,
			session.ID, now.UnixMicro(), address, fieldlift.SessionEnd(session.CreatedAt, now).UnixMicro())
		return err
	})
	if err != nil {
		s.log.WarnContext(ctx, "a session's time of use could not be noted", "session_id", session.ID, "error", err)
	}
}

// Sessions lists an account's sessions that are valid, last used first.
func (s *Store) Sessions(ctx context.Context, accountID string) ([]fieldlift.Session, error) {
	return collect(ctx, s.db, scanSession, `
		SELECT `+sessionColumns+` FROM sessions s WHERE s.account_id = $1 AND s.expires_at > $2 ORDER BY s.last_seen_at DESC, s.id DESC`,
		accountID, s.clock().UnixMicro())
}

// EndSession ends one session of an account; its next request is refused on
// every node. It is noted as the act that it was.
func (s *Store) EndSession(ctx context.Context, accountID, id string, act fieldlift.Act) error {
	return s.db.update(ctx, func(tx transaction) error {
		ended, err := tx.exec(ctx, `DELETE FROM sessions WHERE account_id = $1 AND id = $2`, accountID, id)
		if err == nil && ended == 0 {
			return fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no such session.")
		}
		if err != nil {
			return err
		}
		return s.note(ctx, tx, accountID, act, id, "a session")
	})
}

// EndOtherSessions ends all sessions of an account but one.
func (s *Store) EndOtherSessions(ctx context.Context, accountID, keepID string) error {
	return s.db.update(ctx, func(tx transaction) error {
		ended, err := tx.exec(ctx, `DELETE FROM sessions WHERE account_id = $1 AND id <> $2`, accountID, keepID)
		if err != nil || ended == 0 {
			return err
		}
		return s.note(ctx, tx, accountID, fieldlift.SessionRevoked, accountID, "all other sessions")
	})
}

// ChangePassword sets the password of an account and ends its sessions but
// one: whoever knew the old one is out.
func (s *Store) ChangePassword(ctx context.Context, accountID, hash, keepID string) error {
	return s.db.update(ctx, func(tx transaction) error {
		if _, err := tx.exec(ctx, `UPDATE accounts SET password_hash = $2 WHERE id = $1`, accountID, hash); err != nil {
			return err
		}
		if _, err := tx.exec(ctx, `DELETE FROM sessions WHERE account_id = $1 AND id <> $2`, accountID, keepID); err != nil {
			return err
		}
		return s.note(ctx, tx, accountID, fieldlift.PasswordChanged, accountID, "")
	})
}

// Throttle counts a try against throttles, unless one of them says to wait;
// then it gives how long, and counts nothing.
func (s *Store) Throttle(ctx context.Context, throttles []fieldlift.Throttle) (wait time.Duration, err error) {
	err = s.db.update(ctx, func(tx transaction) error {
		now := s.clock()
		wait = 0
		for _, t := range throttles {
			var tries, last int64
			// Written first, so that the row is ours until the end: tries at the same time count one after the other.
			if err := tx.queryRow(ctx, `
				INSERT INTO throttles AS t (bucket, tries, last_at) VALUES ($1, 0, $2)
				ON CONFLICT (bucket) DO UPDATE SET tries = CASE WHEN t.last_at <= $3 THEN 0 ELSE t.tries END
				RETURNING tries, last_at`,
				t.Bucket, now.UnixMicro(), now.Add(-fieldlift.ThrottleMemory).UnixMicro()).Scan(&tries, &last); err != nil {
				return err
			}
			wait = max(wait, timeOf(last).Add(t.Wait(tries)).Sub(now))
		}
		if wait > 0 {
			return nil
		}
		for _, t := range throttles {
			if _, err := tx.exec(ctx, `UPDATE throttles SET tries = tries + 1, last_at = $2 WHERE bucket = $1`, t.Bucket, now.UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
	return wait, err
}

// Relieve takes back the last try against throttles, since it succeeded; against
// the first of them all tries are forgotten.
func (s *Store) Relieve(ctx context.Context, throttles []fieldlift.Throttle) error {
	return s.db.update(ctx, func(tx transaction) error {
		for i, t := range throttles {
			query := `UPDATE throttles SET tries = tries - 1 WHERE bucket = $1 AND tries > 0`
			if i == 0 {
				query = `DELETE FROM throttles WHERE bucket = $1`
			}
			if _, err := tx.exec(ctx, query, t.Bucket); err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetSessions drops sessions that are over and tries of long ago.
func (s *Store) ForgetSessions(ctx context.Context) error {
	return s.db.update(ctx, func(tx transaction) error {
		now := s.clock()
		if _, err := tx.exec(ctx, `DELETE FROM sessions WHERE expires_at <= $1`, now.UnixMicro()); err != nil {
			return err
		}
		_, err := tx.exec(ctx, `DELETE FROM throttles WHERE last_at <= $1`, now.Add(-fieldlift.ThrottleMemory).UnixMicro())
		return err
	})
}

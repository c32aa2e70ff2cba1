package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"fieldlift"
)

// note writes down, in the transaction of an act itself, who did it in an
// account and to what: it is noted if and only if it happened. The subject's
// name is kept too, because the subject may go.
func (s *Store) note(ctx context.Context, tx transaction, accountID string, act fieldlift.Act, subject, name string) error {
	actor := fieldlift.ActorOf(ctx)
	_, err := tx.exec(ctx, `
		INSERT INTO activities (id, account_id, at, actor_kind, actor_name, act_group, act, subject, name)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
		fieldlift.NewID(fieldlift.ActivityPrefix), accountID, s.clock().UnixMicro(), actor.Kind, actor.Name, act.Group(), act, subject, name)
	return err
}

// correctionPeriod is how long someone's corrections of a document count as one
// act: people correct value by value.
const correctionPeriod = time.Hour

// noteCorrection notes that a document was corrected, unless that is the last
// thing that the same actor did to documents, not long ago.
func (s *Store) noteCorrection(ctx context.Context, tx transaction, d fieldlift.Document) error {
	const act = fieldlift.DocumentCorrected
	last, err := scanActivity(tx.queryRow(ctx, `
		SELECT `+activityColumns+` FROM activities WHERE account_id = $1 AND act_group = $2 AND at > $3 ORDER BY at DESC, id DESC LIMIT 1`,
		d.AccountID, act.Group(), s.clock().Add(-correctionPeriod).UnixMicro()))
	switch {
	case err != nil && !errors.Is(err, errNoRow):
		return err
	case err == nil && last.Act == act && last.Subject == d.ExtractionID && last.Name == d.Filename && last.Actor == fieldlift.ActorOf(ctx):
		return nil
	}
	return s.note(ctx, tx, d.AccountID, act, d.ExtractionID, d.Filename)
}

// Refused sign-ins are noted for each account up to so many in this time:
// strangers must not be able to fill the database.
const (
	mostRefusals  = 10
	refusalPeriod = time.Hour
)

// NoteRefusal notes that a sign-in to an account was refused. It does so beside
// the request: how long that takes must not tell that there is such an account.
// While one is being noted, others are not.
func (s *Store) NoteRefusal(accountID string) {
	if !s.refusing.CompareAndSwap(false, true) {
		return
	}
	s.background.Go(func() {
		defer s.refusing.Store(false)
		// It was the service that refused: who asked is not known.
		ctx, cancel := context.WithTimeout(context.Background(), noteTimeout)
		defer cancel()
		if err := s.noteRefusal(ctx, accountID); err != nil {
			s.log.WarnContext(ctx, "a refused sign-in could not be noted", "account_id", accountID, "error", err)
		}
	})
}

func (s *Store) noteRefusal(ctx context.Context, accountID string) error {
	return s.db.update(ctx, func(tx transaction) error {
		var noted int
		if err := tx.queryRow(ctx, `
			SELECT count(*) FROM activities WHERE account_id = $1 AND act_group = $2 AND act = $3 AND at > $4`,
			accountID, fieldlift.SignInRefused.Group(), fieldlift.SignInRefused, s.clock().Add(-refusalPeriod).UnixMicro()).Scan(&noted); err != nil {
			return err
		}
		if noted >= mostRefusals {
			return nil
		}
		return s.note(ctx, tx, accountID, fieldlift.SignInRefused, "", "")
	})
}

// Activities lists a page of what was done in an account, newest first, and
// tells whether more follows.
func (s *Store) Activities(ctx context.Context, accountID string, filter fieldlift.ActivityFilter, page fieldlift.Page) (list []fieldlift.Activity, more bool, err error) {
	query := `SELECT ` + activityColumns + ` FROM activities WHERE account_id = $1`
	args := []any{accountID, page.Limit + 1}
	if filter.Group != "" {
		query += ` AND act_group = $3`
		args = append(args, filter.Group)
	}
	if !page.After.IsZero() {
		query += fmt.Sprintf(` AND (at, id) < ($%d, $%d)`, len(args)+1, len(args)+2)
		args = append(args, page.After.At.UnixMicro(), page.After.ID)
	}
	query += ` ORDER BY at DESC, id DESC LIMIT $2 + 0` // "+ 0": see Parsers
	list, err = collect(ctx, s.db, scanActivity, query, args...)
	if len(list) > page.Limit {
		return list[:page.Limit], true, err
	}
	return list, false, err
}

const activityColumns = `id, account_id, at, actor_kind, actor_name, act, subject, name`

func scanActivity(r row) (a fieldlift.Activity, err error) {
	var at int64
	err = r.Scan(&a.ID, &a.AccountID, &at, &a.Actor.Kind, &a.Actor.Name, &a.Act, &a.Subject, &a.Name)
	a.At = timeOf(at)
	return a, err
}

// activitiesAtOnce bounds how many activities are forgotten in one transaction.
const activitiesAtOnce = 1000

// ForgetActivities drops what was done before a time.
func (s *Store) ForgetActivities(ctx context.Context, before time.Time) error {
	return s.forget(ctx, `DELETE FROM activities WHERE id IN (SELECT id FROM activities WHERE at <= $1 ORDER BY at LIMIT $2 + 0)`,
		before, activitiesAtOnce)
}

package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"fieldlift"
)

// CreateAccount makes an account, with credits to begin with unless they are
// zero. The e-mail address must be free.
func (s *Store) CreateAccount(ctx context.Context, a fieldlift.Account, credits int64) (fieldlift.Account, error) {
	err := s.db.update(ctx, func(tx transaction) error {
		var err error
		a, err = s.createAccount(ctx, tx, a, credits)
		return err
	})
	return a, err
}

func (s *Store) createAccount(ctx context.Context, tx transaction, a fieldlift.Account, credits int64) (fieldlift.Account, error) {
	a.ID = fieldlift.NewID(fieldlift.AccountPrefix)
	a.CreatedAt = s.clock()
	_, err := tx.exec(ctx, `
		INSERT INTO accounts (id, email, name, password_hash, is_admin, created_at) VALUES ($1, $2, $3, $4, $5, $6)`,
		a.ID, a.Email, a.Name, a.PasswordHash, a.Admin, a.CreatedAt.UnixMicro())
	if errors.Is(err, errUnique) {
		return a, fieldlift.Errorf(fieldlift.Conflict, "There is an account with the e-mail address %s already.", a.Email)
	}
	if err != nil {
		return a, err
	}
	if err := s.note(ctx, tx, a.ID, fieldlift.AccountCreated, a.ID, a.Email); err != nil || credits == 0 {
		return a, err
	}
	_, err = s.addPurchase(ctx, tx, fieldlift.Purchase{AccountID: a.ID, Source: fieldlift.SourceSignup, Credits: credits})
	return a, err
}

const accountColumns = `id, email, name, password_hash, is_admin, created_at`

func scanAccount(r row) (a fieldlift.Account, err error) {
	var created int64
	err = r.Scan(&a.ID, &a.Email, &a.Name, &a.PasswordHash, &a.Admin, &created)
	a.CreatedAt = timeOf(created)
	return a, err
}

// AccountByEmail finds an account by its normalised e-mail address.
func (s *Store) AccountByEmail(ctx context.Context, email string) (fieldlift.Account, error) {
	a, err := scanAccount(s.db.queryRow(ctx, `SELECT `+accountColumns+` FROM accounts WHERE email = $1`, email))
	return a, notFound(err, fieldlift.ResourceNotFound, "There is no account with the e-mail address "+email+".")
}

// UpdateAccount sets what the change holds and leaves the rest. It may take the
// last admin's rights: the command line, which gives them back, has whoever runs
// the machine.
func (s *Store) UpdateAccount(ctx context.Context, id string, change fieldlift.AccountChange) (a fieldlift.Account, err error) {
	args := []any{id}
	var assignments, changed []string
	set := func(column string, value any) {
		args = append(args, value)
		assignments = append(assignments, fmt.Sprintf("%s = $%d", column, len(args)))
	}
	if change.Name != nil {
		set("name", *change.Name)
		changed = append(changed, "its name")
	}
	if change.Admin != nil {
		set("is_admin", *change.Admin)
		if *change.Admin {
			changed = append(changed, "it runs the service now")
		} else {
			changed = append(changed, "it runs the service no more")
		}
	}
	if change.PasswordHash != nil {
		set("password_hash", *change.PasswordHash)
	}
	if len(assignments) == 0 {
		return s.Account(ctx, id)
	}
	err = s.db.update(ctx, func(tx transaction) error {
		a, err = scanAccount(tx.queryRow(ctx, `UPDATE accounts SET `+strings.Join(assignments, ", ")+` WHERE id = $1 RETURNING `+accountColumns, args...))
		if err != nil {
			return err
		}
		if len(changed) > 0 {
			if err := s.note(ctx, tx, id, fieldlift.AccountChanged, id, strings.Join(changed, ", ")); err != nil {
				return err
			}
		}
		if change.PasswordHash == nil {
			return nil
		}
		// Whoever knew the old one is out.
		if _, err := tx.exec(ctx, `DELETE FROM sessions WHERE account_id = $1`, id); err != nil {
			return err
		}
		return s.note(ctx, tx, id, fieldlift.PasswordChanged, id, "")
	})
	return a, accountNotFound(err, id)
}

// Account finds an account by its id.
func (s *Store) Account(ctx context.Context, id string) (fieldlift.Account, error) {
	a, err := scanAccount(s.db.queryRow(ctx, `SELECT `+accountColumns+` FROM accounts WHERE id = $1`, id))
	return a, accountNotFound(err, id)
}

func accountNotFound(err error, id string) error {
	return notFound(err, fieldlift.ResourceNotFound, "There is no account "+id+".")
}

// Accounts lists all accounts, oldest first.
func (s *Store) Accounts(ctx context.Context) ([]fieldlift.Account, error) {
	return collect(ctx, s.db, scanAccount, `SELECT `+accountColumns+` FROM accounts ORDER BY created_at, id`)
}

// FirstAccount gives the e-mail address of the oldest account, "" when there
// is none yet.
func (s *Store) FirstAccount(ctx context.Context) (string, error) {
	return firstAccount(ctx, s.db)
}

// HasAdmin reports whether an account runs the service.
func (s *Store) HasAdmin(ctx context.Context) (found bool, err error) {
	err = s.db.queryRow(ctx, `SELECT EXISTS (SELECT 1 FROM accounts WHERE is_admin)`).Scan(&found)
	return found, err
}

func firstAccount(ctx context.Context, q querier) (string, error) {
	var email string
	err := q.queryRow(ctx, `SELECT email FROM accounts ORDER BY created_at, id LIMIT 1`).Scan(&email)
	if errors.Is(err, errNoRow) {
		return "", nil
	}
	return email, err
}

package store

import (
	"context"
	"errors"
	"fmt"

	"fieldlift"
)

// CreateKey makes a key of an account. Of the full key only its hash and a
// hint are kept. A label that names a working key of the account is refused.
func (s *Store) CreateKey(ctx context.Context, k fieldlift.Key, full string) (fieldlift.Key, error) {
	err := s.db.update(ctx, func(tx transaction) error {
		var err error
		k, err = s.createKey(ctx, tx, k, full)
		return err
	})
	return k, err
}

func (s *Store) createKey(ctx context.Context, tx transaction, k fieldlift.Key, full string) (fieldlift.Key, error) {
	k.ID = fieldlift.NewID(fieldlift.KeyPrefix)
	k.Hint = fieldlift.KeyHint(full)
	k.CreatedAt = s.clock()
	// A key that has expired gives its label free, as a revoked one does.
	if _, err := tx.exec(ctx, `
		UPDATE keys SET revoked_at = expires_at WHERE account_id = $1 AND name = $2 AND revoked_at IS NULL AND expires_at <= $3`,
		k.AccountID, k.Name, k.CreatedAt.UnixMicro()); err != nil {
		return k, err
	}
	_, err := tx.exec(ctx, `
		INSERT INTO keys (id, account_id, name, hash, hint, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		k.ID, k.AccountID, k.Name, fieldlift.HashKey(full), k.Hint, k.CreatedAt.UnixMicro(), nullable(k.ExpiresAt))
	if errors.Is(err, errUnique) {
		return k, fieldlift.Errorf(fieldlift.Conflict, "The account has a key named %q already; revoke it or choose another name.", k.Name)
	}
	if err != nil {
		return k, err
	}
	return k, s.note(ctx, tx, k.AccountID, fieldlift.KeyCreated, k.ID, k.Name)
}

// Keys lists an account's keys, revoked and expired ones too, oldest first.
func (s *Store) Keys(ctx context.Context, accountID string) ([]fieldlift.Key, error) {
	return collect(ctx, s.db, scanKey, `
		SELECT id, account_id, name, hint, created_at, expires_at, revoked_at, last_used_at
		FROM keys WHERE account_id = $1 ORDER BY created_at, id`, accountID)
}

func scanKey(r row) (k fieldlift.Key, err error) {
	var created int64
	var expires, revoked, used *int64
	err = r.Scan(&k.ID, &k.AccountID, &k.Name, &k.Hint, &created, &expires, &revoked, &used)
	k.CreatedAt = timeOf(created)
	k.ExpiresAt, k.RevokedAt, k.LastUsedAt = nullableTime(expires), nullableTime(revoked), nullableTime(used)
	return k, err
}

// RevokeKey ends the working key of that name; the next request with it is
// refused on every node.
func (s *Store) RevokeKey(ctx context.Context, accountID, name string) error {
	err := s.revokeKey(ctx, "name", accountID, name)
	return notFound(err, fieldlift.ResourceNotFound, fmt.Sprintf("The account has no working key named %q.", name))
}

// RevokeKeyByID is RevokeKey for who sees the keys before him.
func (s *Store) RevokeKeyByID(ctx context.Context, accountID, id string) error {
	return notFound(s.revokeKey(ctx, "id", accountID, id), fieldlift.ResourceNotFound, "There is no working key "+id+".")
}

func (s *Store) revokeKey(ctx context.Context, column, accountID, value string) error {
	return s.db.update(ctx, func(tx transaction) error {
		var id, name string
		if err := tx.queryRow(ctx, `
			UPDATE keys SET revoked_at = $3 WHERE account_id = $1 AND `+column+` = $2 AND revoked_at IS NULL RETURNING id, name`,
			accountID, value, s.clock().UnixMicro()).Scan(&id, &name); err != nil {
			return err
		}
		return s.note(ctx, tx, accountID, fieldlift.KeyRevoked, id, name)
	})
}

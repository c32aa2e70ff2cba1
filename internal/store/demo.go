package store

import (
	"context"
	"errors"

	"fieldlift"
)

// Demo is what a very first start in development begins with.
type Demo struct {
	Account fieldlift.Account
	Credits int64
	Key     fieldlift.Key
	FullKey string
	Parser  fieldlift.Parser
}

// CreateDemo makes an account with a key and a parser, but only in a store
// that has no account at all; it reports whether it did. Of several nodes
// that start together one does.
func (s *Store) CreateDemo(ctx context.Context, d Demo) (Demo, bool, error) {
	made := false
	err := s.db.update(ctx, func(tx transaction) error {
		made = false
		found, err := firstAccount(ctx, tx)
		if err != nil || found != "" {
			return err
		}
		if d.Account, err = s.createAccount(ctx, tx, d.Account, d.Credits); err != nil {
			return err
		}
		d.Key.AccountID, d.Parser.AccountID = d.Account.ID, d.Account.ID
		if d.Key, err = s.createKey(ctx, tx, d.Key, d.FullKey); err != nil {
			return err
		}
		d.Parser, err = s.createParser(ctx, tx, d.Parser)
		made = err == nil
		return err
	})
	if e, ok := errors.AsType[*fieldlift.Error](err); ok && e.Code == fieldlift.Conflict {
		return Demo{}, false, nil // another node was quicker
	}
	return d, made, err
}

package store

import (
	"context"
	"errors"
	"fmt"

	"fieldlift"
)

// ErrOtherKey is the answer of a node that has no key, or another one than the
// secrets in the database were sealed with.
var ErrOtherKey = &fieldlift.Error{
	Code: fieldlift.ServiceUnavailable,
	Message: "This node does not have the key that webhook secrets are sealed with. " +
		"Its operator must give it the --secret-key that the other nodes have.",
}

// AdoptKey makes this process's key the one that secrets are sealed with,
// unless there is one already; then it must be the same.
func (s *Store) AdoptKey(ctx context.Context) error {
	return s.db.update(ctx, func(tx transaction) error { return s.adoptKey(ctx, tx) })
}

func (s *Store) adoptKey(ctx context.Context, tx transaction) error {
	if s.box == nil {
		return ErrOtherKey
	}
	if _, err := tx.exec(ctx, `INSERT INTO sealing (id, fingerprint) VALUES ('key', $1) ON CONFLICT (id) DO NOTHING`, s.box.Fingerprint()); err != nil {
		return err
	}
	return s.checkKey(ctx, tx)
}

// CheckKey reports whether this process's key is the one that secrets are
// sealed with, or would be.
func (s *Store) CheckKey(ctx context.Context) error {
	err := s.checkKey(ctx, s.db)
	if errors.Is(err, errNoRow) {
		return nil
	}
	return err
}

func (s *Store) checkKey(ctx context.Context, q querier) error {
	var fingerprint string
	if err := q.queryRow(ctx, `SELECT fingerprint FROM sealing WHERE id = 'key'`).Scan(&fingerprint); err != nil {
		return err
	}
	if s.box == nil || s.box.Fingerprint() != fingerprint {
		return ErrOtherKey
	}
	return nil
}

// The places of a webhook's secrets: a sealed text opens only at its own.
const (
	signingPlace = " signing"
	staticPlace  = " static"
)

// sealOptional seals a secret that may be "", which is kept as NULL.
func (s *Store) sealOptional(secret, place string) *string {
	if secret == "" {
		return nil
	}
	return new(s.box.Seal(secret, place))
}

// sealedSecrets are a webhook's secrets as they are kept.
type sealedSecrets struct {
	signing string
	former  []string
	static  *string
}

// formerSecrets lists the secrets of a webhook that were rotated and are still
// valid, newest first.
func (s *Store) formerSecrets(ctx context.Context, q querier, webhookID string) ([]string, error) {
	return collect(ctx, q, func(r row) (sealed string, err error) { return sealed, r.Scan(&sealed) }, `
		SELECT secret FROM former_secrets WHERE webhook_id = $1 AND valid_until > $2 ORDER BY valid_until DESC, secret`,
		webhookID, s.clock().UnixMicro())
}

// openSecrets gives the secrets of a webhook.
func (s *Store) openSecrets(webhookID string, sealed sealedSecrets) (opened fieldlift.WebhookSecrets, err error) {
	if s.box == nil {
		return opened, ErrOtherKey
	}
	open := func(sealed, place string) string {
		secret, failed := s.box.Open(sealed, webhookID+place)
		if failed != nil {
			err = fmt.Errorf("%w: %w", ErrOtherKey, failed)
		}
		return secret
	}
	opened.Signing = open(sealed.signing, signingPlace)
	for _, former := range sealed.former {
		opened.Former = append(opened.Former, open(former, signingPlace))
	}
	if sealed.static != nil {
		opened.Static = open(*sealed.static, staticPlace)
	}
	return opened, err
}

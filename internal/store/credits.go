package store

import (
	"context"
	"strconv"

	"fieldlift"
)

// AddPurchase gives an account credits.
func (s *Store) AddPurchase(ctx context.Context, p fieldlift.Purchase) (fieldlift.Purchase, error) {
	err := s.db.update(ctx, func(tx transaction) error {
		var err error
		if p, err = s.addPurchase(ctx, tx, p); err != nil {
			return err
		}
		granted := strconv.FormatInt(p.Credits, 10) + " credits"
		if p.Credits == 1 {
			granted = "1 credit"
		}
		return s.note(ctx, tx, p.AccountID, fieldlift.CreditsGranted, p.ID, granted)
	})
	return p, err
}

func (s *Store) addPurchase(ctx context.Context, tx transaction, p fieldlift.Purchase) (fieldlift.Purchase, error) {
	p.ID = fieldlift.NewID(fieldlift.PurchasePrefix)
	p.Remaining = p.Credits
	p.PurchasedAt = s.clock()
	_, err := tx.exec(ctx, `
		INSERT INTO purchases (id, account_id, source, credits, remaining, purchased_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		p.ID, p.AccountID, p.Source, p.Credits, p.Remaining, p.PurchasedAt.UnixMicro(), nullable(p.ExpiresAt))
	return p, err
}

// Available tells how many credits an account can spend now.
func (s *Store) Available(ctx context.Context, accountID string) (int64, error) {
	return s.available(ctx, s.db, accountID)
}

func (s *Store) available(ctx context.Context, q querier, accountID string) (int64, error) {
	var available int64
	err := q.queryRow(ctx, `
		SELECT CAST(coalesce(sum(remaining), 0) AS bigint) FROM purchases
		WHERE account_id = $1 AND (expires_at IS NULL OR expires_at > $2)`,
		accountID, s.clock().UnixMicro()).Scan(&available)
	return available, err
}

// Balance tells what an account can spend, purchase by purchase, and what it
// has spent.
func (s *Store) Balance(ctx context.Context, accountID string) (fieldlift.Balance, error) {
	// All purchases in one statement, so that the parts fit together.
	purchases, err := collect(ctx, s.db, scanPurchase, `
		SELECT id, account_id, source, credits, remaining, purchased_at, expires_at FROM purchases
		WHERE account_id = $1`, accountID)
	var b fieldlift.Balance
	now := s.clock()
	for _, p := range purchases {
		b.Used += p.Credits - p.Remaining
		if p.Remaining > 0 && (p.ExpiresAt.IsZero() || p.ExpiresAt.After(now)) {
			b.Available += p.Remaining
			b.Purchases = append(b.Purchases, p)
		}
	}
	fieldlift.SortForSpending(b.Purchases)
	return b, err
}

func scanPurchase(r row) (p fieldlift.Purchase, err error) {
	var purchased int64
	var expires *int64
	err = r.Scan(&p.ID, &p.AccountID, &p.Source, &p.Credits, &p.Remaining, &purchased, &expires)
	p.PurchasedAt, p.ExpiresAt = timeOf(purchased), nullableTime(expires)
	return p, err
}

// Charge takes credits from an account for a subject, soonest expiry first:
// all of them or, with INSUFFICIENT_CREDITS, none. A subject that was charged
// before is not charged again.
func (s *Store) Charge(ctx context.Context, accountID, subject string, credits int64) error {
	return s.db.update(ctx, func(tx transaction) error {
		return s.charge(ctx, tx, accountID, subject, credits)
	})
}

func (s *Store) charge(ctx context.Context, tx transaction, accountID, subject string, credits int64) error {
	now := s.clock().UnixMicro()
	recorded, err := tx.exec(ctx, `
		INSERT INTO charges (subject, account_id, credits, charged_at) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING`,
		subject, accountID, credits, now)
	if err != nil || recorded == 0 {
		return err
	}
	// The order is that of every other charge of the account, so that two
	// charges never wait for each other.
	purchases, err := collect(ctx, tx, scanPurchase, `
		SELECT id, account_id, source, credits, remaining, purchased_at, expires_at FROM purchases
		WHERE account_id = $1 AND remaining > 0 AND (expires_at IS NULL OR expires_at > $2) ORDER BY id`+s.db.forUpdate(),
		accountID, now)
	if err != nil {
		return err
	}
	debits, err := fieldlift.Spend(purchases, credits)
	if err != nil {
		return err
	}
	for _, d := range debits {
		taken, err := tx.exec(ctx, `UPDATE purchases SET remaining = remaining - $2 WHERE id = $1 AND remaining >= $2`, d.PurchaseID, d.Credits)
		if err != nil {
			return err
		}
		if taken == 0 { // cannot be while its row is locked; if it is, nothing happens
			return fieldlift.Errorf(fieldlift.InternalError, "A purchase changed while it was spent.")
		}
		if _, err := tx.exec(ctx, `INSERT INTO debits (subject, purchase_id, credits) VALUES ($1, $2, $3)`, subject, d.PurchaseID, d.Credits); err != nil {
			return err
		}
	}
	return s.countSpending(ctx, tx, accountID, credits, now)
}

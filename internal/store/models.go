package store

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"fieldlift"
)

// ModelAnswer finds what a model answered to a question of the account's; ok is
// false when it was not asked yet. The document is the one that asked.
func (s *Store) ModelAnswer(ctx context.Context, accountID, key string) (answer, documentID string, ok bool, err error) {
	err = s.db.queryRow(ctx, `SELECT answer, document_id FROM model_answers WHERE account_id = $1 AND key = $2`, accountID, key).Scan(&answer, &documentID)
	if errors.Is(err, errNoRow) {
		return "", "", false, nil
	}
	return answer, documentID, err == nil, err
}

// KeepModelAnswer keeps what a model answered, for as long as the document that
// asked is there. The first answer to a question stays.
func (s *Store) KeepModelAnswer(ctx context.Context, d fieldlift.Document, key, answer string) error {
	return s.db.update(ctx, func(tx transaction) error {
		_, err := tx.exec(ctx, `
			INSERT INTO model_answers (account_id, key, document_id, answer, created_at) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (account_id, key) DO NOTHING`, d.AccountID, key, d.ID, answer, s.clock().UnixMicro())
		return err
	})
}

// ReserveForModel notes what a call of a model may take at the most, before it
// is made: others who ask at the same time know of it. When a budget is full
// nothing is noted. What the call took in truth is told to SpendOnModel.
func (s *Store) ReserveForModel(ctx context.Context, accountID, model string, most fieldlift.ModelSpending, budgets fieldlift.ModelBudgets) (r fieldlift.ModelReservation, full fieldlift.FullBudget, err error) {
	r = fieldlift.ModelReservation{Day: s.modelDay(), Most: most}
	err = s.db.update(ctx, func(tx transaction) error {
		full = fieldlift.FullBudget{}
		// One after the other: two who look at once would both see the last call free.
		if err := tx.alone(ctx, "model_spending"); err != nil {
			return err
		}
		for _, one := range budgets.Set() {
			of := accountID
			if one.Owner == fieldlift.ServerBudget {
				of = ""
			}
			noted, err := s.modelSpending(ctx, tx, r.Day, of)
			if err != nil {
				return err
			}
			if one.Spent(noted.tokens-noted.reserved, noted.cost-noted.reservedCost) {
				full = fieldlift.FullBudget{Owner: one.Owner, Spent: true}
				return nil
			}
			if one.Spent(noted.tokens, noted.cost) {
				full = fieldlift.FullBudget{Owner: one.Owner}
			}
		}
		if full.Owner != "" {
			return nil
		}
		return s.addModelSpending(ctx, tx, accountID, r.Day, model, most, most)
	})
	return r, full, err
}

// SpendOnModel notes what a call of a model took, in place of what was reserved
// for it.
func (s *Store) SpendOnModel(ctx context.Context, accountID, model string, r fieldlift.ModelReservation, took fieldlift.ModelSpending) error {
	return s.db.update(ctx, func(tx transaction) error {
		return s.addModelSpending(ctx, tx, accountID, cmp.Or(r.Day, s.modelDay()), model, took.Less(r.Most), fieldlift.ModelSpending{}.Less(r.Most))
	})
}

func (s *Store) modelDay() string { return s.clock().UTC().Format(time.DateOnly) }

// reservedFor is how long a call may be under way. What is reserved for longer
// was left behind by a process that was killed.
const reservedFor = 10 * time.Minute

// addModelSpending adds to what is noted, and to what of that is reserved: less
// than nothing when a call is settled, which gives the others no more time.
func (s *Store) addModelSpending(ctx context.Context, tx transaction, accountID, day, model string, spent, reserved fieldlift.ModelSpending) error {
	now := s.clock()
	until := int64(0)
	if reserved.Tokens.All() > 0 {
		until = now.Add(reservedFor).UnixMicro()
	}
	_, err := tx.exec(ctx, `
		INSERT INTO model_spending (account_id, day, model, calls, input_tokens, output_tokens, cost_micros, reserved_tokens, reserved_micros, reserved_until)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (account_id, day, model) DO UPDATE SET calls = model_spending.calls + excluded.calls,
			input_tokens = model_spending.input_tokens + excluded.input_tokens,
			output_tokens = model_spending.output_tokens + excluded.output_tokens,
			cost_micros = model_spending.cost_micros + excluded.cost_micros,
			reserved_tokens = excluded.reserved_tokens + CASE WHEN model_spending.reserved_until > $11 THEN model_spending.reserved_tokens ELSE 0 END,
			reserved_micros = excluded.reserved_micros + CASE WHEN model_spending.reserved_until > $11 THEN model_spending.reserved_micros ELSE 0 END,
			reserved_until = CASE WHEN excluded.reserved_until > model_spending.reserved_until THEN excluded.reserved_until ELSE model_spending.reserved_until END`,
		accountID, day, model, spent.Tokens.Calls, spent.Tokens.Input, spent.Tokens.Output, micros(spent.Cost),
		reserved.Tokens.All(), micros(reserved.Cost), until, now.UnixMicro())
	return err
}

// micros are the millionths of an amount. No day costs more than can be added up.
func micros(cost float64) int64 {
	return int64(math.Round(min(max(cost, -mostCost), mostCost) * 1e6))
}

const mostCost = 1e9

// noted is what models took on a day, and what of that may yet be given back.
type noted struct {
	tokens, reserved   int64
	cost, reservedCost float64
}

// modelSpending tells what is noted of a day: of the account, or of all of them
// when none is named.
func (s *Store) modelSpending(ctx context.Context, q querier, day, accountID string) (n noted, err error) {
	query := `SELECT coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cost_micros), 0),
			coalesce(sum(CASE WHEN reserved_until > $2 AND reserved_tokens > 0 THEN reserved_tokens ELSE 0 END), 0),
			coalesce(sum(CASE WHEN reserved_until > $2 AND reserved_micros > 0 THEN reserved_micros ELSE 0 END), 0)
		FROM model_spending WHERE day = $1`
	args := []any{day, s.clock().UnixMicro()}
	if accountID != "" {
		query += ` AND account_id = $3`
		args = append(args, accountID)
	}
	var t fieldlift.ModelTokens
	var cost, reservedCost int64
	err = q.queryRow(ctx, query, args...).Scan(&t.Input, &t.Output, &cost, &n.reserved, &reservedCost)
	n.tokens, n.cost, n.reservedCost = t.All(), float64(cost)/1e6, float64(reservedCost)/1e6
	return n, err
}

// ModelDays lists what models took since a day, newest first: by the account,
// or by all of them together when none is named.
func (s *Store) ModelDays(ctx context.Context, accountID string, since time.Time) ([]fieldlift.ModelDay, error) {
	query := `SELECT day, model, CAST(sum(calls) AS bigint), CAST(sum(input_tokens) AS bigint), CAST(sum(output_tokens) AS bigint), CAST(sum(cost_micros) AS bigint) FROM model_spending WHERE day >= $1`
	args := []any{since.UTC().Format(time.DateOnly)}
	if accountID != "" {
		query += ` AND account_id = $2`
		args = append(args, accountID)
	}
	return collect(ctx, s.db, func(r row) (d fieldlift.ModelDay, err error) {
		var micros int64
		err = r.Scan(&d.Day, &d.Model, &d.Tokens.Calls, &d.Tokens.Input, &d.Tokens.Output, &micros)
		d.Cost = float64(micros) / 1e6
		return d, err
	}, query+` GROUP BY day, model ORDER BY day DESC, model`, args...)
}

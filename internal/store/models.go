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
// is made: others who ask at the same time know of it. When a budget is spent
// nothing is noted, and spent says whose it is. What the call took in truth is
// told to SpendOnModel, as the difference, with the same day.
func (s *Store) ReserveForModel(ctx context.Context, accountID, model string, most fieldlift.ModelTokens, cost float64, budgets fieldlift.ModelBudgets) (day string, spent fieldlift.BudgetOwner, err error) {
	day = s.modelDay()
	err = s.db.update(ctx, func(tx transaction) error {
		spent = ""
		// One after the other: two who look at once would both see the last call free.
		if err := tx.alone(ctx, "model_spending"); err != nil {
			return err
		}
		for _, one := range budgets.Set() {
			of := accountID
			if one.Owner == fieldlift.ServerBudget {
				of = ""
			}
			tokens, cost, err := modelSpending(ctx, tx, day, of)
			if err != nil {
				return err
			}
			if one.Spent(tokens, cost) {
				spent = one.Owner
				return nil
			}
		}
		return addModelSpending(ctx, tx, accountID, day, model, most, cost)
	})
	return day, spent, err
}

// SpendOnModel notes what calls of a model took beyond what was reserved for
// them on a day; "" is today.
func (s *Store) SpendOnModel(ctx context.Context, accountID, day, model string, t fieldlift.ModelTokens, cost float64) error {
	return s.db.update(ctx, func(tx transaction) error {
		return addModelSpending(ctx, tx, accountID, cmp.Or(day, s.modelDay()), model, t, cost)
	})
}

func (s *Store) modelDay() string { return s.clock().UTC().Format(time.DateOnly) }

func addModelSpending(ctx context.Context, tx transaction, accountID, day, model string, t fieldlift.ModelTokens, cost float64) error {
	_, err := tx.exec(ctx, `
		INSERT INTO model_spending (account_id, day, model, calls, input_tokens, output_tokens, cost_micros) VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (account_id, day, model) DO UPDATE SET calls = model_spending.calls + excluded.calls,
			input_tokens = model_spending.input_tokens + excluded.input_tokens,
			output_tokens = model_spending.output_tokens + excluded.output_tokens,
			cost_micros = model_spending.cost_micros + excluded.cost_micros`,
		accountID, day, model, t.Calls, t.Input, t.Output, int64(math.Round(cost*1e6)))
	return err
}

// modelSpending tells what models took on a day, and may be taking: by the
// account, or by all of them when none is named.
func modelSpending(ctx context.Context, q querier, day, accountID string) (t fieldlift.ModelTokens, cost float64, err error) {
	query := `SELECT coalesce(sum(calls), 0), coalesce(sum(input_tokens), 0), coalesce(sum(output_tokens), 0), coalesce(sum(cost_micros), 0)
		FROM model_spending WHERE day = $1`
	args := []any{day}
	if accountID != "" {
		query += ` AND account_id = $2`
		args = append(args, accountID)
	}
	var micros int64
	err = q.queryRow(ctx, query, args...).Scan(&t.Calls, &t.Input, &t.Output, &micros)
	return t, float64(micros) / 1e6, err
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

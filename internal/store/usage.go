package store

import (
	"cmp"
	"context"
	"slices"
	"time"

	"fieldlift"
)

// countUsage counts a document that has ended on the day of its end.
func (s *Store) countUsage(ctx context.Context, tx transaction, accountID, documentID string, at int64, took time.Duration) error {
	_, err := tx.exec(ctx, `
		INSERT INTO usage_days (account_id, day, parser_id, within_ms, documents, pages, failures, took_ms)
		SELECT d.account_id, CAST($2 AS bigint), e.parser_id, CAST($3 AS bigint), 1, d.page_count,
			CASE WHEN d.status = 'failed' THEN 1 ELSE 0 END, d.processing_time_ms
		FROM documents d JOIN extractions e ON e.id = d.extraction_id WHERE d.id = $1
		ON CONFLICT (account_id, day, within_ms, parser_id) DO UPDATE SET
			documents = usage_days.documents + 1,
			pages     = usage_days.pages + excluded.pages,
			failures  = usage_days.failures + excluded.failures,
			took_ms   = usage_days.took_ms + excluded.took_ms`,
		documentID, fieldlift.DayOf(timeOf(at)), fieldlift.SpeedStep(took).Milliseconds())
	if err != nil {
		return err
	}
	_, err = tx.exec(ctx, `UPDATE accounts SET documents = documents + 1 WHERE id = $1`, accountID)
	return err
}

// countSpending counts credits on the day on which they are charged.
func (s *Store) countSpending(ctx context.Context, tx transaction, accountID string, credits, at int64) error {
	if credits == 0 {
		return nil
	}
	_, err := tx.exec(ctx, `
		INSERT INTO spending_days (account_id, day, credits) VALUES ($1, $2, $3)
		ON CONFLICT (account_id, day) DO UPDATE SET credits = spending_days.credits + excluded.credits`,
		accountID, fieldlift.DayOf(timeOf(at)), credits)
	return err
}

// usageSums are the columns of a UsageCount.
const usageSums = `u.within_ms, CAST(sum(u.documents) AS bigint) AS documents, CAST(sum(u.pages) AS bigint) AS pages,
	CAST(sum(u.failures) AS bigint) AS failures, CAST(sum(u.took_ms) AS bigint) AS took_ms`

func usageInto(c *fieldlift.UsageCount) (into []any, done func()) {
	var within, took int64
	return []any{&within, &c.Documents, &c.Pages, &c.Failures, &took}, func() {
		c.Within, c.Took = time.Duration(within)*time.Millisecond, time.Duration(took)*time.Millisecond
	}
}

// Usage tells what an account used on each day of a span, in order. What was
// deleted since counts too.
func (s *Store) Usage(ctx context.Context, accountID string, span fieldlift.Days) ([]fieldlift.UsageDay, error) {
	days := make([]fieldlift.UsageDay, span.Last-span.First+1)
	for i := range days {
		days[i].Day = span.First + fieldlift.Day(i)
	}
	type part struct {
		day   fieldlift.Day
		count fieldlift.UsageCount
	}
	parts, err := collect(ctx, s.db, func(r row) (p part, err error) {
		into, done := usageInto(&p.count)
		err = r.Scan(append([]any{&p.day}, into...)...)
		done()
		return p, err
	}, `SELECT u.day, `+usageSums+` FROM usage_days u WHERE u.account_id = $1 AND u.day >= $2 AND u.day <= $3 GROUP BY u.day, u.within_ms`,
		accountID, span.First, span.Last)
	if err != nil {
		return nil, err
	}
	for _, p := range parts {
		days[p.day-span.First].Usage.Add(p.count)
	}
	spent, err := collect(ctx, s.db, func(r row) (d fieldlift.UsageDay, err error) { return d, r.Scan(&d.Day, &d.Credits) },
		`SELECT day, credits FROM spending_days WHERE account_id = $1 AND day >= $2 AND day <= $3`, accountID, span.First, span.Last)
	for _, d := range spent {
		days[d.Day-span.First].Credits = d.Credits
	}
	return days, err
}

// UsageByParser tells what each parser of an account was used for in a span of
// days, most pages first.
func (s *Store) UsageByParser(ctx context.Context, accountID string, span fieldlift.Days) (list []fieldlift.ParserUsage, err error) {
	type part struct {
		parser fieldlift.ParserUsage
		count  fieldlift.UsageCount
	}
	parts, err := collect(ctx, s.db, func(r row) (p part, err error) {
		into, done := usageInto(&p.count)
		err = r.Scan(append([]any{&p.parser.ParserID, &p.parser.Name, &p.parser.Deleted}, into...)...)
		done()
		return p, err
	}, `
		SELECT p.id, p.name, p.deleted_at IS NOT NULL, u.within_ms, u.documents, u.pages, u.failures, u.took_ms FROM (
			SELECT u.parser_id, `+usageSums+`
			FROM usage_days u WHERE u.account_id = $1 AND u.day >= $2 AND u.day <= $3 GROUP BY u.parser_id, u.within_ms
		) u JOIN parsers p ON p.id = u.parser_id ORDER BY p.id`, accountID, span.First, span.Last)
	for _, p := range parts {
		if n := len(list); n == 0 || list[n-1].ParserID != p.parser.ParserID {
			list = append(list, p.parser)
		}
		list[len(list)-1].Usage.Add(p.count)
	}
	slices.SortStableFunc(list, func(a, b fieldlift.ParserUsage) int { return cmp.Compare(b.Usage.Pages, a.Usage.Pages) })
	return list, err
}

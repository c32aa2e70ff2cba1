package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fieldlift"
)

// AccountSummaries lists a page of accounts, newest first, and tells whether
// more follow.
func (s *Store) AccountSummaries(ctx context.Context, filter fieldlift.AccountFilter, page fieldlift.Page) (list []fieldlift.AccountSummary, more bool, err error) {
	query := summaryQuery + ` WHERE true`
	args := []any{s.clock().UnixMicro(), page.Limit + 1}
	if filter.Search != "" {
		args = append(args, "%"+escapeLike.Replace(strings.ToLower(filter.Search))+"%")
		query += ` AND (a.email LIKE $3 ESCAPE '!' OR lower(a.name) LIKE $3 ESCAPE '!')`
	}
	if !page.After.IsZero() {
		query += fmt.Sprintf(` AND (a.created_at, a.id) < ($%d, $%d)`, len(args)+1, len(args)+2)
		args = append(args, page.After.At.UnixMicro(), page.After.ID)
	}
	query += ` ORDER BY a.created_at DESC, a.id DESC LIMIT $2 + 0` // "+ 0": see Parsers
	list, err = collect(ctx, s.db, scanSummary, query, args...)
	if len(list) > page.Limit {
		return list[:page.Limit], true, err
	}
	return list, false, err
}

// escapeLike keeps what is searched for from being read as a pattern.
var escapeLike = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// AccountSummary finds one account as whoever runs the service sees it.
func (s *Store) AccountSummary(ctx context.Context, id string) (fieldlift.AccountSummary, error) {
	a, err := scanSummary(s.db.queryRow(ctx, summaryQuery+` WHERE a.id = $2`, s.clock().UnixMicro(), id))
	return a, accountNotFound(err, id)
}

// summaryQuery reads $1 as now.
const summaryQuery = `
	SELECT a.id, a.email, a.name, a.is_admin, a.created_at, a.documents,
		(SELECT CAST(coalesce(sum(p.remaining), 0) AS bigint) FROM purchases p
			WHERE p.account_id = a.id AND (p.expires_at IS NULL OR p.expires_at > $1)),
		(SELECT max(t.at) FROM activities t WHERE t.account_id = a.id)
	FROM accounts a`

func scanSummary(r row) (a fieldlift.AccountSummary, err error) {
	var created int64
	var last *int64
	err = r.Scan(&a.Account.ID, &a.Account.Email, &a.Account.Name, &a.Account.Admin, &created, &a.Documents, &a.Available, &last)
	a.Account.CreatedAt, a.LastActivity = timeOf(created), nullableTime(last)
	return a, err
}

// Queue tells what waits and what is being worked on.
func (s *Store) Queue(ctx context.Context) (q fieldlift.Queue, err error) {
	if q.Waiting, q.Processing, q.Oldest, err = s.Backlog(ctx); err != nil {
		return q, err
	}
	err = s.db.queryRow(ctx, `
		SELECT count(*), CAST(coalesce(sum(CASE WHEN attempts > 0 THEN 1 ELSE 0 END), 0) AS bigint)
		FROM deliveries WHERE next_at IS NOT NULL`).Scan(&q.Deliveries, &q.Retries)
	return q, err
}

// Running lists documents that are being worked on, longest first.
func (s *Store) Running(ctx context.Context, most int) ([]fieldlift.RunningDocument, error) {
	return collect(ctx, s.db, func(r row) (d fieldlift.RunningDocument, err error) {
		var node *string
		var since int64
		var beat *int64
		err = r.Scan(&d.DocumentID, &d.ExtractionID, &d.AccountID, &d.AccountEmail, &d.PageCount, &d.Attempt, &node, &since, &beat)
		d.Node, d.Since, d.Beat = textOf(node), timeOf(since), nullableTime(beat)
		return d, err
	}, `
		SELECT d.id, d.extraction_id, a.id, a.email, d.page_count, d.attempt, d.node, d.updated_at, d.heartbeat_at
		FROM documents d JOIN accounts a ON a.id = d.account_id
		WHERE d.status = 'processing' ORDER BY d.updated_at, d.id LIMIT $1 + 0`, most)
}

// Waiting lists accounts whose documents wait, most documents first.
func (s *Store) Waiting(ctx context.Context, most int) ([]fieldlift.WaitingAccount, error) {
	return collect(ctx, s.db, func(r row) (w fieldlift.WaitingAccount, err error) {
		var oldest int64
		err = r.Scan(&w.AccountID, &w.AccountEmail, &w.Documents, &oldest)
		w.Oldest = timeOf(oldest)
		return w, err
	}, `
		SELECT a.id, a.email, w.documents, w.oldest FROM (
			SELECT account_id, count(*) AS documents, min(available_at) AS oldest FROM documents WHERE status = 'queued' GROUP BY account_id
		) w JOIN accounts a ON a.id = w.account_id ORDER BY w.documents DESC, a.id LIMIT $1 + 0`, most)
}

// Bounds of what is told of failures.
const (
	mostFailureGroups = 50
	failureExamples   = 3
)

// Failures tells why documents failed since a time, the most frequent reason
// first. Those that were deleted since are not among them.
func (s *Store) Failures(ctx context.Context, since time.Time) (groups []fieldlift.FailureGroup, err error) {
	type part struct {
		message string
		count   int64
		example fieldlift.FailedDocument
	}
	parts, err := collect(ctx, s.db, func(r row) (p part, err error) {
		var message *string
		var at int64
		e := &p.example
		err = r.Scan(&message, &p.count, &e.DocumentID, &e.ExtractionID, &e.AccountID, &e.AccountEmail, &at)
		p.message, e.At = textOf(message), timeOf(at)
		return p, err
	}, `
		SELECT f.error_message, f.documents, f.id, f.extraction_id, a.id, a.email, f.updated_at FROM (
			SELECT d.error_message, d.id, d.extraction_id, d.account_id, d.updated_at,
				count(*) OVER (PARTITION BY d.error_message) AS documents,
				row_number() OVER (PARTITION BY d.error_message ORDER BY d.updated_at DESC, d.id DESC) AS place
			FROM documents d WHERE d.status = 'failed' AND d.updated_at >= $1
		) f JOIN accounts a ON a.id = f.account_id
		WHERE f.place <= $2 ORDER BY f.documents DESC, f.error_message, f.place LIMIT $3 + 0`,
		since.UnixMicro(), failureExamples, mostFailureGroups*failureExamples)
	for _, p := range parts {
		if n := len(groups); n == 0 || groups[n-1].Message != p.message {
			groups = append(groups, fieldlift.FailureGroup{Message: p.message, Count: p.count})
		}
		last := &groups[len(groups)-1]
		last.Examples = append(last.Examples, p.example)
	}
	return groups, err
}

// Size tells how many bytes the database takes on its disk.
func (s *Store) Size(ctx context.Context) (bytes int64, err error) {
	err = s.db.queryRow(ctx, s.db.sizeQuery()).Scan(&bytes)
	return bytes, err
}

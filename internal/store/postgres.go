package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"fieldlift"
	"fieldlift/internal/work"
)

// postgresDatabase is a pool of connections, shared by all nodes' processes.
type postgresDatabase struct {
	connections *pgxpool.Pool
	queue       *work.Queue[pgx.Tx]
	postgresQuerier
}

// connectTimeout bounds how long a request can hang on a database that is
// gone without a word.
const connectTimeout = 5 * time.Second

// defaultConnections is used where the URL does not set pool_max_conns.
const defaultConnections = 16

func openPostgres(ctx context.Context, address string, log *slog.Logger) (*postgresDatabase, error) {
	config, err := pgxpool.ParseConfig(address)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	if parsed, err := url.Parse(address); err != nil || !parsed.Query().Has("pool_max_conns") {
		config.MaxConns = defaultConnections
	}
	if config.ConnConfig.ConnectTimeout == 0 {
		config.ConnConfig.ConnectTimeout = connectTimeout
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "fieldlift"
	}
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	queue, err := work.OnPostgres(pool, log)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &postgresDatabase{pool, queue, postgresQuerier{pool}}, nil
}

func (db *postgresDatabase) close() { db.connections.Close() }

// mostRuns bounds how often a transaction is run again that PostgreSQL ended
// for the sake of another.
const mostRuns = 5

func (db *postgresDatabase) update(ctx context.Context, act func(transaction) error) error {
	for run := 1; ; run++ {
		err := db.updateOnce(ctx, act)
		if run == mostRuns || !errors.Is(err, errRunAgain) {
			return err
		}
	}
}

func (db *postgresDatabase) updateOnce(ctx context.Context, act func(transaction) error) error {
	tx, err := db.connections.Begin(ctx)
	if err != nil {
		return postgresError(err)
	}
	if err := act(postgresTransaction{postgresQuerier{tx}, tx, db.queue}); err != nil {
		_ = tx.Rollback(ctx) // the first error is the one that tells
		return err
	}
	return postgresError(tx.Commit(ctx))
}

type postgresTransaction struct {
	postgresQuerier
	tx    pgx.Tx
	queue *work.Queue[pgx.Tx]
}

func (t postgresTransaction) ring(ctx context.Context, documents int, at time.Time) error {
	return postgresError(t.queue.Ring(ctx, t.tx, documents, at))
}

func (t postgresTransaction) alone(ctx context.Context, name string) error {
	_, err := t.exec(ctx, `SELECT pg_advisory_xact_lock(hashtext($1))`, name)
	return err
}

func (db *postgresDatabase) work(ctx context.Context, workers int, take func(context.Context)) error {
	return db.queue.Run(ctx, workers, take)
}

func (db *postgresDatabase) ping(ctx context.Context) error {
	return postgresError(db.connections.Ping(ctx))
}

func (db *postgresDatabase) pool() (open, inUse int, waits int64, waited time.Duration) {
	s := db.connections.Stat()
	return int(s.TotalConns()), int(s.AcquiredConns()), s.EmptyAcquireCount(), s.EmptyAcquireWaitTime()
}

func (db *postgresDatabase) kind() string        { return "PostgreSQL" }
func (db *postgresDatabase) forUpdate() string   { return " FOR UPDATE" }
func (db *postgresDatabase) skipLocked() string  { return " FOR UPDATE SKIP LOCKED" }
func (db *postgresDatabase) countsWindows() bool { return true }
func (db *postgresDatabase) sizeQuery() string   { return "SELECT pg_database_size(current_database())" }

// postgresQuerier runs statements on the pool or in a transaction.
type postgresQuerier struct {
	on interface {
		Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
		Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	}
}

func (q postgresQuerier) exec(ctx context.Context, query string, args ...any) (int64, error) {
	tag, err := q.on.Exec(ctx, query, args...)
	return tag.RowsAffected(), postgresError(err)
}

func (q postgresQuerier) query(ctx context.Context, query string, args ...any) (rows, error) {
	found, err := q.on.Query(ctx, query, args...)
	if err != nil {
		return nil, postgresError(err)
	}
	return postgresRows{found}, nil
}

func (q postgresQuerier) queryRow(ctx context.Context, query string, args ...any) row {
	found, err := q.query(ctx, query, args...)
	return firstRow{found, err}
}

type postgresRows struct{ pgx.Rows }

func (r postgresRows) Scan(into ...any) error { return postgresError(r.Rows.Scan(into...)) }
func (r postgresRows) Err() error             { return postgresError(r.Rows.Err()) }

// errRunAgain marks an act that lost to another one and may be tried anew.
var errRunAgain = errors.New("the transaction lost to another one")

// postgresError turns the driver's error into one of ours.
func postgresError(err error) error {
	if err == nil {
		return nil
	}
	if failed, ok := errors.AsType[*pgconn.PgError](err); ok {
		switch {
		case failed.Code == "23505":
			return errUnique
		case failed.Code == "40001" || failed.Code == "40P01":
			return fmt.Errorf("%w: %w", errRunAgain, fieldlift.Unavailable(err))
		case isAway(failed.Code):
			return fieldlift.Unavailable(err)
		}
		return err
	}
	if errors.Is(err, context.Canceled) {
		return err
	}
	_, connecting := errors.AsType[*pgconn.ConnectError](err)
	_, network := errors.AsType[net.Error](err)
	if connecting || network || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, io.EOF) ||
		errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) || pgconn.SafeToRetry(err) {
		return fieldlift.Unavailable(err)
	}
	if strings.Contains(err.Error(), "conn closed") { // pgconn says it only in words
		return fieldlift.Unavailable(err)
	}
	return err
}

// isAway tells the codes of a server that stops, starts, is full, takes too
// long or has lost its connection from those of a wrong statement.
func isAway(code string) bool {
	for _, class := range []string{"08", "53", "57P", "57014", "55P03", "58", "25006"} { // 25006: a standby, while roles change
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"runtime"
	"sync"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"fieldlift"
	"fieldlift/internal/work"
)

// sqliteDatabase is a file with one writer and several readers.
type sqliteDatabase struct {
	path   string
	writer *sql.DB
	queue  *work.Queue[*sql.Tx]
	sqliteQuerier
}

func openSQLite(ctx context.Context, path string, log *slog.Logger) (*sqliteDatabase, error) {
	writer, err := sql.Open("sqlite", sqliteAddress(path, false))
	if err != nil {
		return nil, err
	}
	// One connection: writers queue here, in order, instead of meeting SQLITE_BUSY.
	writer.SetMaxOpenConns(1)
	reader, err := sql.Open("sqlite", sqliteAddress(path, true))
	if err != nil {
		return nil, errors.Join(err, writer.Close())
	}
	readers := max(4, runtime.NumCPU())
	reader.SetMaxOpenConns(readers)
	reader.SetMaxIdleConns(readers)
	db := &sqliteDatabase{path: path, writer: writer, sqliteQuerier: sqliteQuerier{on: reader, prepared: &statements{db: reader}}}
	// The writer first: it makes the file, which a reader may not.
	if err := connectWriter(ctx, writer); err != nil {
		db.close()
		return nil, fmt.Errorf("open the database %s: %w", path, err)
	}
	if db.queue, err = work.OnSQLite(writer, log); err != nil {
		db.close()
		return nil, err
	}
	return db, nil
}

// connectPause is the wait between tries to open a new file.
const connectPause = 20 * time.Millisecond

// connectWriter opens the file. Turning a new one to WAL needs it alone, and
// SQLite then answers BUSY at once, whatever its timeout: when several
// processes make it together, one does and the others try again.
func connectWriter(ctx context.Context, writer *sql.DB) error {
	for deadline := time.Now().Add(busyTimeout); ; {
		err := writer.PingContext(ctx)
		failed, ok := errors.AsType[*sqlite.Error](err)
		if !ok || failed.Code()&0xff != sqlite3.SQLITE_BUSY || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(connectPause):
		}
	}
}

// busyTimeout is how long a statement waits for another process's lock.
const busyTimeout = 10 * time.Second

func sqliteAddress(path string, readOnly bool) string {
	pragmas := url.Values{"_pragma": {fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "foreign_keys(1)", "synchronous(FULL)"}}
	if readOnly {
		pragmas.Add("_pragma", "query_only(1)")
	} else {
		pragmas.Add("_pragma", "journal_mode(WAL)")
		pragmas.Set("_txlock", "immediate")
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: pragmas.Encode()}).String()
}

func (db *sqliteDatabase) close() {
	db.prepared.close()
	_ = db.on.(*sql.DB).Close()
	_ = db.writer.Close()
}

func (db *sqliteDatabase) update(ctx context.Context, act func(transaction) error) error {
	tx, err := db.writer.BeginTx(ctx, nil)
	if err != nil {
		return sqliteError(err)
	}
	if err := act(sqliteTransaction{sqliteQuerier{on: tx}, tx, db.queue}); err != nil {
		_ = tx.Rollback() // the first error is the one that tells
		return err
	}
	return sqliteError(tx.Commit())
}

type sqliteTransaction struct {
	sqliteQuerier
	tx    *sql.Tx
	queue *work.Queue[*sql.Tx]
}

func (t sqliteTransaction) ring(ctx context.Context, documents int, at time.Time) error {
	return sqliteError(t.queue.Ring(ctx, t.tx, documents, at))
}

func (t sqliteTransaction) alone(context.Context, string) error { return nil } // there is one writer

func (db *sqliteDatabase) work(ctx context.Context, workers int, take func(context.Context)) error {
	return db.queue.Run(ctx, workers, take)
}

func (db *sqliteDatabase) ping(ctx context.Context) error {
	var one int
	return db.queryRow(ctx, "SELECT 1").Scan(&one)
}

func (db *sqliteDatabase) pool() (open, inUse int, waits int64, waited time.Duration) {
	r, w := db.on.(*sql.DB).Stats(), db.writer.Stats()
	return r.OpenConnections + w.OpenConnections, r.InUse + w.InUse, r.WaitCount + w.WaitCount, r.WaitDuration + w.WaitDuration
}

func (db *sqliteDatabase) kind() string        { return "SQLite" }
func (db *sqliteDatabase) forUpdate() string   { return "" } // its one writer needs no row locks
func (db *sqliteDatabase) skipLocked() string  { return "" }
func (db *sqliteDatabase) countsWindows() bool { return false }
func (db *sqliteDatabase) sizeQuery() string {
	return "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
}

// copyTo writes a consistent copy: one reading transaction, so that writers go on.
func (db *sqliteDatabase) copyTo(ctx context.Context, file string) error {
	plain, err := sql.Open("sqlite", sqliteAddress(db.path, false))
	if err != nil {
		return err
	}
	defer plain.Close()
	_, err = plain.ExecContext(ctx, "VACUUM INTO $1", file)
	return err
}

// sqliteQuerier runs statements on a pool or in a transaction.
type sqliteQuerier struct {
	on interface {
		ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
		QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	}
	prepared *statements // nil in a transaction
}

func (q sqliteQuerier) exec(ctx context.Context, query string, args ...any) (int64, error) {
	result, err := q.on.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, sqliteError(err)
	}
	return result.RowsAffected()
}

func (q sqliteQuerier) query(ctx context.Context, query string, args ...any) (rows, error) {
	found, err := q.run(ctx, query, args...)
	if err != nil {
		return nil, sqliteError(err)
	}
	return sqliteRows{found}, nil
}

func (q sqliteQuerier) run(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if q.prepared == nil {
		return q.on.QueryContext(ctx, query, args...)
	}
	statement, err := q.prepared.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

func (q sqliteQuerier) queryRow(ctx context.Context, query string, args ...any) row {
	found, err := q.query(ctx, query, args...)
	return firstRow{found, err}
}

// statements keeps the readers' statements prepared: parsing SQL would be
// most of what a small query costs.
type statements struct {
	db *sql.DB
	by sync.Map // query text → *sql.Stmt
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	if known, ok := s.by.Load(query); ok {
		return known.(*sql.Stmt), nil
	}
	made, err := s.db.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if known, raced := s.by.LoadOrStore(query, made); raced {
		_ = made.Close()
		return known.(*sql.Stmt), nil
	}
	return made, nil
}

func (s *statements) close() {
	for _, statement := range s.by.Range {
		_ = statement.(*sql.Stmt).Close()
	}
}

type sqliteRows struct{ *sql.Rows }

func (r sqliteRows) Scan(into ...any) error { return sqliteError(r.Rows.Scan(into...)) }
func (r sqliteRows) Err() error             { return sqliteError(r.Rows.Err()) }
func (r sqliteRows) Close()                 { _ = r.Rows.Close() }

// sqliteError turns the driver's error into one of ours.
func sqliteError(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fieldlift.Unavailable(err)
	}
	failed, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return err
	}
	switch failed.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return errUnique
	}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT:
		return fieldlift.Unavailable(err)
	}
	return err
}

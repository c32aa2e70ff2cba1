package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"fieldlift"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// Migrate brings the database to the form that this program works with. It is
// quick when there is nothing to do, and safe when several nodes begin at once.
func (s *Store) Migrate(ctx context.Context) error {
	if err := s.db.migrate(ctx); err != nil {
		return fmt.Errorf("migrate the database: %w", err)
	}
	return nil
}

// Pending reports whether Migrate has something to do. It only looks.
func (s *Store) Pending(ctx context.Context) (bool, error) {
	var current int64
	err := s.db.queryRow(ctx, `SELECT max(version_id) FROM goose_db_version`).Scan(&current)
	switch {
	case err != nil && fieldlift.CodeOf(err) == fieldlift.ServiceUnavailable:
		return false, err
	case err != nil:
		return true, nil //nolint:nilerr // without that table nothing was ever migrated
	case current > lastMigration:
		return false, errNewer
	}
	return current < lastMigration, nil
}

// lastMigration is the version that this program works with; a test holds it
// against the migrations there are.
const lastMigration = 13

// migrationLock is the advisory lock under which one node migrates PostgreSQL
// while the others wait for it; the number is arbitrary but must never change.
const migrationLock = 4_613_732_001

func (db *postgresDatabase) migrate(ctx context.Context) error {
	// A connection of its own: the pool may have but one, which the migrations need.
	holder, err := pgx.ConnectConfig(ctx, db.connections.Config().ConnConfig)
	if err != nil {
		return postgresError(err)
	}
	defer holder.Close(context.WithoutCancel(ctx)) // and the lock with it
	if _, err := holder.Exec(ctx, "SELECT pg_advisory_lock($1)", migrationLock); err != nil {
		return postgresError(err)
	}
	plain := stdlib.OpenDBFromPool(db.connections)
	defer plain.Close()
	if err := up(ctx, goose.DialectPostgres, plain, createRateWindows); err != nil {
		return postgresError(err)
	}
	return postgresError(db.queue.Migrate(ctx))
}

// createRateWindows makes the counters that all nodes share. UNLOGGED: they
// are worth nothing after a crash, and cost no write-ahead log before it.
const createRateWindows = `
	CREATE UNLOGGED TABLE rate_windows (
		bucket    text PRIMARY KEY,
		used      bigint NOT NULL,
		resets_at bigint NOT NULL
	) WITH (fillfactor = 50)`

// Migrating SQLite is tried again when another process, a command beside a
// starting server, came in between: each step is a transaction, so what was
// refused here was done there.
const (
	mostMigrations = 20
	migrationPause = 100 * time.Millisecond
)

func (db *sqliteDatabase) migrate(ctx context.Context) error {
	var err error
	for range mostMigrations {
		if err = up(ctx, goose.DialectSQLite3, db.writer, ""); errors.Is(err, errNewer) {
			return err
		}
		if err == nil {
			err = db.queue.Migrate(ctx)
		}
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(migrationPause):
		}
	}
	return sqliteError(err)
}

var errNewer = errors.New("the database was made by a newer version of Fieldlift; use that one or a later")

// up applies what is pending.
func up(ctx context.Context, dialect goose.Dialect, db *sql.DB, second string) error {
	provider, err := newProvider(dialect, db, second)
	if err != nil {
		return err
	}
	current, target, err := provider.GetVersions(ctx)
	if err != nil {
		return err
	}
	if current > target {
		return errNewer
	}
	_, err = provider.Up(ctx)
	return err
}

// newProvider knows all migrations. The second is one that only PostgreSQL
// has; SQLite passes over it, so that both count versions alike.
func newProvider(dialect goose.Dialect, db *sql.DB, second string) (*goose.Provider, error) {
	files, err := fs.Sub(migrationFiles, "migrations")
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(dialect, db, files,
		goose.WithGoMigrations(goose.NewGoMigration(2, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error {
			if second == "" {
				return nil
			}
			_, err := tx.ExecContext(ctx, second)
			return err
		}}, nil)))
}

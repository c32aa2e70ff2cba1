// Package work moves work to where there is room for it, with River, on
// either database. A job of River's says only "there is a document waiting":
// which one, and whose turn it is, the rows of the store decide, and so a lost
// or doubled job does no harm.
package work

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"
)

// documentWaiting is the one kind of job.
type documentWaiting struct{}

func (documentWaiting) Kind() string { return "document_waiting" }

// Queue is River on one database; TTx is the type of its transactions.
type Queue[TTx any] struct {
	driver riverdriver.Driver[TTx]
	rings  *river.Client[TTx]
	log    *slog.Logger
}

// OnPostgres makes a queue on PostgreSQL.
func OnPostgres(pool *pgxpool.Pool, log *slog.Logger) (*Queue[pgx.Tx], error) {
	return newQueue(riverpgxv5.New(pool), log)
}

// OnSQLite makes a queue on SQLite.
func OnSQLite(db *sql.DB, log *slog.Logger) (*Queue[*sql.Tx], error) {
	return newQueue(riversqlite.New(db), log)
}

func newQueue[TTx any](driver riverdriver.Driver[TTx], log *slog.Logger) (*Queue[TTx], error) {
	log = slog.New(quiet{log.Handler()})
	rings, err := river.NewClient(driver, &river.Config{Logger: log})
	return &Queue[TTx]{driver, rings, log}, err
}

// Migrate makes River's tables.
func (q *Queue[TTx]) Migrate(ctx context.Context) error {
	migrator, err := rivermigrate.New(q.driver, &rivermigrate.Config{Logger: q.log})
	if err != nil {
		return err
	}
	_, err = migrator.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// mostRings bounds the jobs of one act: a worker that is called takes one
// document after the other, so more callers than workers are of no use.
const mostRings = 32

// Ring says within a transaction that documents wait from a time on; workers
// hear it when the transaction has come through.
func (q *Queue[TTx]) Ring(ctx context.Context, tx TTx, documents int, at time.Time) error {
	options := &river.InsertOpts{ScheduledAt: at, MaxAttempts: 1}
	jobs := make([]river.InsertManyParams, min(documents, mostRings))
	for i := range jobs {
		jobs[i] = river.InsertManyParams{Args: documentWaiting{}, InsertOpts: options}
	}
	_, err := q.rings.InsertManyFastTx(ctx, tx, jobs)
	return err
}

// Poll sets how often River looks for work that no notice told it of.
const (
	pollInterval = 500 * time.Millisecond
	cooldown     = 10 * time.Millisecond
	// A document may take long, and a job that is lost is not missed.
	rescueAfter = 6 * time.Hour
	keepJobs    = 10 * time.Minute
	softStop    = 15 * time.Second
)

// Run answers rings with up to so many workers at once until ctx ends, then
// waits for them. Each ring calls the function once; it should take documents
// until none waits.
func (q *Queue[TTx]) Run(ctx context.Context, workers int, take func(context.Context)) error {
	kinds := river.NewWorkers()
	river.AddWorker(kinds, river.WorkFunc(func(ctx context.Context, _ *river.Job[documentWaiting]) error {
		take(ctx)
		return nil
	}))
	client, err := river.NewClient(q.driver, &river.Config{
		Logger:                      q.log,
		Workers:                     kinds,
		Queues:                      map[string]river.QueueConfig{river.QueueDefault: {MaxWorkers: workers}},
		FetchCooldown:               cooldown,
		FetchPollInterval:           pollInterval,
		JobTimeout:                  -1,
		RescueStuckJobsAfter:        rescueAfter,
		CompletedJobRetentionPeriod: keepJobs,
	})
	if err != nil {
		return err
	}
	// River stops by its own method, not by the end of a context, which would cancel what is under way.
	if err := client.Start(context.WithoutCancel(ctx)); err != nil {
		return fmt.Errorf("start the workers: %w", err)
	}
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), softStop)
	defer cancel()
	if err := client.Stop(stopping); err == nil {
		return nil
	}
	return client.StopAndCancel(context.WithoutCancel(ctx))
}

// quiet lets only what is worth an operator's time through from River.
type quiet struct{ slog.Handler }

func (quiet) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

func (q quiet) WithAttrs(attributes []slog.Attr) slog.Handler {
	return quiet{q.Handler.WithAttrs(attributes)}
}

func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }

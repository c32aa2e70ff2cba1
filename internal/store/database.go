package store

import (
	"context"
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
)

// querier runs statements: on a pool, or within a transaction. Its errors are
// those of this package and of package fieldlift, never a driver's bare own.
type querier interface {
	exec(ctx context.Context, query string, args ...any) (affected int64, err error)
	query(ctx context.Context, query string, args ...any) (rows, error)
	queryRow(ctx context.Context, query string, args ...any) row
}

// transaction is a querier whose statements come through together or not at all.
type transaction interface {
	querier
	// ring tells the workers, once the transaction has come through, that
	// documents wait from a time on.
	ring(ctx context.Context, documents int, at time.Time) error
	// alone waits for other transactions that are alone with the same name, on any
	// node, and keeps them waiting until this one ends.
	alone(ctx context.Context, name string) error
}

type rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close()
}

type row interface {
	Scan(into ...any) error
}

// firstRow is the first of the rows that a query found.
type firstRow struct {
	found rows
	err   error
}

func (r firstRow) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.found.Close()
	if !r.found.Next() {
		if err := r.found.Err(); err != nil {
			return err
		}
		return errNoRow
	}
	if err := r.found.Scan(into...); err != nil {
		return err
	}
	r.found.Close() // PostgreSQL reports some failures only at the end
	return r.found.Err()
}

// database is what SQLite and PostgreSQL have in common, and, as its last
// methods, the little in which they differ.
type database interface {
	querier // for reading, outside of any transaction
	// update runs one writing transaction. The function may run more than
	// once, so it must not keep anything from a run that failed.
	update(ctx context.Context, act func(tx transaction) error) error
	ping(ctx context.Context) error
	close()
	pool() (open, inUse int, waits int64, waited time.Duration)

	kind() string
	migrate(ctx context.Context) error
	// forUpdate ends a SELECT whose rows the same transaction will change, and
	// skipLocked one that passes over rows that another one is about to change.
	forUpdate() string
	skipLocked() string
	// sizeQuery asks how many bytes the database takes.
	sizeQuery() string
	// work answers rings until ctx ends.
	work(ctx context.Context, workers int, take func(context.Context)) error
	// countsWindows reports whether rate windows are kept in the database.
	countsWindows() bool
}

var (
	errNoRow  = errors.New("no such row")
	errUnique = errors.New("a row with these values is there already")
)

// nullable stores the zero time as NULL.
func nullable(t time.Time) *int64 {
	if t.IsZero() {
		return nil
	}
	micros := t.UnixMicro()
	return &micros
}

func timeOf(micros int64) time.Time { return time.UnixMicro(micros).UTC() }

func nullableTime(micros *int64) time.Time {
	if micros == nil {
		return time.Time{}
	}
	return timeOf(*micros)
}

// nullableText stores "" as NULL.
func nullableText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// collect reads all rows of a query with a function that scans one.
func collect[T any](ctx context.Context, q querier, scan func(row) (T, error), query string, args ...any) ([]T, error) {
	found, err := q.query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	var list []T
	for found.Next() {
		one, err := scan(found)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, found.Err()
}

// notFound gives the error for a row that is not there; other errors pass.
func notFound(err error, code fieldlift.Code, message string) error {
	if errors.Is(err, errNoRow) {
		return fieldlift.Errorf(code, "%s", message)
	}
	return err
}

type storeCollector struct{ s *Store }

var (
	poolOpen   = prometheus.NewDesc("fieldlift_database_connections_open", "Open connections to the database.", nil, nil)
	poolInUse  = prometheus.NewDesc("fieldlift_database_connections_in_use", "Connections to the database that work right now.", nil, nil)
	poolWaits  = prometheus.NewDesc("fieldlift_database_waits_total", "How often a request had to wait for a connection.", nil, nil)
	poolWaited = prometheus.NewDesc("fieldlift_database_waited_seconds_total", "How long requests have waited for a connection.", nil, nil)
)

var (
	queueWaiting    = prometheus.NewDesc("fieldlift_documents_waiting", "Documents that wait, on all nodes.", nil, nil)
	queueProcessing = prometheus.NewDesc("fieldlift_documents_processing", "Documents being worked on, on all nodes.", nil, nil)
	queueOldest     = prometheus.NewDesc("fieldlift_documents_oldest_seconds", "How long the document has waited that waits longest.", nil, nil)
	deliveriesWait  = prometheus.NewDesc("fieldlift_deliveries_waiting", "Deliveries that wait for a try or are being tried, on all nodes.", nil, nil)
)

// collectTimeout bounds how long a reading of the metrics waits for the database.
const collectTimeout = 2 * time.Second

func (c storeCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{poolOpen, poolInUse, poolWaits, poolWaited, queueWaiting, queueProcessing, queueOldest, deliveriesWait} {
		out <- d
	}
}

func (c storeCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), collectTimeout)
	defer cancel()
	// While the database is away there is nothing to tell of its queue.
	if waiting, processing, oldest, err := c.s.Backlog(ctx); err == nil {
		age := 0.0
		if !oldest.IsZero() {
			age = max(0, c.s.clock().Sub(oldest).Seconds())
		}
		out <- prometheus.MustNewConstMetric(queueWaiting, prometheus.GaugeValue, float64(waiting))
		out <- prometheus.MustNewConstMetric(queueProcessing, prometheus.GaugeValue, float64(processing))
		out <- prometheus.MustNewConstMetric(queueOldest, prometheus.GaugeValue, age)
	}
	if waiting, err := c.s.DeliveryBacklog(ctx); err == nil {
		out <- prometheus.MustNewConstMetric(deliveriesWait, prometheus.GaugeValue, float64(waiting))
	}
	open, inUse, waits, waited := c.s.db.pool()
	out <- prometheus.MustNewConstMetric(poolOpen, prometheus.GaugeValue, float64(open))
	out <- prometheus.MustNewConstMetric(poolInUse, prometheus.GaugeValue, float64(inUse))
	out <- prometheus.MustNewConstMetric(poolWaits, prometheus.CounterValue, float64(waits))
	out <- prometheus.MustNewConstMetric(poolWaited, prometheus.CounterValue, waited.Seconds())
}

// Package store keeps everything in SQLite or PostgreSQL. It holds all SQL of
// the service: one text for both databases, and one method for one business
// act in one transaction.
//
// It decides nothing that a pure rule of package fieldlift could decide, and
// does no other I/O than that of its database.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift/internal/ratelimit"
	"fieldlift/internal/seal"
)

// Options say which database to open, and how.
type Options struct {
	DatabaseURL string           // postgres://…; empty: SQLite in DataDir
	DataDir     string           // made if it is not there
	RateLimit   int              // requests a window
	SubmitLimit int              // submissions a window
	Node        string           // whose workers begin documents; "" when nobody asks
	Box         *seal.Box        // seals webhooks' secrets; nil: there are none to make or use here
	Now         func() time.Time // nil: time.Now
	Log         *slog.Logger
}

// Store is an open database.
type Store struct {
	db          database
	now         func() time.Time
	log         *slog.Logger
	rateLimit   int
	submitLimit int
	keys        *ratelimit.Memory // windows on SQLite; PostgreSQL counts for all nodes
	addresses   *ratelimit.Memory

	node string
	box  *seal.Box

	bell         chan struct{} // rung for each document that begins to wait
	deliveryBell chan struct{} // rung when deliveries wait

	noting     atomic.Bool // a key's use is being noted
	refusing   atomic.Bool // a refused sign-in is
	background sync.WaitGroup
}

// FileName is the SQLite database within the data folder.
const FileName = "fieldlift.db"

// Most windows kept in memory: of keys there are only as many as were made,
// addresses come in whatever number the world sends.
const (
	mostKeyWindows     = 1 << 20
	mostAddressWindows = 1 << 16
)

// mostCalls bounds the calls that wait for this process's workers.
const mostCalls = 64

// Open opens the database. It changes nothing there; Migrate does.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{
		now:         o.Now,
		log:         o.Log,
		rateLimit:   o.RateLimit,
		submitLimit: o.SubmitLimit,
		keys:        ratelimit.NewMemory(mostKeyWindows),
		addresses:   ratelimit.NewMemory(mostAddressWindows),
	}
	s.node, s.box = o.Node, o.Box
	s.bell = make(chan struct{}, mostCalls)
	s.deliveryBell = make(chan struct{}, 1)
	if s.now == nil {
		s.now = time.Now
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	var err error
	if o.DatabaseURL != "" {
		s.db, err = openPostgres(ctx, o.DatabaseURL, s.log)
		return s, err
	}
	if err := os.MkdirAll(o.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	s.db, err = openSQLite(ctx, filepath.Join(o.DataDir, FileName), s.log)
	return s, err
}

// Close lets go of the database.
func (s *Store) Close() {
	s.background.Wait()
	s.db.close()
}

// Kind names the database: "SQLite" or "PostgreSQL".
func (s *Store) Kind() string { return s.db.kind() }

// Ping reports whether the database answers.
func (s *Store) Ping(ctx context.Context) error { return s.db.ping(ctx) }

// Collector tells Prometheus of the queue and of the connection pool.
func (s *Store) Collector() prometheus.Collector { return storeCollector{s} }

// ErrNotSQLite is Backup's answer when PostgreSQL keeps the data.
var ErrNotSQLite = errors.New("only a SQLite store is copied by this command; back PostgreSQL up with pg_dump")

// Backup writes a consistent copy of a live SQLite store to a file that must
// not exist yet. Writers are not held up meanwhile.
func (s *Store) Backup(ctx context.Context, file string) error {
	lite, ok := s.db.(*sqliteDatabase)
	if !ok {
		return ErrNotSQLite
	}
	// Written beside, for our eyes only, and given its name when it is whole.
	part, err := os.CreateTemp(filepath.Dir(file), ".fieldlift-backup-*")
	if err != nil {
		return err
	}
	defer os.Remove(part.Name())
	if err := part.Close(); err != nil {
		return err
	}
	if err := lite.copyTo(ctx, part.Name()); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	if err := syncFile(part.Name()); err != nil {
		return err
	}
	if err := os.Link(part.Name(), file); err != nil {
		if errors.Is(err, os.ErrExist) {
			return fmt.Errorf("%s is there already, and a backup overwrites nothing", file)
		}
		return err
	}
	return syncFile(filepath.Dir(file))
}

// syncFile makes sure that a file or folder outlives a power cut.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

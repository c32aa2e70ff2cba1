// Package apptest starts whole services for tests: on port 0, on SQLite or on
// a PostgreSQL server of the tests' own, with every answer checked against the
// OpenAPI document. Only tests import it.
package apptest

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
)

// App is a running service with one account.
type App struct {
	*app.App
	Config  app.Config
	Account fieldlift.Account
	Key     string // a full key of Account
	Store   *app.Store

	http *http.Client
	stop func()
}

// Option changes the configuration of a service before it starts.
type Option func(*app.Config)

// OnEach runs a test on SQLite and on PostgreSQL.
func OnEach(t *testing.T, test func(t *testing.T, on Option)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { test(t, OnSQLite(t)) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, OnPostgres(t)) })
}

// OnSQLite keeps the service's data in a folder of the test's.
func OnSQLite(t testing.TB) Option {
	dir := t.TempDir()
	return func(c *app.Config) { c.DataDir, c.DatabaseURL = dir, "" }
}

// OnPostgres keeps the service's data in a new database.
func OnPostgres(t testing.TB) Option {
	t.Helper()
	url := NewDatabase(t)
	dir := t.TempDir()
	return func(c *app.Config) { c.DataDir, c.DatabaseURL = dir, url }
}

// With sets anything else.
func With(set func(*app.Config)) Option { return set }

// Start runs a service until the test ends. Unless told otherwise it has
// limits that no test reaches by chance, and an account with 1,000 credits.
func Start(t testing.TB, options ...Option) *App {
	t.Helper()
	a := Launch(t, options...)
	a.Account = a.NewAccount(t, "ada@example.com", 1000)
	a.Key = a.NewKey(t, a.Account, "first")
	return a
}

// Launch is Start without the account.
func Launch(t testing.TB, options ...Option) *App {
	t.Helper()
	config := app.Default()
	config.Listen = "127.0.0.1:0"
	config.Env = app.Production
	config.RateLimit, config.SubmitLimit = 1_000_000, 1_000_000
	config.CacheDir, config.ColdReader = filepath.Join(os.TempDir(), "fieldlift-test-cache"), true
	config.Log = slog.New(slog.NewTextHandler(testLog{t}, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for _, option := range options {
		option(&config)
	}
	service, err := app.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := app.LookAtStore(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 100
	a := &App{App: service, Config: config, Store: opened, http: &http.Client{Transport: Checked(t, transport)}}
	a.stop = sync.OnceFunc(func() {
		transport.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the service ended with an error: %v", err)
		}
		opened.Close()
	})
	t.Cleanup(a.stop)
	return a
}

// Stop stops the service as SIGTERM would, and waits for its end.
func (a *App) Stop() { a.stop() }

// HTTP is a client whose every exchange is checked against the OpenAPI document.
func (a *App) HTTP() *http.Client { return a.http }

// NewAccount makes an account with credits.
func (a *App) NewAccount(t testing.TB, email string, credits int64) fieldlift.Account {
	t.Helper()
	account, err := a.Store.CreateAccount(t.Context(), fieldlift.Account{Email: email, Name: "Ada"}, credits)
	if err != nil {
		t.Fatal(err)
	}
	return account
}

// NewKey makes a key that never expires and gives the full key.
func (a *App) NewKey(t testing.TB, account fieldlift.Account, name string) string {
	t.Helper()
	return a.NewExpiringKey(t, account, name, time.Time{})
}

// NewExpiringKey makes a key that ends at a time.
func (a *App) NewExpiringKey(t testing.TB, account fieldlift.Account, name string, expires time.Time) string {
	t.Helper()
	full := fieldlift.NewFullKey(true)
	if _, err := a.Store.CreateKey(t.Context(), fieldlift.Key{AccountID: account.ID, Name: name, ExpiresAt: expires}, full); err != nil {
		t.Fatal(err)
	}
	return full
}

// Client is the Go client with the account's key; it does not try again by
// itself, so that tests see each answer.
func (a *App) Client() *api.Client { return a.ClientFor(a.Key) }

// ClientFor is the Go client with another key.
func (a *App) ClientFor(key string) *api.Client {
	return api.NewClient(a.URL(), key, api.WithHTTPClient(a.http), api.WithRetries(0))
}

// testLog lets what the service logs be seen where a test failed.
type testLog struct{ t testing.TB }

func (l testLog) Write(line []byte) (int, error) {
	l.t.Logf("%s", line)
	return len(line), nil
}

package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/store"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }

// onEach runs a test on an empty SQLite store and on an empty PostgreSQL one.
func onEach(t *testing.T, test func(t *testing.T, o store.Options)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) {
		test(t, store.Options{DataDir: filepath.Join(t.TempDir(), "a folder?#%25"), RateLimit: 150})
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		test(t, store.Options{DatabaseURL: apptest.NewDatabase(t), RateLimit: 150})
	})
}

// open opens a store that is up to date.
func open(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func newAccount(t testing.TB, s *store.Store, email string, credits int64) fieldlift.Account {
	t.Helper()
	a, err := s.CreateAccount(t.Context(), fieldlift.Account{Email: email, Name: "Ada", PasswordHash: "hash"}, credits)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func wantCode(t testing.TB, err error, code fieldlift.Code) {
	t.Helper()
	if err == nil || fieldlift.CodeOf(err) != code {
		t.Errorf("the error is %v, want %s", err, code)
	}
}

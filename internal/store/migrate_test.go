package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/store"
)

func TestFourNodesStartAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		var nodes sync.WaitGroup
		for range 4 {
			nodes.Go(func() {
				s, err := store.Open(t.Context(), o)
				if err != nil {
					t.Error(err)
					return
				}
				defer s.Close()
				if err := s.Migrate(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		nodes.Wait()
		s := open(t, o)
		newAccount(t, s, "ada@example.com", 1)
		if waiting, err := s.Pending(t.Context()); err != nil || waiting {
			t.Errorf("%v, %v", waiting, err)
		}
	})
}

func TestPendingBeforeTheFirstMigration(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s, err := store.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		if waiting, err := s.Pending(t.Context()); err != nil || !waiting {
			t.Errorf("%v, %v", waiting, err)
		}
	})
}

func TestStoreOfANewerVersionIsRefused(t *testing.T) {
	o := store.Options{DataDir: t.TempDir()}
	open(t, o)
	db, err := sql.Open("sqlite", filepath.Join(o.DataDir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, true)`); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("%v", err)
	}
	if _, err := s.Pending(t.Context()); err == nil || !strings.Contains(err.Error(), "newer version") {
		t.Errorf("%v", err)
	}
}

func TestMigrationNeedsOneConnectionOnly(t *testing.T) {
	open(t, store.Options{DatabaseURL: apptest.NewDatabase(t) + "&pool_max_conns=1"})
}

func TestBackupOfALiveStore(t *testing.T) {
	s := open(t, store.Options{DataDir: t.TempDir()})
	a := newAccount(t, s, "ada@example.com", 1_000_000)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for range 3 {
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := s.Charge(t.Context(), a.ID, fieldlift.NewID("ext_"), 1); err != nil {
					t.Error(err)
				}
			}
		})
	}
	restored := store.Options{DataDir: t.TempDir()}
	file := filepath.Join(restored.DataDir, store.FileName)
	err := s.Backup(t.Context(), file)
	close(stop)
	writers.Wait()
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := s.Backup(t.Context(), file); err == nil || !strings.Contains(err.Error(), "overwrites nothing") {
		t.Errorf("a backup was overwritten: %v", err)
	}
	copied := open(t, restored)
	balance, err := copied.Balance(t.Context(), a.ID)
	if err != nil || balance.Available+balance.Used != 1_000_000 {
		t.Errorf("%+v, %v", balance, err)
	}
	newAccount(t, copied, "bob@example.com", 0)
}

package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"

	"fieldlift"
	"fieldlift/internal/seal"
	"fieldlift/internal/store"
)

func newBox(t *testing.T) *seal.Box {
	t.Helper()
	box, err := seal.New(seal.NewKey())
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func TestKeyThatCameFirstStays(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		bare := open(t, o)
		o.Box = newBox(t)
		first := open(t, o)
		o.Box = newBox(t)
		second := open(t, o)
		if err := first.CheckKey(t.Context()); err != nil {
			t.Errorf("before any secret is sealed, any key will do: %v", err)
		}
		if err := first.AdoptKey(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(first.AdoptKey(t.Context()), first.CheckKey(t.Context())); err != nil {
			t.Error(err)
		}
		for _, other := range []*store.Store{second, bare} {
			if err := other.AdoptKey(t.Context()); !errors.Is(err, store.ErrOtherKey) {
				t.Error(err)
			}
			if err := other.CheckKey(t.Context()); !errors.Is(err, store.ErrOtherKey) {
				t.Error(err)
			}
		}
	})
}

// TestLostKey does what docs/OPERATIONS.md says about it.
func TestLostKey(t *testing.T) {
	o := store.Options{DataDir: t.TempDir(), Box: newBox(t)}
	s := open(t, o)
	account := newAccount(t, s, "ada@example.com", 0)
	w, err := s.CreateWebhook(t.Context(), fieldlift.Webhook{
		AccountID: account.ID, Kind: fieldlift.APIWebhook, URL: "https://example.com", Events: []fieldlift.EventType{fieldlift.EventJobCompleted},
	}, fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}, 1)
	if err != nil {
		t.Fatal(err)
	}
	s.Close()

	plain, err := sql.Open("sqlite", filepath.Join(o.DataDir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Exec(`DELETE FROM sealing`); err != nil {
		t.Fatal(err)
	}
	if err := plain.Close(); err != nil {
		t.Fatal(err)
	}
	o.Box = newBox(t)
	s = open(t, o)
	if _, err := s.TestWebhook(t.Context(), account.ID, w.Kind, w.ID); !errors.Is(err, store.ErrOtherKey) {
		t.Error(err)
	}
	secret := fieldlift.NewSigningSecret()
	if _, err := s.RotateSecret(t.Context(), account.ID, w.Kind, w.ID, secret); err != nil {
		t.Fatal(err)
	}
	if c, err := s.TestWebhook(t.Context(), account.ID, w.Kind, w.ID); err != nil || c.Secrets != (fieldlift.WebhookSecrets{Signing: secret}) {
		t.Errorf("%+v, %v", c, err)
	}
}

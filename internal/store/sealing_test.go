package store_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

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
	}, fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret(), Static: "correct horse"}, 1)
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
	if _, err := s.UpdateWebhook(t.Context(), account.ID, w.Kind, w.ID, fieldlift.WebhookChange{Static: new("battery staple")}); err != nil {
		t.Fatal(err)
	}
	if c, err := s.TestWebhook(t.Context(), account.ID, w.Kind, w.ID); err != nil || !cmp.Equal(c.Secrets, fieldlift.WebhookSecrets{Signing: secret, Static: "battery staple"}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestRotations: however often a secret is rotated, each one is valid for a day
// after its replacement.
func TestRotations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, store.Options{DataDir: t.TempDir(), Box: newBox(t)})
		account := newAccount(t, s, "ada@example.com", 0)
		secrets := []string{fieldlift.NewSigningSecret()} // newest first
		w, err := s.CreateWebhook(t.Context(), fieldlift.Webhook{
			AccountID: account.ID, Kind: fieldlift.APIWebhook, URL: "https://example.com", Events: []fieldlift.EventType{fieldlift.EventJobCompleted},
		}, fieldlift.WebhookSecrets{Signing: secrets[0]}, 1)
		if err != nil {
			t.Fatal(err)
		}
		rotate := func() error {
			secret := fieldlift.NewSigningSecret()
			_, err := s.RotateSecret(t.Context(), account.ID, w.Kind, w.ID, secret)
			if err == nil {
				secrets = append([]string{secret}, secrets...)
			}
			return err
		}
		want := func(former int) {
			t.Helper()
			c, err := s.TestWebhook(t.Context(), account.ID, w.Kind, w.ID)
			if err != nil || c.Secrets.Signing != secrets[0] || !slices.Equal(c.Secrets.Former, secrets[1:1+former]) {
				t.Errorf("%+v, %v; want %d former secrets of %q", c.Secrets, err, former, secrets)
			}
		}
		want(0)
		for i := range fieldlift.MaxFormerSecrets {
			if err := rotate(); err != nil {
				t.Fatal(err)
			}
			want(i + 1)
			time.Sleep(time.Hour)
		}
		if err := rotate(); fieldlift.CodeOf(err) != fieldlift.Conflict {
			t.Errorf("one too many: %v", err)
		}
		want(fieldlift.MaxFormerSecrets)
		time.Sleep(fieldlift.SecretOverlap - fieldlift.MaxFormerSecrets*time.Hour)
		want(fieldlift.MaxFormerSecrets - 1)
		if err := rotate(); err != nil {
			t.Fatal(err)
		}
		want(fieldlift.MaxFormerSecrets)
		time.Sleep(fieldlift.SecretOverlap)
		want(0)
		if err := s.DeleteWebhook(t.Context(), account.ID, w.Kind, w.ID); err != nil {
			t.Fatal(err)
		}
	})
}

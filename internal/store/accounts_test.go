package store_test

import (
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/internal/store"
)

func TestAccounts(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		if found, err := s.FirstAccount(t.Context()); err != nil || found != "" {
			t.Errorf("%v, %v", found, err)
		}
		ada := newAccount(t, s, "ada@example.com", 0)
		bob := newAccount(t, s, "bob@example.com", 5)
		if _, err := s.CreateAccount(t.Context(), fieldlift.Account{Email: "ada@example.com"}, 9); err == nil {
			t.Error("two accounts have one address")
		} else {
			wantCode(t, err, fieldlift.Conflict)
		}
		if got, err := s.AccountByEmail(t.Context(), "ada@example.com"); err != nil || got != ada {
			t.Errorf("%+v, %v", got, err)
		}
		_, err := s.AccountByEmail(t.Context(), "eve@example.com")
		wantCode(t, err, fieldlift.ResourceNotFound)
		if got, err := s.Accounts(t.Context()); err != nil || !cmp.Equal(got, []fieldlift.Account{ada, bob}) {
			t.Errorf("%+v, %v", got, err)
		}
		if found, err := s.FirstAccount(t.Context()); err != nil || found != ada.Email {
			t.Errorf("%v, %v", found, err)
		}
		if n, err := s.Available(t.Context(), bob.ID); err != nil || n != 5 {
			t.Errorf("%d, %v", n, err)
		}
	})
}

func TestKeys(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		ada, bob := newAccount(t, s, "ada@example.com", 0), newAccount(t, s, "bob@example.com", 0)
		full := fieldlift.NewFullKey(true)
		expires := time.Now().Add(time.Hour).UTC().Truncate(time.Microsecond)
		key, err := s.CreateKey(t.Context(), fieldlift.Key{AccountID: ada.ID, Name: "k", ExpiresAt: expires}, full)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := s.Keys(t.Context(), ada.ID); err != nil || !cmp.Equal(got, []fieldlift.Key{key}) {
			t.Errorf("%+v, %v", got, err)
		}
		_, err = s.CreateKey(t.Context(), fieldlift.Key{AccountID: ada.ID, Name: "k"}, fieldlift.NewFullKey(true))
		wantCode(t, err, fieldlift.Conflict)
		if _, err := s.CreateKey(t.Context(), fieldlift.Key{AccountID: bob.ID, Name: "k"}, fieldlift.NewFullKey(true)); err != nil {
			t.Error("another account's label is taken: ", err)
		}
		if _, _, ok, err := s.Admit(t.Context(), fieldlift.Knock{FullKey: full, Address: "ip:1"}); err != nil || !ok {
			t.Errorf("%v, %v", ok, err)
		}
		wantCode(t, s.RevokeKey(t.Context(), ada.ID, "other"), fieldlift.ResourceNotFound)
		if err := s.RevokeKey(t.Context(), ada.ID, "k"); err != nil {
			t.Fatal(err)
		}
		wantCode(t, s.RevokeKey(t.Context(), ada.ID, "k"), fieldlift.ResourceNotFound)
		if _, _, ok, err := s.Admit(t.Context(), fieldlift.Knock{FullKey: full, Address: "ip:1"}); err != nil || ok {
			t.Errorf("a revoked key is admitted: %v, %v", ok, err)
		}
		if _, err := s.CreateKey(t.Context(), fieldlift.Key{AccountID: ada.ID, Name: "k"}, fieldlift.NewFullKey(true)); err != nil {
			t.Error("a revoked key keeps its label: ", err)
		}
		for range 2 {
			if _, err := s.CreateKey(t.Context(), fieldlift.Key{AccountID: ada.ID, Name: "old", ExpiresAt: time.Now().Add(-time.Second)}, fieldlift.NewFullKey(true)); err != nil {
				t.Error("an expired key keeps its label: ", err)
			}
		}
	})
}

func TestDemoIsMadeOnce(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		open(t, o)
		made := make(chan bool, 4)
		var nodes sync.WaitGroup
		for range cap(made) {
			s := open(t, o)
			nodes.Go(func() {
				_, ok, err := s.CreateDemo(t.Context(), store.Demo{
					Account: fieldlift.Account{Email: "demo@example.com"}, Credits: 10, Key: fieldlift.Key{Name: "demo"},
					FullKey: fieldlift.NewFullKey(false), Parser: fieldlift.Parser{Name: "P", ResultMode: fieldlift.OnePerFile},
				})
				if err != nil {
					t.Error(err)
				}
				made <- ok
			})
		}
		nodes.Wait()
		close(made)
		count := 0
		for ok := range made {
			if ok {
				count++
			}
		}
		accounts, err := open(t, o).Accounts(t.Context())
		if count != 1 || len(accounts) != 1 || err != nil {
			t.Errorf("made %d times, %d accounts, %v", count, len(accounts), err)
		}
	})
}

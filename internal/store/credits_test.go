package store_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fieldlift"
	"fieldlift/internal/store"
)

// TestConcurrentChargesNeverOverdraw charges an account from many sides at
// once, some of them twice for the same subject, while credits come in. The
// books must be right afterwards, whatever the order was.
func TestConcurrentChargesNeverOverdraw(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		// Two openings of one store, as two nodes or a command beside a server.
		nodes := []*store.Store{open(t, o), open(t, o)}
		run := 0
		rapid.Check(t, func(r *rapid.T) {
			run++
			first := rapid.Int64Range(0, 30).Draw(r, "first")
			account := newAccount(t, nodes[0], fmt.Sprintf("a%d@example.com", run), first)
			bought := first
			for range rapid.IntRange(0, 3).Draw(r, "more") {
				credits := rapid.Int64Range(1, 20).Draw(r, "credits")
				addPurchase(t, nodes[0], account, credits, rapid.SampledFrom([]time.Time{{}, time.Now().Add(time.Hour), time.Now().Add(2 * time.Hour)}).Draw(r, "expires"))
				bought += credits
			}
			addPurchase(t, nodes[0], account, 1000, time.Now().Add(-time.Minute)) // expired: must never be spent
			late := rapid.Int64Range(0, 10).Draw(r, "late")
			charges := rapid.SliceOfN(rapid.Int64Range(1, 15), 1, 10).Draw(r, "charges")

			var charged atomic.Int64
			var act sync.WaitGroup
			for i, credits := range charges {
				subject := fmt.Sprintf("subject-%s-%d", account.ID, i)
				for _, node := range nodes { // each subject from both sides
					act.Go(func() {
						err := node.Charge(t.Context(), account.ID, subject, credits)
						if err != nil && fieldlift.CodeOf(err) != fieldlift.InsufficientCredits {
							r.Errorf("charge: %v", err)
						}
					})
				}
			}
			if late > 0 {
				act.Go(func() { addPurchase(t, nodes[1], account, late, time.Time{}) })
			}
			act.Wait()
			bought += late
			// A charge that was refused for want of credits may pass now; one that passed costs nothing more.
			for i, credits := range charges {
				err := nodes[0].Charge(t.Context(), account.ID, fmt.Sprintf("subject-%s-%d", account.ID, i), credits)
				switch {
				case err == nil:
					charged.Add(credits)
				case fieldlift.CodeOf(err) != fieldlift.InsufficientCredits:
					r.Fatalf("charge: %v", err)
				}
			}
			balance, err := nodes[1].Balance(t.Context(), account.ID)
			if err != nil {
				r.Fatal(err)
			}
			if balance.Used != charged.Load() || balance.Available != bought-charged.Load() || balance.Available < 0 {
				r.Fatalf("bought %d, charged %d, balance %+v", bought, charged.Load(), balance)
			}
			for _, p := range balance.Purchases {
				if p.Remaining < 1 || p.Remaining > p.Credits || !p.ExpiresAt.IsZero() && p.ExpiresAt.Before(time.Now()) {
					r.Fatalf("%+v", p)
				}
			}
		})
	})
}

func addPurchase(t *testing.T, s *store.Store, a fieldlift.Account, credits int64, expires time.Time) {
	t.Helper()
	if _, err := s.AddPurchase(t.Context(), fieldlift.Purchase{AccountID: a.ID, Source: fieldlift.SourcePurchase, Credits: credits, ExpiresAt: expires}); err != nil {
		t.Error(err)
	}
}

func TestChargeIsAllOrNothing(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 10)
		wantCode(t, s.Charge(t.Context(), a.ID, "too-much", 11), fieldlift.InsufficientCredits)
		if b, err := s.Balance(t.Context(), a.ID); err != nil || b.Available != 10 || b.Used != 0 {
			t.Errorf("%+v, %v", b, err)
		}
		// What was refused did not use its subject up.
		addPurchase(t, s, a, 1, time.Time{})
		if err := s.Charge(t.Context(), a.ID, "too-much", 11); err != nil {
			t.Error(err)
		}
		if b, err := s.Balance(t.Context(), a.ID); err != nil || b.Available != 0 || b.Used != 11 || len(b.Purchases) != 0 {
			t.Errorf("%+v, %v", b, err)
		}
	})
}

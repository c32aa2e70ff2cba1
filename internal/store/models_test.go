package store_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/store"
)

func submitFor(t testing.TB, s *store.Store, a fieldlift.Account, engine fieldlift.EngineChoice, pages ...int64) fieldlift.Accepted {
	t.Helper()
	in := submission(t, s, a, pages...)
	in.Extraction.Engine = engine
	accepted, _, err := s.Submit(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return accepted
}

// TestDocumentsForAModelCanBeLeft has the documents of one account that ask for
// a model wait, before others of the same and another account.
func TestDocumentsForAModelCanBeLeft(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		ada, bob := newAccount(t, s, "ada@example.com", 100), newAccount(t, s, "bob@example.com", 100)
		submitFor(t, s, ada, fieldlift.ModelEngine, 1, 1)
		submitFor(t, s, bob, fieldlift.AutoEngine, 1)
		submitFor(t, s, ada, "", 1)
		plain := submitFor(t, s, ada, fieldlift.LayoutEngine, 1)
		for _, c := range []struct {
			except []fieldlift.EngineChoice
			want   fieldlift.EngineChoice
			ok     bool
		}{
			{[]fieldlift.EngineChoice{fieldlift.ModelEngine, fieldlift.AutoEngine, ""}, fieldlift.LayoutEngine, true},
			{[]fieldlift.EngineChoice{fieldlift.ModelEngine, fieldlift.AutoEngine, ""}, "", false},
			{[]fieldlift.EngineChoice{fieldlift.ModelEngine, fieldlift.AutoEngine}, "", true},
			{[]fieldlift.EngineChoice{fieldlift.ModelEngine}, fieldlift.AutoEngine, true},
			{nil, fieldlift.ModelEngine, true},
			{nil, fieldlift.ModelEngine, true},
			{nil, "", false},
		} {
			claim, ok, err := s.BeginDocument(t.Context(), c.except...)
			if err != nil || ok != c.ok || claim.Extraction.Engine != c.want {
				t.Errorf("without %q: %q, %v, %v", c.except, claim.Extraction.Engine, ok, err)
			}
			if c.want == fieldlift.LayoutEngine && claim.Extraction.ID != plain.Extraction.ID {
				t.Errorf("%+v", claim)
			}
		}
	})
}

// TestBudgetsHoldOnAllNodes has two nodes reserve at once, for two accounts.
func TestBudgetsHoldOnAllNodes(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		nodes := []*store.Store{s}
		if s.Shared() {
			nodes = append(nodes, open(t, o))
		}
		accounts := []fieldlift.Account{newAccount(t, s, "ada@example.com", 1), newAccount(t, s, "bob@example.com", 1)}
		most := fieldlift.ModelSpending{Tokens: fieldlift.ModelTokens{Calls: 1, Input: 90, Output: 10}, Cost: 0.1}
		for _, c := range []struct {
			name    string
			budgets fieldlift.ModelBudgets
			allowed int64
		}{
			{"of each", fieldlift.ModelBudgets{Account: fieldlift.ModelBudget{Tokens: 250}}, 6},
			{"of all", fieldlift.ModelBudgets{Server: fieldlift.ModelBudget{Tokens: 600 + 250}}, 3},
			{"money", fieldlift.ModelBudgets{Server: fieldlift.ModelBudget{Cost: 0.9 + 0.25}}, 3},
			{"spent", fieldlift.ModelBudgets{Account: fieldlift.ModelBudget{Tokens: 1}, Server: fieldlift.ModelBudget{Tokens: 1}}, 0},
		} {
			var allowed atomic.Int64
			var group sync.WaitGroup
			for i := range 24 {
				group.Go(func() {
					_, full, err := nodes[i%len(nodes)].ReserveForModel(t.Context(), accounts[i/2%2].ID, "m", most, c.budgets)
					if err != nil {
						t.Error(err)
					}
					if full.Owner == "" {
						allowed.Add(1)
					}
				})
			}
			group.Wait()
			if allowed.Load() != c.allowed {
				t.Errorf("%s: %d calls are allowed, want %d", c.name, allowed.Load(), c.allowed)
			}
		}
		r, _, err := s.ReserveForModel(t.Context(), accounts[0].ID, "m", most, fieldlift.ModelBudgets{})
		if err != nil {
			t.Fatal(err)
		}
		today := func() fieldlift.ModelDay {
			days, err := s.ModelDays(t.Context(), accounts[0].ID, time.Now())
			if err != nil || len(days) != 1 || days[0].Day != r.Day {
				t.Fatal(days, err)
			}
			return days[0]
		}
		before := today()
		if err := s.SpendOnModel(t.Context(), accounts[0].ID, "m", r, fieldlift.ModelSpending{}); err != nil {
			t.Fatal(err)
		}
		if after := today(); before.Tokens.Less(after.Tokens) != most.Tokens || before.Cost-after.Cost < 0.0999 {
			t.Errorf("%+v became %+v", before, after)
		}
	})
}

// TestWhatIsSetAsideMayComeBack tells a budget that calls under way fill from one
// that is spent, also when they never end.
func TestWhatIsSetAsideMayComeBack(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Date(2026, 5, 3, 12, 0, 0, 0, time.UTC)
		o.Now = func() time.Time { return now }
		s := open(t, o)
		ada := newAccount(t, s, "ada@example.com", 1)
		most := fieldlift.ModelSpending{Tokens: fieldlift.ModelTokens{Calls: 1, Input: 90, Output: 10}, Cost: 0.1}
		for _, budgets := range []fieldlift.ModelBudgets{{Account: fieldlift.ModelBudget{Tokens: 150}}, {Server: fieldlift.ModelBudget{Cost: 0.15}}} {
			owner := budgets.Set()[0].Owner
			reserve := func(want fieldlift.FullBudget) fieldlift.ModelReservation {
				t.Helper()
				r, full, err := s.ReserveForModel(t.Context(), ada.ID, "m", most, budgets)
				if err != nil || full != want {
					t.Errorf("%+v: %+v, %v", budgets, full, err)
				}
				return r
			}
			spend := func(r fieldlift.ModelReservation, tokens int64, cost float64) {
				t.Helper()
				if err := s.SpendOnModel(t.Context(), ada.ID, "m", r, fieldlift.ModelSpending{Tokens: fieldlift.ModelTokens{Calls: 1, Input: tokens}, Cost: cost}); err != nil {
					t.Error(err)
				}
			}
			a, b := reserve(fieldlift.FullBudget{}), reserve(fieldlift.FullBudget{})
			reserve(fieldlift.FullBudget{Owner: owner})
			spend(a, 10, 0.01)
			c := reserve(fieldlift.FullBudget{}) // what the first left
			reserve(fieldlift.FullBudget{Owner: owner})
			spend(c, 140, 0.14)
			spend(b, 0, 0)
			reserve(fieldlift.FullBudget{Owner: owner, Spent: true})
			now = now.Add(24 * time.Hour) // what is killed is spent
			reserve(fieldlift.FullBudget{})
			reserve(fieldlift.FullBudget{})
			now = now.Add(9 * time.Minute)
			reserve(fieldlift.FullBudget{Owner: owner})
			now = now.Add(2 * time.Minute)
			reserve(fieldlift.FullBudget{Owner: owner, Spent: true})
			now = now.Add(24 * time.Hour)
		}
	})
}

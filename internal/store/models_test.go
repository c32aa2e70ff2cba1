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
		most := fieldlift.ModelTokens{Calls: 1, Input: 90, Output: 10}
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
					_, spent, err := nodes[i%len(nodes)].ReserveForModel(t.Context(), accounts[i/2%2].ID, "m", most, 0.1, c.budgets)
					if err != nil {
						t.Error(err)
					}
					if spent == "" {
						allowed.Add(1)
					}
				})
			}
			group.Wait()
			if allowed.Load() != c.allowed {
				t.Errorf("%s: %d calls are allowed, want %d", c.name, allowed.Load(), c.allowed)
			}
		}
		day, _, err := s.ReserveForModel(t.Context(), accounts[0].ID, "m", most, 0.1, fieldlift.ModelBudgets{})
		if err != nil {
			t.Fatal(err)
		}
		today := func() fieldlift.ModelDay {
			days, err := s.ModelDays(t.Context(), accounts[0].ID, time.Now())
			if err != nil || len(days) != 1 || days[0].Day != day {
				t.Fatal(days, err)
			}
			return days[0]
		}
		before := today()
		if err := s.SpendOnModel(t.Context(), accounts[0].ID, day, "m", (fieldlift.ModelTokens{}).Less(most), -0.1); err != nil {
			t.Fatal(err)
		}
		if after := today(); before.Tokens.Less(after.Tokens) != most || before.Cost-after.Cost < 0.0999 {
			t.Errorf("%+v became %+v", before, after)
		}
	})
}

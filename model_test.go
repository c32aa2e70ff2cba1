package fieldlift

import (
	"math"
	"testing"
)

// TestCountsStayAtTheEnd adds what cannot be added: a budget that is spent stays
// so.
func TestCountsStayAtTheEnd(t *testing.T) {
	most := ModelTokens{Calls: 1, Input: 5e18, Output: 5e18}
	if !(ModelBudget{Tokens: 1000}).Spent(most.All(), 0) || most.All() != math.MaxInt64 {
		t.Errorf("%d tokens are within a budget", most.All())
	}
	sum := most
	sum.Add(most)
	if sum != (ModelTokens{2, math.MaxInt64, math.MaxInt64}) {
		t.Errorf("%+v", sum)
	}
	if less := (ModelTokens{}).Less(sum).Less(sum); less.Input != -math.MaxInt64 || less.Calls != -4 {
		t.Errorf("%+v", less)
	}
	use := &ModelUse{Calls: 1, InputTokens: 5e18, OutputTokens: 3}
	if use = use.Plus(use); use.InputTokens != math.MaxInt64 || use.OutputTokens != 6 || use.Calls != 2 {
		t.Errorf("%+v", use)
	}
}

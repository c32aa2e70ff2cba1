package fieldlift

import (
	"cmp"
	"math"
)

// EngineChoice says who finds values. The zero choice leaves it to the server.
type EngineChoice string

// The choices.
const (
	LayoutEngine EngineChoice = "layout" // the embedded engine alone; nothing leaves the machine
	ModelEngine  EngineChoice = "model"  // a connected model is asked for every field
	AutoEngine   EngineChoice = "auto"   // it is asked for those that the embedded engine is unsure of
)

// EngineChoices are all of them.
var EngineChoices = []EngineChoice{LayoutEngine, ModelEngine, AutoEngine}

// ModelUse is what a connected model did for one document, and what that took.
type ModelUse struct {
	Name          string       `json:"name"`           // of the model
	Engine        EngineChoice `json:"engine"`         // model or auto
	Fields        int          `json:"fields"`         // that the schema has; an array counts as one
	Asked         int          `json:"asked_fields"`   // that the model was asked for
	Calls         int64        `json:"calls"`          // to the provider
	CachedAnswers int64        `json:"cached_answers"` // that were had for the same pages before
	InputTokens   int64        `json:"input_tokens"`
	OutputTokens  int64        `json:"output_tokens"`
	Cost          *float64     `json:"estimated_cost"` // by the configured prices; nil without them
}

// Plus gives the sum of two, each of which may be nil: that of pages, or of
// documents.
func (u *ModelUse) Plus(o *ModelUse) *ModelUse {
	if u == nil || o == nil {
		return cmp.Or(u, o)
	}
	sum := *u
	sum.Fields, sum.Asked = u.Fields+o.Fields, u.Asked+o.Asked
	sum.Calls, sum.CachedAnswers = plus(u.Calls, o.Calls), plus(u.CachedAnswers, o.CachedAnswers)
	sum.InputTokens, sum.OutputTokens = plus(u.InputTokens, o.InputTokens), plus(u.OutputTokens, o.OutputTokens)
	if u.Cost != nil && o.Cost != nil {
		sum.Cost = new(*u.Cost + *o.Cost)
	}
	return &sum
}

// ModelTokens are what calls took.
type ModelTokens struct {
	Calls, Input, Output int64
}

// Less gives what is left of t without another.
func (t ModelTokens) Less(o ModelTokens) ModelTokens {
	t.Add(ModelTokens{-o.Calls, -o.Input, -o.Output})
	return t
}

// Add adds another's.
func (t *ModelTokens) Add(o ModelTokens) {
	t.Calls, t.Input, t.Output = plus(t.Calls, o.Calls), plus(t.Input, o.Input), plus(t.Output, o.Output)
}

// All are those of both directions.
func (t ModelTokens) All() int64 { return plus(t.Input, t.Output) }

// plus adds counts that others have told: a sum that is too large stays at the
// end of what can be counted, and does not come out as less than nothing.
func plus(a, b int64) int64 {
	switch sum := a + b; {
	case a > 0 && b > 0 && sum < 0:
		return math.MaxInt64
	case a < 0 && b < 0 && sum >= 0:
		return -math.MaxInt64 // whose opposite there is, too
	default:
		return sum
	}
}

// ModelSpending is what calls took, and cost by the prices.
type ModelSpending struct {
	Tokens ModelTokens
	Cost   float64
}

// Less gives what is left of s without another.
func (s ModelSpending) Less(o ModelSpending) ModelSpending {
	return ModelSpending{s.Tokens.Less(o.Tokens), s.Cost - o.Cost}
}

// ModelReservation is what is set aside for a call. The zero one is of none.
type ModelReservation struct {
	Day  string // that it is set aside on
	Most ModelSpending
}

// ModelPrices are what a million tokens cost, in any one currency. The zero
// prices say that nobody has told.
type ModelPrices struct {
	Input, Output float64
}

// Known reports whether costs can be estimated.
func (p ModelPrices) Known() bool { return p.Input > 0 || p.Output > 0 }

// Cost estimates what tokens cost.
func (p ModelPrices) Cost(t ModelTokens) float64 {
	return (float64(t.Input)*p.Input + float64(t.Output)*p.Output) / 1e6
}

// ModelBudget is what may be spent on a model in a day, which begins at
// midnight UTC. Zero members set no bound.
type ModelBudget struct {
	Cost   float64
	Tokens int64
}

// Limits reports whether the budget sets any bound.
func (b ModelBudget) Limits() bool { return b.Cost > 0 || b.Tokens > 0 }

// Spent reports whether nothing is left of the budget.
func (b ModelBudget) Spent(tokens int64, cost float64) bool {
	return b.Tokens > 0 && tokens >= b.Tokens || b.Cost > 0 && cost >= b.Cost
}

// BudgetOwner is whose a budget is.
type BudgetOwner string

// The owners of budgets.
const (
	AccountBudget BudgetOwner = "account"
	ServerBudget  BudgetOwner = "server"
)

// OwnedBudget is a budget and whose it is.
type OwnedBudget struct {
	Owner BudgetOwner
	ModelBudget
}

// ModelBudgets are the budgets that a call must keep to.
type ModelBudgets struct {
	Account ModelBudget // of the account that asks
	Server  ModelBudget // of all accounts together
}

// Set lists those that set a bound.
func (b ModelBudgets) Set() []OwnedBudget {
	var list []OwnedBudget
	for _, one := range []OwnedBudget{{AccountBudget, b.Account}, {ServerBudget, b.Server}} {
		if one.Limits() {
			list = append(list, one)
		}
	}
	return list
}

// FullBudget is a budget with nothing left for a call; without an owner there is
// none.
type FullBudget struct {
	Owner BudgetOwner
	Spent bool // else calls under way have something set aside, and may leave it
}

// ModelDay is what a model took on one day, of one account or of all.
type ModelDay struct {
	Day    string // YYYY-MM-DD, UTC
	Model  string
	Tokens ModelTokens
	Cost   float64 // by the prices of that day
}

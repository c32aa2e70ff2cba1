package dashboard

import (
	"fmt"
	"time"

	"fieldlift"
)

// budget is a bound of what is spent on models in a day, and what is left of it
// today.
type budget struct {
	Whole, Left string // as people read them
	Share       float64
}

// budgetsOf lists the bounds that a budget sets, none where no model is
// connected. The days tell what was spent.
func (s *Server) budgetsOf(b fieldlift.ModelBudget, days []fieldlift.ModelDay) (list []budget) {
	if !s.Models {
		return nil
	}
	var tokens, cost float64
	today := s.Now().UTC().Format(time.DateOnly)
	for _, d := range days {
		if d.Day == today {
			tokens, cost = tokens+float64(d.Tokens.Input+d.Tokens.Output), cost+d.Cost
		}
	}
	add := func(whole, spent float64, write func(float64) string) {
		if left := max(0, whole-spent); whole > 0 {
			list = append(list, budget{write(whole), write(left), left / whole})
		}
	}
	add(b.Cost, cost, func(v float64) string { return fmt.Sprintf("%.2f", v) })
	add(float64(b.Tokens), tokens, func(v float64) string { return plural(int64(v), "token", "tokens") })
	return list
}

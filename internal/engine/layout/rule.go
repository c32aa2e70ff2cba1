package layout

import (
	"cmp"
	"slices"

	"fieldlift/internal/page"
)

// ruleIndex is the rules of one direction on a page, in order of their place.
type ruleIndex struct {
	at    []float64 // where each stands, across its direction
	rules []page.Rule
}

// newRuleIndexes parts the rules of pages into level and upright ones.
func newRuleIndexes(pages []page.Page) (level, upright []ruleIndex) {
	for _, p := range pages {
		var l, u ruleIndex
		for _, r := range p.Rules {
			if r.Vertical {
				u.rules = append(u.rules, r)
			} else {
				l.rules = append(l.rules, r)
			}
		}
		l.sort(func(r page.Rule) float64 { return r.Box.CenterY() })
		u.sort(func(r page.Rule) float64 { return (r.Box.X0 + r.Box.X1) / 2 })
		level, upright = append(level, l), append(upright, u)
	}
	return level, upright
}

func (x *ruleIndex) sort(place func(page.Rule) float64) {
	slices.SortStableFunc(x.rules, func(a, b page.Rule) int { return cmp.Compare(place(a), place(b)) })
	for _, r := range x.rules {
		x.at = append(x.at, place(r))
	}
}

// between gives the rules that stand between two places.
func (x ruleIndex) between(from, to float64) []page.Rule {
	if !(from < to) {
		return nil
	}
	i, _ := slices.BinarySearch(x.at, from)
	j, _ := slices.BinarySearch(x.at, to)
	return x.rules[i:max(i, j)]
}

// parts reports whether an upright rule stands between two words of a line.
func (x ruleIndex) parts(left, right page.Box) bool {
	y := (left.CenterY() + right.CenterY()) / 2
	for _, r := range x.between(left.X1-0.001, right.X0+0.001) {
		if r.Box.Y0 <= y && r.Box.Y1 >= y {
			return true
		}
	}
	return false
}

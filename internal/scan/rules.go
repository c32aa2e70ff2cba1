package scan

import (
	"cmp"
	"slices"
)

const (
	dark      = 128
	mostRules = 2_000
	mostGap   = 2 // pixels by which a line may break off
)

// stretch is a run of dark pixels along a line: in a row, or in a column.
type stretch struct{ at, from, to int }

// findRules finds the long straight lines of a prepared picture: rows and
// columns of dark pixels that hardly break off. They are longer than any letter
// is wide, and thinner than any is high.
func findRules(p Picture) []Rule {
	least, thickest := int(max(4*p.Letter, 40)), int(max(p.Letter/2, 3))
	rules := strokes(acrossOf(p, least), thickest)
	for _, s := range strokes(downOf(p, least), thickest) {
		rules = append(rules, Rule{s.Y0, s.X0, s.Y1, s.X1, true})
	}
	return rules
}

// acrossOf finds the stretches of rows.
func acrossOf(p Picture, least int) []stretch {
	var found []stretch
	for y := range p.Height {
		row := p.Grey[y*p.Width:][:p.Width]
		from, last := 0, -mostGap-2
		for x, v := range row {
			if v >= dark {
				continue
			}
			if x-last > mostGap+1 {
				if last-from+1 >= least {
					found = append(found, stretch{y, from, last + 1})
				}
				from = x
			}
			last = x
		}
		if last-from+1 >= least {
			found = append(found, stretch{y, from, last + 1})
		}
	}
	return found
}

// downOf finds the stretches of columns, all columns together: pixels lie in
// memory row by row.
func downOf(p Picture, least int) []stretch {
	var found []stretch
	from, last := make([]int, p.Width), make([]int, p.Width)
	for x := range last {
		last[x] = -mostGap - 2
	}
	for y := range p.Height {
		row := p.Grey[y*p.Width:][:p.Width]
		for x, v := range row {
			if v >= dark {
				continue
			}
			if y-last[x] > mostGap+1 {
				if last[x]-from[x]+1 >= least {
					found = append(found, stretch{x, from[x], last[x] + 1})
				}
				from[x] = y
			}
			last[x] = y
		}
	}
	for x := range last {
		if last[x]-from[x]+1 >= least {
			found = append(found, stretch{x, from[x], last[x] + 1})
		}
	}
	slices.SortStableFunc(found, func(a, b stretch) int { return cmp.Compare(a.at, b.at) })
	return found
}

// strokes joins stretches that lie side by side to lines along x, and leaves
// out what is too thick for one.
func strokes(stretches []stretch, thickest int) []Rule {
	var open, found []Rule
	settle := func(before int) {
		open = slices.DeleteFunc(open, func(o Rule) bool {
			if o.Y1 >= before {
				return false
			}
			if o.Y1-o.Y0 <= thickest && len(found) < mostRules {
				found = append(found, o)
			}
			return true
		})
	}
	for _, s := range stretches {
		settle(s.at - 1)
		joined := slices.IndexFunc(open, func(o Rule) bool { return o.X0 <= s.to && s.from <= o.X1 })
		if joined < 0 {
			open = append(open, Rule{X0: s.from, Y0: s.at, X1: s.to, Y1: s.at + 1})
			continue
		}
		o := &open[joined]
		o.X0, o.X1, o.Y1 = min(o.X0, s.from), max(o.X1, s.to), s.at+1
	}
	settle(1 << 30)
	return found
}

package layout

import (
	"cmp"
	"slices"

	"fieldlift/internal/page"
)

// ruling is the straight lines of a page. They tell where cells end, but
// tables have all of them, some or none.
type ruling struct {
	across []page.Box // from top to bottom
	down   []page.Box // from left to right
}

const (
	// mostRules is more than any table has: a page with more is a drawing.
	mostRules = 6000
	// touching is how far apart rules may end that make one line, in pages.
	touching = 0.006
)

func newRulings(pages []page.Page) []ruling {
	rulings := make([]ruling, len(pages))
	for i, p := range pages {
		if len(p.Rules) > mostRules {
			continue
		}
		r := &rulings[i]
		for _, rule := range p.Rules {
			if rule.Vertical {
				r.down = append(r.down, rule.Box)
			} else {
				r.across = append(r.across, rule.Box)
			}
		}
		slices.SortFunc(r.across, func(a, b page.Box) int { return cmp.Compare(a.CenterY(), b.CenterY()) })
		slices.SortFunc(r.down, func(a, b page.Box) int { return cmp.Compare(a.X0+a.X1, b.X0+b.X1) })
	}
	return rulings
}

// covered gives the share of an extent that rules cover between two heights.
func (r ruling) covered(x0, x1, y0, y1 float64) float64 {
	if !(x1 > x0) {
		return 0
	}
	from, _ := slices.BinarySearchFunc(r.across, y0, func(b page.Box, y float64) int { return cmp.Compare(b.CenterY(), y) })
	var pieces [][2]float64
	for _, b := range r.across[from:] {
		if b.CenterY() > y1 {
			break
		}
		if left, right := max(b.X0, x0), min(b.X1, x1); right > left {
			pieces = append(pieces, [2]float64{left, right})
		}
	}
	slices.SortFunc(pieces, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	sum, end := 0.0, x0
	for _, p := range pieces {
		if p[1] > end {
			sum += p[1] - max(p[0], end)
			end = p[1]
		}
	}
	return sum / (x1 - x0)
}

// below gives how far the rule reaches that stands directly below a box, and
// whether there is one.
func (r ruling) below(b page.Box) (extent, bool) {
	from, _ := slices.BinarySearchFunc(r.across, b.CenterY(), func(a page.Box, y float64) int { return cmp.Compare(a.CenterY(), y) })
	for _, a := range r.across[from:] {
		if a.CenterY() > b.Y1+0.8*b.Height() {
			break
		}
		if a.X0 <= b.X0+touching && a.X1 >= b.X1-touching {
			return extent{a.X0, a.X1}, true
		}
	}
	return extent{}, false
}

// downBetween gives where vertical rules between two places cross at least
// half of a height.
func (r ruling) downBetween(x0, x1, y0, y1 float64) []float64 {
	from, _ := slices.BinarySearchFunc(r.down, 2*x0, func(b page.Box, x float64) int { return cmp.Compare(b.X0+b.X1, x) })
	var found []float64
	for _, b := range r.down[from:] {
		x := (b.X0 + b.X1) / 2
		if x > x1 {
			break
		}
		if min(b.Y1, y1)-max(b.Y0, y0) >= (y1-y0)/2 {
			found = append(found, x)
		}
	}
	return found
}

// bottom follows a vertical rule down from a height, over pieces that touch
// one another, and gives where it ends.
func (r ruling) bottom(x, y float64) float64 {
	from, _ := slices.BinarySearchFunc(r.down, 2*(x-touching), func(b page.Box, x float64) int { return cmp.Compare(b.X0+b.X1, x) })
	var pieces []page.Box
	for _, b := range r.down[from:] {
		if (b.X0+b.X1)/2 > x+touching {
			break
		}
		if b.Y1 > y {
			pieces = append(pieces, b)
		}
	}
	slices.SortFunc(pieces, func(a, b page.Box) int { return cmp.Compare(a.Y0, b.Y0) })
	end := y
	for _, b := range pieces {
		if b.Y0 > end+2*touching {
			break
		}
		end = max(end, b.Y1)
	}
	return end
}

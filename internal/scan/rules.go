package scan

import "slices"

// findRules finds the long straight lines of a prepared picture: rows of dark
// pixels that hardly break off, joined to those just above them.
func findRules(p Picture) []Rule {
	across := strokes(p.Width, p.Height, p.Letter, func(x, y int) byte { return p.Grey[y*p.Width+x] })
	upright := strokes(p.Height, p.Width, p.Letter, func(x, y int) byte { return p.Grey[x*p.Width+y] })
	for i, r := range upright {
		upright[i] = Rule{r.Y0, r.X0, r.Y1, r.X1, true}
	}
	return append(across, upright...)
}

const (
	dark      = 128
	mostRules = 2_000
)

// strokes finds lines along x. A line is longer than any letter is wide, and
// thinner than any is high.
func strokes(width, height int, letter float64, at func(x, y int) byte) []Rule {
	least, thickest, gap := int(max(4*letter, 40)), int(max(letter/2, 3)), 2
	var open, found []Rule
	for y := range height {
		var rows []Rule
		for x := 0; x < width; x++ {
			if at(x, y) >= dark {
				continue
			}
			from, last := x, x
			for ; x < width && x-last <= gap; x++ {
				if at(x, y) < dark {
					last = x
				}
			}
			if last-from+1 >= least {
				rows = append(rows, Rule{X0: from, Y0: y, X1: last + 1, Y1: y + 1})
			}
		}
		for _, r := range rows {
			joined := slices.IndexFunc(open, func(o Rule) bool { return o.Y1 >= y-1 && o.X0 <= r.X1 && r.X0 <= o.X1 })
			if joined < 0 {
				open = append(open, r)
				continue
			}
			o := &open[joined]
			o.X0, o.X1, o.Y1 = min(o.X0, r.X0), max(o.X1, r.X1), y+1
		}
		open = slices.DeleteFunc(open, func(o Rule) bool {
			if o.Y1 >= y-1 && y < height-1 {
				return false
			}
			if o.Y1-o.Y0 <= thickest && len(found) < mostRules {
				found = append(found, o)
			}
			return true
		})
	}
	return found
}

package golden

import "slices"

// Change is a figure that is not what it was.
type Change struct {
	Set, Figure string
	Before, Now float64
	Worse       bool // by more than the tolerance
}

// Compare holds a report against an earlier one. It gives the figures that
// changed; sets that only one of them has are left out.
func Compare(before, now Report, tolerance float64) []Change {
	c := comparison{tolerance: tolerance}
	shared := 0
	for _, s := range now.Sets {
		i := slices.IndexFunc(before.Sets, func(b Set) bool { return b.Name == s.Name })
		if i < 0 {
			continue
		}
		shared++
		c.set = s.Name
		c.compareSet(before.Sets[i], s)
	}
	if shared == len(now.Sets) && shared == len(before.Sets) { // else they are not about the same
		c.set = "all"
		c.higher("doc score", before.All.DocScore, now.All.DocScore)
		c.higher("F1", before.All.F1, now.All.F1)
		c.lower("calibration error", before.All.Calibration.Error, now.All.Calibration.Error)
	}
	return c.changes
}

type comparison struct {
	set       string
	tolerance float64
	changes   []Change
}

func (c *comparison) compareSet(before, now Set) {
	c.higher("doc score", before.DocScore, now.DocScore)
	c.higher("F1", before.F1, now.F1)
	if before.RowF1 != nil && now.RowF1 != nil {
		c.higher("row F1", *before.RowF1, *now.RowF1)
	}
	for _, f := range now.Fields {
		for _, b := range before.Fields {
			if b.Name == f.Name {
				c.higher(f.Name+" F1", b.F1, f.F1)
			}
		}
	}
}

// higher notes a figure of which more is better.
func (c *comparison) higher(figure string, before, now float64) {
	if before != now {
		c.changes = append(c.changes, Change{c.set, figure, before, now, before-now > c.tolerance})
	}
}

// lower notes a figure of which less is better.
func (c *comparison) lower(figure string, before, now float64) {
	if before != now {
		c.changes = append(c.changes, Change{c.set, figure, before, now, now-before > c.tolerance})
	}
}

package golden

import (
	"fmt"
	"slices"
)

// Comparison is a report beside an earlier one.
type Comparison struct {
	Changes []Change // figures that are not what they were
	Notes   []string // why they may not be about the same
}

// Change is a figure that is not what it was.
type Change struct {
	Set, Figure string
	Before, Now float64
	Worse       bool // by more than the tolerance
}

// Worse counts the figures that are worse by more than the tolerance.
func (c Comparison) Worse() int {
	n := 0
	for _, one := range c.Changes {
		if one.Worse {
			n++
		}
	}
	return n
}

// Compare holds a report against an earlier one, set by set; what only one of
// them has is noted.
func Compare(before, now Report, tolerance float64) Comparison {
	c := comparison{tolerance: tolerance}
	for _, s := range now.Sets {
		b, ok := find(before.Sets, s.Name)
		if !ok {
			c.note("%s is not in the baseline", s.Name)
			continue
		}
		if b.Cases != s.Cases {
			c.note("%s has %d cases and had %d", s.Name, s.Cases, b.Cases)
		}
		c.set = s.Name
		c.compareSet(b, s)
	}
	for _, b := range before.Sets {
		if _, ok := find(now.Sets, b.Name); !ok {
			c.note("%s is in the baseline and was not measured", b.Name)
		}
	}
	if len(c.Notes) == 0 {
		c.set = "all"
		c.higher("doc score", before.All.DocScore, now.All.DocScore)
		c.higher("F1", before.All.F1, now.All.F1)
		c.lower("calibration error", before.All.Calibration.Error, now.All.Calibration.Error)
		c.lower("invented of what does not fit", before.invented(), now.invented())
	}
	return c.Comparison
}

func find(sets []Set, name string) (Set, bool) {
	i := slices.IndexFunc(sets, func(s Set) bool { return s.Name == name })
	if i < 0 {
		return Set{}, false
	}
	return sets[i], true
}

// invented is the share of fields that were filled though they do not fit.
func (r Report) invented() float64 {
	if !r.Misfit || r.All.Asked == 0 {
		return 0
	}
	return float64(r.All.Filled) / float64(r.All.Asked)
}

type comparison struct {
	Comparison
	set       string
	tolerance float64
}

func (c *comparison) note(format string, args ...any) {
	c.Notes = append(c.Notes, fmt.Sprintf(format, args...))
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
		c.Changes = append(c.Changes, Change{c.set, figure, before, now, before-now > c.tolerance})
	}
}

// lower notes a figure of which less is better.
func (c *comparison) lower(figure string, before, now float64) {
	if before != now {
		c.Changes = append(c.Changes, Change{c.set, figure, before, now, now-before > c.tolerance})
	}
}

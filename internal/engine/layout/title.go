package layout

import (
	"cmp"
	"slices"
)

// titles are the segments that may stand over what belongs to an object, by
// line: "Bill to" over a customer's lines.
type titles []title

type title struct {
	group, segment, line, page int
}

// reach is how many lines a title may stand above what belongs to it.
const reach = 15

func (x *extraction) titles() titles {
	groups := map[string][]int{}
	for g, concepts := range x.groups {
		for _, c := range concepts {
			if !x.labels.lexicon.generic(c) {
				groups[c] = append(groups[c], g)
			}
		}
	}
	if len(groups) == 0 {
		return nil
	}
	var found titles
	for i, s := range x.segments {
		if s.to-s.from > 4 {
			continue
		}
		printed := x.labels.lexicon.concepts(x.label(s.span))
		if len(printed) > 3 {
			continue
		}
		for _, c := range printed {
			for _, g := range groups[c] {
				found = append(found, title{g, i, s.line, x.lines[s.line].page})
			}
		}
	}
	return found
}

// factor tells how far a label that does not name its object is to be trusted,
// from the nearest title above it.
func (ts titles) factor(group int, d *document, s segment) float64 {
	end, _ := slices.BinarySearchFunc(ts, s.line+1, func(t title, line int) int { return cmp.Compare(t.line, line) })
	const steps = 64 // on crowded pages the nearest ones must do
	nearest := -1
	for i := end - 1; i >= 0 && i >= end-steps && s.line-ts[i].line <= reach; i-- {
		t := ts[i]
		at := d.segments[t.segment].box
		if t.page != d.lines[s.line].page || at.X0 > s.box.X1 || abs(at.X0-s.box.X0) > 0.15 {
			continue
		}
		if nearest >= 0 && t.line < nearest {
			break
		}
		if t.group == group {
			return 1
		}
		nearest = t.line
	}
	if nearest >= 0 {
		return 0.5
	}
	return 0.75
}

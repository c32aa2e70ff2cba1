package llm

import (
	"slices"

	"fieldlift/internal/engine"
)

// keepProven lets what the embedded engine read on the page stand against what
// a model gave and nobody finds there. A cell of a row that both have gives way
// to the embedded engine's; a row that is not there to the one that is on its
// lines, or to as many others that the model left out, and where there are none
// it stays, with little confidence. Copies, which were left out, are as good as
// rows that are not there.
func (j *joiner) keepProven(one item, before engine.Found, all []element, copies int) []element {
	var kept, invented, rows []element
	for _, f := range before.Elements {
		if r := (element{Found: f, lines: j.linesOf(f)}); r.isProven() {
			rows = append(rows, r)
		}
	}
	for _, e := range all {
		if !e.isProven() {
			invented = append(invented, e)
			continue
		}
		if twin := slices.IndexFunc(rows, func(r element) bool { return isTwin(r, e) }); twin >= 0 {
			keepCells(&e.Found, rows[twin].Found)
		}
		kept = append(kept, e)
	}
	if len(invented)+copies > 0 {
		rows = slices.DeleteFunc(rows, func(r element) bool { return slices.ContainsFunc(kept, r.shares) })
		if len(invented) == 0 {
			rows = rows[:min(len(rows), copies)]
		}
		kept = append(kept, rows...)
		given := len(invented)
		invented = slices.DeleteFunc(invented, func(e element) bool {
			at := slices.IndexFunc(rows, e.shares)
			if at >= 0 {
				rows = slices.Delete(slices.Clone(rows), at, at+1)
			}
			return at >= 0
		})
		if len(rows) >= len(invented) {
			invented = nil
		}
		if len(invented) < given {
			j.warn(one.pointer, "Of the elements that the model gave %d were not found on the page, and are left out: what the embedded engine read there stays", given-len(invented))
		}
	}
	for _, e := range invented {
		e.doubted = true
		lower(&e.Found)
		kept = append(kept, e)
	}
	if n := countUnproven(kept); n > 0 {
		j.warn(one.pointer, "Of the values that the model gave %d were not found on the page", n)
	}
	return kept
}

// isProven tells whether at least half of an element's values stand on the
// page: the one figure that every line has somewhere proves no row, nor does
// what is another's.
func (e element) isProven() bool {
	there, all := 0, 0
	var walk func(engine.Found)
	walk = func(f engine.Found) {
		if f.Value != nil {
			all++
			if len(f.Place.Boxes) > 0 {
				there++
			}
		}
		for _, inner := range slices.Concat(f.Members, f.Elements) {
			walk(inner)
		}
	}
	walk(e.Found)
	return all > 0 && 2*there >= all && !e.borrows
}

// shares tells elements that stand on a line together.
func (e element) shares(o element) bool {
	return slices.ContainsFunc(e.lines, func(n int) bool { return slices.Contains(o.lines, n) })
}

// keepCells puts cells that were read on the page in place of those that are
// not there, as settle does with single values.
func keepCells(f *engine.Found, read engine.Found) {
	if isUnproven(*f) && read.Value != nil && len(read.Place.Boxes) > 0 && read.Place.Confidence > f.Place.Confidence {
		*f = settle(read, candidate{Found: *f})
		return
	}
	if filled(*f) == 0 && isPrinted(read) && read.Value != nil && read.Place.Confidence >= leastKept {
		*f = weaker(read)
		return
	}
	for n := range min(len(f.Members), len(read.Members)) {
		keepCells(&f.Members[n], read.Members[n])
	}
}

// lower bounds the confidence of an element that is not there as a whole: the
// cells that are may be there by chance.
func lower(f *engine.Found) {
	f.Place.Confidence = min(f.Place.Confidence, mostUnproven)
	for n := range f.Members {
		lower(&f.Members[n])
	}
	for n := range f.Elements {
		lower(&f.Elements[n])
	}
}

func countUnproven(all []element) int {
	n := 0
	var walk func(engine.Found)
	walk = func(f engine.Found) {
		if isUnproven(f) {
			n++
		}
		for _, inner := range slices.Concat(f.Members, f.Elements) {
			walk(inner)
		}
	}
	for _, e := range all {
		walk(e.Found)
	}
	return n
}

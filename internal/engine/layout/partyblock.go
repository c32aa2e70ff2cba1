package layout

import "slices"

// disorder is what a candidate loses that puts a party's name below its
// address, in the measure of scores.
const disorder = 5.0

// heedOrder sees to it that of a party whose name and address are both asked
// for, and stand in one block under one label, the name is the first line that
// does not read like an address and the address what follows it. Each by itself
// looks like the other: a first line like the begin of an address, a street
// that has no number like a name.
func (x *extraction) heedOrder(choices []choice) {
	for i := range choices {
		t := &x.targets[choices[i].target]
		named := t.class.names()
		if t.owner == "" || !named && !t.class.locates() || !x.asksOtherHalf(t) {
			continue
		}
		for j := range choices[i].candidates {
			if c := &choices[i].candidates[j]; x.isDisordered(c, named) {
				c.score -= disorder
			}
		}
	}
}

// asksOtherHalf reports whether the schema asks for the address of the party
// whose name a target is, or the other way round.
func (x *extraction) asksOtherHalf(t *target) bool {
	return slices.ContainsFunc(x.targets, func(o target) bool {
		return o.table < 0 && o.owner == t.owner && (t.class.names() && o.class.locates() || t.class.locates() && o.class.names())
	})
}

// isDisordered reports whether a name stands below the line of its block that
// must be the name, or an address begins with that line.
func (x *extraction) isDisordered(c *candidate, named bool) bool {
	if c.label.empty() || c.label.from > c.spans[0].from {
		return false
	}
	at := x.segmentOf(c.spans[0].from)
	block, line := x.partyBlock(at, x.segmentOf(c.label.from))
	first := slices.IndexFunc(block, func(j int) bool { return !x.readsAddress(j) })
	if first < 0 || !slices.ContainsFunc(block[first+1:], x.readsAddress) {
		return false
	}
	if named {
		return line > first && c.evidence[legalForm] == 0 // a person may stand above a company
	}
	return line <= first && !x.readsAddress(at)
}

// partyBlock gives the lines of a paragraph that stand between labels around a
// segment, and its place among them.
func (x *extraction) partyBlock(at, label int) (block []int, line int) {
	p := x.paragraphs[x.paragraphOf[at]]
	ends := func(j int) bool { return j == label || x.segments[j].colon || x.isAnyLabel(x.segments[j].span) }
	from, to := x.paragraphLine[at], x.paragraphLine[at]+1
	for from > 0 && !ends(p[from-1]) {
		from--
	}
	for to < len(p) && !ends(p[to]) {
		to++
	}
	return p[from:to], x.paragraphLine[at] - from
}

package layout

import (
	"math"
	"slices"
)

// candidate is a value that a target may have, with the evidence for it.
type candidate struct {
	reading
	list        []reading // of a list: its elements
	label       span      // empty when it has none
	evidence    features
	score       float64
	probability float64
}

const (
	mostForTarget = 160 // candidates that are kept for a target
	longestLabel  = 6   // words
	// mostTried bounds the work on pages that are nothing but labels.
	mostTried = 1000
)

// generate makes the candidates of a target: those that stand by its labels,
// and those that are known by their look or place.
func (x *extraction) generate(target int, labels []labelled) []candidate {
	g := generator{extraction: x, target: target, t: &x.targets[target], found: x.made[:0]}
	var best float64
	for _, l := range labels {
		best = max(best, l.score)
		g.named = g.named || l.score >= goodLabel && !l.contrary
	}
	twins, first, last := 0, -1, -1
	page, onPage, mostOnPage := -1, 0, 1 // what heads every page is no twin of itself
	for _, l := range labels {
		if l.score >= best-0.02 {
			twins++
			if at := x.lines[x.segments[l.segment].line].page; at != page {
				page, onPage = at, 0
			}
			onPage++
			mostOnPage = max(mostOnPage, onPage)
			if last = l.from; first < 0 {
				first = l.from
			}
		}
	}
	for _, l := range foremost(labels, best) {
		g.labelled = l.evidence()
		e := &g.labelled
		switch l.form {
		case bare:
			e[labelBare] = 1
		case owner:
			e[labelOwner] = 1
		}
		if l.score >= best-0.02 {
			e[labelBest] = 1
			e[labelTwin] = float32(math.Log(float64(mostOnPage)))
			if twins > 1 && l.from == first {
				e[labelFirst] = 1
			}
			if twins > 1 && l.from == last {
				e[labelLast] = 1
			}
		}
		g.around(l)
	}
	g.rowed()
	g.fillings()
	g.unlabelled()
	g.introduced()
	x.made = g.found
	return slices.Clone(x.distinct(g.found))
}

// distinct leaves of candidates for the same words under the same label one,
// and bounds their number.
func (x *extraction) distinct(found []candidate) []candidate {
	type key struct {
		first, last int
		label       int
		value       any
	}
	seen := map[key]bool{}
	kept := found[:0]
	for _, c := range found {
		k := key{c.spans[0].from, c.spans[len(c.spans)-1].to, c.label.from, c.value}
		if c.label.empty() {
			k.label = -1
		}
		if c.list != nil {
			k.value = nil
		}
		if !seen[k] && len(kept) < mostForTarget {
			seen[k] = true
			kept = append(kept, c)
		}
	}
	return kept
}

// generator makes the candidates of one target.
type generator struct {
	*extraction
	target   int
	t        *target
	named    bool     // a label of the document fits the target well
	labelled features // of the label at hand
	found    []candidate
}

func abs(v float64) float64 { return max(v, -v) }

// loose reports whether any text could be the target's value.
func (g *generator) loose() bool {
	switch g.t.class {
	case textClass, nameClass, vendorNameClass, customerNameClass, partyClass, addressClass, vendorAddressClass, customerAddressClass:
		return true
	}
	return g.t.list
}

// wantsLines reports whether the target's value may have several lines.
func (g *generator) wantsLines() bool {
	switch g.t.class {
	case partyClass, addressClass, vendorAddressClass, customerAddressClass, nameClass, vendorNameClass, customerNameClass:
		return true
	case textClass:
		return !g.t.list
	}
	return false
}

// wantsAddress reports whether the target is an address and nothing else.
func (g *generator) wantsAddress() bool { return g.t.class.locates() }

// add reads a span as the target's value, in the ways it may be read, and
// makes candidates of the readings.
func (g *generator) add(l labelled, s span, relation feature, gap float64, parted bool) {
	if s.empty() {
		return
	}
	if g.t.list {
		if c, ok := g.readList(g.t, s); ok {
			g.put(l, c, relation, gap, parted)
		}
		return
	}
	for _, r := range g.readings(g.t, s) {
		g.put(l, candidate{reading: r}, relation, gap, parted)
	}
}

func (g *generator) addLines(l labelled, spans []span, relation feature, gap float64, parted bool) {
	r, ok := g.readLines(spans)
	if ok {
		g.put(l, candidate{reading: r}, relation, gap, parted)
	}
}

func (g *generator) put(l labelled, c candidate, relation feature, gap float64, parted bool) {
	c.label = l.span
	kept := c.evidence
	c.evidence = g.labelled
	for i, v := range kept {
		c.evidence[i] += v
	}
	c.evidence[relation] = 1
	c.evidence[relationDistance] = float32(math.Log1p(max(gap, 0)))
	if parted {
		c.evidence[relationParted] = 1
	}
	g.weigh(&c)
	g.found = append(g.found, c)
}

package layout

import (
	"strings"

	"fieldlift"
	"fieldlift/internal/value"
)

// ownRate takes the percentage that stands in a label or beside it as the rate
// that the label means: of "Sales tax (8.25 %) 45.46" the amount is none,
// whatever else was found since before.
func (g *generator) ownRate(l labelled, s segment, before int) {
	if g.t.class != rateClass || g.t.list {
		return
	}
	if r, ok := g.rateBeside(l.span, s); ok {
		g.found = g.found[:before]
		g.put(l, candidate{reading: r}, relationInline, 0, false)
	}
}

// rateBeside reads the percentage of a label's segment, or that which begins
// the next segment of its line. No amount may stand between.
func (g *generator) rateBeside(label span, s segment) (reading, bool) {
	if noneIsZero.MatchString(g.t.field.Description) && g.chargesNothing(s.line) {
		return reading{}, false
	}
	end := s.to
	if next := g.segmentOf(s.from) + 1; next < g.lines[s.line].to {
		end = min(g.segments[next].to, s.to+2)
	}
	for i := label.from; i < end; i++ {
		if r, ok := g.percentAt(i, end); ok {
			return r, true
		}
		if i >= label.to && g.words[i].figures {
			break
		}
	}
	for i := label.from - 1; i >= s.from; i-- {
		if r, ok := g.percentAt(i, label.from); ok {
			return r, true
		}
	}
	return reading{}, false
}

// percentAt reads a percentage that begins with a word, in brackets or not.
func (g *generator) percentAt(i, end int) (reading, bool) {
	if !g.words[i].figures {
		return reading{}, false
	}
	for n := min(2, end-i); n > 0; n-- {
		part := span{i, i + n}
		text := strings.Trim(g.text(part), "()[],;:@ ")
		p, ok := value.Percent(text, g.locale)
		if !ok {
			continue
		}
		f, _ := p.Float64()
		r := reading{value: p, spans: []span{part}, fit: 1, typed: typedSpan{span: part, value: p, number: f, percent: true}}
		if g.t.field.Type == fieldlift.StringField {
			r.value = strings.ReplaceAll(text, " ", "")
		}
		return r, true
	}
	return reading{}, false
}

// chargesNothing reports whether the amounts of a line are all nought: "VAT
// (19 %) 0.00" names a rate that was not applied.
func (g *generator) chargesNothing(line int) bool {
	found := false
	for _, a := range g.amountsIn(g.wordsOf(g.lines[line])) {
		if a.cents && a.number != 0 {
			return false
		}
		found = found || a.cents
	}
	return found
}

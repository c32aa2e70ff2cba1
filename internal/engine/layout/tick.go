package layout

import (
	"math"
	"slices"
	"strings"

	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// withTicks puts a page's checkboxes among its words, as the characters they
// stand for, in place of what marks them.
func withTicks(p page.Page) page.Page {
	if len(p.Checkboxes) == 0 {
		return p
	}
	words := make([]page.Word, 0, len(p.Words)+len(p.Checkboxes))
	for _, w := range p.Words {
		if len([]rune(w.Text)) > 2 || !within(w.Box, p.Checkboxes) {
			words = append(words, w)
		}
	}
	for _, c := range p.Checkboxes {
		text := "☐"
		if c.Checked {
			text = "☑"
		}
		words = append(words, page.Word{Text: text, Box: c.Box, Size: c.Box.Height() * p.Height, Source: c.Source, Confidence: c.Confidence})
	}
	p.Words = words
	return p
}

// within reports whether the middle of a box lies in a checkbox.
func within(b page.Box, boxes []page.Checkbox) bool {
	return slices.ContainsFunc(boxes, func(c page.Checkbox) bool { return c.Box.Holds(b) })
}

// ticks adds the mark that stands before or after a label: "☒ Paid". One on
// the label's own line is the answer, whatever else was found since before; the
// lines above and below tell only where it has none.
func (g *generator) ticks(l labelled, s segment, before int) {
	height := max(s.box.Height(), 1e-6) / g.aspect(s.line)
	label := g.box(l.span)
	if r, relation, gap, ok := g.ownTick(l, s); ok {
		kept := slices.DeleteFunc(g.found[before:], func(c candidate) bool {
			return c.value != r.value || g.words[c.spans[0].from].line != s.line
		})
		g.found = g.found[:before+len(kept)]
		g.put(l, candidate{reading: r}, relation, gap/height, false)
		g.note(len(g.found)-1, tickNearest)
		return
	}
	if g.hasTick(s.span) {
		return
	}
	from, nearest := len(g.found), math.Inf(1)
	for _, at := range []int{s.line - 1, s.line + 1} {
		if at < 0 || at >= len(g.lines) || g.lines[at].page != g.lines[s.line].page {
			continue
		}
		j, ok := g.overlapping(g.lines[at], label)
		if !ok {
			continue
		}
		relation := relationBelow
		if at < s.line {
			relation = relationAbove
		}
		for i := g.segments[j].from; i < g.segments[j].to; i++ {
			b := g.words[i].Box
			if ticked, ok := value.Tick(g.words[i].Text); ok && min(b.X1, label.X1) > max(b.X0, label.X0) {
				gap := math.Abs(b.CenterY()-label.CenterY()) * g.aspect(s.line) / height
				g.put(l, candidate{reading: reading{value: ticked, spans: []span{{i, i + 1}}, fit: 1}}, relation, gap, false)
				nearest = min(nearest, gap)
			}
		}
	}
	for i := range g.found[from:] {
		if c := &g.found[from+i]; float64(c.evidence[relationDistance]) <= math.Log1p(max(nearest, 0))+1e-6 {
			c.evidence[tickNearest] = 1
		}
	}
}

// ownTick reads the mark that belongs to a label on its line: the one that
// opens what the label stands in ("☒ I want to attend the dinner"), the one
// behind it ("Dinner [x]"), or what is ticked there ("Dinner: ☐ no ☒ yes").
// Of two that stand beside it the nearer is its own; where both are as near the
// line's beginning tells.
func (g *generator) ownTick(l labelled, s segment) (reading, feature, float64, bool) {
	const nearer = 0.6 // of the other's distance
	row, end := g.options(l, s), l.to
	if s.colon {
		end = s.to // "Video delivery (on demand): ☒"
	}
	opening, opened := g.tickBefore(l, s, row)
	closing, closed := g.tickAt(end, row.to)
	if closed && (s.colon || !opened) {
		if chosen, ok := g.chosen(span{end, row.to}); ok {
			if v, ok := value.Boolean(g.text(chosen)); ok {
				return reading{value: v, spans: []span{chosen}, fit: 1}, relationRight, g.words[end].Box.X0 - g.words[end-1].Box.X1, true
			}
		}
	}
	mark, relation, gap := closing, relationRight, 0.0
	if closed {
		gap = g.words[closing.from].Box.X0 - g.words[closing.from-1].Box.X1
	}
	if opened && (!closed || !s.colon) {
		before := g.words[opening.to].Box.X0 - g.words[opening.to-1].Box.X1
		if !closed || before < nearer*gap || gap >= nearer*before && g.opensWithTick(row) {
			mark, gap = opening, before
		}
	}
	if !opened && !closed {
		return reading{}, 0, 0, false
	}
	ticked, _ := g.tick(mark)
	return reading{value: ticked, spans: []span{mark}, fit: 1}, relation, gap, true
}

func (d *document) opensWithTick(row span) bool {
	_, ok := d.tickAt(row.from, row.to)
	return ok
}

// options gives the part of a label's line that no other title parts from it:
// of "Ticket: ☐ Standard ☒ Premium" what follows the colon.
func (g *generator) options(l labelled, s segment) span {
	line := g.lines[s.line]
	row := g.wordsOf(line)
	for j := line.from; j < line.to; j++ {
		switch v := g.segments[j]; {
		case v.colon && v.to <= l.from:
			row.from = v.to
		case v.colon && v.from >= l.to:
			row.to = v.from
			return row
		}
	}
	return row
}

// tickBefore gives the mark that opens what a label stands in. It may stand a
// wide space before that.
func (g *generator) tickBefore(l labelled, s segment, row span) (span, bool) {
	for to := l.from; to > row.from && to >= s.from; to-- {
		for n := 1; n <= min(longestBoolean, to-row.from); n++ {
			if mark, ok := g.tickAt(to-n, to); ok && mark.to == to {
				return mark, true
			}
		}
	}
	return span{}, false
}

// tickAt gives the mark that begins with a word: "☒", "[x]" or "[ x ]".
func (d *document) tickAt(from, end int) (span, bool) {
	for n := min(longestBoolean, end-from); n > 0; n-- {
		mark := span{from, from + n}
		if _, ok := d.tick(mark); ok {
			return mark, true
		}
	}
	return span{}, false
}

func (d *document) tick(mark span) (ticked, ok bool) {
	return value.Tick(strings.ReplaceAll(d.text(mark), " ", ""))
}

// hasTick reports whether a span has boxes to tick.
func (d *document) hasTick(s span) bool {
	return slices.ContainsFunc(d.words[s.from:s.to], func(w word) bool { return isTicked(w.Text) })
}

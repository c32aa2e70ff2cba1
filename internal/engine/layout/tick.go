package layout

import (
	"math"
	"slices"

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

// ticks adds the mark that stands before or after a label: "☒ Paid".
func (g *generator) ticks(l labelled, s segment) {
	height := max(s.box.Height(), 1e-6) / g.aspect(s.line)
	label := g.box(l.span)
	before, nearest := len(g.found), math.Inf(1)
	add := func(word int, relation feature, gap float64) {
		if ticked, ok := value.Tick(g.words[word].Text); ok {
			g.put(l, candidate{reading: reading{value: ticked, spans: []span{{word, word + 1}}, fit: 1}}, relation, gap/height, false)
			nearest = min(nearest, gap/height)
		}
	}
	defer func() {
		for i := range g.found[before:] {
			if c := &g.found[before+i]; float64(c.evidence[relationDistance]) <= math.Log1p(max(nearest, 0))+1e-6 {
				c.evidence[tickNearest] = 1
			}
		}
	}()
	if i := l.from - 1; i >= 0 && g.words[i].line == s.line {
		add(i, relationInline, label.X0-g.words[i].Box.X1)
	}
	if i := l.to; i < len(g.words) && g.words[i].line == s.line {
		add(i, relationRight, g.words[i].Box.X0-label.X1)
	}
	for _, at := range []int{s.line - 1, s.line + 1} {
		if at < 0 || at >= len(g.lines) || g.lines[at].page != g.lines[s.line].page {
			continue
		}
		if j, ok := g.overlapping(g.lines[at], label); ok {
			for i := g.segments[j].from; i < g.segments[j].to; i++ {
				b := g.words[i].Box
				if min(b.X1, label.X1) > max(b.X0, label.X0) {
					relation := relationBelow
					if at < s.line {
						relation = relationAbove
					}
					add(i, relation, math.Abs(b.CenterY()-label.CenterY())*g.aspect(s.line))
				}
			}
		}
	}
}

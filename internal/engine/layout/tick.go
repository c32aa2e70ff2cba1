package layout

import "fieldlift/internal/value"

// ticks adds the mark that stands before or after a label: "☒ Paid".
func (g *generator) ticks(l labelled, s segment) {
	for _, i := range []int{l.from - 1, l.to} {
		if i < 0 || i >= len(g.words) || g.words[i].line != s.line {
			continue
		}
		if ticked, ok := value.Tick(g.words[i].Text); ok {
			g.put(l, candidate{reading: reading{value: ticked, spans: []span{{i, i + 1}}, fit: 1}}, relationInline, 0, false)
		}
	}
}

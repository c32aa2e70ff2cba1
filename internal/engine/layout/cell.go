package layout

import (
	"slices"
	"strings"

	"fieldlift/internal/page"
)

// cellAt gives the box that rules draw around a place: forms print a label at
// its top and leave the rest for the value. It is none unless it is shut below
// and on one side at least.
func (x *extraction) cellAt(line int, box page.Box) (page.Box, bool) {
	const touching = 0.004 // of the page
	at := x.lines[line].page
	cell := page.Box{X0: 0, Y0: 0, X1: 1, Y1: 1}
	y, middle := box.CenterY(), (box.X0+box.X1)/2
	shut := 0
	for _, r := range x.upright[at].between(0, box.X0+touching) {
		if r.Box.Y0 <= y+touching && r.Box.Y1 >= y-touching {
			cell.X0 = r.Box.X1
			shut = 1
		}
	}
	for _, r := range x.upright[at].between(box.X1-touching, 1) {
		if r.Box.Y0 <= y+touching && r.Box.Y1 >= y-touching {
			cell.X1 = r.Box.X0
			shut = 1
			break
		}
	}
	for _, r := range x.level[at].between(0, y) {
		if r.Box.X0 <= middle && r.Box.X1 >= middle {
			cell.Y0 = r.Box.Y1
		}
	}
	for _, r := range x.level[at].between(y, min(1, y+tallestCell)) {
		if r.Box.X0 <= middle && r.Box.X1 >= middle {
			cell.Y1 = r.Box.Y0
			shut++
			break
		}
	}
	return cell, shut == 2 && cell.X1-cell.X0 > box.Width()
}

// tallestCell is how far below a label its cell may end, in pages.
const tallestCell = 0.12

// cell adds what stands in the label's cell, after the label.
func (g *generator) cell(l labelled, s segment) {
	cell, ok := g.cellAt(s.line, s.box)
	if !ok {
		return
	}
	lines := g.linesIn(cell, s, l.segment)
	for n, in := range lines {
		for _, j := range in {
			before := len(g.found)
			g.add(l, g.segments[j].span, relationCell, float64(n), false)
			g.joinFigures(l, j, in, n)
			for i := range g.found[before:] {
				g.found[before+i].evidence[cellAlone] = alone(len(lines), len(in))
			}
		}
	}
	if g.wantsLines() {
		g.cellLines(l, append(lines, g.restOfAddress(cell, s)...))
	}
}

// linesIn gives the segments in a cell, by line, that stand after the label's.
func (g *generator) linesIn(cell page.Box, s segment, label int) [][]int {
	var lines [][]int
	for at := s.line; at < len(g.lines) && g.lines[at].page == g.lines[s.line].page && g.lines[at].box.Y0 < cell.Y1 && len(lines) < 8; at++ {
		var in []int
		for j := g.lines[at].from; j < g.lines[at].to; j++ {
			b := g.segments[j].box
			middle := (b.X0 + b.X1) / 2
			if j != label && middle > cell.X0 && middle < cell.X1 && b.CenterY() < cell.Y1 && (at > s.line || b.X0 >= s.box.X1) {
				in = append(in, j)
			}
		}
		if len(in) > 0 {
			lines = append(lines, in)
		}
	}
	return lines
}

// restOfAddress gives the lines of the cell below, where a form has one for
// the street and one for the city.
func (g *generator) restOfAddress(cell page.Box, s segment) [][]int {
	if !g.wantsAddress() {
		return nil
	}
	for at := s.line + 1; at < len(g.lines) && g.lines[at].page == g.lines[s.line].page; at++ {
		if g.lines[at].box.Y1 < cell.Y1 {
			continue
		}
		for j := g.lines[at].from; j < g.lines[at].to; j++ {
			below := g.segments[j]
			if below.box.Y0 < cell.Y1-0.002 || below.box.X0 < cell.X0 || below.box.X0 > cell.X1 {
				continue
			}
			printed := g.labels.meaning(g.label(below.span))
			if !slices.ContainsFunc(printed, func(c string) bool { return c == "city" || c == "zip" || c == "state" }) {
				return nil
			}
			next, ok := g.cellAt(at, below.box)
			if !ok {
				return nil
			}
			return g.linesIn(next, below, j)
		}
	}
	return nil
}

func alone(lines, segments int) float32 {
	if lines == 1 && segments == 1 {
		return 1
	}
	return 0
}

// cellLines adds runs of a cell's lines as one value: all of them, and without
// the first, which may be a name over an address.
func (g *generator) cellLines(l labelled, lines [][]int) {
	for from := 0; from < min(2, len(lines)); from++ {
		var spans []span
		for _, in := range lines[from:] {
			first, last := g.segments[in[0]], g.segments[in[len(in)-1]]
			if last.line != first.line || last.to < first.from {
				break
			}
			spans = append(spans, span{first.from, last.to})
			if len(spans) > 1 || from > 0 {
				g.addLines(l, append([]span(nil), spans...), relationCell, float64(from), false)
			}
		}
	}
}

// joinFigures adds a number that boxes part: "233 – 46 – 7433".
func (g *generator) joinFigures(l labelled, first int, in []int, n int) {
	if g.t.class != identifierClass && g.t.class != documentNumberClass {
		return
	}
	last := first
	for _, j := range in {
		if j == last+1 && g.isFigures(j) {
			last = j
		}
	}
	if last > first && g.isFigures(first) {
		whole := span{g.segments[first].from, g.segments[last].to}
		if text := strings.Trim(g.text(whole), "-–— "); len(text) <= 60 {
			c := candidate{reading: reading{value: text, spans: []span{whole}, fit: 1}}
			c.evidence[valueJoined] = 1
			g.put(l, c, relationCell, float64(n), false)
		}
	}
}

// firstFigure gives the first of the segments of figures and dashes that end
// with one: the boxes of a number begin left of its label.
func (g *generator) firstFigure(segment int) int {
	line := g.lines[g.segments[segment].line]
	first := segment
	for first > max(line.from, segment-8) && g.isFigures(first) && g.isFigures(first-1) {
		first--
	}
	return first
}

// isFigures reports whether a segment has nothing but figures and dashes.
func (g *generator) isFigures(segment int) bool {
	return strings.Trim(g.text(g.segments[segment].span), "0123456789-–— ") == ""
}

package layout

import (
	"slices"
	"strings"
)

const (
	columnLines = 3    // that are read below a label
	columnPitch = 2.5  // the widest gap between them, in heights of the label
	columnSlack = 0.02 // how far left of its label a value may begin, in widths of a page
)

// column adds what stands under a label between its neighbours: forms set
// several labels side by side, and who fills them in writes over the line
// between two answers.
func (g *generator) column(l labelled, s segment) {
	if !g.loose() || g.t.list {
		return
	}
	left, right, ok := g.neighbours(l.segment)
	if !ok {
		return
	}
	from, to := max(left, s.box.X0-columnSlack), right
	var spans []span
	edge := s.box.Y1
	for at := s.line + 1; at < len(g.lines) && len(spans) < columnLines && g.lines[at].page == g.lines[s.line].page; at++ {
		row := g.wordsBetween(at, from, to)
		if row.empty() {
			continue
		}
		box := g.box(row)
		if box.Y0-edge > columnPitch*s.box.Height() || g.isAnyLabel(row) {
			break
		}
		edge = box.Y1
		spans = append(spans, row)
	}
	if order, ok := g.pairOrder(l); ok {
		g.halves(l, spans, order)
		g.labelled[valueBoth] = 1
	}
	for i, row := range spans {
		if g.cuts(row) {
			before := len(g.found)
			g.add(l, row, relationBelow, float64(i), false)
			g.note(before, valueClipped)
		}
		if lines := spans[:i+1]; i > 0 && g.wantsLines() && slices.ContainsFunc(lines, g.cuts) {
			before := len(g.found)
			g.addLines(l, slices.Clone(lines), relationBelow, 0, false)
			g.note(before, valueClipped)
		}
	}
}

// note gives the candidates found last a piece of evidence.
func (g *generator) note(from int, f feature) {
	for i := range g.found[from:] {
		g.found[from+i].evidence[f] = 1
	}
}

// neighbours gives the room between the labels to both sides of one.
func (x *extraction) neighbours(label int) (left, right float64, ok bool) {
	l := x.lines[x.segments[label].line]
	left, right = 0, 1
	const most = 6 // segments to each side
	for j := max(l.from, label-most); j < min(l.to, label+most+1); j++ {
		if j == label || x.hasDigits(x.segments[j].span) && x.segments[j].to-x.segments[j].from < 3 {
			continue
		}
		switch b := x.segments[j].box; {
		case j < label:
			left = max(left, b.X1)
		case b.X0 < right:
			right = b.X0
		}
		ok = true
	}
	return left, right, ok
}

// wordsBetween gives the words of a line whose middle lies in a range, if nothing
// stands between them.
func (x *extraction) wordsBetween(line int, from, to float64) span {
	const most = 100 // words on a line
	all := x.wordsOf(x.lines[line])
	if all.to-all.from > most {
		return span{}
	}
	s := span{-1, -1}
	for i := all.from; i < all.to; i++ {
		if lies(x.words[i].Box.CenterX(), from, to) {
			if s.from < 0 {
				s.from = i
			}
			s.to = i + 1
		}
	}
	if s.from < 0 || slices.ContainsFunc(x.words[s.from:s.to], func(w word) bool { return !lies(w.Box.CenterX(), from, to) }) {
		return span{}
	}
	return x.withoutNoise(s)
}

func lies(v, from, to float64) bool { return v > from && v < to }

// cuts reports whether a span is not just one segment.
func (x *extraction) cuts(s span) bool {
	of := x.segments[x.segmentOf(s.from)]
	return of.from != s.from || of.to != s.to
}

// pairOrder tells of a label for two things, "name and title", which of them
// the target is: 0 or 1.
func (g *generator) pairOrder(l labelled) (int, bool) {
	for u := range g.targets {
		if u == g.target || g.targets[u].table >= 0 || g.targets[u].owner != g.t.owner || g.targets[u].group != g.t.group {
			continue
		}
		for _, o := range g.labelsFound[u] {
			if o.segment != l.segment {
				continue
			}
			switch {
			case g.joins(l.span, o.span):
				return 0, true
			case g.joins(o.span, l.span):
				return 1, true
			}
		}
	}
	return 0, false
}

// joins reports whether nothing but a word for "and" stands between two spans.
func (x *extraction) joins(a, b span) bool {
	const ands = " and & / or und et y e en i "
	isAnd := func(i int) bool { return strings.Contains(ands, " "+strings.ToLower(x.words[i].Text)+" ") }
	switch b.from - a.to {
	case 0:
		return isAnd(a.to - 1)
	case 1:
		return isAnd(a.to)
	}
	return false
}

// halves adds one of two things that stand in a column: the first before a
// comma, a dash or the end of the line, and the other after it.
func (g *generator) halves(l labelled, lines []span, order int) {
	if len(lines) == 0 {
		return
	}
	at, next := g.dividedAt(lines[0])
	var spans []span
	switch {
	case at > 0 && order == 0:
		spans = []span{{lines[0].from, at}}
	case at > 0:
		spans = append(spans, span{next, lines[0].to})
	case len(lines) == 1:
		return
	case order == 0:
		spans = lines[:1]
	default:
		spans = lines[1:2]
	}
	before := len(g.found)
	g.addLines(l, spans, relationBelow, 0, false)
	g.note(before, valueHalf)
	if at > 0 && order == 1 && len(lines) > 1 {
		before := len(g.found)
		g.addLines(l, append(slices.Clone(spans), lines[1]), relationBelow, 0, false)
		g.note(before, valueHalf)
	}
}

// dividedAt gives where the first of two things ends and the second begins;
// 0 where nothing parts them.
func (x *extraction) dividedAt(s span) (end, next int) {
	for i := s.from; i < s.to-1; i++ {
		switch text := x.words[i].Text; {
		case i > s.from && strings.Trim(text, "-–—~/") == "":
			return i, i + 1
		case strings.HasSuffix(text, ",") && !isLegalForm(x.words[i+1].Text):
			return i + 1, i + 1
		}
	}
	return 0, 0
}

package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"fieldlift/internal/page"
)

// around makes candidates of what stands by a label.
func (g *generator) around(l labelled) {
	s, before := g.segments[l.segment], len(g.found)
	if s.colon && l.to == s.to {
		g.labelled[labelColon] = 1
	}
	begin := s.from
	if text := g.words[begin].Text; s.to-begin > 1 && len(text) <= 3 && hasDigit(text) {
		begin++ // "15 State tax withheld": boxes of forms have numbers
	}
	if l.from > begin {
		g.labelled[labelInside] = 1
	}
	if startsUpper(g.words[l.from].Text) {
		g.labelled[labelCapital] = 1
	}
	if n := s.to - s.from; n > 6 {
		g.labelled[labelProse] = float32(math.Log(float64(n) / 6))
	}
	if g.ruleNear(s.line, s.box, s.box.Y0, -1) {
		g.labelled[labelOverlined] = 1
	}
	if l.contrary || g.contrary(l) {
		g.labelled[labelContrary] = 1
	}
	if l.to < s.to {
		rest := span{l.to, s.to}
		for !rest.empty() && strings.Trim(g.words[rest.from].Text, "-–—=.|:") == "" {
			rest.from++
		}
		if l.form != owner && !g.goesOnBelow(s, rest) { // "Customer Service" is no customer
			g.add(l, rest, relationInline, 0, false)
			g.inlineLines(l, s, rest)
		}
	}
	height := max(s.box.Height(), 1e-6)
	if l.to < s.to {
		g.labelled[labelFollowed] = 1
	}
	g.column(l, s)
	g.cell(l, s)
	g.right(l, s, height)
	g.below(l, s, height)
	if l.from == s.from || l.from == s.from+1 && !s.colon { // "Print name of signer"
		g.above(l, s, height)
	}
	if g.t.field.Type == "boolean" {
		g.ticks(l, s, before)
	}
	g.prose(l)
	g.filledAfter(l, s)
	g.ownRate(l, s, before)
}

// filledAfter adds what was written into a blank that a sentence has after the
// label, be it on the next line.
func (g *generator) filledAfter(l labelled, s segment) {
	const sentence = 8 // words
	next := l.segment + 1
	if l.to < s.to || s.to-s.from < sentence || next >= len(g.segments) {
		return
	}
	if v := g.segments[next]; isFilled(g.words[v.from].Word) && v.line == s.line+1 && g.lines[v.line].page == g.lines[s.line].page {
		g.add(l, v.span, relationInline, 0, false)
	}
}

// goesOnBelow reports whether what follows a label in its segment is the rest
// of the label: names do not begin with a small letter.
func (g *generator) goesOnBelow(s segment, rest span) bool {
	switch g.t.class {
	case nameClass, vendorNameClass, customerNameClass, partyClass:
		return !rest.empty() && !s.colon && startsLower(g.words[rest.from].Text) && !hasDigit(g.words[rest.from].Text) && rest.to-rest.from > 1
	}
	return false
}

// inlineLines adds a value that begins beside its label and goes on below it.
func (g *generator) inlineLines(l labelled, s segment, rest span) {
	if !g.wantsLines() || rest.empty() || s.line+1 >= len(g.lines) || g.lines[s.line+1].page != g.lines[s.line].page {
		return
	}
	_, right, _ := g.neighbours(l.segment)
	next := g.wordsBetween(s.line+1, s.box.X0-columnSlack, right)
	if next.empty() || g.isAnyLabel(next) || g.box(next).Y0-s.box.Y1 > s.box.Height() {
		return
	}
	g.addLines(l, []span{rest, next}, relationInline, 0, false)
}

// right adds the next segments beside the label. They need not be on its line:
// a value may be set a little higher or lower than what names it.
func (g *generator) right(l labelled, s segment, height float64) {
	if s.to > l.to+2 {
		return
	}
	reach, relation := 2, relationRight
	if !g.loose() {
		reach = 4
	}
	beside := g.beside(s, reach)
	crossed := false
	for n, j := range beside {
		v := g.segments[j]
		before := len(g.found)
		gap := (v.box.X0 - s.box.X1) / height * g.aspect(s.line)
		g.add(l, g.withoutLabel(j), relation, gap, g.parted(s.line, s.box.X1, v.box.X0))
		if relation == relationRight && g.loose() && n+1 < len(beside) && beside[n+1] == j+1 && !v.colon && !g.isAnyLabel(g.segments[j+1].span) {
			g.join(l, v, g.segments[j+1], gap)
		}
		if relation == relationRight && g.wantsLines() {
			g.follow(l, j, relation, gap, false)
		}
		if crossed { // another label stands before them
			g.note(before, relationCrossed)
		}
		if g.isAnyLabel(v.span) {
			if g.loose() {
				break
			}
			crossed = true
		}
		relation = relationFar
	}
}

// beside gives the segments to the right of one that share its height, the
// nearest first.
func (x *extraction) beside(s segment, most int) []int {
	var found []int
	for at := max(0, s.line-1); at <= min(len(x.lines)-1, s.line+1); at++ {
		l := x.lines[at]
		if l.page != x.lines[s.line].page {
			continue
		}
		for j := l.from; j < l.to; j++ {
			b := x.segments[j].box
			shared := min(b.Y1, s.box.Y1) - max(b.Y0, s.box.Y0)
			if (b.X0 >= s.box.X1-0.002 || x.sidesOfOne(s, x.segments[j])) && shared > 0.4*min(b.Height(), s.box.Height()) {
				found = x.nearest(found, j, most)
			}
		}
	}
	return found
}

// nearest puts a segment among those found, which stand from left to right, and
// keeps the first of them.
func (x *extraction) nearest(found []int, j, most int) []int {
	at := len(found)
	for at > 0 && cmp.Less(x.segments[j].box.X0, x.segments[found[at-1]].box.X0) {
		at--
	}
	if at == most {
		return found
	}
	found = slices.Insert(found, at, j)
	return found[:min(len(found), most)]
}

// sidesOfOne reports whether two segments part at a colon inside of a word:
// "No.:4711". Both sides have the word's box.
func (x *extraction) sidesOfOne(a, b segment) bool {
	return a.colon && a.to == b.from && a.line == b.line && x.words[a.to-1].Box == x.words[b.from].Box
}

// join adds two segments as one value: a wide space is not always an end.
func (g *generator) join(l labelled, a, b segment, gap float64) {
	if b.box.X0-a.box.X1 > 4*a.box.Height()/g.aspect(a.line) {
		return
	}
	before := len(g.found)
	g.add(l, span{a.from, b.to}, relationRight, gap, false)
	g.note(before, valueJoined)
}

// aspect is the page's width in heights: a gap in fractions of the width
// becomes one in fractions of the height.
func (x *extraction) aspect(line int) float64 {
	p := x.pages[x.lines[line].page]
	if !(p.Width > 0 && p.Height > 0) {
		return 0.75
	}
	return p.Width / p.Height
}

// below adds what stands under a label: one line, and for names and addresses
// the lines that follow.
func (g *generator) below(l labelled, s segment, height float64) {
	box := g.box(l.span)
	relation, crossed := relationBelow, false
	found := 0
	for at := s.line + 1; at < len(g.lines) && at <= s.line+4 && g.lines[at].page == g.lines[s.line].page; at++ {
		line := g.lines[at]
		if line.box.Y0-box.Y1 > 3.5*height {
			break
		}
		j, ok := g.overlapping(line, box)
		if !ok {
			j, ok = g.askew(line, s, box)
		}
		if !ok {
			continue
		}
		v := g.segments[j]
		if l.form == owner && g.hasOwnLabel(j) {
			continue
		}
		if found == 0 && g.continuesLabel(s, v) {
			box.Y1 = v.box.Y1
			continue
		}
		gap := (v.box.Y0 - box.Y1) / height
		parted := g.partedBelow(s.line, box, v.box)
		before := len(g.found)
		g.add(l, v.span, relation, gap, parted)
		first := g.firstFigure(j)
		g.joinFigures(l, first, g.after(first), found)
		if g.wantsLines() {
			g.follow(l, j, relation, gap, parted)
		}
		if found == 0 {
			g.cityBelow(l, j, relation, gap, parted)
		}
		if alignedBoxes(box, v.box) {
			g.note(before, relationAligned)
		}
		if crossed { // another label stands before them
			g.note(before, relationCrossed)
		}
		crossed = crossed || g.isAnyLabel(v.span)
		if found++; found == 2 || crossed && g.loose() {
			break
		}
		relation = relationDeep
	}
}

// hasOwnLabel reports whether a number stands behind a label of its own: what is
// below the name of a party is not whatever is asked of it.
func (g *generator) hasOwnLabel(segment int) bool {
	if g.t.class != identifierClass && g.t.class != documentNumberClass {
		return false
	}
	return segment > g.lines[g.segments[segment].line].from && g.segments[segment-1].colon
}

// askew finds a number on a line that was typed a little to the right of where
// its label stands.
func (g *generator) askew(l line, s segment, box page.Box) (int, bool) {
	if g.t.class != identifierClass && g.t.class != documentNumberClass {
		return 0, false
	}
	for j := l.from; j < l.to; j++ {
		b := g.segments[j].box
		if b.X0 < box.X1 || b.X0 > box.X1+box.Width()/2 {
			continue
		}
		_, right, _ := g.neighbours(g.segmentOf(s.from))
		return j, b.X1 < right && hasDigit(g.text(g.segments[j].span)) && g.segments[j].to-g.segments[j].from <= 2
	}
	return 0, false
}

// cityBelow adds the rest of an address where a form asks for the street and
// the city one below the other, and the schema for both at once.
func (g *generator) cityBelow(l labelled, street int, relation feature, gap float64, parted bool) {
	if !g.wantsAddress() {
		return
	}
	label, city := g.underneath(street), -1
	if label >= 0 && g.asksForCity(label) {
		city = g.underneath(label)
	}
	if city < 0 || g.segments[city].colon || g.isAnyLabel(g.segments[city].span) || g.asksPartsOf(g.t.owner) {
		return
	}
	for i := range g.found {
		if c := &g.found[i]; len(c.spans) == 1 && c.spans[0].to == g.segments[street].to {
			c.evidence[addressCut] = 1
		}
	}
	g.addLines(l, []span{g.segments[street].span, g.segments[city].span}, relation, gap, parted)
}

// underneath gives the segment of the next lines that begins where one does, -1
// for none.
func (x *extraction) underneath(segment int) int {
	const near = 0.02 // of the page's width
	s := x.segments[segment]
	for at := s.line + 1; at < len(x.lines) && at <= s.line+4 && x.lines[at].page == x.lines[s.line].page; at++ {
		if x.lines[at].box.Y0-s.box.Y1 > 3.5*s.box.Height() {
			break
		}
		for j := x.lines[at].from; j < x.lines[at].to; j++ {
			if abs(x.segments[j].box.X0-s.box.X0) < near {
				return j
			}
		}
	}
	return -1
}

// asksForCity reports whether a printed label is that of a city and what goes
// with it.
func (x *extraction) asksForCity(segment int) bool {
	s := x.segments[segment]
	if isFilled(x.words[s.from].Word) || s.to-s.from > 16 {
		return false
	}
	asks, known := x.cityLabels[segment]
	if !known {
		parts := 0
		printed := x.lexicon.concepts(x.label(s.span))
		for _, c := range []string{"city", "state", "zip"} {
			if slices.Contains(printed, c) {
				parts++
			}
		}
		asks = parts >= 2
		x.cityLabels[segment] = asks
	}
	return asks
}

// asksPartsOf reports whether the schema asks for a party's city by itself:
// then its address is the street.
func (x *extraction) asksPartsOf(party string) bool {
	return slices.ContainsFunc(x.targets, func(t target) bool {
		kind := partKind(&t)
		return t.table < 0 && t.owner == party && (kind == "city" || kind == "zip")
	})
}

// continuesLabel reports whether a segment is the next line of a long label:
// "Name of foreign principal on whose behalf this material was" "transmitted".
func (g *generator) continuesLabel(s, v segment) bool {
	const near = 0.015 // of the page's width
	first := g.words[v.from].Text
	return s.to-s.from > 5 && !s.colon && startsLower(first) && v.to-v.from <= 6 && v.box.Y0-s.box.Y1 < 0.8*s.box.Height() &&
		(abs(v.box.X0-s.box.X0) < near || v.box.X0 > s.box.X0 && v.box.X1 < s.box.X1)
}

// after gives the segments that follow one on its line.
func (x *extraction) after(segment int) []int {
	var found []int
	for j := segment + 1; j < x.lines[x.segments[segment].line].to && len(found) < 8; j++ {
		found = append(found, j)
	}
	return found
}

// follow adds the lines of a paragraph from one on: an address, with or
// without the name above it.
func (g *generator) follow(l labelled, first int, relation feature, gap float64, parted bool) {
	p := g.paragraphs[g.paragraphOf[first]][g.paragraphLine[first]:]
	for skip := 0; skip < min(2, len(p)); skip++ {
		var spans []span
		for _, j := range p[skip:min(len(p), skip+6)] {
			if g.segments[j].colon || len(spans) > 0 && g.isAnyLabel(g.segments[j].span) {
				break
			}
			spans = append(spans, g.segments[j].span)
			if len(spans) > 1 || skip > 0 {
				g.addLines(l, slices.Clone(spans), relation, gap+float64(skip), parted)
			}
		}
	}
}

// above adds what stands over a label: a signature line has the name on it and
// the label below.
func (g *generator) above(l labelled, s segment, height float64) {
	for at := s.line - 1; at >= 0 && at >= s.line-2 && g.lines[at].page == g.lines[s.line].page; at-- {
		line := g.lines[at]
		if s.box.Y0-line.box.Y1 > 2.5*height {
			return
		}
		if j, ok := g.overlapping(line, s.box); ok {
			v, before := g.segments[j], len(g.found)
			g.add(l, v.span, relationAbove, (s.box.Y0-v.box.Y1)/height, g.partedBelow(at, v.box, s.box))
			if g.loose() && g.answered(s) {
				g.note(before, relationCrossed)
			}
			return
		}
	}
}

// answered reports whether something other than a label follows a label on its
// line: then what stands over it belongs to something else.
func (g *generator) answered(s segment) bool {
	beside := g.beside(s, 1)
	return len(beside) > 0 && !g.segments[beside[0]].colon && !g.isAnyLabel(g.segments[beside[0]].span)
}

// overlapping finds the segment of a line that shares most of its width with a
// box.
func (x *extraction) overlapping(l line, box page.Box) (int, bool) {
	best, at := 0.0, -1
	for j := l.from; j < l.to; j++ {
		b := x.segments[j].box
		if b.X0 > box.X1 {
			break
		}
		if shared := min(b.X1, box.X1) - max(b.X0, box.X0); shared > best {
			best, at = shared, j
		}
	}
	return at, at >= 0
}

func alignedBoxes(a, b page.Box) bool {
	const near = 0.015 // of the page's width
	return abs(a.X0-b.X0) < near || abs(a.X1-b.X1) < near
}

// parted reports whether an upright rule stands between two places of a line.
func (x *extraction) parted(line int, x0, x1 float64) bool {
	l := x.lines[line]
	y := l.box.CenterY()
	for _, r := range x.upright[l.page].between(x0-0.002, x1+0.002) {
		if r.Box.Y0 <= y && r.Box.Y1 >= y {
			return true
		}
	}
	return false
}

// partedBelow reports whether a level rule stands between two boxes.
func (x *extraction) partedBelow(line int, above, below page.Box) bool {
	middle := (max(above.X0, below.X0) + min(above.X1, below.X1)) / 2
	for _, r := range x.level[x.lines[line].page].between(above.CenterY(), below.CenterY()) {
		if r.Box.X0 <= middle && r.Box.X1 >= middle {
			return true
		}
	}
	return false
}

// ruleNear reports whether a level rule stands at the upper (-1) or lower (1)
// edge of a box, within a line's height.
func (x *extraction) ruleNear(line int, box page.Box, edge, side float64) bool {
	middle := (box.X0 + box.X1) / 2
	for _, r := range x.level[x.lines[line].page].between(edge-0.8*box.Height(), edge+0.8*box.Height()) {
		if r.Box.X0 <= middle && r.Box.X1 >= middle && (r.Box.CenterY()-box.CenterY())*side > 0 {
			return true
		}
	}
	return false
}

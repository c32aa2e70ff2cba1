package layout

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"fieldlift/internal/page"
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

// labelled is a label that was recognised.
type labelled struct {
	span
	match
	segment int
}

// labelsOf gives the labels that a segment may hold, for each target the best
// one.
func (x *extraction) labelsOf(i int) []labelled {
	s := x.segments[i]
	var found []labelled
	for from := s.from; from < s.to; from++ {
		if from > s.from+longestProse {
			break
		}
		if !x.labels.hits(x.words[from].Text) {
			continue
		}
		for n := 1; n <= min(longestLabel, s.to-from); n++ {
			label := span{from, from + n}
			if n > 1 && !x.labels.hits(x.words[label.to-1].Text) && !strings.HasSuffix(x.words[label.to-1].Text, ":") {
				continue
			}
			for _, m := range x.labels.match(x.label(label)) {
				if x.targets[m.target].table >= 0 {
					continue
				}
				l := labelled{label, m, i}
				switch at := x.seen[m.target]; {
				case at >= len(found) || found[at].target != m.target:
					x.seen[m.target] = len(found)
					found = append(found, l)
				case found[at].score <= m.score:
					found[at] = l
				}
			}
		}
	}
	return found
}

// longestProse is how many words of a segment are searched for labels.
const longestProse = 40

// findLabelled collects, for all targets, the labels of the document.
func (x *extraction) findLabelled() [][]labelled {
	all := make([][]labelled, len(x.targets))
	for i := range x.segments {
		for _, l := range x.labelsOf(i) {
			if len(all[l.target]) < mostTried {
				all[l.target] = append(all[l.target], l)
			}
		}
	}
	return all
}

// generate makes the candidates of a target: those that stand by its labels,
// and those that are known by their look or place.
func (x *extraction) generate(target int, labels []labelled) []candidate {
	g := generator{extraction: x, target: target, t: &x.targets[target]}
	var best float64
	for _, l := range labels {
		best = max(best, l.score)
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
		g.labelled = features{}
		e := &g.labelled
		e[labelAsked], e[labelShown] = float32(l.asked), float32(l.shown)
		if l.asked > 0.9 && l.shown > 0.9 {
			e[labelFull] = 1
		}
		switch l.form {
		case bare:
			e[labelBare] = 1
		case owner:
			e[labelOwner] = 1
		}
		if l.described {
			e[labelDescribed] = 1
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
	g.fillings()
	g.unlabelled()
	g.introduced()
	g.found = x.distinct(g.found)
	return g.found
}

// foremost gives the labels that fit best, of many the first and the last.
func foremost(labels []labelled, best float64) []labelled {
	const most = 40
	var good []labelled
	for _, margin := range []float64{0.35, 0.1} {
		good = good[:0]
		for _, l := range labels {
			if l.score >= best-margin {
				good = append(good, l)
			}
		}
		if len(good) <= most {
			return good
		}
	}
	return append(good[:most*3/4:most*3/4], good[len(good)-most/4:]...)
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
	labelled features // of the label at hand
	found    []candidate
}

// around makes candidates of what stands by a label.
func (g *generator) around(l labelled) {
	s := g.segments[l.segment]
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
		if l.form != owner { // "Customer Service" is no customer
			g.add(l, rest, relationInline, 0, false)
		}
	}
	height := max(s.box.Height(), 1e-6)
	if l.to < s.to {
		g.labelled[labelFollowed] = 1
	}
	g.cell(l, s)
	g.right(l, s, height)
	g.below(l, s, height)
	if l.from == s.from {
		g.above(l, s, height)
	}
	if g.t.field.Type == "boolean" {
		g.ticks(l, s)
	}
	g.prose(l)
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
		if crossed {
			g.cross(before)
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

// cross notes that another label stands before the candidates found last.
func (g *generator) cross(from int) {
	for i := range g.found[from:] {
		g.found[from+i].evidence[relationCrossed] = 1
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
				found = append(found, j)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(x.segments[a].box.X0, x.segments[b].box.X0) })
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
	for i := range g.found[before:] {
		g.found[before+i].evidence[valueJoined] = 1
	}
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
			continue
		}
		v := g.segments[j]
		gap := (v.box.Y0 - box.Y1) / height
		parted := g.partedBelow(s.line, box, v.box)
		before := len(g.found)
		g.add(l, v.span, relation, gap, parted)
		g.joinFigures(l, j, g.after(j), found)
		if g.wantsLines() {
			g.follow(l, j, relation, gap, parted)
		}
		if alignedBoxes(box, v.box) {
			for i := range g.found[before:] {
				g.found[before+i].evidence[relationAligned] = 1
			}
		}
		if crossed {
			g.cross(before)
		}
		crossed = crossed || g.isAnyLabel(v.span)
		if found++; found == 2 || crossed && g.loose() {
			break
		}
		relation = relationDeep
	}
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
			v := g.segments[j]
			g.add(l, v.span, relationAbove, (s.box.Y0-v.box.Y1)/height, g.partedBelow(at, v.box, s.box))
			return
		}
	}
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

func abs(v float64) float64 { return max(v, -v) }

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

func startsUpper(text string) bool {
	for _, r := range strings.TrimLeft(text, "(“\"'") {
		return unicode.IsUpper(r)
	}
	return false
}

// withoutLabel gives a segment without the label at its end that a colon
// makes: "3 May 2026 Due:" is a date and the next label.
func (x *extraction) withoutLabel(i int) span {
	s := x.segments[i]
	if !s.colon {
		return s.span
	}
	length := 1
	for n := min(4, s.to-s.from); n > 1; n-- {
		if x.knownShare(span{s.to - n, s.to}) > 0.9 {
			length = n
			break
		}
	}
	return span{s.from, s.to - length}
}

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

// contrasts are sets of concepts of which a field means one: a label that has
// another one instead speaks against it.
var contrasts = []string{
	" start end ", " opening closing ", " debit credit ", " issue due delivery order birth payment ", " bic iban ", " phone fax ",
	" rate amount ", " invoice order delivery quote contract customer ", " first last middle ",
}

// opposites are what a label must not have beside, by what the field means:
// the total of an invoice is no total of its net amounts.
var opposites = map[string]string{
	"total": " net subtotal tax discount shipping quantity ", "gross": " net subtotal tax discount ",
	"net": " gross tax ", "subtotal": " gross tax ", "date": " time ", "name": " number ",
}

// contrary reports whether a label says something that its target does not
// mean.
func (g *generator) contrary(l labelled) bool {
	printed := g.lexicon.concepts(g.label(l.span))
	foreign := func(set string) bool {
		return slices.ContainsFunc(printed, func(c string) bool {
			return strings.Contains(set, " "+c+" ") && !slices.Contains(g.t.concepts, c)
		})
	}
	for _, set := range contrasts {
		mine := slices.IndexFunc(g.t.concepts, func(c string) bool { return strings.Contains(set, " "+c+" ") })
		if mine >= 0 && !slices.Contains(printed, g.t.concepts[mine]) && foreign(set) {
			return true
		}
	}
	return slices.ContainsFunc(g.t.concepts, func(c string) bool { return foreign(opposites[c]) })
}

package layout

import (
	"math"
	"slices"
	"strings"
)

// headLine is a line of the upper half of the first page, where whoever wrote
// the document says who and where he is.
type headLine struct {
	span
	// It is no part of a name or an address: the number of a register, a
	// telephone, the title of the document.
	breaks  bool
	address bool // it reads like part of an address
	legal   bool // it has the legal form of a company
}

const (
	mostHeadLines   = 30
	headEnd         = 0.5 // of the page's height
	headGap         = 2.5 // the widest gap between two words of a line, in its heights
	writerPitch     = 1.6 // the widest gap between two lines that belong together
	longestHeadLine = 20  // words
	longestWriter   = 7   // lines of an address
)

// findLetterhead reads the lines of the letterhead whole. Printers of receipts
// set words so far apart, and lines so differently, that neither segments nor
// paragraphs tell what belongs together; but what ends a name or an address
// does.
func (x *extraction) findLetterhead() {
	x.headOf = map[int]int{}
	for i, l := range x.lines {
		if l.page > 0 || l.box.Y0 > headEnd || len(x.head) == mostHeadLines {
			return
		}
		column, wide := x.headColumn(l)
		s := x.withoutNoise(column)
		if s.empty() || !hasLetter(x.text(s)) && !hasDigit(x.text(s)) {
			continue
		}
		text := x.text(s)
		h := headLine{span: s, address: isAddressLine(text), legal: hasLegalForm(strings.Fields(text))}
		h.breaks = s.to-s.from > longestHeadLine || wide || x.breaksHead(s, text)
		if n := len(x.head); n > 0 && !h.breaks && !x.head[n-1].breaks {
			above, box := x.box(x.head[n-1].span), x.box(s)
			if box.Y0-above.Y1 > writerPitch*above.Height() || box.X0 > above.X1 || above.X0 > box.X1 {
				x.head = append(x.head, headLine{span: span{s.from, s.from}, breaks: true})
			}
		}
		x.headOf[i] = len(x.head)
		x.head = append(x.head, h)
	}
}

// withoutNoise leaves out marks, and single letters beside an upright stroke,
// at both ends: the edges of the paper.
func (x *extraction) withoutNoise(s span) span {
	noise := func(i int) bool { return strings.Trim(x.words[i].Text, "-–—_.:;,|/*#•~=‘’'\"«»°") == "" }
	for !s.empty() && (noise(s.from) || s.to-s.from > 2 && len(x.words[s.from].Text) <= 2 && strings.HasPrefix(x.words[s.from+1].Text, "|")) {
		s.from++
	}
	for !s.empty() && noise(s.to-1) {
		s.to--
	}
	return s
}

// headColumn gives the part of a line that belongs to the letterhead. Where a
// line has parts far from one another and none of them does, it is wide: a row
// of figures, or the title of the document beside its date.
func (x *extraction) headColumn(l line) (s span, wide bool) {
	whole := x.wordsOf(l)
	from := l.from
	for j := l.from + 1; j <= l.to; j++ {
		if j < l.to && !x.isFar(j) {
			continue
		}
		part := span{x.segments[from].from, x.segments[j-1].to}
		if part == whole {
			return whole, false
		}
		if x.goesOnBelow(part) {
			return part, false
		}
		from = j
	}
	return whole, true
}

// isFar reports whether a segment stands far from the one before it.
func (x *extraction) isFar(j int) bool {
	a, b := x.segments[j-1].box, x.segments[j].box
	return (b.X0-a.X1)*x.aspect(x.segments[j].line) > headGap*max(a.Height(), b.Height())
}

// goesOnBelow reports whether part of a line begins where the line of the
// letterhead above it does, or begins the letterhead with a company's name.
func (x *extraction) goesOnBelow(part span) bool {
	n := len(x.head)
	if n == 0 || x.head[n-1].breaks {
		return hasLegalForm(strings.Fields(x.text(part)))
	}
	above, box := x.box(x.head[n-1].span), x.box(part)
	return box.Y0-above.Y1 <= writerPitch*above.Height() && math.Abs(box.X0-above.X0) < box.Height()
}

// headBreaks are the concepts of what stands in letterheads beside names and
// addresses.
const headBreaks = " phone fax email website tax vat invoice receipt date time registration cashier bill order "

func (x *extraction) breaksHead(s span, text string) bool {
	if strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
		return true
	}
	figures := 0
	for _, r := range text {
		switch {
		case r >= '0' && r <= '9':
			if figures++; figures == 8 {
				return true
			}
		case r != '-' && r != ' ':
			figures = 0
		}
	}
	printed := x.lexicon.concepts(x.text(span{s.from, min(s.to, s.from+3)}))
	for i, c := range printed {
		if strings.Contains(headBreaks, " "+c+" ") || c == "company" && i+1 < len(printed) && printed[i+1] == "number" {
			return true
		}
	}
	return len(x.datesIn(s)) > 0 || strings.Contains(text, "@") ||
		slices.ContainsFunc(x.amountsIn(s), func(a typedSpan) bool { return a.cents })
}

// letterhead adds the runs of whole lines between what ends an address, or the
// first of them for a name.
func (g *generator) letterhead(put func(reading), address bool) {
	for i, h := range g.head {
		if h.breaks {
			continue
		}
		var spans []span
		reads := false
		for _, next := range g.head[i:min(len(g.head), i+longestWriter)] {
			if next.breaks {
				break
			}
			spans = append(spans, next.span)
			reads = reads || next.address
			if !address && len(spans) == 1 {
				for _, r := range g.texts(g.t, next.span) {
					put(r)
				}
				continue
			}
			if r, ok := g.readLines(slices.Clone(spans)); ok && (address && reads || !address && len(spans) == 2) {
				put(r)
			}
		}
	}
}

// weighHead tells where in the letterhead a value begins and ends, and whether
// something else stands in it.
func (g *generator) weighHead(e *features, first, last span) {
	from, ok := g.headOf[g.words[first.from].line]
	to, within := g.headOf[g.words[last.from].line]
	if ok && within && from < to && slices.ContainsFunc(g.head[from:to+1], func(h headLine) bool { return h.breaks && !h.empty() }) {
		e[headBroken] = 1
	}
	if !ok || g.head[from].breaks || first.from != g.head[from].from {
		return
	}
	switch {
	case !slices.ContainsFunc(g.head[:from], func(h headLine) bool { return !h.breaks }):
		e[headFirst] = 1
	case g.head[from-1].breaks:
		e[headBegins] = 1
	case g.head[from-1].legal:
		e[headBelow] = 1
	}
	if within && last.to == g.head[to].to && (to+1 == len(g.head) || g.head[to+1].breaks) {
		e[headEnds] = 1
	}
}

package layout

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fieldlift/internal/page"
)

// header is one line or several whose words name the columns of a table.
type header struct {
	first, last int      // lines
	columns     []column // from left to right
	score       float64
	matched     int  // columns that a target asks for
	bare        bool // it has no heads: its line is the first row
}

// column is a head, what stands below it, and what it is taken for.
type column struct {
	heads  []span // from top to bottom; none: the column has no head
	over   []span // heads that it shares with other columns
	box    page.Box
	x0, x1 float64 // from edge to edge
	target int     // -1 when nobody asks for it
	score  float64
	told   bool // by its head or by arithmetic, and not by being left over
	ruled  bool // a rule parts it from the column before it
}

const (
	mostHeaders  = 4096 // that are kept for a table
	mostWindows  = 8192 // lines that are tried together; after that only single ones
	mostPieces   = 64   // on the lines of a header
	longestHead  = 10   // words
	linesAbove   = 3    // a header may have over the line it was found by
	linesBelow   = 5
	headPitch    = 1.1  // how far apart lines of a header may stand, in heights of a line
	widestPair   = 0.25 // how far apart columns stand that share a head over their gap, in widths of a page
	perHeadLine  = 0.04 // what a line must add to the score of a header
	leastInParts = 0.8  // how sure the parts of a segment must be that is two heads
)

// piece is words of one line that stand together in a header.
type piece struct {
	span
	box page.Box
}

// finder looks for headers. It keeps what it learned about lines.
type finder struct {
	*extraction
	pieces map[int][]piece
	found  [][]header // by table
	tried  int        // lines together
}

// findHeaders gives for each table the lines that may be its header.
func (x *extraction) findHeaders(ctx context.Context) ([][]header, error) {
	f := finder{extraction: x, pieces: map[int][]piece{}, found: make([][]header, len(x.tables))}
	for at := range x.lines {
		if at%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if f.names(at) && !f.isBody(at) {
			f.grow(at)
		}
	}
	return f.found, nil
}

// names reports whether a line names a column.
func (f *finder) names(at int) bool {
	l := f.lines[at]
	for _, s := range f.segments[l.from:l.to] {
		for i := s.from; i < s.to; i++ {
			if f.labels.hits(f.words[i].Text) {
				return slices.ContainsFunc(f.piecesOf(at), func(p piece) bool { return f.bestColumn(p.span) > 0 })
			}
		}
	}
	return false
}

// bestColumn gives how well words name the column that they name best.
func (f *finder) bestColumn(s span) float64 {
	for _, m := range f.labels.match(f.label(s)) {
		if f.targets[m.target].table >= 0 {
			return m.score
		}
	}
	return 0
}

// piecesOf takes a line apart into what may be heads of their own: segments,
// parted at vertical rules, and where both parts name columns.
func (f *finder) piecesOf(at int) []piece {
	if known, ok := f.pieces[at]; ok {
		return known
	}
	l := f.lines[at]
	var found []piece
	colons := 0
	if l.to-l.from <= mostPieces {
		for _, s := range f.segments[l.from:l.to] {
			if s.colon {
				colons++
			}
			from := s.from
			for i := s.from + 1; i < s.to; i++ {
				left, right := f.words[i-1].Box, f.words[i].Box
				if len(f.rulings[l.page].downBetween(left.X1-touching/2, right.X0+touching/2, left.Y0, left.Y1)) > 0 {
					found = f.parted(found, span{from, i})
					from = i
				}
			}
			found = f.parted(found, span{from, s.to})
		}
	}
	if 2*colons > len(found) || slices.ContainsFunc(found, func(p piece) bool { return p.to-p.from > longestHead }) {
		found = nil // labels with values, or prose
	}
	f.pieces[at] = found
	return found
}

func (f *finder) parted(found []piece, s span) []piece {
	if s.to-s.from <= longestHead {
		whole, best, at := f.bestColumn(s), 0.0, 0
		for i := s.from + 1; i < s.to; i++ {
			left := f.bestColumn(span{s.from, i})
			if left < leastInParts {
				continue
			}
			if right := f.bestColumn(span{i, s.to}); right >= leastInParts && left+right > best {
				best, at = left+right, i
			}
		}
		if best >= whole+0.6 {
			return f.parted(f.parted(found, span{s.from, at}), span{at, s.to})
		}
	}
	return append(found, piece{s, f.box(s)})
}

// grow tries a line as a header, with lines above and below it, and keeps what
// names the columns of a table best.
func (f *finder) grow(at int) {
	best := make([]header, len(f.tables))
	try := func(first, last int) {
		columns := f.stack(first, last)
		if columns == nil {
			return
		}
		for t := range f.tables {
			h := f.match(t, columns)
			h.first, h.last = first, last
			h.score -= perHeadLine * float64(last-first)
			if h.matched > 0 && h.score > best[t].score {
				best[t] = h
			}
		}
	}
	top, end := at, at
	for top > 0 && at-top < linesAbove && f.adjoins(top-1) {
		top--
	}
	for end+1 < len(f.lines) && end-at < linesBelow && f.adjoins(end) {
		end++
	}
	if f.tried > mostWindows {
		top, end = at, at
	}
	for first := at; first >= top; first-- {
		for last := at; last <= end; last++ {
			try(first, last)
			f.tried++
		}
	}
	for t, h := range best {
		f.keep(t, h)
	}
}

// adjoins reports whether a line and the next stand close together and both
// may be parts of a header.
func (f *finder) adjoins(at int) bool {
	a, b := f.lines[at], f.lines[at+1]
	return a.page == b.page && !f.isBody(at) && !f.isBody(at+1) && b.box.Y0-a.box.Y1 < headPitch*min(a.box.Height(), b.box.Height()) &&
		len(f.piecesOf(at)) > 0 && len(f.piecesOf(at+1)) > 0
}

// isBody reports whether a line has figures that name nothing, or is text set
// half a line above or below such figures.
func (f *finder) isBody(at int) bool {
	return f.isFigures(at) || at > 0 && f.isFigures(at-1) && f.overlaps(f.lines[at-1], f.lines[at]) ||
		at+1 < len(f.lines) && f.isFigures(at+1) && f.overlaps(f.lines[at], f.lines[at+1])
}

func (f *finder) isFigures(at int) bool {
	figures := 0
	for _, p := range f.piecesOf(at) {
		if looksLikeFigure(f.text(p.span)) && f.bestColumn(p.span) == 0 {
			figures++
		}
	}
	return figures > 1
}

// keep notes a header unless a better one has its lines.
func (f *finder) keep(t int, h header) {
	asked := len(f.tables[t])
	if h.matched == 0 || h.matched < min(2, asked) || asked == 1 && h.score < 0.9 || len(f.found[t]) >= mostHeaders {
		return
	}
	if n := len(f.found[t]); n > 0 && f.found[t][n-1].last >= h.first {
		if last := &f.found[t][n-1]; h.score > last.score {
			*last = h
		}
		return
	}
	f.found[t] = append(f.found[t], h)
}

// stack makes columns of the pieces of lines: those that stand over one
// another are one head. A piece that stands over several belongs to all.
func (f *finder) stack(first, last int) []column {
	var pieces []piece
	for at := first; at <= last; at++ {
		pieces = append(pieces, f.piecesOf(at)...)
	}
	if len(pieces) == 0 || len(pieces) > mostPieces {
		return nil
	}
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(a.box.X0, b.box.X0) })
	under := make([][]int, len(pieces)) // what stands below a piece that spans several
	for i := range pieces {
		under[i] = f.spanned(pieces, i)
	}
	var columns []column
	for i, p := range pieces {
		if under[i] != nil {
			continue
		}
		if n := len(columns); n > 0 && overlap(columns[n-1].box, p.box) > 0.3 && !slices.ContainsFunc(columns[n-1].heads, func(s span) bool { return f.words[s.from].line == f.words[p.from].line }) {
			columns[n-1].heads = append(columns[n-1].heads, p.span)
			columns[n-1].box = columns[n-1].box.Union(p.box)
			continue
		}
		columns = append(columns, column{heads: []span{p.span}, box: p.box, target: -1})
	}
	for i, p := range pieces {
		for _, below := range under[i] {
			c := slices.IndexFunc(columns, func(c column) bool { return slices.Contains(c.heads, pieces[below].span) })
			if c >= 0 && !slices.Contains(columns[c].over, p.span) {
				columns[c].over = append(columns[c].over, p.span)
			}
		}
	}
	for i := range columns {
		slices.SortFunc(columns[i].heads, func(a, b span) int { return cmp.Compare(a.from, b.from) })
		slices.SortFunc(columns[i].over, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	}
	return columns
}

// spanned gives the pieces that a piece stands over, when there are several: by
// its width, by the rule below it, or because it stands over the gap between.
func (f *finder) spanned(pieces []piece, at int) []int {
	p := pieces[at]
	reach := p.box
	line := f.words[p.from].line
	if rule, ok := f.rulings[f.lines[line].page].below(p.box); ok {
		shared := slices.ContainsFunc(pieces, func(o piece) bool {
			return o.span != p.span && f.words[o.from].line == line && o.box.X0 < rule.x1 && o.box.X1 > rule.x0
		})
		if !shared {
			reach.X0, reach.X1 = min(reach.X0, rule.x0), max(reach.X1, rule.x1)
		}
	}
	var found []int
	right := -1.0
	left, next := -1, -1 // what stands below on either side
	for i, o := range pieces {
		if f.words[o.from].line <= line || o.box.Y0 < p.box.Y1-0.25*p.box.Height() {
			continue // not below it
		}
		if overlap(reach, o.box) > 0.5 && o.box.Width() < reach.Width() && o.box.X0 >= right {
			found = append(found, i)
			right = o.box.X1
		}
		switch {
		case overlap(p.box, o.box) > 0.5:
			left, next = -2, -2
		case left >= -1 && o.box.X0+o.box.X1 < p.box.X0+p.box.X1:
			left = i
		case next == -1:
			next = i
		}
	}
	if len(found) > 1 {
		return found
	}
	if left < 0 || next < 0 {
		return nil
	}
	for _, o := range pieces { // a head of its own stands over one of them
		if f.words[o.from].line <= line && o.span != p.span && (overlap(o.box, pieces[left].box) > 0.3 || overlap(o.box, pieces[next].box) > 0.3) {
			return nil
		}
	}
	a, b := pieces[left].box, pieces[next].box
	middle, between := (a.X0+a.X1+b.X0+b.X1)/4, (b.X0+b.X1-a.X0-a.X1)/2
	if abs(middle-(p.box.X0+p.box.X1)/2) > 0.2*between || between > widestPair {
		return nil
	}
	return []int{left, next}
}

// overlap is the share of the narrower box that stands over or under the other.
func overlap(a, b page.Box) float64 {
	width := min(a.Width(), b.Width())
	if !(width > 0) {
		return 0
	}
	return (min(a.X1, b.X1) - max(a.X0, b.X0)) / width
}

// match gives columns to the targets of a table, the surest first.
func (f *finder) match(t int, columns []column) header {
	type choice struct {
		column, target int
		score          float64
	}
	var choices []choice
	for c := range columns {
		for _, text := range f.headTexts(columns[c]) {
			for _, m := range f.labels.match(text.text) {
				if f.targets[m.target].table == t {
					choices = append(choices, choice{c, m.target, m.score * text.factor})
				}
			}
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return cmp.Compare(b.score, a.score) })
	h := header{columns: slices.Clone(columns)}
	taken := map[int]bool{}
	for _, c := range choices {
		if h.columns[c.column].target < 0 && !taken[c.target] {
			h.columns[c.column].target, h.columns[c.column].score, h.columns[c.column].told = c.target, c.score, true
			taken[c.target] = true
			h.score += c.score
			h.matched++
		}
	}
	return h
}

type headText struct {
	text   string
	factor float64
}

// headTexts gives what a head may be called: all its lines, with a word that is
// broken made whole, or one of them.
func (f *finder) headTexts(c column) []headText {
	all := append(slices.Clone(c.over), c.heads...)
	var b strings.Builder
	for i, s := range all {
		if i > 0 && !strings.HasSuffix(b.String(), "-") {
			b.WriteByte(' ')
		}
		b.WriteString(f.text(s))
	}
	whole := b.String()
	texts := []headText{{strings.TrimRight(whole, ": "), 1}}
	if len(all) > 1 {
		if strings.Contains(whole, "-") {
			texts = append(texts, headText{strings.ReplaceAll(whole, "-", ""), 1})
		}
		for _, s := range all {
			texts = append(texts, headText{f.label(s), 0.9})
		}
	}
	if s := c.heads[0]; len(all) == 1 && s.to-s.from > 2 { // "Description of goods"
		texts = append(texts, headText{f.label(span{s.from, s.from + 1}), 0.85}, headText{f.label(span{s.from, s.from + 2}), 0.85})
	}
	return texts
}

// titled tells how far the words over a header are those that an array is
// called by: "Deposits" tells its table from "Withdrawals".
func (x *extraction) titled(t int, h header) float64 {
	const linesOver = 3
	best := 0.0
	for at := h.first - 1; at >= 0 && at >= h.first-linesOver && x.lines[at].page == x.lines[h.first].page; at-- {
		l := x.lines[at]
		for _, s := range x.segments[l.from:l.to] {
			if s.to-s.from > longestHead {
				continue
			}
			printed := x.labels.lexicon.concepts(x.label(s.span))
			found := 0
			for _, c := range x.arrays[t] {
				if slices.Contains(printed, c) || slices.Contains(printed, strings.TrimSuffix(c, "s")) {
					found++
				}
			}
			best = max(best, float64(found)/float64(max(1, len(x.arrays[t]))))
		}
	}
	return best
}

// others reports whether a header stands under the name of another array.
func (x *extraction) others(t int, h header) bool {
	own := x.titled(t, h)
	for o := range x.tables {
		if o != t && x.titled(o, h) > own {
			return true
		}
	}
	return false
}

// heads gives all words of a header.
func (h header) heads() []span {
	var heads []span
	for _, c := range h.columns {
		heads = append(append(heads, c.over...), c.heads...)
	}
	return heads
}

// alike reports whether another header names the same columns in the same
// words: the table goes on below it.
func (x *extraction) alike(h, o header) bool {
	if h.matched != o.matched || len(h.columns) != len(o.columns) {
		return false
	}
	for i, c := range h.columns {
		if c.target != o.columns[i].target || x.headKey(c) != x.headKey(o.columns[i]) {
			return false
		}
	}
	return true
}

func (x *extraction) headKey(c column) string {
	var b strings.Builder
	for _, s := range append(slices.Clone(c.over), c.heads...) {
		b.WriteString(x.text(s))
	}
	return strings.ToLower(b.String())
}

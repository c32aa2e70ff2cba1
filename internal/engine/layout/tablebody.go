package layout

import (
	"slices"
	"strings"
	"unicode"

	"fieldlift"
	"fieldlift/internal/value"
)

// strip is a line divided among the columns of a table.
type strip struct {
	line    int
	cells   []span // by column
	filled  int
	figures int  // cells that are figures, in columns of figures
	asked   int  // of those that are asked for
	bad     int  // cells that cannot be what their column is asked for
	prose   bool // words run across the columns
	ruled   bool // a rule parts it from the strip before it
}

// row is strips that belong together.
type row struct {
	strips []strip
	values []reading // by column; only of those that are asked for
}

// table is a header and what was read below it.
type table struct {
	header
	found   header // as it was found, before columns were added
	figures []bool // by column: cells are figures
	usual   int    // cells of a row that are figures
	lead    int    // the first column that rows fill
	text    bool   // all that is asked for is text: what stands there is taken as it is
	rows    []row
	end     int // the line after the last row
}

const (
	tallestGap   = 4.0 // between rows, in heights of a line
	continuation = 1.0 // how close a wrapped line stands, in heights of a line
	mostStrays   = 2   // in a row, that are no rows and end no table
	pageHead     = 14  // lines at the head of a page that may come before its rows
	pageFoot     = 10  // lines at the foot of a page that may come after them
	lookAhead    = 12  // lines after which a table may go on
	mostWrapped  = 40  // lines of one row
	mostLone     = 6   // lines of the only row of a table that rules part
	widestCell   = 0.3 // around a head, in widths of a page
	fewestProse  = 5   // words that run across columns
	longestMonth = 10  // letters
	lowestEnd    = 0.6 // of a page that rows reach at least before they go on on the next
)

// readBody reads the rows below a header, on its page and on those that
// follow, up to a line.
func (x *extraction) readBody(t int, h header, end int) *table {
	tb := &table{header: h, found: h, end: h.last + 1}
	tb.text = !slices.ContainsFunc(x.tables[t], func(target int) bool { return x.targets[target].typed() })
	from := h.last + 1
	if h.bare {
		from = h.last
	}
	if from >= end {
		return tb
	}
	to := x.bodyEnd(&tb.header, from, end)
	x.setBands(&tb.header, x.fullLines(&h, from, to))
	open := x.readPage(tb, from, to, true)
	if len(tb.rows) > 0 { // now that rows are known, they tell the columns
		again := &table{header: h, found: h, text: tb.text, end: h.last + 1}
		x.setBands(&again.header, x.anchorLines(tb))
		open = x.readPage(again, from, to, true)
		tb = again
	}
	for len(tb.rows) > 0 && open && tb.usual > 0 {
		next := x.pageAfter(tb.end, end)
		if next < 0 || !x.sameGrid(&tb.header, next, x.pageEnd(next, end)) {
			break
		}
		last := tb.end
		open = x.readPage(tb, next, x.pageEnd(next, end), false) && tb.end > last
	}
	return tb
}

// anchorLines gives the lines of rows that have the figures.
func (x *extraction) anchorLines(tb *table) []int {
	var lines []int
	for _, r := range tb.rows {
		for _, s := range r.strips {
			if x.anchors(tb, s) || tb.usual == 0 && s.filled > 1 {
				lines = append(lines, s.line)
			}
		}
	}
	return lines
}

// typed reports whether a target's values are known by their look.
func (t *target) typed() bool {
	return t.field.Type != fieldlift.StringField || t.field.Enum != nil
}

// pageEnd gives the line after the last of a page.
func (x *extraction) pageEnd(from, end int) int {
	to := from
	for to < end && x.lines[to].page == x.lines[from].page {
		to++
	}
	return to
}

// pageAfter gives the first line of the next page, -1 if too much comes before
// it or there is none.
func (x *extraction) pageAfter(from, end int) int {
	if from == 0 {
		return -1
	}
	number := x.lines[from-1].page
	if x.lines[from-1].box.Y1 < lowestEnd {
		return -1
	}
	to := from
	for to < end && x.lines[to].page == number {
		to++
	}
	if to >= end || to-from > pageFoot || x.lines[to].page != number+1 {
		return -1
	}
	return to
}

// bodyEnd gives the line before which a table must end on its page: where its
// vertical rules end, or a wide gap begins.
func (x *extraction) bodyEnd(h *header, from, end int) int {
	if x.lines[from].page != x.lines[h.last].page {
		return x.pageEnd(from, end)
	}
	to := x.pageEnd(from, end)
	if bottom, ok := x.gridEnd(h); ok {
		for at := from; at < to; at++ {
			if x.lines[at].box.CenterY() > bottom {
				return at
			}
		}
		return to
	}
	before := x.lines[h.last].box
	for at := from; at < to; at++ {
		b := x.lines[at].box
		if b.Y0-before.Y1 > tallestGap*max(before.Height(), b.Height()) {
			return at
		}
		before = b
	}
	return to
}

// gridEnd follows the vertical rules of a header down to where they end.
func (x *extraction) gridEnd(h *header) (float64, bool) {
	l := x.lines[h.last]
	r := x.rulings[l.page]
	left, right := h.columns[0].box.X0, h.columns[len(h.columns)-1].box.X1
	y0, y1 := x.lines[h.first].box.Y0, l.box.Y1
	ends := 0
	bottom := 0.0
	for _, at := range r.downBetween(left-widestCell, right+widestCell, y0, y1) {
		if end := r.bottom(at, y1); end > y1+1.5*l.box.Height() {
			ends++
			bottom = max(bottom, end)
		}
	}
	return bottom, ends >= 2
}

// sameGrid reports whether the rules of a later page are those of the header's,
// where it has any.
func (x *extraction) sameGrid(h *header, from, to int) bool {
	if _, ok := x.gridEnd(h); !ok {
		return true
	}
	r := x.rulings[x.lines[from].page]
	edges, found := 0, 0
	for _, c := range h.columns {
		if !c.ruled {
			continue
		}
		edges++
		for at := from; at < min(to, from+pageHead); at++ {
			if b := x.lines[at].box; len(r.downBetween(c.x0-touching, c.x0+touching, b.Y0, b.Y1)) > 0 {
				found++
				break
			}
		}
	}
	return 2*found >= edges
}

// readPage reads the rows of one page and reports whether the table may go on
// on the next. On a page without a header it begins at the first sure row.
func (x *extraction) readPage(tb *table, from, to int, first bool) bool {
	strips := make([]strip, 0, to-from)
	for at := from; at < to; at++ {
		if s := x.divide(tb, at); s.filled > 0 {
			strips = append(strips, s)
		}
	}
	if first {
		x.learn(tb, strips)
	}
	for i := range strips {
		x.weigh(tb, &strips[i])
	}
	if !first {
		start := slices.IndexFunc(strips, func(s strip) bool { return x.surely(tb, s) })
		if start < 0 || start > pageHead {
			return false
		}
		strips = strips[start:]
	}
	before := len(tb.rows)
	units := x.group(tb, strips)
	open := x.walk(tb, units)
	x.shareMerged(tb, tb.rows[before:])
	return open
}

// divide puts the words of a line into columns.
func (x *extraction) divide(tb *table, at int) strip {
	s := strip{line: at, cells: make([]span, len(tb.columns))}
	l := x.lines[at]
	put := func(c int, words span) {
		if c < 0 {
			return
		}
		if cell := &s.cells[c]; cell.empty() {
			*cell = words
			s.filled++
		} else if words.from >= cell.to {
			cell.to = words.to
		}
	}
	for _, g := range x.segments[l.from:l.to] {
		b := x.words[g.from].Box
		e := x.words[g.to-1].Box
		first, last := tb.columnAt((b.X0+b.X1)/2), tb.columnAt((e.X0+e.X1)/2)
		if first == last {
			put(first, g.span)
			continue
		}
		alone := l.to-l.from == 1 && g.to-g.from >= 3 // a whole line without a gap is no row
		s.prose = s.prose || x.isOpen(tb, at, first, last) && (alone || x.isProse(g.span))
		at, from := first, g.from
		for i := g.from; i < g.to; i++ {
			b := x.words[i].Box
			c := tb.columnAt((b.X0 + b.X1) / 2)
			if c != at {
				put(at, span{from, i})
				at, from = c, i
			}
		}
		put(at, span{from, g.to})
	}
	for c := range s.cells {
		if cell := &s.cells[c]; !cell.empty() {
			for cell.to-cell.from > 1 && isLeader(x.words[cell.to-1].Text) {
				cell.to--
			}
		}
	}
	return s
}

// isLeader reports whether a word is the dots that lead from a label to its
// figures.
func isLeader(text string) bool { return strings.Trim(text, "._…·") == "" }

// isOpen reports whether on a line two columns have an edge between them that
// is no rule. Words outside of the table are not parted either.
func (x *extraction) isOpen(tb *table, at, first, last int) bool {
	if first < 0 || last < first {
		return true
	}
	l := x.lines[at]
	return slices.ContainsFunc(tb.columns[first+1:last+1], func(c column) bool {
		return !c.ruled || len(x.rulings[l.page].downBetween(c.x0-touching, c.x0+touching, l.box.Y0, l.box.Y1)) == 0
	})
}

// isProse reports whether words that run across columns are a sentence.
func (x *extraction) isProse(s span) bool {
	figures := 0
	for _, w := range x.words[s.from:s.to] {
		if hasDigit(w.Text) {
			figures++
		}
	}
	return s.to-s.from >= fewestProse && 3*figures < s.to-s.from
}

// learn finds out which columns have figures, and how many a row has.
func (x *extraction) learn(tb *table, strips []strip) {
	strips = strips[:min(len(strips), mostSample/4)] // what follows the table must not mislead
	tb.figures = make([]bool, len(tb.columns))
	for c := range tb.columns {
		var filled, figures int
		for _, s := range strips {
			if s.cells[c].empty() || s.filled < 2 || s.prose {
				continue
			}
			filled++
			if x.isFigure(tb, c, s.cells[c]) {
				figures++
			}
		}
		least := 6
		if t := tb.columns[c].target; t >= 0 && x.targets[t].typed() {
			least = 3 // what is asked for is figures, whatever follows the table
		}
		tb.figures[c] = figures > 0 && 10*figures >= least*filled
	}
	var counts []int
	for i := range strips {
		x.weigh(tb, &strips[i])
		if s := strips[i]; s.figures > 0 && (s.filled > 1 || len(tb.columns) == 1) {
			counts = append(counts, s.figures)
		}
	}
	counts = counts[:min(len(counts), 8)]
	slices.Sort(counts)
	if len(counts) > 0 {
		tb.usual = counts[len(counts)*3/4]
	}
	for c := len(tb.columns) - 1; c >= 0; c-- {
		filled, rows := 0, 0
		for _, s := range strips {
			if 2*s.figures >= tb.usual && !s.prose && s.filled > 1 {
				rows++
				if !s.cells[c].empty() {
					filled++
				}
			}
		}
		if filled > 0 && 10*filled >= 8*rows {
			tb.lead = c
		}
	}
}

// weigh counts what a strip has, and gives words back to the text before them
// that ran over into a column of figures.
func (x *extraction) weigh(tb *table, s *strip) {
	s.figures, s.asked, s.bad, s.filled = 0, 0, 0, 0
	for c := range s.cells {
		cell := s.cells[c]
		if cell.empty() {
			continue
		}
		is := x.isFigure(tb, c, cell)
		if c > 0 && tb.figures[c] && !is && !tb.figures[c-1] && !tb.columns[c].ruled && s.cells[c-1].to == cell.from && x.together(cell.from) {
			s.cells[c-1].to, s.cells[c] = cell.to, span{}
			continue
		}
		s.filled++
		asked := tb.columns[c].target >= 0 && x.targets[tb.columns[c].target].typed()
		switch {
		case is && tb.figures[c]:
			s.figures++
			if asked {
				s.asked++
			}
		case asked && !is && !isDash(x.text(cell)):
			s.bad++
		}
	}
}

// together reports whether a word is on the segment of the word before it.
func (x *extraction) together(word int) bool {
	l := x.lines[x.words[word].line]
	return slices.ContainsFunc(x.segments[l.from:l.to], func(g segment) bool { return g.from < word && word < g.to })
}

// isFigure reports whether a cell is a figure, a date or what else is written
// in digits; or what its column is asked for.
func (x *extraction) isFigure(tb *table, c int, cell span) bool {
	if target := tb.columns[c].target; target >= 0 && x.targets[target].typed() {
		_, ok := x.readTyped(&x.targets[target], []span{cell})
		return ok
	}
	if cell.to-cell.from > longestTyped {
		return false
	}
	return looksLikeFigure(x.text(cell))
}

func looksLikeFigure(text string) bool {
	var digits, letters int
	for _, r := range text {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	if digits == 0 {
		return false
	}
	first := strings.TrimLeft(text, "-+–−($€£¥# ")
	begins := first != "" && first[0] >= '0' && first[0] <= '9'
	if letters <= digits && (begins || letters < 4) || begins && letters <= digits+3 {
		return true
	}
	if letters < 3 || letters > digits+longestMonth {
		return false
	}
	_, ok := value.Date(text, value.Locale{})
	return ok
}

func isDash(text string) bool { return strings.Trim(text, "-–—. ") == "" }

// anchors reports whether a strip has enough figures to be a row.
func (x *extraction) anchors(tb *table, s strip) bool {
	if tb.usual == 0 {
		return false
	}
	if tb.text {
		return !s.prose && s.filled > 1 && (2*max(s.figures, tb.fills(s)) >= tb.usual || s.figures > 0 && !s.cells[tb.lead].empty())
	}
	if s.cells[tb.lead].empty() && 4*s.figures < 3*tb.usual {
		return false
	}
	wanted := slices.ContainsFunc(tb.columns, func(c column) bool { return c.target >= 0 && x.targets[c.target].typed() })
	return !s.prose && 2*s.figures >= tb.usual && (s.asked > 0 || !wanted) && s.bad <= s.asked && (s.filled > 1 || len(tb.columns) == 1)
}

// fills counts the columns of figures that have something.
func (tb *table) fills(s strip) int {
	n := 0
	for c, cell := range s.cells {
		if tb.figures[c] && !cell.empty() {
			n++
		}
	}
	return n
}

// surely reports whether a strip has as many figures as rows have.
func (x *extraction) surely(tb *table, s strip) bool {
	return x.anchors(tb, s) && s.figures >= tb.usual && s.bad == 0
}

// unit is strips that are one row, or none.
type unit struct {
	strips []strip
	last   int // line, also of what is left out
	isRow  bool
}

// group makes rows of strips: what rules part, or what stands around lines
// with figures.
func (x *extraction) group(tb *table, strips []strip) []unit {
	if len(strips) == 0 {
		return nil
	}
	x.markRules(tb, strips)
	if !x.ruledRows(tb, strips) {
		return x.gather(tb, strips)
	}
	var units []unit
	for from := 0; from < len(strips); {
		to := from + 1
		for to < len(strips) && !strips[to].ruled {
			to++
		}
		units = append(units, x.between(tb, strips[from:to])...)
		from = to
	}
	return units
}

// between makes rows of what stands between two rules: one, unless a further
// line begins anew with figures where the row has some already.
func (x *extraction) between(tb *table, strips []strip) []unit {
	var units []unit
	from := 0
	for i := 1; i < len(strips); i++ {
		if x.anchors(tb, strips[i]) && x.repeats(tb, strips[from:i], strips[i]) {
			units = append(units, x.unitOf(tb, strips[from:i]))
			from = i
		}
	}
	return append(units, x.unitOf(tb, strips[from:]))
}

// repeats reports whether a strip fills the first column and a column of
// figures again.
func (x *extraction) repeats(tb *table, above []strip, s strip) bool {
	return slices.ContainsFunc(above, func(a strip) bool {
		if a.cells[tb.lead].empty() != s.cells[tb.lead].empty() {
			return false
		}
		for c, cell := range s.cells {
			if tb.figures[c] && !cell.empty() && !a.cells[c].empty() && c != tb.lead {
				return !s.cells[tb.lead].empty() || x.surely(tb, s)
			}
		}
		return false
	})
}

// unitOf takes strips for one row if they have the figures of one together.
func (x *extraction) unitOf(tb *table, strips []strip) unit {
	last := strips[len(strips)-1].line
	strips = strips[:min(len(strips), mostWrapped)]
	if i := slices.IndexFunc(strips, func(s strip) bool { return s.prose }); i > 0 {
		strips = strips[:i] // what follows is about the row, and not in its cells
	}
	sum := strip{cells: make([]span, len(tb.columns))}
	for _, s := range strips {
		sum.figures += s.figures
		sum.asked += s.asked
		sum.bad += s.bad
		sum.prose = sum.prose || s.prose
		for c, cell := range s.cells {
			if !cell.empty() && sum.cells[c].empty() {
				sum.cells[c] = cell
				sum.filled++
			}
		}
	}
	isRow := x.anchors(tb, sum) || slices.ContainsFunc(strips, func(s strip) bool { return x.anchors(tb, s) })
	if !isRow && (tb.text || tb.usual == 0) {
		isRow = sum.filled > 1 && !sum.prose
	}
	return unit{strips, last, isRow}
}

// markRules notes which strips a rule parts from the one before.
func (x *extraction) markRules(tb *table, strips []strip) {
	for i := 1; i < len(strips); i++ {
		a, b := x.lines[strips[i-1].line], x.lines[strips[i].line]
		r := x.rulings[a.page]
		if len(r.across) == 0 || a.page != b.page {
			continue
		}
		parted := 0
		for _, c := range tb.columns {
			if r.covered(c.x0+0.1*(c.x1-c.x0), c.x1-0.1*(c.x1-c.x0), a.box.CenterY(), b.box.CenterY()) > 0.6 {
				parted++
			}
		}
		strips[i].ruled = 2*parted >= len(tb.columns)
	}
}

// ruledRows reports whether rules part the rows.
func (x *extraction) ruledRows(tb *table, strips []strip) bool {
	pairs, parted, rules := 0, 0, 0
	last, since := -1, false
	for i, s := range strips {
		if s.ruled {
			since = true
			if !s.prose && !strips[i-1].prose {
				rules++
			}
		}
		if !x.anchors(tb, s) {
			continue
		}
		if last >= 0 {
			pairs++
			if since {
				parted++
			}
		}
		last, since = i, false
	}
	if pairs == 0 {
		_, grid := x.gridEnd(&tb.header)
		return rules > 0 && (grid || last < 0 || x.lone(strips, last) <= mostLone)
	}
	return 10*parted >= 6*pairs || rules > 0 && !x.conflicts(tb, strips)
}

// conflicts reports whether between two rules a column that is asked for has
// figures on two lines.
func (x *extraction) conflicts(tb *table, strips []strip) bool {
	has := make([]bool, len(tb.columns))
	for _, s := range strips {
		if s.ruled {
			clear(has)
		}
		for c, cell := range s.cells {
			if cell.empty() || !tb.figures[c] || tb.columns[c].target < 0 || !x.isFigure(tb, c, cell) {
				continue
			}
			if has[c] {
				return true
			}
			has[c] = true
		}
	}
	return false
}

// lone counts the strips around one that no rule parts from it.
func (x *extraction) lone(strips []strip, at int) int {
	from, to := at, at+1
	for from > 0 && !strips[from].ruled {
		from--
	}
	for to < len(strips) && !strips[to].ruled {
		to++
	}
	return to - from
}

// gather makes rows of strips that no rules part: each line with figures is
// one, and lines of text belong to the row that they stand closest to.
func (x *extraction) gather(tb *table, strips []strip) []unit {
	var anchors []int
	for i, s := range strips {
		if x.anchors(tb, s) || tb.usual == 0 && x.opens(tb, strips, i) {
			anchors = append(anchors, i)
		}
	}
	owner := make([]int, len(strips)) // an anchor, -1 for none
	for i := range owner {
		owner[i] = -1
	}
	for _, a := range anchors {
		owner[a] = a
	}
	centred := tb.usual > 0 && len(anchors) > 0 && x.isCentred(tb, strips, anchors)
	for n, a := range anchors {
		next := len(strips)
		if n+1 < len(anchors) {
			next = anchors[n+1]
		}
		down := a + 1 // lines from here on do not belong to a
		for down < next && down-a < mostWrapped && x.wraps(tb, strips[down]) && x.close(strips[down-1], strips[down]) {
			down++
		}
		for up := a - 1; centred && up >= 0 && owner[up] < 0 && x.wraps(tb, strips[up]) && x.close(strips[up], strips[up+1]); up-- {
			owner[up] = a
		}
		if centred && down == next && next < len(strips) {
			down = x.widest(strips, a, next)
		}
		for i := a + 1; i < down; i++ {
			owner[i] = a
		}
	}
	if tb.text && tb.usual > 0 {
		x.placeLabels(tb, strips, owner)
	}
	var units []unit
	for i := 0; i < len(strips); {
		j := i + 1
		for j < len(strips) && owner[j] == owner[i] && owner[i] >= 0 {
			j++
		}
		units = append(units, unit{strips[i:j], strips[j-1].line, owner[i] >= 0})
		i = j
	}
	return units
}

// placeLabels tells for lines that have nothing but a label whether they belong
// to the row above, to the one below, or are rows of their own: a line is broken
// where the next word has no room.
func (x *extraction) placeLabels(tb *table, strips []strip, owner []int) {
	right := 0.0
	for _, s := range strips {
		if cell := s.cells[tb.lead]; !cell.empty() && !s.prose {
			right = max(right, x.box(cell).X1)
		}
	}
	broken := func(a, b int) bool {
		if a < 0 || b >= len(strips) || !x.close(strips[a], strips[b]) {
			return false
		}
		above, below := strips[a].cells[tb.lead], strips[b].cells[tb.lead]
		if above.empty() || below.empty() {
			return false
		}
		box := x.box(above)
		return box.X1+0.3*box.Height()+x.words[below.from].Box.Width() > right
	}
	for i, s := range strips {
		if s.prose || s.filled != 1 || s.cells[tb.lead].empty() {
			continue
		}
		next := i + 1
		for next < len(strips) && owner[next] != next {
			next++
		}
		switch {
		case broken(i-1, i) && owner[i-1] >= 0:
			owner[i] = owner[i-1]
		case next < len(strips) && next <= i+2 && broken(i, i+1):
			owner[i] = next
		case next < len(strips) && next <= i+2:
			owner[i] = i
		default:
			owner[i] = -1
		}
	}
}

// isCentred reports whether text of a row stands above its figures too: before
// the first, and as much before the others.
func (x *extraction) isCentred(tb *table, strips []strip, anchors []int) bool {
	above, below := anchors[0], anchors[0]
	for above > 0 && x.wraps(tb, strips[above-1]) && x.close(strips[above-1], strips[above]) {
		above--
	}
	for below+1 < len(strips) && !slices.Contains(anchors[:min(2, len(anchors))], below+1) && x.wraps(tb, strips[below+1]) && x.close(strips[below], strips[below+1]) {
		below++
	}
	lines := anchors[0] - above
	if len(anchors) > 1 {
		return lines > 0 && below-anchors[0] >= lines
	}
	return lines > 0 && below-anchors[0] == lines
}

// widest gives where to part the lines between two rows whose cells are set in
// the middle: at the widest gap, else half way.
func (x *extraction) widest(strips []strip, from, to int) int {
	best, at, least := -1.0, from+1, 2.0
	for i := from + 1; i <= to; i++ {
		gap := x.lines[strips[i].line].box.Y0 - x.lines[strips[i-1].line].box.Y1
		if gap > best {
			best, at = gap, i
		}
		least = min(least, gap)
	}
	if best-least > 0.2*x.lines[strips[from].line].box.Height() {
		return at
	}
	return from + (to-from+1)/2
}

// opens reports whether a line begins a row of a table of text: its first
// column has something, and its last ended.
func (x *extraction) opens(tb *table, strips []strip, i int) bool {
	s := strips[i]
	if s.prose || s.filled < min(2, len(tb.columns)) {
		return false
	}
	for c := range tb.columns {
		if tb.columns[c].target >= 0 {
			return !s.cells[c].empty()
		}
	}
	return false
}

// wraps reports whether a strip can be a further line of a row's text.
func (x *extraction) wraps(tb *table, s strip) bool {
	if s.prose || s.asked > 0 {
		return false
	}
	for c, cell := range s.cells {
		if !cell.empty() && tb.columns[c].target >= 0 && !tb.figures[c] && !x.targets[tb.columns[c].target].typed() {
			return true
		}
	}
	return false
}

// isAttribute reports whether a further line of a cell is a label with a figure,
// as in "Serial no: 4711": more about a row, but not its text.
func (x *extraction) isAttribute(s span) bool {
	end := x.segments[x.lines[x.words[s.from].line].to-1].to // the figure may stand in another column
	for i := s.from; i < s.to && i < s.from+4; i++ {
		if strings.HasSuffix(x.words[i].Text, ":") || x.endsSegment(i) || i+1 < end && strings.HasPrefix(x.words[i+1].Text, ":") {
			rest := span{i + 1, end}
			return rest.empty() || rest.to-rest.from <= 4 && hasDigit(x.text(rest))
		}
	}
	return false
}

// endsSegment reports whether a colon that stood alone followed a word.
func (x *extraction) endsSegment(word int) bool {
	l := x.lines[x.words[word].line]
	return slices.ContainsFunc(x.segments[l.from:l.to], func(g segment) bool { return g.colon && g.to == word+1 })
}

// close reports whether two strips stand as close as lines of one cell.
func (x *extraction) close(a, b strip) bool { return x.near(x.lines[a.line], x.lines[b.line]) }

func (x *extraction) near(above, below line) bool {
	return above.page == below.page && below.box.Y0-above.box.Y1 <= continuation*min(above.box.Height(), below.box.Height())
}

// walk takes rows until the table ends. Sums are passed over when rows follow,
// and end the table else.
func (x *extraction) walk(tb *table, units []unit) bool {
	strays := 0
	before := tb.end - 1
	for i, u := range units {
		first := x.lines[u.strips[0].line]
		last := x.lines[before]
		far := first.page == last.page && first.box.Y0-last.box.Y1 > tallestGap*max(first.box.Height(), last.box.Height())
		switch {
		case far && len(tb.rows) > 0 && !x.inGrid(tb, first.box.CenterY()):
			return false
		case u.isRow && !tb.text && len(tb.rows) > 0 && x.isTotal(tb, u):
			if !x.goesOn(tb, units[i+1:]) {
				return false
			}
		case u.isRow:
			tb.rows = append(tb.rows, row{strips: u.strips})
			strays = 0
			before = u.last
			tb.end = before + 1
		default:
			strays += len(u.strips)
			foreign := x.isForeign(tb, u)
			if foreign && len(tb.rows) > 0 && !x.near(last, first) {
				return false
			}
			if (strays > mostStrays || foreign) && len(tb.rows) > 0 && !x.goesOn(tb, units[i+1:]) {
				return true
			}
			before = u.last
		}
	}
	return true
}

// isForeign recognises the heads of another table: text where figures belong.
func (x *extraction) isForeign(tb *table, u unit) bool {
	text := 0
	for _, s := range u.strips {
		for c, cell := range s.cells {
			if !cell.empty() && tb.figures[c] && !hasDigit(x.text(cell)) && !isDash(x.text(cell)) {
				text++
			}
		}
	}
	return text > 1 && u.strips[0].figures == 0
}

func (x *extraction) inGrid(tb *table, y float64) bool {
	bottom, ok := x.gridEnd(&tb.header)
	return ok && y < bottom
}

// goesOn reports whether a sure row follows soon.
func (x *extraction) goesOn(tb *table, units []unit) bool {
	for i, u := range units {
		if i > lookAhead {
			break
		}
		if u.isRow && (tb.text || !x.isTotal(tb, u)) && slices.ContainsFunc(u.strips, func(s strip) bool { return x.surely(tb, s) }) {
			return true
		}
	}
	return false
}

// totalWords are what sums and balances begin with.
const totalWords = " total subtotal tax net gross balance discount shipping due opening closing "

// isTotal recognises sums: they leave columns empty and begin with such a word,
// or with words where rows have none.
func (x *extraction) isTotal(tb *table, u unit) bool {
	filled, usual := fills(len(tb.columns), u.strips), fills(len(tb.columns), tb.rows[0].strips)
	if n := count(usual); count(filled) >= n && n > 2 && filled[tb.lead] {
		return false
	}
	for c, cell := range u.strips[0].cells {
		if cell.empty() || !hasLetter(x.text(cell)) || looksLikeFigure(x.text(cell)) {
			continue
		}
		if !filled[tb.lead] && !usual[c] {
			return true
		}
		printed := x.labels.lexicon.concepts(x.label(span{cell.from, min(cell.to, cell.from+4)}))
		if slices.ContainsFunc(printed[:min(2, len(printed))], func(c string) bool { return strings.Contains(totalWords, " "+c+" ") }) {
			return true
		}
	}
	return false
}

// fills tells which columns strips fill.
func fills(columns int, strips []strip) []bool {
	filled := make([]bool, columns)
	for _, s := range strips {
		for c, cell := range s.cells {
			filled[c] = filled[c] || !cell.empty()
		}
	}
	return filled
}

func count(filled []bool) int {
	n := 0
	for _, f := range filled {
		if f {
			n++
		}
	}
	return n
}

// shareMerged gives all rows that a cell reaches over its words: where rules
// part the rows, but not in that column, one of them has the words.
func (x *extraction) shareMerged(tb *table, rows []row) {
	for c := range tb.columns {
		if tb.columns[c].target < 0 {
			continue
		}
		for from := 0; from < len(rows); {
			to := from + 1
			for to < len(rows) && x.merged(tb, c, rows[to-1], rows[to]) {
				to++
			}
			x.share(c, rows[from:to])
			from = to
		}
	}
}

// merged reports whether a cell reaches from a row to the next one.
func (x *extraction) merged(tb *table, c int, above, below row) bool {
	a, b := x.lines[above.strips[len(above.strips)-1].line], x.lines[below.strips[0].line]
	if a.page != b.page || !below.strips[0].ruled {
		return false
	}
	e := tb.columns[c]
	return x.rulings[a.page].covered(e.x0+0.1*(e.x1-e.x0), e.x1-0.1*(e.x1-e.x0), a.box.CenterY(), b.box.CenterY()) < 0.3
}

func (x *extraction) share(c int, rows []row) {
	var words []span
	have := 0
	for _, r := range rows {
		if cells := r.cells(c); len(cells) > 0 {
			words = cells
			have++
		}
	}
	if have != 1 || len(rows) < 2 {
		return
	}
	for i := range rows {
		if len(rows[i].cells(c)) == 0 {
			s := rows[i].strips[0]
			s.cells = slices.Clone(s.cells)
			s.cells[c] = words[0]
			rows[i].strips = append([]strip{s}, rows[i].strips[1:]...)
		}
	}
}

// cells gives what a row has in a column, line by line.
func (r row) cells(c int) []span {
	var cells []span
	for _, s := range r.strips {
		if !s.cells[c].empty() {
			cells = append(cells, s.cells[c])
		}
	}
	return cells
}

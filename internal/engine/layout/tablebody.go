package layout

import "slices"

// table is a header and what was read below it.
type table struct {
	header
	found   header  // as it was found, before columns were added
	figures []bool  // by column: cells are figures
	usual   int     // cells of a row that are figures
	lead    int     // the first column that rows fill
	text    bool    // all that is asked for is text: what stands there is taken as it is
	untold  bool    // no head tells which column has a text that is asked for: it may be any
	bottom  float64 // where its vertical rules end on the header's page, 0 where it has none
	rows    []row
	end     int // the line after the last row
}

const (
	pageHead   = 14  // lines at the head of a page that may come before its rows
	pageFoot   = 10  // lines at the foot of a page that may come after them
	lowestEnd  = 0.6 // of a page that rows reach at least before they go on on the next
	widestCell = 0.3 // around a head, in widths of a page
)

// readBody reads the rows below a header, on its page and on those that
// follow, up to a line.
func (x *extraction) readBody(t int, h header, end int) *table {
	tb := &table{header: h, found: h, end: h.last + 1, bottom: x.gridEnd(&h)}
	tb.text = !slices.ContainsFunc(x.tables[t], func(target int) bool { return x.targets[target].typed() })
	tb.untold = slices.ContainsFunc(x.tables[t], func(target int) bool {
		return !x.targets[target].typed() && !slices.ContainsFunc(h.columns, func(c column) bool { return c.target == target })
	})
	from := h.last + 1
	if h.bare {
		from = h.last
	}
	if from >= end {
		return tb
	}
	to := x.bodyEnd(tb, from, end)
	x.setBands(&tb.header, x.fullLines(&h, from, to))
	open := x.readPage(tb, from, to, true)
	if len(tb.rows) > 0 { // now that rows are known, they tell the columns
		again := &table{header: h, found: h, text: tb.text, untold: tb.untold, end: h.last + 1, bottom: tb.bottom}
		x.setBands(&again.header, x.anchorLines(tb))
		open = x.readPage(again, from, to, true)
		tb = again
	}
	for len(tb.rows) > 0 && open {
		next := x.pageAfter(tb.end, end)
		if next < 0 || !x.sameGrid(tb, next, x.pageEnd(next, end)) {
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
func (x *extraction) bodyEnd(tb *table, from, end int) int {
	to := x.pageEnd(from, end)
	if x.lines[from].page != x.lines[tb.last].page {
		return to
	}
	if tb.bottom > 0 {
		for at := from; at < to; at++ {
			if x.lines[at].box.CenterY() > tb.bottom {
				return at
			}
		}
		return to
	}
	before := x.lines[tb.last].box
	for at := from; at < to; at++ {
		b := x.lines[at].box
		if b.Y0-before.Y1 > tallestGap*max(before.Height(), b.Height()) {
			return at
		}
		before = b
	}
	return to
}

// gridEnd follows the vertical rules of a header down to where they end, 0 where
// it has none.
func (x *extraction) gridEnd(h *header) float64 {
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
	if ends < 2 {
		return 0
	}
	return bottom
}

// sameGrid reports whether the rules of a later page are those of the header's,
// where it has any.
func (x *extraction) sameGrid(tb *table, from, to int) bool {
	if tb.bottom == 0 {
		return true
	}
	r := x.rulings[x.lines[from].page]
	edges, found := 0, 0
	for _, c := range tb.columns {
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
		if x.hangs(tb, strips, start) {
			for start--; start > 0 && x.wraps(tb, strips[start-1]) && x.close(strips[start-1], strips[start]); {
				start--
			}
		}
		strips = strips[start:]
	}
	before := len(tb.rows)
	units := x.group(tb, strips)
	open := x.walk(tb, units)
	x.shareMerged(tb, tb.rows[before:])
	return open
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

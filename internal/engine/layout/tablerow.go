package layout

import (
	"math"
	"slices"
	"strings"
)

const (
	continuation = 1.0 // how close a wrapped line stands, in heights of a line
	mostWrapped  = 40  // lines of one row
	mostLone     = 6   // lines of the only row of a table that rules part
	halfLine     = 0.8 // how close the middles of lines stand that are set half a line apart, in heights
)

// row is strips that belong together.
type row struct {
	strips []strip
	values []reading // by column; only of those that are asked for
}

// anchors reports whether a strip has enough figures to be a row.
func (x *extraction) anchors(tb *table, s strip) bool {
	if tb.usual == 0 {
		return false
	}
	if tb.text {
		return !s.prose && s.filled > 1 && (2*max(s.figures, tb.fills(s)) >= tb.usual || s.figures > 0 && !s.cells[tb.lead].empty())
	}
	if s.cells[tb.lead].empty() { // it may leave out a date that did not change, but not more
		missing := 0
		if tb.figures[tb.lead] {
			missing = 1
		}
		if 4*(s.figures+missing) < 3*tb.usual {
			return false
		}
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

// surely reports whether a strip has as many figures as rows have, or fills all
// columns of a table that has none.
func (x *extraction) surely(tb *table, s strip) bool {
	if tb.usual == 0 {
		return !s.prose && s.filled == len(tb.columns) && (s.filled > 2 || tb.bottom > 0)
	}
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
		if x.anchors(tb, strips[i]) && x.repeats(tb, strips[max(from, i-mostWrapped):i], strips[i]) {
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
		return rules > 0 && (tb.bottom > 0 || last < 0 || x.lone(strips, last) <= mostLone)
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
		up := a // the first line that belongs to a
		for centred && up > 0 && owner[up-1] < 0 && x.wraps(tb, strips[up-1]) && x.close(strips[up-1], strips[up]) {
			up--
			owner[up] = a
		}
		if below := a + (a - up); centred && x.hangs(tb, strips, a) && below < down && x.mirrors(strips[up], strips[a], strips[below]) {
			down = below + 1
		} else if centred && down == next && next < len(strips) {
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
		next := -1 // the row that follows
		for n := i + 1; n <= i+2 && n < len(strips) && next < 0; n++ {
			if owner[n] == n {
				next = n
			}
		}
		switch {
		case broken(i-1, i) && owner[i-1] >= 0:
			owner[i] = owner[i-1]
		case next >= 0 && broken(i, i+1):
			owner[i] = next
		case next >= 0:
			owner[i] = i
		default:
			owner[i] = -1
		}
	}
}

// mirrors reports whether two lines stand as far above and below a third.
func (x *extraction) mirrors(above, middle, below strip) bool {
	a, m, b := x.lines[above.line].box, x.lines[middle.line].box, x.lines[below.line].box
	return math.Abs(a.CenterY()+b.CenterY()-2*m.CenterY()) < 0.25*m.Height()
}

// isCentred reports whether text of a row stands above its figures too: half a
// line above any, or before the first, and as much before the others.
func (x *extraction) isCentred(tb *table, strips []strip, anchors []int) bool {
	if slices.ContainsFunc(anchors, func(a int) bool { return x.hangs(tb, strips, a) }) {
		return true
	}
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

// hangs reports whether the line before a row's figures is text of that row, set
// half a line above them.
func (x *extraction) hangs(tb *table, strips []strip, at int) bool {
	return at > 0 && x.wraps(tb, strips[at-1]) && x.overlaps(x.lines[strips[at-1].line], x.lines[strips[at].line])
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
		if cell.empty() || tb.figures[c] {
			continue
		}
		if target := tb.columns[c].target; target < 0 && tb.untold || target >= 0 && !x.targets[target].typed() {
			return true
		}
	}
	return false
}

// isAttribute reports whether a further line of a cell is a label with a figure,
// as in "Serial no: 4711", or one whose value stands in another column: more
// about a row, but not its text.
func (x *extraction) isAttribute(s span) bool {
	end := x.segments[x.lines[x.words[s.from].line].to-1].to // the figure may stand in another column
	for i := s.from; i < s.to && i < s.from+4; i++ {
		if strings.HasSuffix(x.words[i].Text, ":") || x.endsSegment(i) || i+1 < end && strings.HasPrefix(x.words[i+1].Text, ":") {
			rest := span{i + 1, end}
			return rest.from == s.to || rest.to-rest.from <= 4 && hasDigit(x.text(rest))
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

// overlaps reports whether two lines do: what stands on them is set side by
// side.
func (x *extraction) overlaps(above, below line) bool {
	return above.page == below.page && below.box.CenterY()-above.box.CenterY() < halfLine*min(above.box.Height(), below.box.Height())
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

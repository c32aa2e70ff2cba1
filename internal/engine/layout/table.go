package layout

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
)

// header is a line whose segments name columns of a table.
type header struct {
	line    int
	columns []column // from left to right
	score   float64
	matched int // columns that a target asks for
}

// column is a head and what stands below it.
type column struct {
	head   span
	x0, x1 float64
	target int // -1 when nobody asks for it
	score  float64
}

const (
	mostHeaders  = 4096 // lines that are tried for a table
	longestHead  = 4    // words
	mostStrays   = 2    // lines in a row that are no rows and end no table
	pageHead     = 8    // the same at the head of a page
	cellCertain  = 0.92 // how far a cell is to be trusted under its head
	totalWords   = " total subtotal tax net gross balance "
	tallestGap   = 4.0 // between rows, in heights of a line
	continuation = 0.8 // how close a wrapped line stands, in heights of a line
)

// readTables finds the rows of all arrays of objects.
func (x *extraction) readTables(ctx context.Context) error {
	if len(x.tables) == 0 {
		return nil
	}
	headers := make([][]header, len(x.tables))
	for i := range x.lines {
		if i%64 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		x.addHeaders(headers, i)
	}
	for t := range headers {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.readTable(t, headers[t])
	}
	return nil
}

// addHeaders notes for which tables a line may be the header.
func (x *extraction) addHeaders(headers [][]header, at int) {
	l := x.lines[at]
	byTable := map[int][]column{}
	for _, s := range x.segments[l.from:l.to] {
		if s.colon {
			return
		}
		for from := s.from; from < s.to; from++ {
			if !x.labels.hits(x.words[from].Text) {
				continue
			}
			for n := 1; n <= min(longestHead, s.to-from); n++ {
				head := span{from, from + n}
				for _, m := range x.labels.match(x.label(head)) {
					if t := x.targets[m.target].table; t >= 0 && len(byTable[t]) < 1000 {
						byTable[t] = append(byTable[t], column{head: head, target: m.target, score: m.score})
					}
				}
			}
		}
	}
	for t, columns := range byTable {
		if h, ok := x.newHeader(t, at, columns); ok && len(headers[t]) < mostHeaders {
			headers[t] = append(headers[t], h)
		}
	}
}

// newHeader chooses heads that share no word, the surest and longest first,
// and makes columns of the words that are left, so that what stands below
// them is not taken for another column's.
func (x *extraction) newHeader(t, at int, choices []column) (header, bool) {
	slices.SortStableFunc(choices, func(a, b column) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.head.to-b.head.from, a.head.to-a.head.from), cmp.Compare(a.head.from, b.head.from), cmp.Compare(a.target, b.target))
	})
	h := header{line: at}
	for _, c := range choices {
		if !slices.ContainsFunc(h.columns, func(o column) bool {
			return o.target == c.target || c.head.from < o.head.to && o.head.from < c.head.to
		}) {
			h.columns = append(h.columns, c)
			h.score += c.score
		}
	}
	h.matched = len(h.columns)
	asked := len(x.tables[t])
	if h.matched < min(2, asked) || asked == 1 && h.score < 0.95 {
		return header{}, false
	}
	l := x.lines[at]
	slices.SortFunc(h.columns, func(a, b column) int { return cmp.Compare(a.head.from, b.head.from) })
	named, next := h.columns, 0
	var figures, words int
	for _, s := range x.segments[l.from:l.to] {
		rest := span{s.from, s.from}
		for i := s.from; i < s.to; i++ {
			words++
			if hasDigit(x.words[i].Text) {
				figures++
			}
			for next < len(named) && named[next].head.to <= i {
				next++
			}
			if next < len(named) && named[next].head.from <= i {
				h.addRest(rest)
				rest = span{i + 1, i + 1}
				continue
			}
			rest.to = i + 1
		}
		h.addRest(rest)
	}
	if figures*3 > words {
		return header{}, false // a row more likely than a header
	}
	for i := range h.columns {
		b := x.box(h.columns[i].head)
		h.columns[i].x0, h.columns[i].x1 = b.X0, b.X1
	}
	slices.SortStableFunc(h.columns, func(a, b column) int { return cmp.Compare(a.x0, b.x0) })
	return h, true
}

func (h *header) addRest(rest span) {
	if !rest.empty() {
		h.columns = append(h.columns[:len(h.columns):len(h.columns)], column{head: rest, target: -1})
	}
}

// readTable takes the best header that has rows, and those like it that
// follow, on the same page or on later ones.
func (x *extraction) readTable(t int, headers []header) {
	ranked := slices.Clone(headers)
	slices.SortStableFunc(ranked, func(a, b header) int { return cmp.Compare(b.score, a.score) })
	const tries = 16
	for _, best := range ranked[:min(len(ranked), tries)] {
		if !x.free(x.heads(best)...) {
			continue
		}
		alike := slices.DeleteFunc(slices.Clone(headers), func(h header) bool { return !h.sameTargets(best) })
		for i, h := range alike {
			if !x.free(x.heads(h)...) {
				continue
			}
			end := len(x.lines)
			if i+1 < len(alike) {
				end = alike[i+1].line
			}
			for _, r := range x.rowsBelow(h, end) {
				x.rows[t] = append(x.rows[t], x.element(h, r))
				x.take(slices.Concat(r.cells...)...)
				x.take(x.heads(h)...)
			}
		}
		if len(x.rows[t]) > 0 {
			return
		}
	}
}

func (x *extraction) heads(h header) []span {
	var heads []span
	for _, c := range h.columns {
		heads = append(heads, c.head)
	}
	return heads
}

func (h header) sameTargets(o header) bool {
	if h.matched != o.matched {
		return false
	}
	for _, c := range h.columns {
		if c.target >= 0 && !slices.ContainsFunc(o.columns, func(d column) bool { return d.target == c.target }) {
			return false
		}
	}
	return true
}

// row is a line's cells under a header, by column.
type row struct {
	cells  [][]span
	values []reading // of columns that are asked for
	typed  int       // cells that have their column's type
	bad    int       // cells that have not
	filled int       // cells that have something
}

// rowsBelow reads lines below a header until they are no rows any more. At the
// end of a page it goes on with the next one, if rows follow there.
func (x *extraction) rowsBelow(h header, end int) []row {
	var rows []row
	strays, last := 0, h.line
	for at := h.line + 1; at < end; at++ {
		l, before := x.lines[at], x.lines[last]
		turned := l.page != before.page
		if turned && (len(rows) == 0 || l.page > before.page+1) {
			return rows
		}
		far := !turned && l.box.Y0-before.box.Y1 > tallestGap*before.box.Height()
		r := x.rowAt(h, at)
		switch {
		case len(rows) > 0 && !turned && x.isTotal(at, r, rows[0]):
			return rows
		case !far && x.isRow(h, r, rows, turned):
			rows = append(rows, r)
			strays, last = 0, at
			continue
		case !far && !turned && len(rows) > 0 && x.continues(h, &rows[len(rows)-1], r, l, before):
			last = at
			continue
		}
		allowed := mostStrays
		if turned {
			allowed = pageHead
		}
		if strays++; strays <= allowed {
			continue
		}
		next := x.nextPage(at, end)
		if turned || next < 0 {
			return rows
		}
		at, strays = next-1, 0
	}
	return rows
}

// nextPage gives the first line of the page that follows, -1 if there is none.
// The foot of a page has few lines; after more of them the table has ended.
func (x *extraction) nextPage(at, end int) int {
	const foot = 4
	for i := at; i < end && i <= at+foot; i++ {
		if x.lines[i].page != x.lines[at].page {
			return i
		}
	}
	return -1
}

// rowAt divides a line among the columns of a header and reads its cells.
func (x *extraction) rowAt(h header, at int) row {
	r := row{cells: make([][]span, len(h.columns)), values: make([]reading, len(h.columns))}
	l := x.lines[at]
	for _, s := range x.segments[l.from:l.to] {
		x.divide(h, s, r.cells)
	}
	for i, cell := range r.cells {
		if len(cell) == 0 {
			continue
		}
		r.filled++
		if h.columns[i].target < 0 {
			continue
		}
		t := &x.targets[h.columns[i].target]
		v, ok := x.readCell(t, cell)
		if ok {
			r.values[i] = v
		}
		if t.field.Type != fieldlift.StringField || t.field.Enum != nil {
			if ok {
				r.typed++
			} else {
				r.bad++
			}
		}
	}
	return r
}

// readCell reads a cell. Where another column's words stand in between, only
// what comes before them is read.
func (x *extraction) readCell(t *target, cell []span) (reading, bool) {
	whole := cell[0]
	for _, s := range cell[1:] {
		if s.from == whole.to {
			whole.to = s.to
		}
	}
	if !x.free(whole) {
		return reading{}, false
	}
	if t.field.Type == fieldlift.StringField && t.field.Enum == nil {
		text := x.text(whole)
		return reading{value: text, spans: []span{whole}, fit: 1}, strings.Trim(text, "-–— ") != ""
	}
	return x.read(t, whole)
}

// divide puts a segment into the column it stands in: under its head, or
// nearest to it. One that reaches under several heads is divided by words.
func (x *extraction) divide(h header, s segment, cells [][]span) {
	first, last := h.under(s.box.X0, s.box.X1)
	if first == last || s.to-s.from == 1 {
		c := first
		if c < 0 {
			c = h.nearest(s.box.X0, s.box.X1)
		}
		cells[c] = append(cells[c], s.span)
		return
	}
	at, from := -1, s.from
	for i := s.from; i < s.to; i++ {
		b := x.words[i].Box
		c, _ := h.under(b.X0, b.X1)
		if c < 0 {
			c = at
		}
		if c < 0 {
			c = first
		}
		if c != at && at >= 0 {
			cells[at] = append(cells[at], span{from, i})
			from = i
		}
		at = c
	}
	cells[at] = append(cells[at], span{from, s.to})
}

// under gives the first and the last column whose heads stand over an extent,
// -1 for none.
func (h header) under(x0, x1 float64) (first, last int) {
	first, last = -1, -1
	for i, c := range h.columns {
		if c.x0 < x1 && c.x1 > x0 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last
}

// nearest gives the column whose head is aligned best with an extent.
func (h header) nearest(x0, x1 float64) int {
	best, distance := 0, 0.0
	for i, c := range h.columns {
		d := min(abs(c.x0-x0), abs(c.x1-x1), abs(c.x0+c.x1-x0-x1)/2)
		if i == 0 || d < distance {
			best, distance = i, d
		}
	}
	return best
}

// isRow tells rows from other lines: cells have the types of their columns,
// and there are about as many as in the first row. On a new page only what is
// surely a row goes on.
func (x *extraction) isRow(h header, r row, rows []row, turned bool) bool {
	hasTypes := slices.ContainsFunc(h.columns, func(c column) bool {
		return c.target >= 0 && x.targets[c.target].field.Type != fieldlift.StringField
	})
	switch {
	case r.bad > 0 && r.typed < 2*r.bad, hasTypes && r.typed == 0, r.filled < min(2, len(h.columns)):
		return false
	case len(rows) == 0:
		return true
	case turned:
		return r.filled >= rows[0].filled
	}
	return 2*r.filled >= rows[0].filled
}

// isTotal recognises the sums below a table: they begin with such a word and
// leave columns empty.
func (x *extraction) isTotal(at int, r, first row) bool {
	if r.filled >= first.filled && first.filled > 2 {
		return false
	}
	s := x.segments[x.lines[at].from]
	printed := x.labels.lexicon.concepts(x.label(span{s.from, min(s.to, s.from+longestHead)}))
	return slices.ContainsFunc(printed[:min(2, len(printed))], func(c string) bool { return strings.Contains(totalWords, " "+c+" ") })
}

// continues adds a wrapped line to the text cell above it.
func (x *extraction) continues(h header, above *row, r row, l, before line) bool {
	if r.filled != 1 || l.box.Y0-before.box.Y1 > continuation*before.box.Height() {
		return false
	}
	i := slices.IndexFunc(r.cells, func(cell []span) bool { return len(cell) > 0 })
	c := h.columns[i]
	if c.target < 0 || above.values[i].value == nil || r.values[i].value == nil {
		return false
	}
	if t := x.targets[c.target]; t.field.Type != fieldlift.StringField || t.field.Enum != nil {
		return false
	}
	if abs(x.box(r.cells[i][0]).X0-x.box(above.cells[i][0]).X0) > 0.02 {
		return false
	}
	above.cells[i] = append(above.cells[i], r.cells[i]...)
	v := &above.values[i]
	v.value = v.value.(string) + " " + r.values[i].value.(string)
	v.spans = append(v.spans, r.values[i].spans...)
	return true
}

// element makes a row an element of its array, in the order of its fields.
func (x *extraction) element(h header, r row) engine.Found {
	var e engine.Found
	for i, c := range h.columns {
		v := r.values[i]
		if c.target < 0 || v.value == nil {
			continue
		}
		at := x.targets[c.target].column
		for len(e.Members) <= at {
			e.Members = append(e.Members, engine.Found{})
		}
		score := c.score * v.fit * cellCertain * mostConfidence * x.certainty(v.spans...)
		e.Members[at] = engine.Found{Value: v.value, Place: x.place(score, v.spans...)}
	}
	return e
}

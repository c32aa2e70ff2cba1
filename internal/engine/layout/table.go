package layout

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
)

const (
	headersTried = 16   // that are read to find the best
	leastTable   = 0.45 // of what is asked for must be found
	titleCounts  = 0.2  // how much better a table fits under the name of its array
	cellTrust    = 0.98 // of a cell under a head that is surely the right one
	wrappedTrust = 0.93 // of text that has several lines: one may not belong to it
	unchanged    = 0.8  // how far a date is to be trusted that stands in an earlier row
	manyColumns  = 4    // are enough, however many are asked for
)

// readTables finds the rows of all arrays of objects.
func (x *extraction) readTables(ctx context.Context) error {
	if len(x.tables) == 0 {
		return nil
	}
	headers, err := x.findHeaders(ctx)
	if err != nil {
		return err
	}
	for t := range headers {
		if err := ctx.Err(); err != nil {
			return err
		}
		x.readTable(t, headers[t])
		if len(x.rows[t]) == 0 {
			x.readBlocks(t)
		}
	}
	return nil
}

// readTable takes the header whose rows fit best, and those like it, on the
// same page or on others.
func (x *extraction) readTable(t int, headers []header) {
	ranked := slices.DeleteFunc(slices.Clone(headers), func(h header) bool { return !x.free(h.heads()...) })
	slices.SortStableFunc(ranked, func(a, b header) int { return cmp.Compare(b.score, a.score) })
	var best *table
	fit := 0.0
	tried := 0
	for _, h := range ranked {
		if tried == headersTried {
			break
		}
		if best != nil && x.alike(h, best.found) && x.titled(t, h) <= x.titled(t, best.found) {
			continue
		}
		tried++
		tb := x.readBody(t, h, x.nextHeader(h, headers))
		x.assignRest(t, tb)
		x.readValues(tb)
		f := x.fit(t, tb) * (1 + titleCounts*x.titled(t, h))
		if x.others(t, h) {
			f /= 2
		}
		if f > fit {
			best, fit = tb, f
		}
	}
	if best == nil {
		if tb := x.bareTable(t); tb != nil {
			x.keepRows(t, tb)
		}
		return
	}
	elsewhere := x.others(t, best.found)
	for _, h := range headers {
		if !x.alike(h, best.found) || x.others(t, h) != elsewhere || !x.free(h.heads()...) {
			continue
		}
		tb := best
		if h.first != best.first {
			tb = x.readBody(t, h, x.nextHeader(h, headers))
			x.assignLike(tb, best)
			x.readValues(tb)
		}
		x.keepRows(t, tb)
	}
}

// nextHeader gives the line where the next header begins, of this table or of
// another: one that is much weaker is a row that uses such words.
func (x *extraction) nextHeader(h header, headers []header) int {
	for _, o := range headers {
		if o.first > h.last && (x.alike(h, o) || 2*o.score >= h.score && !x.hasFigures(o)) {
			return o.first
		}
	}
	return len(x.lines)
}

func (x *extraction) hasFigures(h header) bool {
	return slices.ContainsFunc(h.heads(), func(s span) bool { return looksLikeFigure(x.text(s)) })
}

// fit tells how well a table answers what is asked, 0 for not at all.
func (x *extraction) fit(t int, tb *table) float64 {
	if len(tb.rows) == 0 {
		return 0
	}
	sum, told, found, dates := 0.0, 0.0, 0, 0
	for c, col := range tb.columns {
		if col.target < 0 {
			continue
		}
		score := col.score * tb.answered(c)
		if score == 0 {
			continue
		}
		found++
		if x.targets[col.target].isDate() {
			dates++
		}
		sum += score
		if col.told {
			told += score
		} else {
			told += score / 2
		}
	}
	if dates == found && slices.ContainsFunc(x.tables[t], func(target int) bool { return !x.targets[target].isDate() }) {
		return 0 // when, but of nothing that was asked for
	}
	asked := len(x.tables[t])
	if found < min(2, asked) || told < min(leastTable*float64(asked), 0.8*manyColumns) {
		return 0
	}
	return sum
}

// isDate reports whether a target asks when something was.
func (t *target) isDate() bool {
	return t.field.Type == fieldlift.DateField || slices.Contains(t.concepts, "date")
}

// answered is the share of a column's cells that are what is asked for.
func (tb *table) answered(c int) float64 {
	filled, read := 0, 0
	for _, r := range tb.rows {
		if len(r.cells(c)) == 0 {
			continue
		}
		filled++
		if r.values[c].value != nil {
			read++
		}
	}
	return float64(read) / float64(max(filled, 1))
}

// readValues reads the cells of the columns that are asked for.
func (x *extraction) readValues(tb *table) {
	for i := range tb.rows {
		r := &tb.rows[i]
		r.values = make([]reading, len(tb.columns))
		for c, col := range tb.columns {
			if col.target < 0 {
				continue
			}
			if cells := r.cells(c); len(cells) > 0 && x.free(cells...) {
				if v, ok := x.readCell(tb, &x.targets[col.target], cells); ok {
					r.values[c] = v
				}
			} else if len(cells) == 0 && c <= tb.lead && i > 0 && x.targets[col.target].field.Type == fieldlift.DateField {
				r.values[c] = tb.rows[i-1].values[c] // dates are printed where they change
				r.values[c].fit *= unchanged
			}
		}
	}
}

// readCell reads a cell that has words on one line or several.
func (x *extraction) readCell(tb *table, t *target, cells []span) (reading, bool) {
	if t.typed() {
		return x.readTyped(t, cells)
	}
	if len(cells) > 1 && !tb.text {
		rest := slices.DeleteFunc(slices.Clone(cells[1:]), x.isAttribute)
		cells = append(cells[:1:1], rest...)
	}
	text := x.joined(cells)
	if strings.HasSuffix(text, "..") || strings.HasSuffix(text, "…") {
		text = strings.TrimRight(text, ".… ")
	}
	return reading{value: text, spans: cells, fit: 1}, text != "" && (tb.text || !isDash(text))
}

// readTyped reads what is no text: on the first line that has it, behind words
// that are something else, or over several lines.
func (x *extraction) readTyped(t *target, cells []span) (reading, bool) {
	for _, cell := range cells {
		for from := cell.from; from < min(cell.to, cell.from+3); from++ {
			if r, ok := x.read(t, span{from, cell.to}); ok {
				if from > cell.from {
					r.fit *= 0.9
				}
				return r, true
			}
		}
	}
	if len(cells) > 1 && len(cells) < 5 && t.field.Enum == nil {
		if v, ok := x.typed(t.field.Type, x.joined(cells)); ok {
			return reading{value: v, spans: cells, fit: 0.9}, true
		}
	}
	return reading{}, false
}

// keepRows makes rows elements of their array, and takes their words.
func (x *extraction) keepRows(t int, tb *table) {
	trust := x.trust(tb)
	for _, r := range tb.rows {
		e, ok := x.element(tb, r, trust)
		if ok {
			x.rows[t] = append(x.rows[t], e)
		}
	}
	for _, r := range tb.rows {
		for _, s := range r.strips {
			x.take(s.cells...)
		}
	}
	if len(tb.rows) > 0 {
		x.take(tb.heads()...)
	}
}

// element makes a row an element of its array, in the order of its fields.
func (x *extraction) element(tb *table, r row, trust []float64) (engine.Found, bool) {
	var e engine.Found
	for c, col := range tb.columns {
		v := r.values[c]
		if col.target < 0 || v.value == nil {
			continue
		}
		at := x.targets[col.target].column
		for len(e.Members) <= at {
			e.Members = append(e.Members, engine.Found{})
		}
		sure := trust[c] * (0.7 + 0.3*v.fit) * (0.6 + 0.4*x.certainty(v.spans...))
		if len(v.spans) > 1 {
			sure *= wrappedTrust
		}
		e.Members[at] = engine.Found{Value: v.value, Place: x.place(x.doubtCut(v, x.sure(sure)), v.spans...)}
	}
	return e, len(e.Members) > 0
}

// trust tells for each column how far its cells are to be trusted: by how well
// its head was recognised and how many cells are what they should be.
func (x *extraction) trust(tb *table) []float64 {
	trust := make([]float64, len(tb.columns))
	for c, col := range tb.columns {
		if col.target < 0 {
			continue
		}
		trust[c] = cellTrust * (0.75 + 0.25*col.score) * (0.6 + 0.4*tb.answered(c))
	}
	return trust
}

package layout

import "slices"

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

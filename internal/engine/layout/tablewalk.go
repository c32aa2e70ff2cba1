package layout

import (
	"slices"
	"strings"
)

const (
	tallestGap = 4.0 // between rows, in heights of a line
	mostStrays = 2   // in a row, that are no rows and end no table
	lookAhead  = 12  // lines after which a table may go on
	// totalWords are what sums and balances begin with.
	totalWords = " total subtotal tax net gross balance discount shipping due opening closing "
)

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
		case far && len(tb.rows) > 0 && first.box.CenterY() > tb.bottom:
			return false
		case u.isRow && !tb.text && len(tb.rows) > 0 && x.isTotal(tb, u):
			if !x.goesOn(tb, units[i+1:]) {
				return false
			}
			before = u.last
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

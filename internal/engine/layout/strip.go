package layout

import (
	"slices"
	"strings"
	"unicode"

	"fieldlift"
	"fieldlift/internal/value"
)

const (
	fewestProse  = 5  // words that run across columns
	longestMonth = 10 // letters
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

// typed reports whether a target's values are known by their look.
func (t *target) typed() bool {
	return t.field.Type != fieldlift.StringField || t.field.Enum != nil
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
	if s.prose && (l.to-l.from > 1 && x.isFigured(tb, s) || x.besideFigures(at)) {
		s.prose = false
	}
	return s
}

// besideFigures reports whether a line stands half a line above or below the
// figures of a row.
func (x *extraction) besideFigures(at int) bool {
	return at > 0 && x.overlaps(x.lines[at-1], x.lines[at]) && x.hasFigureCells(at-1) ||
		at+1 < len(x.lines) && x.overlaps(x.lines[at], x.lines[at+1]) && x.hasFigureCells(at+1)
}

func (x *extraction) hasFigureCells(at int) bool {
	figures := 0
	for _, g := range x.segments[x.lines[at].from:x.lines[at].to] {
		if looksLikeFigure(x.text(g.span)) {
			figures++
		}
	}
	return figures > 1
}

// isFigured reports whether figures stand in the columns of a strip: it is a row
// then, though a narrow gap makes its date and its text one segment.
func (x *extraction) isFigured(tb *table, s strip) bool {
	figures := 0
	for c, cell := range s.cells {
		if !cell.empty() && x.isFigure(tb, c, cell) {
			figures++
		}
	}
	return figures > 1 && 2*figures >= s.filled
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

// cellOf is a cell as a target asks for it, -1 for none.
type cellOf struct {
	target int
	span
}

// isFigure reports whether a cell is a figure, a date or what else is written
// in digits; or what its column is asked for. It is asked again and again.
func (x *extraction) isFigure(tb *table, c int, cell span) bool {
	key := cellOf{-1, cell}
	if target := tb.columns[c].target; target >= 0 && x.targets[target].typed() {
		key.target = target
	}
	is, known := x.figures[key]
	if known {
		return is
	}
	if key.target >= 0 {
		_, is = x.readTyped(&x.targets[key.target], []span{cell})
	} else {
		is = cell.to-cell.from <= longestTyped && looksLikeFigure(x.text(cell))
	}
	x.figures[key] = is
	return is
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

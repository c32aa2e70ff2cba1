package llm

import (
	"math"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
)

// element is a row or another element of a list, with the lines it stands on.
type element struct {
	engine.Found
	lines   []int
	doubted bool // it is not on the page
	planted bool // some of it stood where somebody speaks to a model, and is left out
	borrows bool // what is found of it is another's
	copies  int  // of elements of lists in it, which are left out
	stands  []stand
}

// list settles an array: the elements of all parts of the document, without
// those that two parts share. Where a part could not be had, the embedded
// engine's elements stand in; and where what the model gave is not on the page,
// those that are stay.
func (j *joiner) list(one item, before engine.Found, heard []statement, fails []failure) engine.Found {
	var all []element
	var unusable []string
	copies, inner := 0, 0
	for _, s := range heard {
		l := listener{j.transcript, s.from, s.to}
		said, err := l.read(one, s.text)
		if err != nil {
			continue
		}
		fresh, same := newColumns(l, engine.ElementOf(one.field), said.elements).elements(engine.ElementOf(one.field), said.elements)
		for _, e := range fresh {
			inner += e.copies
		}
		all, copies = merge(all, fresh), copies+same
		unusable = append(unusable, said.unusable...)
	}
	if len(unusable) > 0 {
		j.warn(one.pointer, "Elements that the model gave cannot be used and are left out, %d in all: %s", len(unusable), unusable[0])
	}
	all = j.withoutPlanted(one, all)
	if copies+inner > 0 {
		j.warn(one.pointer, "Of the elements that the model gave %d stand where others of them stand, and are left out: what is printed once counts once", copies+inner)
	}
	sure, _ := confidence(before)
	if len(all) == 0 && len(fails) == 0 {
		return j.denied(one, before)
	}
	for _, f := range fails {
		filled := j.standIns(before, f.span)
		all = merge(all, filled)
		j.warn(one.pointer, "Of %s the model gave no elements: %s. %s", j.pages(f.from, f.to), f.reason,
			pick(len(filled) > 0, "Those that the embedded engine read there stand in", "Elements may be missing"))
	}
	all = j.keepProven(one, before, all, copies)
	slices.SortStableFunc(all, func(a, b element) int { return firstLine(a) - firstLine(b) })
	if n := len(before.Elements); n > 3 && len(all)*10 < n*7 && sure >= 0.5 {
		j.warn(one.pointer, "The model gave %d elements where the embedded engine reads %d: some may be missing", len(all), n)
	}
	list := engine.Found{Elements: make([]engine.Found, len(all))}
	known := newConcord(before)
	for n, e := range all {
		if !e.doubted {
			known.agree(&e.Found)
		}
		list.Elements[n] = e.Found
	}
	return list
}

func firstLine(e element) int {
	if len(e.lines) == 0 {
		return math.MaxInt32 // it keeps its place behind those that have one
	}
	return e.lines[0]
}

// merge adds the elements of a further part. One that shares a line with an
// element of an earlier part is the same, cut off in one of the two by the
// part's end: the fuller one stays.
func merge(all, fresh []element) []element {
	before := len(all)
	for _, e := range fresh {
		twin := slices.IndexFunc(all[:before], func(o element) bool { return isTwin(o, e) })
		switch {
		case twin < 0:
			all = append(all, e)
		case fuller(e, all[twin]):
			all[twin] = e
		}
	}
	return all
}

func isTwin(a, b element) bool {
	shares := slices.ContainsFunc(a.lines, func(n int) bool { return slices.Contains(b.lines, n) })
	if a.Value != nil { // several words of a list share a line
		return same(a.Value, b.Value) && (shares || len(a.lines) == 0 && len(b.lines) == 0)
	}
	if !shares {
		return false
	}
	// Rows that are set half a line apart share lines, too.
	agree, differ := compareCells(a.Members, b.Members)
	return agree > differ || agree+differ == 0
}

// compareCells counts the cells of two rows that agree, or may with one of them
// cut off, and those that do not.
func compareCells(a, b []engine.Found) (agree, differ int) {
	for n := range min(len(a), len(b)) {
		x, y := plainText(a[n].Value), plainText(b[n].Value)
		switch {
		case x == "" || y == "":
		case same(a[n].Value, b[n].Value), strings.Contains(letters(x), letters(y)), strings.Contains(letters(y), letters(x)):
			agree++
		default:
			differ++
		}
	}
	return agree, differ
}

func fuller(a, b element) bool {
	if x, y := filled(a.Found), filled(b.Found); x != y {
		return x > y
	}
	return len(a.lines) > len(b.lines)
}

func filled(f engine.Found) int {
	n := 0
	if f.Value != nil {
		n++
	}
	for _, inner := range slices.Concat(f.Members, f.Elements) {
		n += filled(inner)
	}
	return n
}

// standIns are the embedded engine's elements on lines.
func (j *joiner) standIns(before engine.Found, where span) []element {
	var list []element
	for _, f := range before.Elements {
		if lines := j.linesOf(f); len(lines) > 0 && lines[0] >= where.from && lines[0] < where.to {
			list = append(list, element{Found: f, lines: lines})
		}
	}
	return list
}

// linesOf are the lines that an element's values stand on.
func (t *transcript) linesOf(f engine.Found) []int {
	var lines []int
	var walk func(engine.Found)
	walk = func(f engine.Found) {
		if f.Value != nil {
			for _, b := range f.Place.Boxes {
				if n := t.lineAt(f.Place.Page, (b[1]+b[3])/2); n >= 0 && !slices.Contains(lines, n) {
					lines = append(lines, n)
				}
			}
		}
		for _, inner := range slices.Concat(f.Members, f.Elements) {
			walk(inner)
		}
	}
	walk(f)
	slices.Sort(lines)
	return lines
}

// withoutPlanted leaves out what stands where somebody speaks to a model: whole
// elements, and cells of others.
func (j *joiner) withoutPlanted(one item, all []element) []element {
	cells := false
	kept := slices.DeleteFunc(all, func(e element) bool {
		cells = cells || e.planted
		return filled(e.Found) == 0 || len(e.lines) > 0 && !slices.ContainsFunc(e.lines, func(n int) bool { return !j.transcript.lines[n].planted })
	})
	if cells || len(kept) < len(all) {
		j.warn(one.pointer, "Elements that the model gave stand where the document speaks to a model, and are left out")
	}
	return kept
}

// elements finds the elements of a list, each in its own place as far as there
// are so many, and counts those that are left out as copies of others.
func (c columns) elements(f fieldlift.Field, list []said) (all []element, copies int) {
	var known tenants
	for _, s := range list {
		var e element
		if f.Type == fieldlift.ObjectField {
			e.Found = c.row(f, s, &e)
		} else {
			e.Found = c.cell(f, s, nil, &e)
		}
		if known.isCopy(&e, s.cites()) {
			copies++
			continue
		}
		// Where its values stand tells better than what the model cites.
		if e.lines = c.linesOf(e.Found); len(e.lines) == 0 {
			e.lines = s.lines
		}
		all = append(all, e)
	}
	return all, copies
}

// columns knows where the cells of a table's columns stand, from those that
// stand in one place only: that decides where others do.
type columns struct {
	listener
	middles map[string][]float64 // by column: middles of cells
	claims  *claims
}

func newColumns(l listener, f fieldlift.Field, list []said) columns {
	c := columns{l, map[string][]float64{}, newClaims()}
	for _, s := range list {
		for n, m := range s.members {
			if places := c.places(f.Fields[n], m); len(places) == 1 {
				name := f.Fields[n].Name
				c.middles[name] = append(c.middles[name], c.boxOf(places[0]).CenterX())
			}
		}
	}
	for _, list := range c.middles {
		slices.Sort(list)
	}
	return c
}

// places are where a cell's value stands on the lines of its row, without those
// that speak to a model where there are others.
func (c columns) places(f fieldlift.Field, s said) []piece {
	var list []piece
	if v, ok := s.value.(bool); ok {
		list = c.ticks(f, v, s.lines)
	}
	for _, k := range c.seekers(f, s.value) {
		for _, n := range s.lines {
			list = append(list, k.on(n)...)
		}
		if len(list) > 0 {
			break
		}
	}
	isPlanted := func(p piece) bool { return c.lines[p.line].planted }
	if slices.ContainsFunc(list, func(p piece) bool { return !isPlanted(p) }) {
		list = slices.DeleteFunc(list, isPlanted)
	}
	return list
}

// ticks are the marks that say so in the cells of a column.
func (c columns) ticks(f fieldlift.Field, v bool, lines []int) []piece {
	var list []piece
	for _, n := range lines {
		for _, m := range c.marks(n) {
			if m.yes == v && (!m.word || m.alone) && c.isBelow(f.Name, m.at) {
				list = append(list, m.at)
			}
		}
	}
	return list
}

// row finds the cells of a row, each in its own place. The element is the one
// that it is a part of.
func (c columns) row(f fieldlift.Field, s said, of *element) engine.Found {
	row := engine.Found{Members: make([]engine.Found, len(f.Fields))}
	var taken []piece
	for n, m := range s.members {
		row.Members[n] = c.cell(f.Fields[n], m, &taken, of)
	}
	return row
}

func (c columns) cell(f fieldlift.Field, s said, taken *[]piece, of *element) engine.Found {
	switch f.Type {
	case fieldlift.ObjectField:
		return c.row(f, s, of)
	case fieldlift.ArrayField:
		inner, copies := c.elements(engine.ElementOf(f), s.elements)
		of.copies += copies
		var list engine.Found
		for _, e := range inner {
			list.Elements = append(list.Elements, e.Found)
			of.stands = append(of.stands, e.stands...)
			of.planted, of.copies = of.planted || e.planted, of.copies+e.copies
		}
		return list
	}
	if s.value == nil {
		return engine.Found{}
	}
	found := c.locate(f, s, c.claims)
	if places := c.places(f, s); len(places) > 0 && taken != nil {
		best := c.nearest(f.Name, places, *taken)
		_, isTick := s.value.(bool)
		switch {
		case isTick && (found.proven() || slices.Contains(*taken, best)): // ticks are all alike
		case isTick || len(places) > 1:
			found = c.placed(s, finding{[]piece{best}, pick(isTick || s.apart, sureDerived, sureCited)})
		}
		*taken = append(*taken, best)
	}
	if found.planted {
		of.planted = true
		return engine.Found{}
	}
	if found.proven() {
		c.claims.add(found.pieces)
		of.stands = append(of.stands, stand{found.pieces[0], letters(plainText(found.Value))})
	}
	found.Place.Engine = string(fieldlift.ModelEngine)
	return found.Found
}

// nearest chooses the place in the column, one that no other cell of the row
// has, and of such the first that no other row has.
func (c columns) nearest(name string, places, taken []piece) piece {
	middles := c.middles[name]
	best, least := places[0], math.Inf(1)
	for _, p := range places {
		cost := 0.0
		if slices.Contains(taken, p) {
			cost = 2
		}
		if c.claims.has(p) {
			cost += leastColumn
		}
		if len(middles) > 0 {
			cost += math.Abs(c.boxOf(p).CenterX() - middles[len(middles)/2])
		}
		if cost < least {
			best, least = p, cost
		}
	}
	return best
}

// leastColumn is how far apart columns are at least, as a share of the page's
// width: what stands nearer to each other is one column.
const leastColumn = 0.02

// concord knows what the embedded engine read, by place.
type concord map[spot][]engine.Found

// spot is a small part of a page.
type spot struct{ page, x, y int }

func spotOf(m fieldlift.FieldMetadata) (spot, bool) {
	if len(m.Boxes) == 0 {
		return spot{}, false
	}
	const grid = 200
	b := m.Boxes[0]
	return spot{m.Page, int((b[0] + b[2]) / 2 * grid), int((b[1] + b[3]) / 2 * grid)}, true
}

func newConcord(f engine.Found) concord {
	c := concord{}
	c.add(f)
	return c
}

func (c concord) add(f engine.Found) {
	if f.Value != nil {
		if at, ok := spotOf(f.Place); ok {
			c[at] = append(c[at], f)
		}
	}
	for _, inner := range slices.Concat(f.Members, f.Elements) {
		c.add(inner)
	}
}

// agree raises the confidence of values that the embedded engine found in the
// same place.
func (c concord) agree(f *engine.Found) {
	if f.Value != nil && f.Place.Engine == string(fieldlift.ModelEngine) {
		if other, ok := c.at(*f); ok {
			f.Place.Confidence = 1 - (1-f.Place.Confidence)*(1-other.Place.Confidence)
			f.Place.Engine = fieldlift.EngineBoth
		}
	}
	for n := range f.Members {
		c.agree(&f.Members[n])
	}
	for n := range f.Elements {
		c.agree(&f.Elements[n])
	}
}

func (c concord) at(f engine.Found) (engine.Found, bool) {
	center, ok := spotOf(f.Place)
	if !ok {
		return engine.Found{}, false
	}
	for dx := -1; dx <= 1; dx++ {
		for dy := -1; dy <= 1; dy++ {
			for _, other := range c[spot{center.page, center.x + dx, center.y + dy}] {
				if same(other.Value, f.Value) {
					return other, true
				}
			}
		}
	}
	return engine.Found{}, false
}

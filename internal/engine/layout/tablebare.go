package layout

import (
	"math"
	"slices"

	"fieldlift"
)

// mostCells is more cells than a line without heads has.
const mostCells = 12

// bareTable finds the lines of an invoice or a receipt that has no heads, where
// quantity, price and amount are asked for: one is the product of the others.
func (x *extraction) bareTable(t int) *table {
	if quantity, price, amount := x.factors(t); quantity < 0 || price < 0 || amount < 0 {
		return nil
	}
	for at := range x.lines {
		if !x.multiplies(at) {
			continue
		}
		l := x.lines[at]
		h := header{first: at, last: at, bare: true}
		for _, s := range x.segments[l.from:l.to] {
			h.columns = append(h.columns, column{box: s.box, target: -1})
		}
		tb := x.readBody(t, h, len(x.lines))
		x.assignRest(t, tb)
		x.readValues(tb)
		if x.fit(t, tb) > 0 {
			return tb
		}
	}
	return nil
}

// multiplies reports whether of the numbers of a line the last is the product
// of two others, which is no matter of ones, and has a fraction.
func (x *extraction) multiplies(at int) bool {
	l := x.lines[at]
	if l.to-l.from < 3 || l.to-l.from > mostCells {
		return false
	}
	t := target{field: fieldlift.Field{Type: fieldlift.NumberField}}
	var numbers []float64
	fraction := false
	for _, s := range x.segments[l.from:l.to] {
		if s.colon || s.to-s.from > 3 || !x.free(s.span) {
			continue
		}
		if v, ok := x.readTyped(&t, []span{s.span}); ok && v.fit > rateFit {
			if n, ok := asFloat(v.value); ok && n != 0 && n != 1 {
				numbers = append(numbers, n)
				fraction = n != math.Trunc(n) || slices.ContainsFunc([]rune(x.text(s.span)), func(r rune) bool { return r == '.' || r == ',' })
			}
		}
	}
	if len(numbers) < 3 || !fraction {
		return false
	}
	last := numbers[len(numbers)-1]
	for i, a := range numbers[:len(numbers)-1] {
		for _, b := range numbers[i+1 : len(numbers)-1] {
			if math.Abs(a*b-last) < 0.006 {
				return true
			}
		}
	}
	return false
}

package layout

import (
	"math"
	"slices"
	"strconv"

	"fieldlift"
)

const (
	byProduct  = 0.9  // how sure a column is that arithmetic tells
	byType     = 0.65 // that is the only one left of its type
	byPosition = 0.7  // that is the only text left
)

// assignRest gives columns to targets that no head names: by arithmetic, else
// where one column and one target of a type are left.
func (x *extraction) assignRest(t int, tb *table) {
	if len(tb.rows) == 0 {
		return
	}
	x.assignProduct(t, tb)
	x.assignOnly(t, tb, byType, func(target *target) bool { return target.field.Type == fieldlift.DateField && target.field.Enum == nil }, x.isDateColumn)
	x.assignOnly(t, tb, byType, isAmount, x.isAmountColumn)
	x.assignLast(t, tb)
	x.assignOnly(t, tb, byPosition, describes, x.isTextColumn)
	x.assignOnly(t, tb, byPosition, func(target *target) bool { return !target.typed() }, func(tb *table, c int) bool {
		return len(tb.columns[c].heads) == 0 && x.isTextColumn(tb, c)
	})
}

// describes reports whether a target is what a row is about, which any column
// of text may tell.
func describes(t *target) bool {
	return !t.typed() && slices.ContainsFunc(t.concepts, func(c string) bool { return c == "description" || c == "item" || c == "name" })
}

// isAmount reports whether a target is a sum of money. Prices are not: they
// are not told from other amounts by being left over.
func isAmount(t *target) bool {
	if t.field.Type != fieldlift.NumberField || t.field.Enum != nil {
		return false
	}
	return slices.ContainsFunc(t.concepts, func(c string) bool {
		return c == "amount" || c == "total" || c == "subtotal"
	}) && !slices.Contains(t.concepts, "price")
}

// assignOnly gives the one target that is left the one column that is left.
func (x *extraction) assignOnly(t int, tb *table, score float64, wanted func(*target) bool, fits func(*table, int) bool) {
	target, column := -1, -1
	for _, candidate := range x.tables[t] {
		if tb.columnOf(candidate) >= 0 || !wanted(&x.targets[candidate]) {
			continue
		}
		if target >= 0 {
			return
		}
		target = candidate
	}
	for c, col := range tb.columns {
		if col.target >= 0 || !fits(tb, c) {
			continue
		}
		if column >= 0 {
			return
		}
		column = c
	}
	if target >= 0 && column >= 0 {
		tb.columns[column].target, tb.columns[column].score = target, score
	}
}

// assignLast gives the amount of a line the last column of amounts, where it
// stands in all tables that have one.
func (x *extraction) assignLast(t int, tb *table) {
	wanted := slices.IndexFunc(x.tables[t], func(target int) bool {
		f := &x.targets[target]
		return tb.columnOf(target) < 0 && isAmount(f)
	})
	if wanted < 0 {
		return
	}
	for c := len(tb.columns) - 1; c >= 0; c-- {
		if tb.columns[c].target >= 0 && tb.figures[c] {
			return
		}
		if tb.columns[c].target < 0 && x.isAmountColumn(tb, c) {
			tb.columns[c].target, tb.columns[c].score = x.tables[t][wanted], byType
			return
		}
	}
}

// columnOf gives the column of a target, -1 for none.
func (tb *table) columnOf(target int) int {
	return slices.IndexFunc(tb.columns, func(c column) bool { return c.target == target })
}

func (x *extraction) isDateColumn(tb *table, c int) bool {
	return x.share80(tb, c, func(text string) bool {
		_, ok := x.typed(fieldlift.DateField, text)
		return ok
	})
}

func (x *extraction) isAmountColumn(tb *table, c int) bool {
	return x.share80(tb, c, func(text string) bool {
		_, ok := x.typed(fieldlift.NumberField, text)
		return ok && text[len(text)-1] != '%' && slices.ContainsFunc([]rune(text), func(r rune) bool { return r == '.' || r == ',' })
	})
}

func (x *extraction) isTextColumn(tb *table, c int) bool {
	return x.share80(tb, c, func(text string) bool { return hasLetter(text) && !looksLikeFigure(text) })
}

// share80 reports whether most cells of a column are as asked, and most rows
// have one.
func (x *extraction) share80(tb *table, c int, is func(string) bool) bool {
	filled, good := 0, 0
	for _, r := range tb.rows {
		cells := r.cells(c)
		if len(cells) == 0 {
			continue
		}
		filled++
		if is(x.text(cells[0])) {
			good++
		}
	}
	return 2*filled > len(tb.rows) && 10*good >= 8*filled
}

// factors gives the targets of which one is the product of the others, -1 for
// what is not asked for.
func (x *extraction) factors(t int) (quantity, price, amount int) {
	quantity, price, amount = -1, -1, -1
	for _, target := range x.tables[t] {
		f := &x.targets[target]
		if f.field.Type != fieldlift.NumberField || f.field.Enum != nil {
			continue
		}
		has := func(c string) bool { return slices.Contains(f.concepts, c) }
		switch {
		case has("quantity"):
			quantity = target
		case has("price") && !has("total") && !has("line"):
			price = target
		case (has("amount") || has("total")) && !has("tax") && !has("gross") && amount < 0:
			amount = target
		}
	}
	return quantity, price, amount
}

// assignProduct finds a column that is the product of two others in all rows:
// quantity, price and amount of a line.
func (x *extraction) assignProduct(t int, tb *table) {
	quantity, price, amount := x.factors(t)
	if quantity < 0 || price < 0 || amount < 0 {
		return
	}
	numbers := make([][]float64, len(tb.columns))
	for c := range tb.columns {
		numbers[c] = x.numbersOf(tb, c)
	}
	best, most := [3]int{-1, -1, -1}, 0
	for q := range tb.columns {
		for p := range tb.columns {
			for a := range tb.columns {
				if q == p || p == a || q == a || numbers[q] == nil || numbers[p] == nil || numbers[a] == nil {
					continue
				}
				named := 0
				for _, k := range [][2]int{{q, quantity}, {p, price}, {a, amount}} {
					if tb.columns[k[0]].target == k[1] {
						named++ // what heads say breaks ties
					}
				}
				rows, told, wrong := products(numbers[q], numbers[p], numbers[a])
				if told == 0 && (named < 2 || wrong > 0) || 4*wrong > rows {
					continue
				}
				score := 8*rows + 4*told + 2*named
				if x.isAmountColumn(tb, p) && !x.isAmountColumn(tb, q) {
					score += 3 // prices have fractions, and counts have none
				}
				if rows > 0 && score > most {
					best, most = [3]int{q, p, a}, score
				}
			}
		}
	}
	if most == 0 {
		return
	}
	for i, target := range []int{quantity, price, amount} {
		col := &tb.columns[best[i]]
		if col.target == target {
			col.score, col.told = max(col.score, byProduct), true
			continue
		}
		if was := tb.columnOf(target); was >= 0 {
			tb.columns[was].target = -1
		}
		if col.target >= 0 && col.target != quantity && col.target != price && col.target != amount {
			continue // another field's head stands over it
		}
		col.target, col.score, col.told = target, byProduct, true
	}
}

// numbersOf reads a column as numbers, nil unless most cells are.
func (x *extraction) numbersOf(tb *table, c int) []float64 {
	found := make([]float64, len(tb.rows))
	good := 0
	t := target{field: fieldlift.Field{Type: fieldlift.NumberField}}
	for i, r := range tb.rows {
		found[i] = math.NaN()
		cells := r.cells(c)
		if len(cells) == 0 || cells[0].to-cells[0].from > longestTyped {
			continue
		}
		if v, ok := x.readTyped(&t, cells); ok && v.fit > rateFit {
			if n, ok := asFloat(v.value); ok {
				found[i] = n
				good++
			}
		}
	}
	if 2*good < len(tb.rows) {
		return nil
	}
	return found
}

func asFloat(v any) (float64, bool) {
	s, ok := v.(interface{ String() string })
	if !ok {
		return 0, false
	}
	f, err := strconv.ParseFloat(s.String(), 64)
	return f, err == nil
}

// products counts rows in which one number is the product of the others, those
// of them where that is no matter of ones and noughts, and those where it is not.
func products(q, p, a []float64) (rows, told, wrong int) {
	for i := range q {
		switch {
		case math.IsNaN(q[i]) || math.IsNaN(p[i]) || math.IsNaN(a[i]):
		case math.Abs(q[i]*p[i]-a[i]) > 0.011*math.Max(1, math.Abs(q[i])/2):
			wrong++
		default:
			rows++
			if a[i] != 0 && q[i] != 1 && p[i] != 1 {
				told++
			}
		}
	}
	return rows, told, wrong
}

// assignLike takes what was found out about a table for another part of it.
func (x *extraction) assignLike(tb, like *table) {
	for _, c := range like.columns {
		if c.target < 0 || tb.columnOf(c.target) >= 0 {
			continue
		}
		for i := range tb.columns {
			if o := &tb.columns[i]; o.target < 0 && x.headKey(*o) == x.headKey(c) && overlap(o.box, c.box) > 0.5 {
				o.target, o.score, o.told = c.target, c.score, c.told
			}
		}
	}
}

package score

import (
	"cmp"
	"slices"
)

// element is one element of an array that is not blank.
type element struct {
	at    int // its place in the array
	value any
	cells []cell // of a row, sorted by name; a plain value has one without a name
}

// cell is a member of a row that is not blank.
type cell struct {
	name  string
	grams grams
}

// array pairs what is expected with what was returned, best first, and scores
// the pairs. Its score is the F1 of its values.
func (s *scorer) array(path string, f Field, expected, got any) mark {
	item := Field{Type: "string"}
	if f.Items != nil {
		item = *f.Items
	}
	rows := typeOf(item) == "object" || slices.ContainsFunc(listOf(expected), isObject)
	wanted, returned := elements(expected, rows), elements(got, rows)
	inner := scorer{top: s.top}
	pairs := pair(wanted, returned, rows)
	used := make([]bool, len(returned))
	for i, e := range wanted {
		if j, ok := pairs[i]; ok {
			used[j] = true
			inner.element(step(path, returned[j].at), item, e.value, returned[j].value, rows)
		} else {
			inner.element(step(path, e.at), item, e.value, nil, rows)
		}
	}
	for j, g := range returned {
		if !used[j] {
			inner.surplus(step(path, g.at), item, g.value, rows)
		}
	}
	c := &inner.count
	c.RowsExpected, c.RowsReturned = len(wanted), len(returned)
	s.count.add(*c)
	s.values = append(s.values, inner.values...)
	soft := harmonic(ratio(c.Soft, float64(c.Returned)), ratio(c.Soft, float64(c.Values)))
	return mark{score: c.F1(), soft: soft, weight: max(1, c.Values)}
}

// element scores an expected element beside its partner, nil when it has none.
// A row is right when all its values are and none was invented.
func (s *scorer) element(path string, item Field, expected, got any, row bool) {
	if !row {
		if m := s.scalar(path, item, expected, got); m.score == 1 {
			s.count.RowsRight++
		}
		return
	}
	before := s.count
	e, g := asRow(expected), asRow(got)
	for _, f := range union(item.Fields, e) {
		s.field(path+"/"+escape(f.Name), f, e.Get(f.Name), g.Get(f.Name))
	}
	if g != nil && s.count.Exact-before.Exact == s.count.Values-before.Values && s.count.Invented == before.Invented {
		s.count.RowsRight++
	}
}

// surplus counts a returned element without partner: all of it is invented.
func (s *scorer) surplus(path string, item Field, got any, row bool) {
	if !row {
		s.invented(path, got)
		return
	}
	g := asRow(got)
	for _, key := range g.Keys() {
		if len(item.Fields) == 0 || find(item.Fields, key) != nil {
			s.leaves(path+"/"+escape(key), g.Get(key))
		}
	}
}

func (s *scorer) leaves(path string, got any) {
	switch v := got.(type) {
	case *Object:
		for _, key := range v.Keys() {
			s.leaves(path+"/"+escape(key), v.Get(key))
		}
	case []any:
		for i, inner := range v {
			s.leaves(step(path, i), inner)
		}
	default:
		if !isBlank(got) {
			s.invented(path, got)
		}
	}
}

func (s *scorer) invented(path string, got any) {
	s.count.Returned++
	s.count.Invented++
	s.note(path, Invented, nil, got)
}

// listOf gives an array's elements; a single value stands for an array of it.
func listOf(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func isObject(v any) bool {
	o, ok := v.(*Object)
	return ok && !isBlank(o)
}

// asRow makes a row of anything; nil of nothing.
func asRow(v any) *Object {
	if o, ok := v.(*Object); ok {
		return o
	}
	if v == nil {
		return nil
	}
	return newObject("value", v)
}

func elements(v any, rows bool) []element {
	var kept []element
	for i, one := range listOf(v) {
		if !isBlank(one) {
			kept = append(kept, element{at: i, value: one, cells: cells(one, rows)})
		}
	}
	return kept
}

func cells(v any, row bool) []cell {
	if !row {
		return []cell{{"", gramsOf(v)}}
	}
	var all []cell
	o := asRow(v)
	for _, key := range o.Keys() {
		if member := o.Get(key); !isBlank(member) {
			all = append(all, cell{key, gramsOf(member)})
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return cmp.Compare(a.name, b.name) })
	return all
}

// candidate is a pair that may be made.
type candidate struct {
	likeness float64
	i, j     int
}

// pair pairs elements one to one, the most alike first, and gives for the
// place of each expected one that of its partner.
func pair(expected, returned []element, rows bool) map[int]int {
	var candidates []candidate
	for i, e := range expected {
		for j, r := range returned {
			if like := alike(e, r, rows); like > 0 {
				candidates = append(candidates, candidate{like, i, j})
			}
		}
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.likeness, a.likeness), cmp.Compare(abs(a.i-a.j), abs(b.i-b.j)), cmp.Compare(b.i, a.i), cmp.Compare(b.j, a.j))
	})
	pairs := map[int]int{}
	taken := make([]bool, len(returned))
	for _, c := range candidates {
		if _, has := pairs[c.i]; !has && !taken[c.j] {
			pairs[c.i], taken[c.j] = c.j, true
		}
	}
	return pairs
}

// leastAlike is how alike plain values must be to be a pair.
const leastAlike = 0.3

func alike(a, b element, rows bool) float64 {
	if !rows {
		if like := a.cells[0].grams.like(b.cells[0].grams); like > leastAlike {
			return like
		}
		return 0
	}
	var sum float64
	names := len(a.cells) + len(b.cells)
	for i, j := 0, 0; i < len(a.cells) && j < len(b.cells); {
		switch order := cmp.Compare(a.cells[i].name, b.cells[j].name); {
		case order < 0:
			i++
		case order > 0:
			j++
		default:
			sum += a.cells[i].grams.like(b.cells[j].grams)
			names, i, j = names-1, i+1, j+1
		}
	}
	return ratio(sum, float64(names))
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

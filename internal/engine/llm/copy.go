package llm

import (
	"slices"

	"fieldlift"
	"fieldlift/internal/engine"
)

// claims knows which places on the page have a value already: what is printed
// several times is taken in order, one place for each. Nil claims nothing.
type claims struct {
	taken map[piece]bool
	found map[sought]*elsewhere
}

// sought is a value that was looked for in all of a part.
type sought struct {
	field string
	of    fieldlift.FieldType
	value any
}

// elsewhere is where it stands. What comes first is claimed first.
type elsewhere struct {
	finding
	others []piece
}

func newClaims() *claims { return &claims{map[piece]bool{}, map[sought]*elsewhere{}} }

func (c *claims) has(p piece) bool { return c != nil && c.taken[p] }

func (c *claims) add(pieces []piece) {
	for _, p := range pieces {
		c.taken[p] = true
	}
}

// elsewhere gives the next place of a value that nobody has claimed, or else
// the last. A part is searched once for each value, however many rows have it.
func (c *claims) elsewhere(f fieldlift.Field, v any, find func() (finding, []piece)) (finding, bool) {
	if c == nil {
		found, _ := find()
		return found, len(found.pieces) > 0
	}
	key := sought{f.Name, f.Type, v}
	e := c.found[key]
	if e == nil {
		e = &elsewhere{}
		e.finding, e.others = find()
		c.found[key] = e
	}
	for len(e.others) > 0 && c.taken[e.pieces[0]] {
		e.pieces, e.others = e.others[:1], e.others[1:]
	}
	return e.finding, len(e.pieces) > 0
}

// stand is a value in its place.
type stand struct {
	at    piece
	value string
}

// tenants are the elements of a list that have places of their own.
type tenants struct {
	list []tenant
	at   map[stand][]int // indexes into list
}

type tenant struct {
	engine.Found
	cited []int
}

// isCopy tells an element that has nothing of its own: all of it stands where
// one element before it stands. One that says the same and cites no line of its
// own must have most of its values in places of its own: some stand elsewhere by
// chance. What is no copy is remembered.
func (t *tenants) isCopy(e *element, cited []int) bool {
	shared := map[int]int{}
	for _, s := range e.stands {
		for _, n := range t.at[s] {
			shared[n]++
		}
	}
	for n, count := range shared {
		other := t.list[n]
		if 2*count >= len(e.stands) && !citesMore(cited, other.cited) && saysSame(e.Found, other.Found) {
			return true
		}
		e.borrows = e.borrows || count == len(e.stands)
	}
	if e.borrows && filled(e.Found) == len(e.stands) {
		return true
	}
	if t.at == nil {
		t.at = map[stand][]int{}
	}
	for _, s := range e.stands {
		if at := t.at[s]; len(at) == 0 || at[len(at)-1] != len(t.list) {
			t.at[s] = append(at, len(t.list))
		}
	}
	t.list = append(t.list, tenant{e.Found, cited})
	return false
}

func citesMore(a, b []int) bool {
	return slices.ContainsFunc(a, func(n int) bool { return !slices.Contains(b, n) })
}

// saysSame compares all that two elements say.
func saysSame(a, b engine.Found) bool {
	return (a.Value == nil) == (b.Value == nil) && (a.Value == nil || same(a.Value, b.Value)) &&
		slices.EqualFunc(a.Members, b.Members, saysSame) && slices.EqualFunc(a.Elements, b.Elements, saysSame)
}

// cites are the lines that a model says an element stands on.
func (s said) cites() []int {
	lines := slices.Clone(s.lines)
	for _, inner := range slices.Concat(s.members, s.elements) {
		lines = append(lines, inner.cites()...)
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

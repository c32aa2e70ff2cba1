package llm

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
)

// item is a part of a schema that is asked for as one: a scalar, or an array
// with all its elements. Members of objects are items of their own.
type item struct {
	key     string // what a model knows it by: "vendor.name"
	pointer string // where its value stands in the data: "/vendor/name"
	field   fieldlift.Field
	path    []int // the way to it: the places of fields among their siblings
}

// isKey tells names that every provider takes for a property.
var isKey = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

// keyFor makes a name a key that others do not have: as it is if it can be
// one, else a letter and a number.
func keyFor(name, letter string, n int, taken map[string]bool) string {
	if !isKey.MatchString(name) || taken[name] || name == linesKey {
		name = letter + strconv.Itoa(n+1)
	}
	for taken[name] {
		name += "_"
	}
	taken[name] = true
	return name
}

// isTable tells an array of objects: a model answers it row by row.
func (i item) isTable() bool {
	return i.field.Type == fieldlift.ArrayField && engine.ElementOf(i.field).Type == fieldlift.ObjectField
}

// weight is how many values the item asks for, in one row.
func (i item) weight() int { return weigh(i.field) }

func weigh(f fieldlift.Field) int {
	switch f.Type {
	case fieldlift.ObjectField:
		n := 0
		for _, inner := range f.Fields {
			n += weigh(inner)
		}
		return n
	case fieldlift.ArrayField:
		return max(1, weigh(engine.ElementOf(f)))
	}
	return 1
}

// itemsOf lists what can be asked for. An object without members says nothing
// of what is in it, and has no answer.
func itemsOf(fields []fieldlift.Field) []item {
	items := appendItems(nil, "", nil, fields)
	taken := map[string]bool{}
	for n := range items {
		items[n].key = keyFor(strings.ReplaceAll(items[n].pointer[1:], "/", "."), "f", n, taken)
	}
	return items
}

func appendItems(items []item, prefix string, path []int, fields []fieldlift.Field) []item {
	for i, f := range fields {
		pointer := prefix + "/" + engine.Escape(f.Name)
		at := slices.Concat(path, []int{i})
		switch {
		case f.Type == fieldlift.ObjectField:
			items = appendItems(items, pointer, at, f.Fields)
		case weigh(f) > 0 && (f.Type != fieldlift.ArrayField || !isBareObject(engine.ElementOf(f))):
			items = append(items, item{pointer: pointer, field: f, path: at})
		}
	}
	return items
}

func isBareObject(f fieldlift.Field) bool {
	return f.Type == fieldlift.ObjectField && len(f.Fields) == 0
}

// section is the part of the schema that an item belongs to.
func (i item) section() string {
	first, _, _ := strings.Cut(i.pointer[1:], "/")
	return first
}

// at finds the place of an item in what was found.
func at(found []engine.Found, path []int) *engine.Found {
	one := &found[path[0]]
	for _, i := range path[1:] {
		for len(one.Members) <= i {
			one.Members = append(one.Members, engine.Found{})
		}
		one = &one.Members[i]
	}
	return one
}

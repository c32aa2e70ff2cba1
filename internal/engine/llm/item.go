package llm

import (
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
)

// item is a part of a schema that is asked for as one: a scalar, or an array
// with all its elements. Members of objects are items of their own.
type item struct {
	key   string // its pointer without the slash it begins with: "vendor/name"
	field fieldlift.Field
	path  []int // the way to it: the places of fields among their siblings
}

// pointer is where the item's value stands in the data.
func (i item) pointer() string { return "/" + i.key }

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
func itemsOf(fields []fieldlift.Field) []item { return appendItems(nil, "", nil, fields) }

func appendItems(items []item, prefix string, path []int, fields []fieldlift.Field) []item {
	for i, f := range fields {
		key := prefix + engine.Escape(f.Name)
		at := append(path[:len(path):len(path)], i)
		switch {
		case f.Type == fieldlift.ObjectField:
			items = appendItems(items, key+"/", at, f.Fields)
		case weigh(f) > 0 && !(f.Type == fieldlift.ArrayField && isBareObject(engine.ElementOf(f))):
			items = append(items, item{key, f, at})
		}
	}
	return items
}

func isBareObject(f fieldlift.Field) bool {
	return f.Type == fieldlift.ObjectField && len(f.Fields) == 0
}

// section is the part of the schema that an item belongs to.
func (i item) section() string {
	first, _, _ := strings.Cut(i.key, "/")
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

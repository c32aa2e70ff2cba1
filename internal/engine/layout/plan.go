package layout

import (
	"fieldlift"
	"fieldlift/internal/engine"
)

// plan is a schema taken apart into what must be found.
type plan struct {
	targets []target
	labels  *labels
	tables  [][]int    // by array of objects: the targets that are its columns
	arrays  [][]string // by array of objects: what its name means
	groups  [][]string // by object: what its name means; the first is no object
}

// shape is how a field's value is looked for.
type shape int

const (
	isNothing shape = iota // its content is not told, or nests in a way that no layout shows
	isScalar
	isList
	isObject
	isTable
)

func shapeOf(f fieldlift.Field) shape {
	switch f.Type {
	case fieldlift.ObjectField:
		if len(f.Fields) == 0 {
			return isNothing
		}
		return isObject
	case fieldlift.ArrayField:
		switch {
		case f.Items == nil:
			return isList
		case shapeOf(*f.Items) == isScalar:
			return isList
		case shapeOf(*f.Items) == isObject:
			return isTable
		}
		return isNothing
	}
	return isScalar
}

func newPlan(x *lexicon, r engine.Request) *plan {
	p := &plan{labels: newLabels(x, r.DocumentType), groups: [][]string{nil}}
	p.add(r.Fields, 0, "")
	parents := make([][]string, len(p.targets))
	for i, t := range p.targets {
		parents[i] = p.groups[t.group]
	}
	p.labels.learn(p.targets, parents)
	for i := range p.targets {
		p.targets[i].class = classOf(&p.targets[i])
	}
	return p
}

func (p *plan) add(fields []fieldlift.Field, group int, pointer string) {
	for _, f := range fields {
		at := pointer + "/" + engine.Escape(f.Name)
		switch shapeOf(f) {
		case isObject:
			p.groups = append(p.groups, p.labels.lexicon.concepts(f.Name))
			p.add(f.Fields, len(p.groups)-1, at)
		case isTable:
			p.arrays = append(p.arrays, p.labels.lexicon.concepts(f.Name))
			p.addColumns(f.Items.Fields)
		case isScalar, isList:
			p.addTarget(f, group, at)
		}
	}
}

// addColumns plans a table. What nests in its cells is not looked for.
func (p *plan) addColumns(fields []fieldlift.Field) {
	var columns []int
	for i, f := range fields {
		if shapeOf(f) == isScalar {
			columns = append(columns, len(p.targets))
			p.addTarget(f, 0, "")
			t := &p.targets[len(p.targets)-1]
			t.table, t.column = len(p.tables), i
		}
	}
	p.tables = append(p.tables, columns)
}

func (p *plan) addTarget(f fieldlift.Field, group int, pointer string) {
	t := target{field: f, pointer: pointer, group: group, table: -1, concepts: p.labels.lexicon.concepts(f.Name)}
	if shapeOf(f) == isList {
		t.field, t.list = fieldlift.Field{Type: fieldlift.StringField}, true
		if f.Items != nil {
			t.field = *f.Items
		}
		t.field.Name, t.field.Description = f.Name, f.Description
	}
	t.kind = kindOf(t.field, p.labels.lexicon, t.concepts)
	p.targets = append(p.targets, t)
}

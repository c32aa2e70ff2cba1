package layout

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/einvoice"
	"fieldlift/internal/engine"
)

const (
	// leastGiven is how well a given value's name must fit a field's.
	leastGiven = 0.88
	// Given values are right unless their names were mistaken. One that is also
	// printed is surer.
	givenConfidence        = 0.95
	givenPrintedConfidence = 0.99
)

// givenMatch is a given value that may be a target's.
type givenMatch struct {
	given, target int
	score         float64
}

// takeGiven answers what the document itself says in a form that needs no
// reading: an electronic invoice.
func (x *extraction) takeGiven(given []einvoice.Given) {
	if len(given) == 0 {
		return
	}
	labels := *x.labels
	labels.printed, labels.known = labels.lexicon.in("en"), map[string][]match{}
	x.givenScalars(given, &labels)
	for table := range x.tables {
		x.givenRows(table, given, &labels)
	}
}

func (x *extraction) givenScalars(given []einvoice.Given, labels *labels) {
	var all []givenMatch
	for i, g := range given {
		if g.Line > 0 {
			continue
		}
		for rank, label := range g.Labels {
			for _, m := range labels.match(label) {
				if t := &x.targets[m.target]; t.table < 0 && !t.list && m.score >= leastGiven && m.form == whole && !m.contrary {
					all = append(all, givenMatch{i, m.target, m.score - 0.001*float64(rank)})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b givenMatch) int { return cmp.Compare(b.score, a.score) })
	taken := map[int]bool{}
	for _, m := range all {
		if taken[m.target] {
			continue
		}
		if v, ok := givenValue(&x.targets[m.target], given[m.given]); ok {
			taken[m.target] = true
			x.found[m.target] = x.givenFound(v, given[m.given].Value)
		}
	}
}

// givenRows makes the rows of a table from the lines of an invoice, if they
// have most of its columns.
func (x *extraction) givenRows(table int, given []einvoice.Given, labels *labels) {
	columns := x.tables[table]
	rows := map[int][]engine.Found{}
	last := 0
	filled := map[int]bool{}
	for _, g := range given {
		if g.Line == 0 {
			continue
		}
		last = max(last, g.Line)
		target := -1
		for _, label := range g.Labels {
			for _, m := range labels.match(label) {
				if target < 0 && m.score >= leastGiven && slices.Contains(columns, m.target) {
					target = m.target
				}
			}
		}
		if target < 0 {
			continue
		}
		v, ok := givenValue(&x.targets[target], g)
		at := slices.Index(columns, target)
		if rows[g.Line] == nil {
			rows[g.Line] = make([]engine.Found, len(columns))
		}
		if ok && rows[g.Line][at].Value == nil {
			rows[g.Line][at] = x.givenFound(v, g.Value)
			filled[at] = true
		}
	}
	if len(filled) < 2 || 2*len(filled) < len(columns) {
		return
	}
	x.rows[table] = nil
	for n := 1; n <= last; n++ {
		var e engine.Found
		for i, f := range rows[n] {
			column := x.targets[columns[i]].column
			for len(e.Members) <= column {
				e.Members = append(e.Members, engine.Found{})
			}
			e.Members[column] = f
		}
		x.rows[table] = append(x.rows[table], e)
	}
}

// givenValue reads a given value as the target's type.
func givenValue(t *target, g einvoice.Given) (any, bool) {
	if t.field.Enum != nil {
		return g.Value, slices.Contains(t.field.Enum, any(g.Value))
	}
	switch t.field.Type {
	case fieldlift.NumberField:
		return json.Number(g.Value), g.Type == einvoice.Number
	case fieldlift.DateField:
		_, err := time.Parse(time.DateOnly, g.Value)
		return g.Value, err == nil
	case fieldlift.BooleanField:
		return nil, false
	}
	return strings.ReplaceAll(g.Value, "\n", " "), true
}

// givenFound places a given value where it is printed, if it is.
func (x *extraction) givenFound(v any, text string) engine.Found {
	if s, ok := x.printedAt(v); ok {
		place := x.place(givenPrintedConfidence, s)
		place.Source = fieldlift.SourceForm
		return engine.Found{Value: v, Place: place}
	}
	return engine.Found{Value: v, Place: fieldlift.FieldMetadata{
		Confidence: givenConfidence, Boxes: [][4]float64{}, Text: text, Source: fieldlift.SourceForm,
	}}
}

// printedAt finds the words that say a value.
func (x *extraction) printedAt(v any) (span, bool) {
	said := saying(v)
	for _, found := range [][]typedSpan{x.facts.dates, x.facts.amounts} {
		for _, f := range found {
			if saying(f.value) == said {
				return f.span, true
			}
		}
	}
	wanted, isText := said.(string)
	if !isText || wanted == "" {
		return span{}, false
	}
	for i := range x.words {
		got := ""
		for j := i; j < len(x.words) && len(got) < len(wanted) && x.words[j].line == x.words[i].line; j++ {
			got += normal(x.words[j].Text)
			if got == wanted {
				return span{i, j + 1}, true
			}
			if !strings.HasPrefix(wanted, got) {
				break
			}
		}
	}
	return span{}, false
}

// Package layout is the embedded engine: it finds the values of fields by
// where words stand on pages. Labels are recognised by the names of fields;
// values stand beside or below them, and rows below the heads of columns. It
// has no model and no network, gives the same answer every time, and leaves
// null what it would have to guess.
package layout

import (
	"context"

	"fieldlift"
	"fieldlift/internal/engine"
)

// mostConfidence is the highest confidence that is given: layout alone is
// never sure.
const mostConfidence = 0.9

// Engine is the embedded engine. It can be used concurrently.
type Engine struct {
	lexicon *lexicon
}

// New makes an engine.
func New() *Engine { return &Engine{newLexicon()} }

// Extract finds the values of the fields on the pages.
func (e *Engine) Extract(ctx context.Context, r engine.Request) (engine.Answer, error) {
	if err := ctx.Err(); err != nil {
		return engine.Answer{}, err
	}
	p := newPlan(e.lexicon, r)
	x := extraction{plan: p, document: newDocument(r.Pages), found: make([]engine.Found, len(p.targets)), seen: make([]int, len(p.targets)), rows: make([][]engine.Found, len(p.tables)), rulings: newRulings(r.Pages), figures: map[cellOf]bool{}}
	if err := x.readTables(ctx); err != nil {
		return engine.Answer{}, err
	}
	lists := x.readLists()
	if err := x.readScalars(ctx); err != nil {
		return engine.Answer{}, err
	}
	for t, f := range lists {
		if len(f.Elements) > len(x.found[t].Elements) {
			x.found[t] = f
		}
	}
	a := assembly{extraction: &x}
	return engine.Build(r.Fields, a.members(r.Fields)), nil
}

// extraction is the work on one request.
type extraction struct {
	*plan
	*document
	found   []engine.Found   // by target
	seen    []int            // by target: scratch of labelsOf
	rows    [][]engine.Found // by table
	rulings []ruling         // by page
	figures map[cellOf]bool  // what isFigure found out
}

// assembly walks the schema in the order in which it was planned and puts what
// was found where it belongs.
type assembly struct {
	*extraction
	target, table int // the next ones
}

func (a *assembly) members(fields []fieldlift.Field) []engine.Found {
	found := make([]engine.Found, len(fields))
	for i, f := range fields {
		switch shapeOf(f) {
		case isObject:
			found[i].Members = a.members(f.Fields)
		case isTable:
			found[i].Elements = a.rows[a.table]
			a.table++
			for _, column := range f.Items.Fields {
				if shapeOf(column) == isScalar {
					a.target++
				}
			}
		case isScalar, isList:
			found[i] = a.found[a.target]
			a.target++
		}
	}
	return found
}

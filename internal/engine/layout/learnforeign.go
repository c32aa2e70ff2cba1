package layout

import (
	"cmp"
	"slices"

	"fieldlift"
	"fieldlift/internal/engine"
)

// withForeign adds to examples the same pages asked for what documents of other
// sets have, where nothing is right. Labelled documents have schemas that fit
// them: from those alone nobody learns that something is not there.
func withForeign(x *lexicon, examples []Example) []Example {
	asked := make([][][]string, len(examples))
	for i, e := range examples {
		asked[i] = meanings(x, nil, e.Request.Fields)
	}
	all := slices.Clone(examples)
	for i, e := range examples {
		fields := foreignFields(x, examples[mostForeign(examples, asked, i)].Request.Fields, asked[i], trades(x, e.Request.Fields))
		if len(fields) == 0 {
			continue
		}
		foreign := Example{Request: e.Request, Set: e.Set + ", fields of others", Right: func(_ string, v any) bool { return v == nil }, foreign: true}
		foreign.Request.Fields, foreign.Request.Given, foreign.Request.DocumentType = fields, nil, ""
		all = append(all, foreign)
	}
	return all
}

// mostForeign gives an example of another set whose fields mean other things;
// of the more foreign half of all each has its turn.
func mostForeign(examples []Example, asked [][][]string, one int) int {
	type other struct{ example, shared int }
	var others []other
	for i, e := range examples {
		if e.Set == examples[one].Set {
			continue
		}
		o := other{example: i}
		for _, m := range asked[i] {
			if overlaps(m, asked[one]) {
				o.shared++
			}
		}
		others = append(others, o)
	}
	if len(others) == 0 {
		return one
	}
	slices.SortStableFunc(others, func(a, b other) int { return cmp.Compare(a.shared, b.shared) })
	return others[one*31%max(1, len(others)/2)].example
}

// foreignFields leaves out tables, for which nothing is learned, what the
// document's own fields mean as well, and of papers of trade what any of them
// may have unasked.
func foreignFields(x *lexicon, fields []fieldlift.Field, own [][]string, trades bool) []fieldlift.Field {
	var kept []fieldlift.Field
	for _, f := range fields {
		switch shapeOf(f) {
		case isScalar:
			if !overlaps(x.concepts(f.Name), own) && (!trades || !isTrade(x, f)) {
				kept = append(kept, f)
			}
		case isObject:
			if f.Fields = foreignFields(x, f.Fields, own, trades); len(f.Fields) > 0 {
				kept = append(kept, f)
			}
		}
	}
	return kept
}

// meanings gives the concepts of each scalar that fields ask for.
func meanings(x *lexicon, found [][]string, fields []fieldlift.Field) [][]string {
	for _, f := range fields {
		switch shapeOf(f) {
		case isObject:
			found = meanings(x, found, f.Fields)
		case isTable:
			found = meanings(x, found, f.Items.Fields)
		default:
			found = append(found, x.concepts(f.Name))
		}
	}
	return found
}

// overlaps reports whether a meaning has all of another one, or lies in it.
func overlaps(m []string, own [][]string) bool {
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(c string) bool { return !slices.Contains(b, c) })
	}
	return slices.ContainsFunc(own, func(o []string) bool { return within(m, o) || within(o, m) })
}

// trades reports whether fields are those of a paper of trade: an invoice, a
// receipt, an order.
func trades(x *lexicon, fields []fieldlift.Field) bool {
	return slices.ContainsFunc(fields, func(f fieldlift.Field) bool {
		return shapeOf(f) == isScalar && isTrade(x, f) || shapeOf(f) == isObject && trades(x, f.Fields)
	})
}

// isTrade reports whether a field asks for what papers of trade have.
func isTrade(x *lexicon, f fieldlift.Field) bool {
	return newPlan(x, engine.Request{Fields: []fieldlift.Field{f}}).targets[0].class.trades()
}

// trades reports whether it is a class of what papers of trade have.
func (c class) trades() bool {
	switch c {
	case vendorNameClass, customerNameClass, vendorAddressClass, customerAddressClass,
		totalClass, subtotalClass, taxClass, rateClass, issueDateClass, currencyClass, addressClass, documentNumberClass:
		return true
	}
	return false
}

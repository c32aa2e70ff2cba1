package layout

import (
	"cmp"
	"context"
	"slices"

	"fieldlift/internal/engine"
)

// mostExplained is how many candidates of a field are told of.
const mostExplained = 20

// Explain extracts, and tells for each field outside of tables what was
// considered, the most probable first.
func (e *Engine) Explain(ctx context.Context, r engine.Request) ([]engine.Explanation, error) {
	x, choices, err := e.prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	x.decide(choices)
	var all []engine.Explanation
	for i := range choices {
		all = append(all, x.explain(&choices[i]))
	}
	return all, nil
}

func (x *extraction) explain(c *choice) engine.Explanation {
	t := &x.targets[c.target]
	told := engine.Explanation{Pointer: t.pointer, Class: classNames[t.class], Absent: 1}
	for _, o := range c.candidates {
		told.Absent -= o.probability
	}
	ranked := slices.Clone(c.candidates)
	slices.SortStableFunc(ranked, func(a, b candidate) int { return cmp.Compare(b.probability, a.probability) })
	chosen := x.found[c.target]
	for _, o := range ranked[:min(len(ranked), mostExplained)] {
		n := engine.Candidate{Value: o.value, Place: x.place(o.probability, o.spans...), Probability: o.probability}
		if !o.label.empty() {
			n.Label = x.label(o.label)
		}
		n.Chosen = chosen.Value != nil && slices.Equal(n.Place.Boxes, chosen.Place.Boxes) && sameValue(o.value, chosen.Value)
		w := &x.model.weights[t.class]
		for f, v := range o.evidence {
			if v != 0 {
				n.Evidence = append(n.Evidence, engine.Evidence{Name: featureNames[f], Value: float64(v), Weight: w.evidence[f]})
			}
		}
		told.Candidates = append(told.Candidates, n)
	}
	return told
}

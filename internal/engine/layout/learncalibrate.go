package layout

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Outcome is a value that was given, and whether it was right.
type Outcome struct {
	Probability float64
	Right       bool
}

// crossValidate learns without each fifth of the documents in turn, and notes
// how their values came out: that is what confidence must tell.
func (l *learner) crossValidate(ctx context.Context, progress func(string)) ([]knot, error) {
	var outcomes []Outcome
	for fold := range folds {
		p, err := l.fit(ctx, func(document int) bool { return document%folds != fold })
		if err != nil {
			return nil, err
		}
		m := p.model()
		for i := fold; i < len(l.examples); i += folds {
			found := l.examine(l.prepared[i], m, l.examples[i])
			if !l.examples[i].foreign { // confidence is that of schemas which fit
				outcomes = append(outcomes, found...)
			}
		}
		progress(fmt.Sprintf("part %d of %d", fold+1, folds))
	}
	return isotonic(outcomes), nil
}

// calibrateCells notes how the cells of tables came out, which are read by
// rules that nothing is learned for.
func (l *learner) calibrateCells(ctx context.Context) ([]knot, error) {
	var outcomes []Outcome
	for i, x := range l.examples {
		if x.Cells == nil || len(l.prepared[i].tables) == 0 {
			continue
		}
		answer, err := l.engine.Extract(ctx, x.Request)
		if err != nil {
			return nil, err
		}
		outcomes = append(outcomes, x.Cells(answer)...)
	}
	return isotonic(outcomes), nil
}

// examine decides for a document and tallies what was right.
func (l *learner) examine(p prepared, m *model, x Example) []Outcome {
	p.model = m
	p.decide(p.choices)
	f := l.figures[x.Set]
	if f == nil {
		f = &Figure{Set: x.Set}
		l.figures[x.Set] = f
	}
	var outcomes []Outcome
	for _, c := range p.choices {
		t := &p.targets[c.target]
		if t.list {
			continue
		}
		expectsNothing := x.Right(t.pointer, nil)
		given := p.found[c.target].Value
		if expectsNothing && given == nil {
			continue
		}
		f.Fields++
		if given == nil {
			f.Omitted++
			continue
		}
		right := x.Right(t.pointer, given)
		outcomes = append(outcomes, Outcome{p.won[c.target], right})
		switch {
		case right:
			f.Right++
		case expectsNothing:
			f.Invented++
		default:
			f.Wrong++
		}
	}
	return outcomes
}

// isotonic draws the rising line that fits outcomes best (pool adjacent
// violators), with few knots, each of which stands for enough of them.
func isotonic(outcomes []Outcome) []knot {
	slices.SortStableFunc(outcomes, func(a, b Outcome) int {
		switch {
		case a.Probability < b.Probability:
			return -1
		case a.Probability > b.Probability:
			return 1
		}
		return 0
	})
	type pool struct{ score, right, count float64 }
	least := max(20, float64(len(outcomes))/15)
	var pools []pool
	var open pool
	flush := func() {
		if open.count == 0 {
			return
		}
		pools = append(pools, open)
		open = pool{}
		for n := len(pools); n > 1 && pools[n-1].right/pools[n-1].count <= pools[n-2].right/pools[n-2].count; n = len(pools) {
			a, b := pools[n-2], pools[n-1]
			pools = append(pools[:n-2], pool{a.score + b.score, a.right + b.right, a.count + b.count})
		}
	}
	for _, o := range outcomes {
		open.score += o.Probability
		open.count++
		if o.Right {
			open.right++
		}
		if open.count >= least {
			flush()
		}
	}
	flush()
	var knots []knot
	least = 0
	for _, p := range pools {
		// One more right and one more wrong keep small pools from certainty.
		// The line still rises: a small pool after a large one may not fall below it.
		least = max(least, round((p.right+1)/(p.count+2)))
		knots = append(knots, knot{round(p.score / p.count), least})
	}
	return knots
}

func round(v float64) float64 { return math.Round(v*1000) / 1000 }

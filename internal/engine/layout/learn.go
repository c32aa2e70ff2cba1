package layout

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"fieldlift/internal/engine"
)

// Example is a labelled document to learn from.
type Example struct {
	Request engine.Request
	Set     string // documents of one set count together as much as those of another
	// Right tells whether a value is what is expected at a JSON pointer; for
	// nil, whether nothing is.
	Right func(pointer string, value any) bool
	// Cells tells of an answer's values in arrays whether they are right.
	Cells func(engine.Answer) []Outcome

	foreign bool // the fields are another document's
}

// Lesson is what was learned.
type Lesson struct {
	Weights string // as weights.tsv has them
	Figures []Figure
}

// Figure tells how documents that were not learned from came out.
type Figure struct {
	Set                    string
	Fields, Right, Omitted int
	Invented, Wrong        int
}

// question is a choice whose answer is known.
type question struct {
	document int
	class    class
	evidence [][]trait // by candidate
	absent   [absentCount]float64
	right    []bool // by candidate, and last for nothing
	said     []int  // by candidate: a number for what it says
	sayings  int
	weight   float64
}

// trait is evidence that a candidate has; most of it most candidates lack.
type trait struct {
	feature feature
	value   float64
}

func traitsOf(e *features) []trait {
	var found []trait
	for f, v := range e {
		if v != 0 {
			found = append(found, trait{feature(f), float64(v)})
		}
	}
	return found
}

// Learn finds the weights that make the right candidates most probable, and
// measures them on documents that it leaves out in turn.
func Learn(ctx context.Context, examples []Example, progress func(string)) (Lesson, error) {
	lexicon := newLexicon()
	examples = withForeign(lexicon, examples)
	l := learner{engine: &Engine{lexicon, &model{}}, examples: examples, figures: map[string]*Figure{}}
	perSet := map[string]int{}
	for _, x := range examples {
		perSet[x.Set]++
	}
	for i, x := range examples {
		work, choices, err := l.engine.prepare(ctx, x.Request)
		if err != nil {
			return Lesson{}, err
		}
		p := prepared{work, choices}
		asked := p.questions(i, x)
		for j := range asked {
			asked[j].weight /= math.Sqrt(float64(perSet[x.Set]))
			if x.foreign && asked[j].class.trades() {
				asked[j].weight *= foreignTradeShare
			} else if x.foreign {
				asked[j].weight *= foreignShare
			}
		}
		l.prepared = append(l.prepared, p)
		l.questions = append(l.questions, asked...)
	}
	progress(fmt.Sprintf("%d questions in %d documents", len(l.questions), len(examples)))
	knots, err := l.crossValidate(ctx, progress)
	if err != nil {
		return Lesson{}, err
	}
	final, err := l.fit(ctx, func(int) bool { return true })
	if err != nil {
		return Lesson{}, err
	}
	lesson := Lesson{}
	for _, set := range slices.Sorted(mapsKeys(l.figures)) {
		lesson.Figures = append(lesson.Figures, *l.figures[set])
	}
	cells, err := l.calibrateCells(ctx)
	if err != nil {
		return Lesson{}, err
	}
	lesson.Weights = formatWeights(final, knots, cells, lesson.Figures)
	return lesson, nil
}

func mapsKeys(m map[string]*Figure) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// prepared is an example with its candidates.
type prepared struct {
	*extraction
	choices []choice
}

// questions makes a question of each field of an example.
func (p prepared) questions(document int, x Example) []question {
	var asked []question
	for _, c := range p.choices {
		t := &p.targets[c.target]
		if t.list {
			continue
		}
		q := question{document: document, class: t.class, absent: c.absent, right: make([]bool, len(c.candidates)+1)}
		any := false
		for j := range c.candidates {
			q.evidence = append(q.evidence, traitsOf(&c.candidates[j].evidence))
			q.right[j] = x.Right(t.pointer, c.candidates[j].value)
			any = any || q.right[j]
		}
		q.said, q.sayings = c.sayings()
		q.right[len(c.candidates)] = !any
		q.weight = 1
		if !any && !x.Right(t.pointer, nil) {
			q.weight = unreachable
		}
		asked = append(asked, q)
	}
	return asked
}

// parameters are the weights for all classes, and what each class adds.
type parameters struct {
	all   [parameterCount]float64
	class [classCount][parameterCount]float64
}

const parameterCount = int(featureCount) + int(absentCount)

// How strongly weights are held back, and how long they are learned.
const (
	holdAll   = 0.001
	holdClass = 0.004
	rounds    = 400
	rate      = 0.05
	folds     = 5
	// unreachable is what a question counts whose answer is no candidate: it
	// teaches little of what speaks for there being nothing.
	unreachable = 0.2
	// foreignShare is what a question counts that asks for another document's
	// field: there are as many as one likes to make.
	foreignShare = 0.3
	// foreignTradeShare is that of what papers of trade have, asked of others:
	// few labelled documents are others.
	foreignTradeShare = 0.6
)

type learner struct {
	engine    *Engine
	examples  []Example
	prepared  []prepared // by example
	questions []question
	figures   map[string]*Figure
}

// fit climbs the likelihood of the right answers (Adam, with all questions in
// each round) for those documents that are used.
func (l *learner) fit(ctx context.Context, used func(document int) bool) (*parameters, error) {
	p, m, v := &parameters{}, &parameters{}, &parameters{}
	var total float64
	for _, q := range l.questions {
		if used(q.document) {
			total += q.weight
		}
	}
	for round := 1; round <= rounds; round++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slope := &parameters{}
		for i := range l.questions {
			if q := &l.questions[i]; used(q.document) {
				q.climb(p, slope, q.weight/total)
			}
		}
		for i := range parameterCount {
			step(&p.all[i], &m.all[i], &v.all[i], slope.all[i]-holdAll*p.all[i], round)
			for c := range classCount {
				step(&p.class[c][i], &m.class[c][i], &v.class[c][i], slope.class[c][i]-holdClass*p.class[c][i], round)
			}
		}
	}
	return p, nil
}

// step moves one weight (Adam).
func step(w, m, v *float64, slope float64, round int) {
	const b1, b2 = 0.9, 0.999
	*m = b1**m + (1-b1)*slope
	*v = b2**v + (1-b2)*slope*slope
	*w += rate * (*m / (1 - math.Pow(b1, float64(round)))) / (math.Sqrt(*v/(1-math.Pow(b2, float64(round)))) + 1e-8)
}

// climb adds a question's slope: what the right answers have more of than was
// expected. Of candidates that say the same the best one counts.
func (q *question) climb(p, slope *parameters, weight float64) {
	w := p.of(q.class)
	probability := spread(q.scores(&w), q.said, q.sayings)
	var right float64
	for j, ok := range q.right {
		if ok {
			right += probability[j]
		}
	}
	if right < 1e-12 {
		right = 1e-12
	}
	class := &slope.class[q.class]
	for j, share := range probability {
		d := -share
		if q.right[j] {
			d += share / right
		}
		if d *= weight; abs(d) < 1e-9 {
			continue
		}
		if j == len(q.evidence) {
			for i, v := range q.absent {
				slope.all[int(featureCount)+i] += d * v
				class[int(featureCount)+i] += d * v
			}
			continue
		}
		for _, e := range q.evidence[j] {
			slope.all[e.feature] += d * e.value
			class[e.feature] += d * e.value
		}
	}
}

func (q *question) scores(w *weights) []float64 {
	scores := make([]float64, len(q.evidence)+1)
	for j, evidence := range q.evidence {
		for _, e := range evidence {
			scores[j] += w.evidence[e.feature] * e.value
		}
	}
	scores[len(q.evidence)] = w.absence(&q.absent)
	return scores
}

// of adds the weights of a class up.
func (p *parameters) of(c class) weights {
	var w weights
	for i := range featureCount {
		w.evidence[i] = p.all[i] + p.class[c][i]
	}
	for i := range absentCount {
		w.absent[i] = p.all[int(featureCount)+int(i)] + p.class[c][int(featureCount)+int(i)]
	}
	return w
}

func (p *parameters) model() *model {
	m := &model{}
	for c := range classCount {
		m.weights[c] = p.of(c)
	}
	return m
}

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

// formatWeights writes weights as parseModel reads them.
func formatWeights(p *parameters, calibration, cells []knot, figures []Figure) string {
	var b strings.Builder
	b.WriteString("# What evidence weighs: for all fields, and what each class of fields adds. Written by `fieldlift learn`.\n")
	b.WriteString("# Fields of documents that were left out while learning:\n")
	for _, f := range figures {
		fmt.Fprintf(&b, "# %s: %d fields, %d right, %d wrong, %d omitted, %d invented\n", f.Set, f.Fields, f.Right, f.Wrong, f.Omitted, f.Invented)
	}
	b.WriteString("evidence\tall\t" + strings.Join(classNames[:], "\t") + "\n")
	names := append(append([]string(nil), featureNames[:]...), absentNames[:]...)
	for i, name := range names {
		b.WriteString(name)
		fmt.Fprintf(&b, "\t%.3g", p.all[i])
		for c := range classCount {
			if v := p.class[c][i]; abs(v) >= 0.005 {
				fmt.Fprintf(&b, "\t%.3g", v)
			} else {
				b.WriteString("\t")
			}
		}
		b.WriteString("\n")
	}
	for _, k := range calibration {
		fmt.Fprintf(&b, "calibration\t%g\t%g\n", k.score, k.right)
	}
	for _, k := range cells {
		fmt.Fprintf(&b, "cells\t%g\t%g\n", k.score, k.right)
	}
	return b.String()
}

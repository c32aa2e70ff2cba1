package layout

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

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
	for _, set := range slices.Sorted(maps.Keys(l.figures)) {
		lesson.Figures = append(lesson.Figures, *l.figures[set])
	}
	cells, err := l.calibrateCells(ctx)
	if err != nil {
		return Lesson{}, err
	}
	lesson.Weights = formatWeights(final, knots, cells, lesson.Figures)
	return lesson, nil
}

// prepared is an example with its candidates.
type prepared struct {
	*extraction
	choices []choice
}

// questions makes a question of each field of an example.
func (p prepared) questions(document int, x Example) []question {
	var asked []question
	for i := range p.choices {
		c := &p.choices[i]
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
		q.said, q.sayings = p.sayings(c)
		q.right[len(c.candidates)] = !any
		q.weight = 1
		if !any && !x.Right(t.pointer, nil) {
			q.weight = unreachable
		}
		asked = append(asked, q)
	}
	return asked
}

// How strongly weights are held back, and how long they are learned.
const (
	holdAll   = 0.0005
	holdClass = 0.003
	rounds    = 400
	refresh   = 10 // rounds between looks at the other fields of a document
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

package layout

import (
	"context"
	"math"
)

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

// parameters are the weights for all classes, and what each class adds.
type parameters struct {
	all   [parameterCount]float64
	class [classCount][parameterCount]float64
}

const parameterCount = int(featureCount) + int(absentCount)

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
		if round%refresh == 1 {
			l.heedOthers(p)
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

// heedOthers brings up to date what each question knows of the others of its
// document, as extraction.heedOthers does.
func (l *learner) heedOthers(p *parameters) {
	m := p.model()
	for from, to := 0, 0; from < len(l.questions); from = to {
		var there []float64
		for to < len(l.questions) && l.questions[to].document == l.questions[from].document {
			q := &l.questions[to]
			q.absent[absentOthers] = 0
			probability := spread(q.scores(&m.weights[q.class]), q.said, q.sayings)
			there = append(there, 1-probability[len(probability)-1])
			to++
		}
		for i, share := range others(there) {
			l.questions[from+i].absent[absentOthers] = share
		}
	}
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

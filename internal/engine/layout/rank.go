package layout

import (
	"context"
	"slices"

	"fieldlift/internal/engine"
)

// choice is the question for one target: its candidates, and what speaks for
// there being none of them.
type choice struct {
	target     int
	candidates []candidate
	absent     [absentCount]float64
	top        float64 // the highest probability
	nothing    float64 // the probability of there being none
	said       []int   // see sayings
	count      int
}

// choices makes the question for each target that is no column of a table.
func (x *extraction) choices(ctx context.Context) ([]choice, error) {
	x.labelsFound = x.findLabelled()
	labels := x.labelsFound
	fit := x.schemaFit()
	var all []choice
	for i := range x.targets {
		if x.targets[i].table >= 0 {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, choice{target: i, candidates: x.generate(i, labels[i]), absent: x.absence(i, fit)})
	}
	return all, nil
}

// absence is the evidence that a target has no value.
func (x *extraction) absence(target int, fit float64) [absentCount]float64 {
	evidence := [absentCount]float64{absentAlways: 1, absentFit: fit}
	if x.targets[target].class.trades() {
		evidence[absentTrade] = 1 - x.facts.trade
	}
	for _, l := range x.labelsFound[target] {
		evidence[absentLabel] = max(evidence[absentLabel], l.score)
	}
	return evidence
}

// schemaFit tells how well the schema fits the document: the share of its
// fields that have a label there. On a document of another kind even what looks
// like an answer is none.
func (x *extraction) schemaFit() float64 {
	fitting, count := 0.0, 0.0
	for i := range x.targets {
		if x.targets[i].table >= 0 {
			continue
		}
		count++
		if slices.ContainsFunc(x.labelsFound[i], func(l labelled) bool { return l.score >= goodLabel && !l.contrary }) {
			fitting++
		}
	}
	for _, rows := range x.rows {
		count++
		if len(rows) > 0 {
			fitting++
		}
	}
	if count == 0 {
		return 0
	}
	return fitting / count
}

const (
	// leastProbability is what a value and those that share words with it must
	// have together for it to be given at all.
	leastProbability = 0.2
	// lenience is how much less probable than nothing a value may be where all
	// other fields of the schema have theirs: there it is more likely there than
	// not, and its confidence tells the doubt.
	lenience = 0.75
	// sharing is what a candidate loses when its words serve another target
	// already, in the measure of scores.
	sharing = 5.0
)

// decide gives targets their values, the surest first. What is decided takes
// its words away from the others, though not for good: a document may say two
// things with one word.
func (x *extraction) decide(choices []choice) {
	for i := range choices {
		c := &choices[i]
		x.found[c.target] = engine.Found{}
		w := &x.model.weights[x.targets[c.target].class]
		for j := range c.candidates {
			c.candidates[j].score = w.score(&c.candidates[j].evidence)
		}
	}
	x.heedOrder(choices)
	open := make([]*choice, len(choices))
	for i := range choices {
		open[i] = &choices[i]
		open[i].absent[absentOthers] = 0
		x.compare(open[i])
	}
	x.heedOthers(choices)
	for len(open) > 0 {
		best := 0
		for i, c := range open {
			if c.top > open[best].top {
				best = i
			}
		}
		decided := open[best]
		open = slices.Delete(open, best, best+1)
		won := x.settle(decided)
		if won == nil {
			continue
		}
		for _, c := range open {
			if x.targets[c.target].class == currencyClass || x.targets[decided.target].class == currencyClass {
				continue // it stands in the words of amounts
			}
			shared := false
			for j := range c.candidates {
				if shareWords(c.candidates[j].spans, won.spans) {
					c.candidates[j].score -= sharing
					shared = true
				}
			}
			if shared {
				x.compare(c)
			}
		}
	}
}

// heedOthers lets each field know how sure the others are: a document that has
// what most fields ask for is of the kind that the schema is made for.
func (x *extraction) heedOthers(choices []choice) {
	there := make([]float64, len(choices))
	for i := range choices {
		there[i] = 1 - choices[i].nothing
	}
	for i, share := range others(there) {
		choices[i].absent[absentOthers] = share
		x.compare(&choices[i])
	}
}

// others gives for each number the mean of all others, one half where there
// are none.
func others(of []float64) []float64 {
	sum := 0.0
	for _, v := range of {
		sum += v
	}
	means := make([]float64, len(of))
	for i, v := range of {
		means[i] = (sum - v + 0.5) / float64(len(of))
	}
	return means
}

// compare brings the probabilities of a choice up to date.
func (x *extraction) compare(c *choice) {
	scores := make([]float64, len(c.candidates)+1)
	for j := range c.candidates {
		scores[j] = c.candidates[j].score
	}
	scores[len(c.candidates)] = x.model.weights[x.targets[c.target].class].absence(&c.absent)
	said, sayings := x.sayings(c)
	p := spread(scores, said, sayings)
	for j := range c.candidates {
		c.candidates[j].probability = p[j]
	}
	c.nothing = p[len(c.candidates)]
	c.top = slices.Max(p)
}

// sayings numbers what the candidates say; those that say the same have the
// same number.
func (x *extraction) sayings(c *choice) ([]int, int) {
	if c.said == nil {
		c.said = make([]int, len(c.candidates))
		numbers := map[any]int{}
		for j := range c.candidates {
			s := x.saying(c.candidates[j].value)
			n, ok := numbers[s]
			if !ok {
				n = len(numbers)
				numbers[s] = n
			}
			c.said[j] = n
		}
		c.count = len(numbers)
	}
	return c.said, c.count
}

// settle takes the value that is most probable, if it is more so than nothing.
func (x *extraction) settle(c *choice) *candidate {
	best, rest := -1, 1.0
	for j := range c.candidates {
		rest -= c.candidates[j].probability
		if best < 0 || c.candidates[j].probability > c.candidates[best].probability {
			best = j
		}
	}
	if best < 0 {
		return nil
	}
	if x.targets[c.target].class == documentNumberClass {
		best = c.firstTwin(best)
	}
	won := &c.candidates[best]
	near := 0.0 // of what shares words with it: the place is right, the extent in doubt
	for j := range c.candidates {
		if shareWords(c.candidates[j].spans, won.spans) {
			near += c.candidates[j].probability
		}
	}
	if near < max(leastProbability, rest*(1-lenience*c.absent[absentOthers])) {
		return nil
	}
	x.found[c.target] = x.foundAt(won, x.doubtCut(won.reading, calibrated(x.model.calibration, won.probability)))
	x.won[c.target] = won.probability
	return won
}

// firstTwin gives the first of the candidates that have the same label at the
// same place beside them: a file of several documents is about the first.
func (c *choice) firstTwin(best int) int {
	won := &c.candidates[best]
	for j := range c.candidates {
		o := &c.candidates[j]
		if o.spans[0].from < c.candidates[best].spans[0].from && o.isTwin(won) {
			best = j
		}
	}
	return best
}

// isTwin reports whether two candidates are known by the same signs, but for
// where they stand in the document.
func (c *candidate) isTwin(o *candidate) bool {
	for f := labelAsked; f <= relationParted; f++ {
		if c.evidence[f] != o.evidence[f] && f != labelFirst && f != labelLast && f != relationDistance {
			return false
		}
	}
	return !c.label.empty()
}

func shareWords(a, b []span) bool {
	for _, s := range a {
		for _, o := range b {
			if s.from < o.to && o.from < s.to {
				return true
			}
		}
	}
	return false
}

func (x *extraction) foundAt(c *candidate, confidence float64) engine.Found {
	if c.list == nil {
		return engine.Found{Value: c.value, Place: x.place(confidence, c.spans...)}
	}
	var f engine.Found
	for _, r := range c.list {
		f.Elements = append(f.Elements, engine.Found{Value: r.value, Place: x.place(confidence, r.spans...)})
	}
	return f
}

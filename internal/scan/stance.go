package scan

import (
	"math"
)

// How letters stand on lines tells how a page lies. Letters of a line share
// the line that they stand on, and most share their upper edge; seen along the
// line, their edges pile up, and they do so most sharply at the page's own
// angle. More letters reach above the others (b, d, T, 5) than below (p, q), so
// lower edges pile up higher than upper ones.

// standing is what letters say of lines that run in one direction.
type standing struct {
	skew    float64 // degrees clockwise
	order   float64 // how sharply edges pile up: 1 is by chance
	upright float64 // -1 to 1: whether they stand or hang
}

const (
	mostSkew   = 15.0 // degrees
	coarseStep = 0.5
	fineStep   = 0.05
)

// stance looks at lines that run across or, sideways, up and down; in the
// latter case the answer is as if the page had been turned clockwise by 90°.
func stance(letters []mark, sideways bool) standing {
	lower, upper := make([]edge, 0, len(letters)), make([]edge, 0, len(letters))
	for _, l := range letters {
		if sideways {
			// Turned clockwise, what was on the right is below.
			middle := -float64(l.y0+l.y1) / 2
			lower = append(lower, edge{middle, float64(l.x1)})
			upper = append(upper, edge{middle, float64(l.x0)})
			continue
		}
		middle := float64(l.x0+l.x1) / 2
		lower = append(lower, edge{middle, float64(l.y1)})
		upper = append(upper, edge{middle, float64(l.y0)})
	}
	p := newPile(lower, upper)
	both := func(angle float64) float64 { return p.height(lower, angle) + p.height(upper, angle) }
	skew, best := 0.0, both(0)*1.02 // level is likeliest
	try := func(angle float64) {
		if h := both(angle); h > best {
			skew, best = angle, h
		}
	}
	for angle := -mostSkew; angle <= mostSkew; angle += coarseStep {
		try(angle)
	}
	for from, to := max(skew-coarseStep, -mostSkew), min(skew+coarseStep, mostSkew); from <= to; from += fineStep {
		try(from)
	}
	// Coarsely, so that only letters that stick out count, and not how sharp the
	// edges of the others are: a page of capitals says nothing.
	coarse := max(letterHeight(letters, sideways)/4, 1)
	below, above := p.by(coarse).height(scaled(lower, coarse), skew), p.by(coarse).height(scaled(upper, coarse), skew)
	return standing{skew: skew, order: best / 2, upright: lean(below, above, 0.15)}
}

func scaled(edges []edge, by float64) []edge {
	out := make([]edge, len(edges))
	for i, e := range edges {
		out[i] = edge{e.along / by, e.across / by}
	}
	return out
}

// lean brings a comparison to -1 … 1, certain when one is more by the given
// share than the other.
func lean(a, b, certain float64) float64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	return min(max(math.Log(a/b)/math.Log(1+certain), -1), 1)
}

// against tells how much more order lines have in one direction than in the
// other.
func (s standing) against(other standing) float64 { return lean(s.order, other.order, 0.5) }

// edge is a letter's, at a place along the line and a height across it.
type edge struct{ along, across float64 }

// pile counts edges by their height.
type pile struct {
	counts   []float64
	from, to float64
}

func newPile(edges ...[]edge) *pile {
	p := &pile{from: math.Inf(1), to: math.Inf(-1)}
	slant := math.Tan(mostSkew * math.Pi / 180)
	for _, list := range edges {
		for _, e := range list {
			reach := math.Abs(e.along) * slant
			p.from, p.to = min(p.from, e.across-reach), max(p.to, e.across+reach)
		}
	}
	p.counts = make([]float64, int(p.to-p.from)+3)
	return p
}

// by is a pile for edges that are scaled down.
func (p *pile) by(scale float64) *pile {
	return &pile{counts: make([]float64, len(p.counts)), from: p.from / scale, to: p.to / scale}
}

// height is how sharply edges pile up when lines slant by an angle: the mean
// number of others that an edge shares its height with, by what chance would
// give.
func (p *pile) height(edges []edge, angle float64) float64 {
	clear(p.counts)
	slant := math.Tan(angle * math.Pi / 180)
	lowest, highest := math.Inf(1), math.Inf(-1)
	for _, e := range edges {
		at := e.across - e.along*slant
		lowest, highest = min(lowest, at), max(highest, at)
		// Shared between two neighbours, so that nothing depends on where pixels begin.
		whole, part := math.Modf(at - p.from)
		p.counts[int(whole)] += 1 - part
		p.counts[int(whole)+1] += part
	}
	sum := 0.0
	for _, n := range p.counts {
		sum += n * n
	}
	n := float64(len(edges))
	return sum / (n * n / max(highest-lowest, 1))
}

package layout

import (
	"cmp"
	"math"
	"slices"

	"fieldlift/internal/page"
)

// extent is from where to where something reaches across a page.
type extent struct{ x0, x1 float64 }

func (e extent) apart(o extent) float64 { return max(0, e.x0-o.x1, o.x0-e.x1) }

const (
	mostBands  = 40
	mostSample = 120  // lines that tell where columns are
	headless   = 0.05 // what a column without a head costs, in widths of a page
	crowded    = 0.1  // what a column costs that stands beside one under the same head
	bodiless   = 0.02 // what a head costs with nothing below it
	margin     = 0.03 // how far words may stand out of the table
)

// setBands finds how far the columns of a header reach, by what stands in the
// lines below it. Heads alone do not tell: figures may stand right of a short
// head, and text left of it. Columns without a head are added.
func (x *extraction) setBands(h *header, lines []int) {
	whole := x.bandsOf(h, lines)
	h.columns = x.partHeads(x.joinHeads(h.columns, whole), whole)
	var bands []extent
	for _, b := range whole {
		bands = append(bands, x.cut(h, b, lines)...)
	}
	bands = bands[:min(len(bands), mostBands)]
	heads := make([]extent, len(h.columns))
	for i, c := range h.columns {
		heads[i] = extent{c.box.X0, c.box.X1}
	}
	under := align(bands, heads)
	bodies := make([][]extent, len(heads))
	var columns []column
	last := 0
	for k, j := range under {
		if j < 0 {
			if near := nearest(bands[k], heads); near < 0.25 {
				c := column{target: -1}
				c.box.X0, c.box.X1 = bands[k].x0, bands[k].x1
				c.x0, c.x1 = bands[k].x0, bands[k].x1
				for last < len(h.columns) && h.columns[last].box.X0 < c.box.X0 && !slices.Contains(under[k:], last) {
					last++
				}
				columns = append(columns, c)
			}
			continue
		}
		bodies[j] = append(bodies[j], bands[k])
	}
	for j, c := range h.columns {
		c.x0, c.x1 = c.box.X0, c.box.X1
		for i, b := range bodies[j] {
			if i == 0 {
				c.x0, c.x1 = b.x0, b.x1
			}
			c.x0, c.x1 = min(c.x0, b.x0), max(c.x1, b.x1)
		}
		columns = append(columns, c)
	}
	slices.SortStableFunc(columns, func(a, b column) int { return cmp.Compare(a.x0+a.x1, b.x0+b.x1) })
	x.setEdges(h, columns)
	h.columns = columns
}

// joinHeads makes one head of words that stand together over one column: "Net
// price" is no "Net" and no "Price".
func (x *extraction) joinHeads(columns []column, bands []extent) []column {
	var joined []column
	for _, c := range columns {
		n := len(joined)
		if n == 0 || len(c.heads) != 1 || len(joined[n-1].heads) != 1 || joined[n-1].heads[0].to != c.heads[0].from || !x.together(c.heads[0].from) {
			joined = append(joined, c)
			continue
		}
		last := &joined[n-1]
		if band := over(c.box, bands); band < 0 || over(last.box, bands) != band {
			joined = append(joined, c)
			continue
		}
		whole := *last
		whole.heads, whole.box = []span{{last.heads[0].from, c.heads[0].to}}, last.box.Union(c.box)
		if c.score > whole.score {
			whole.target, whole.score, whole.told = c.target, c.score, c.told
		}
		for _, m := range x.labels.match(x.label(whole.heads[0])) {
			if m.target == last.target || m.target == c.target {
				whole.target, whole.score, whole.told = m.target, m.score, true
				break
			}
		}
		*last = whole
	}
	return joined
}

// partHeads parts heads that stand together where the columns below them stand
// apart. What was asked for is the part that is named so.
func (x *extraction) partHeads(columns []column, bands []extent) []column {
	var parted []column
	for _, c := range columns {
		if len(c.heads) == 0 {
			parted = append(parted, c)
			continue
		}
		parts := x.partHead(c, bands)
		best, score := 0, -1.0
		for i, p := range parts {
			for _, s := range p.heads {
				for _, m := range x.labels.match(x.label(s)) {
					if m.target == c.target && m.score > score {
						best, score = i, m.score
					}
				}
			}
		}
		parts[best].target, parts[best].score, parts[best].told, parts[best].over = c.target, max(c.score, score), c.told, c.over
		parted = append(parted, parts...)
	}
	return parted
}

func (x *extraction) partHead(c column, bands []extent) []column {
	var parts []column
	under := map[int]int{} // by band: a part
	for _, head := range c.heads {
		last := -1 // the band of the words before
		for i := head.from; i < head.to; i++ {
			box := x.words[i].Box
			band := over(box, bands)
			if band < 0 {
				band = last
			}
			at, known := under[band]
			if !known {
				if p, ok := under[-1]; ok && len(parts) == 1 { // words before them that have no band
					at = p
					delete(under, -1)
				} else {
					at = len(parts)
					parts = append(parts, column{target: -1, box: box})
				}
				under[band] = at
			}
			p := &parts[at]
			if n := len(p.heads); n > 0 && p.heads[n-1].to == i && i > head.from {
				p.heads[n-1].to = i + 1
			} else {
				p.heads = append(p.heads, span{i, i + 1})
			}
			p.box = p.box.Union(box)
			last = band
		}
	}
	slices.SortFunc(parts, func(a, b column) int { return cmp.Compare(a.box.X0, b.box.X0) })
	return parts
}

// over gives the band that a box stands over most, -1 for none.
func over(b page.Box, bands []extent) int {
	best, most := -1, 0.0
	for k, band := range bands {
		if shared := min(band.x1, b.X1) - max(band.x0, b.X0); shared > most {
			best, most = k, shared
		}
	}
	return best
}

// setEdges puts the edges between columns on rules, or in the middle of the
// white space.
func (x *extraction) setEdges(h *header, columns []column) {
	r := x.rulings[x.lines[h.last].page]
	y0, y1 := x.lines[h.first].box.Y0, x.lines[h.last].box.Y1
	centers := make([]float64, len(columns)) // in order, so that edges are
	for i, c := range columns {
		centers[i] = (c.x0 + c.x1) / 2
	}
	for i := 0; i+1 < len(columns); i++ {
		a, b := &columns[i], &columns[i+1]
		middle := min(max((a.x1+b.x0)/2, centers[i]), centers[i+1])
		edge := middle
		if rules := r.downBetween(centers[i], centers[i+1], y0, y1); len(rules) > 0 {
			edge, b.ruled = rules[0], true
			for _, rule := range rules[1:] {
				if abs(rule-middle) < abs(edge-middle) {
					edge = rule
				}
			}
		}
		a.x1, b.x0 = edge, edge
	}
	columns[0].x0 -= margin
	columns[len(columns)-1].x1 += margin
}

// fullLines gives the lines that are likely rows: those with at least half as
// many segments as the fullest.
func (x *extraction) fullLines(h *header, from, to int) []int {
	to = min(to, from+mostSample)
	fullest := 2
	for at := from; at < to; at++ {
		if n := x.lines[at].to - x.lines[at].from; n <= len(h.columns)+2 {
			fullest = max(fullest, n)
		}
	}
	var lines []int
	for at := from; at < to; at++ {
		if n := x.lines[at].to - x.lines[at].from; n > 1 && 2*n >= fullest && n <= mostBands {
			lines = append(lines, at)
		}
	}
	return lines
}

// bandsOf finds the extents that text covers in lines, with white space from
// top to bottom between them.
func (x *extraction) bandsOf(h *header, lines []int) []extent {
	lines = lines[:min(len(lines), mostSample)]
	var pieces []extent
	left, right := math.Inf(1), math.Inf(-1)
	for _, c := range h.columns {
		left, right = min(left, c.box.X0), max(right, c.box.X1)
	}
	for _, at := range lines {
		for _, s := range x.segments[x.lines[at].from:x.lines[at].to] {
			if s.box.X1 > left-0.25 && s.box.X0 < right+0.25 {
				pieces = append(pieces, extent{s.box.X0, s.box.X1})
			}
		}
	}
	return covered(pieces, len(lines)/12)
}

// covered gives the extents that more pieces cover than may be passed over.
func covered(pieces []extent, passed int) []extent {
	type edge struct {
		x    float64
		step int
	}
	edges := make([]edge, 0, 2*len(pieces))
	for _, p := range pieces {
		if p.x1 > p.x0 {
			edges = append(edges, edge{p.x0, 1}, edge{p.x1, -1})
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.step, a.step)) })
	var found []extent
	depth, start := 0, 0.0
	for _, e := range edges {
		before := depth
		depth += e.step
		if before <= passed && depth > passed {
			start = e.x
		}
		if before > passed && depth <= passed {
			found = append(found, extent{start, e.x})
		}
	}
	return found
}

// cut parts a band at vertical rules of the header, and between the heads that
// stand over it, where the fewest words are in the way.
func (x *extraction) cut(h *header, b extent, lines []int) []extent {
	l := x.lines[h.last]
	cuts := x.rulings[l.page].downBetween(b.x0+touching, b.x1-touching, x.lines[h.first].box.Y0, l.box.Y1)
	for i := 0; i+1 < len(h.columns); i++ {
		left, right := h.columns[i].box, h.columns[i+1].box
		if overlap(page.Box{X0: b.x0, X1: b.x1}, left) < 0.3 || overlap(page.Box{X0: b.x0, X1: b.x1}, right) < 0.3 {
			continue
		}
		if !slices.ContainsFunc(cuts, func(c float64) bool { return c > left.X0 && c < right.X1 }) {
			cuts = append(cuts, x.leastCrossed(left.X1, right.X0, lines))
		}
	}
	slices.Sort(cuts)
	var parts []extent
	for _, c := range cuts {
		if c > b.x0 && c < b.x1 {
			parts = append(parts, extent{b.x0, c})
			b.x0 = c
		}
	}
	return append(parts, b)
}

// leastCrossed gives the place between two others that the fewest words cross.
func (x *extraction) leastCrossed(x0, x1 float64, lines []int) float64 {
	if x1 <= x0 {
		return (x0 + x1) / 2
	}
	const steps = 24
	var crossed [steps]int
	for _, at := range lines {
		l := x.lines[at]
		for _, w := range x.words[x.segments[l.from].from:x.segments[l.to-1].to] {
			if w.Box.X1 < x0 || w.Box.X0 > x1 {
				continue
			}
			for i := range crossed {
				if at := x0 + (x1-x0)*(float64(i)+0.5)/steps; w.Box.X0 < at && w.Box.X1 > at {
					crossed[i]++
				}
			}
		}
	}
	least := slices.Min(crossed[:])
	best, length := 0, 0
	for i := 0; i < steps; i++ {
		j := i
		for j < steps && crossed[j] == least {
			j++
		}
		if j-i > length {
			best, length = (i+j-1)/2, j-i
		}
		i = max(i, j-1)
	}
	return x0 + (x1-x0)*(float64(best)+0.5)/steps
}

// nearest gives how far the nearest head is.
func nearest(b extent, heads []extent) float64 {
	best := math.Inf(1)
	for _, h := range heads {
		best = min(best, b.apart(h))
	}
	return best
}

// align gives for each band the head it stands under, -1 for none: in order,
// with the least distance in all.
func align(bands, heads []extent) []int {
	n := len(heads)
	// cost[k][j] is the least for the bands from k on, when the last head that
	// was used is j-1.
	cost := make([][]float64, len(bands)+1)
	choice := make([][]int, len(bands)+1)
	for k := len(bands); k >= 0; k-- {
		cost[k], choice[k] = make([]float64, n+1), make([]int, n+1)
		for j := 0; j <= n; j++ {
			if k == len(bands) {
				cost[k][j] = bodiless * float64(n-j)
				continue
			}
			cost[k][j], choice[k][j] = headless+cost[k+1][j], -1
			for next := max(j-1, 0); next < n; next++ {
				distance := bands[k].apart(heads[next])
				c := distance + bodiless*float64(max(0, next-j)) + cost[k+1][next+1]
				if next == j-1 && distance > 0 {
					c += crowded
				}
				if c < cost[k][j] {
					cost[k][j], choice[k][j] = c, next
				}
			}
		}
	}
	under, j := make([]int, len(bands)), 0
	for k := range bands {
		if under[k] = choice[k][j]; under[k] >= 0 {
			j = under[k] + 1
		}
	}
	return under
}

// columnAt gives the column that a place lies in, -1 for none.
func (h header) columnAt(at float64) int {
	i, _ := slices.BinarySearchFunc(h.columns, at, func(c column, at float64) int { return cmp.Compare(c.x1, at) })
	if i == len(h.columns) || at < h.columns[i].x0 {
		return -1
	}
	return i
}

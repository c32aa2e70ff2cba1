package layout

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// candidate is a value that a target may have.
type candidate struct {
	target  int
	label   span
	reading reading
	list    []reading // of a list: its elements
	score   float64
}

const (
	leastScore    = 0.5 // null below
	mostForTarget = 48  // candidates that are kept for a target
	longestLabel  = 6   // words
	// mostTried bounds the work on pages that are nothing but labels.
	mostTried = 1000
)

// readScalars finds the values that stand by their labels: all candidates of
// all targets are weighed together, and each word serves one.
func (x *extraction) readScalars(ctx context.Context) error {
	kept := make([][]candidate, len(x.targets))
	tried := make([]int, len(x.targets))
	titles := x.titles()
	for i := range x.segments {
		if i%256 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		for _, l := range x.labelsOf(i) {
			t := &x.targets[l.target]
			score := l.score
			if l.bare {
				score *= titles.factor(t.group, x.document, x.segments[i])
			}
			if score < leastScore || tried[l.target] >= mostTried {
				continue
			}
			tried[l.target]++
			for _, c := range x.valuesOf(i, l, t) {
				c.score *= score
				c.score *= x.certainty(c.reading.spans...)
				if c.score >= leastScore {
					keep(&kept[c.target], c, t.latest())
				}
			}
		}
	}
	x.assign(kept)
	x.detect()
	return nil
}

// latest reports whether of several values the last one is the right one:
// sums are carried forward until the end.
func (t *target) latest() bool {
	return t.field.Type == fieldlift.NumberField && (slices.Contains(t.concepts, "total") || slices.Contains(t.concepts, "closing"))
}

// keep adds a candidate, in place of the weakest when there are many.
func keep(kept *[]candidate, c candidate, latest bool) {
	if len(*kept) < mostForTarget {
		*kept = append(*kept, c)
		return
	}
	weakest := 0
	for i, k := range *kept {
		if k.score < (*kept)[weakest].score {
			weakest = i
		}
	}
	if w := (*kept)[weakest].score; c.score > w || latest && c.score == w {
		*kept = append(slices.Delete(*kept, weakest, weakest+1), c)
	}
}

// assign gives targets their values, the surest first.
func (x *extraction) assign(kept [][]candidate) {
	all := slices.Concat(kept...)
	slices.SortStableFunc(all, func(a, b candidate) int {
		if c := cmp.Compare(b.score, a.score); c != 0 {
			return c
		}
		if a.target == b.target && x.targets[a.target].latest() {
			return cmp.Compare(b.label.from, a.label.from)
		}
		return cmp.Compare(a.label.from, b.label.from)
	})
	settled := make([]bool, len(x.targets))
	for _, c := range all {
		if settled[c.target] || !x.free(c.reading.spans...) {
			continue
		}
		settled[c.target] = true
		x.take(c.reading.spans...)
		x.take(c.label)
		confidence := c.score * mostConfidence
		if x.rivalled(c, kept[c.target]) {
			confidence *= 0.8
		}
		x.found[c.target] = x.foundAt(c, confidence)
	}
}

// rivalled reports whether another place says something else with as much right.
func (x *extraction) rivalled(c candidate, others []candidate) bool {
	return slices.ContainsFunc(others, func(o candidate) bool {
		return o.score >= 0.95*c.score && o.reading.spans[0] != c.reading.spans[0] && o.reading.value != c.reading.value && c.list == nil
	})
}

func (x *extraction) foundAt(c candidate, confidence float64) engine.Found {
	if c.list == nil {
		return engine.Found{Value: c.reading.value, Place: x.place(confidence, c.reading.spans...)}
	}
	var f engine.Found
	for _, r := range c.list {
		f.Elements = append(f.Elements, engine.Found{Value: r.value, Place: x.place(confidence, r.spans...)})
	}
	return f
}

// labelled is a label that was recognised.
type labelled struct {
	span
	match
}

// labelsOf gives the labels that a segment may hold, for each target the best
// one: before a colon its last words, else its first.
func (x *extraction) labelsOf(i int) []labelled {
	s := x.segments[i]
	var found []labelled
	hit := false
	add := func(label span, word int) {
		if hit = hit || x.labels.hits(x.words[word].Text); !hit {
			return
		}
		for _, m := range x.labels.match(x.label(label)) {
			if x.targets[m.target].table >= 0 {
				continue
			}
			switch at := x.seen[m.target]; {
			case at >= len(found) || found[at].target != m.target:
				x.seen[m.target] = len(found)
				found = append(found, labelled{label, m})
			case found[at].score <= m.score:
				found[at] = labelled{label, m}
			}
		}
	}
	from := s.from
	if _, isTick := value.Tick(x.words[from].Text); isTick {
		from++
	}
	for n := 1; n <= min(longestLabel, s.to-from); n++ {
		if s.colon {
			add(span{s.to - n, s.to}, s.to-n)
		} else {
			add(span{from, from + n}, from+n-1)
		}
	}
	return found
}

// valuesOf gives the values that a label may have, by where they stand.
func (x *extraction) valuesOf(i int, l labelled, t *target) []candidate {
	s := x.segments[i]
	var found []candidate
	add := func(c candidate, ok bool, factor float64) bool {
		if ok {
			c.target, c.label = l.target, l.span
			c.score = c.reading.fit * factor
			found = append(found, c)
		}
		return ok
	}
	if ticked, isTick := value.Tick(x.words[s.from].Text); isTick && t.field.Type == fieldlift.BooleanField && !t.list && l.from > s.from {
		add(candidate{reading: reading{ticked, []span{{s.from, s.from + 1}}, 1}}, true, 0.95)
		return found
	}
	if !s.colon && l.to < s.to { // on the same segment
		rest := span{l.to, s.to}
		for !rest.empty() && strings.Trim(x.words[rest.from].Text, "-–—=.|") == "" {
			rest.from++
		}
		if t.loose() && l.score < 0.9 {
			return nil // prose more often than not
		}
		factor := 0.92
		if t.loose() {
			factor = 0.75
		}
		if c, ok := x.valueIn(t, rest); add(c, ok, factor) && c.reading.fit > rateFit || t.loose() {
			return found
		}
	}
	factor := 0.93
	if s.colon {
		factor = 1
	}
	reach := 1
	if !t.loose() {
		reach = 3
	}
	for j := i + 1; j < x.lines[s.line].to && j <= i+reach; j++ {
		v := x.withoutLabel(j)
		if v.empty() || x.isLabel(v) {
			break
		}
		if c, ok := x.valueIn(t, v); add(c, ok, factor) || t.loose() || x.segments[j].colon {
			break
		}
		factor *= 0.93
	}
	if l.to < s.to {
		return found // what stands below belongs to the whole segment
	}
	if c, factor, ok := x.valueBelow(l.span, s.line, t); ok {
		add(c, true, factor)
	}
	return found
}

// loose reports whether any text could be the target's value.
func (t *target) loose() bool {
	return t.list || t.field.Type == fieldlift.StringField && t.field.Enum == nil && (t.kind == "" || t.kind == "name" || t.kind == "address")
}

func (x *extraction) valueIn(t *target, s span) (candidate, bool) {
	if s.empty() || !x.free(s) {
		return candidate{}, false
	}
	if t.list {
		return x.readList(t, s)
	}
	r, ok := x.read(t, s)
	return candidate{reading: r}, ok
}

// withoutLabel gives a segment without the label at its end that a colon
// makes: "3 May 2026 Due:" is a date and the next label.
func (x *extraction) withoutLabel(i int) span {
	s := x.segments[i]
	if !s.colon {
		return s.span
	}
	best, length := 0.75, 1
	for n := min(4, s.to-s.from); n > 1; n-- {
		if m := x.labels.match(x.label(span{s.to - n, s.to})); len(m) > 0 && m[0].score > best {
			best, length = m[0].score, n
		}
	}
	if m := x.labels.match(x.label(span{s.to - 1, s.to})); len(m) > 0 && m[0].score > best {
		length = 1
	}
	return span{s.from, s.to - length}
}

// isLabel reports whether a span is itself the label of some target.
func (x *extraction) isLabel(s span) bool {
	if s.to-s.from > longestLabel {
		return false
	}
	text := x.label(s)
	m := x.labels.match(text)
	return len(m) > 0 && m[0].score >= 0.85 && !hasDigit(text)
}

// valueBelow reads what stands directly below a label.
func (x *extraction) valueBelow(label span, at int, t *target) (candidate, float64, bool) {
	box := x.box(label)
	below, ok := x.below(box, at)
	if !ok {
		return candidate{}, 0, false
	}
	s := x.segments[below]
	if s.colon || x.isLabel(s.span) {
		return candidate{}, 0, false
	}
	factor := 0.74
	if aligned(box, s.box) {
		factor = 0.82
	}
	if x.lines[at].header {
		factor *= 0.5
	}
	if t.kind == "address" && !t.list {
		r, ok := x.readAddress(t, label, below)
		return candidate{reading: r}, factor, ok
	}
	c, ok := x.valueIn(t, s.span)
	return c, factor, ok
}

func aligned(a, b page.Box) bool {
	const near = 0.015 // of the page's width
	return abs(a.X0-b.X0) < near || abs(a.X1-b.X1) < near
}

func abs(v float64) float64 { return max(v, -v) }

// below finds the segment under a box on the next line that has one, unless
// there is a gap between.
func (x *extraction) below(box page.Box, at int) (int, bool) {
	for i := at + 1; i < len(x.lines) && i <= at+3 && x.lines[i].page == x.lines[at].page; i++ {
		l := x.lines[i]
		if l.box.Y0-box.Y1 > 2*box.Height() {
			break
		}
		segments := x.segments[l.from:l.to]
		j := sort.Search(len(segments), func(k int) bool { return segments[k].box.X1 > box.X0 })
		if j < len(segments) && segments[j].box.X0 < box.X1 {
			return l.from + j, true
		}
	}
	return 0, false
}

// readAddress reads lines that stand under one another. Under a label that
// names a party and not its address, the first line is the party's name.
func (x *extraction) readAddress(t *target, label span, first int) (reading, bool) {
	const mostLines = 5
	var lines []span
	names := !slices.Contains(x.labels.lexicon.concepts(x.label(label)), "address")
	at := first
	for range mostLines + 1 {
		s := x.segments[at]
		if s.colon || x.isLabel(s.span) || !x.free(s.span) {
			break
		}
		lines = append(lines, s.span)
		next, ok := x.below(s.box, s.line)
		if !ok || !aligned(s.box, x.segments[next].box) || x.segments[next].box.Y0-s.box.Y1 > s.box.Height() {
			break
		}
		at = next
	}
	if names && len(lines) > 0 {
		lines = lines[1:]
	}
	if len(lines) == 0 {
		return reading{}, false
	}
	r := reading{spans: lines[:min(len(lines), mostLines)], fit: 0.88}
	var texts []string
	for _, s := range r.spans {
		texts = append(texts, x.text(s))
	}
	r.value = strings.Join(texts, " ")
	_, ok := x.read(t, r.spans[0])
	return r, ok
}

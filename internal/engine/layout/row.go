package layout

import (
	"math"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/value"
)

// figureRow is a line of a summary: words, and amounts at its end.
type figureRow struct {
	starts  []int // where its label may begin: at a word that begins a segment
	to      int   // behind the last word of its label
	segment int   // of that word
	amounts []typedSpan
}

// mostRows bounds the rows whose labels are read.
const mostRows = 240

// longestRowLabel is the most words that the label of a row has.
const longestRowLabel = 8

// findRows collects the lines that end with amounts. What such a line is about
// its words tell together, however far apart a printer sets them: "Total sales
// (inclusive of GST)" is no other total.
func (x *extraction) findRows() []figureRow {
	var rows []figureRow
	amounts := x.facts.amounts
	for i := range x.lines {
		first, last := x.segments[x.lines[i].from].from, x.segments[x.lines[i].to-1].to
		var of []typedSpan
		for len(amounts) > 0 && amounts[0].from < last {
			if amounts[0].from >= first && (amounts[0].cents || amounts[0].currency != "") {
				of = append(of, amounts[0])
			}
			amounts = amounts[1:]
		}
		if r, ok := x.rowOf(i, of); ok {
			rows = append(rows, r)
		}
	}
	if len(rows) > mostRows { // sums stand at the end
		rows = append(rows[:mostRows/4], rows[len(rows)-mostRows*3/4:]...)
	}
	return rows
}

func (x *extraction) rowOf(line int, amounts []typedSpan) (figureRow, bool) {
	end := x.segments[x.lines[line].to-1].to
	n := len(amounts)
	for n > 0 && !x.hasWords(span{amounts[n-1].to, end}) {
		n--
		end = amounts[n].from
	}
	r := figureRow{amounts: amounts[n:], to: end}
	if len(r.amounts) == 0 || len(r.amounts) > 3 {
		return r, false
	}
	l := x.lines[line]
	for r.to > x.segments[l.from].from && !x.hasWords(span{r.to - 1, r.to}) {
		r.to--
	}
	for j := l.from; j < l.to && x.segments[j].from < r.to; j++ {
		if s := x.segments[j]; r.to-s.from <= longestRowLabel {
			r.starts = append(r.starts, s.from)
		}
		r.segment = j
	}
	return r, len(r.starts) > 0
}

// hasWords reports whether a span has a word that is neither a currency nor a
// mark.
func (x *extraction) hasWords(s span) bool {
	return slices.ContainsFunc(x.words[s.from:s.to], func(w word) bool {
		text := strings.Trim(w.Text, "()[],.:*")
		_, currency := value.Currency(text)
		return len(text) > 2 && !currency && hasLetter(text) // receipts mark amounts with a letter or two
	})
}

// findSettled marks the amounts that were settled: what a row says was paid,
// less what another gives back.
func (x *extraction) findSettled() {
	var paid, change []int64
	for _, r := range x.figureRows {
		printed := x.labels.meaning(x.label(span{r.starts[0], r.to}))
		cents := int64(math.Round(r.amounts[len(r.amounts)-1].number * 100))
		switch {
		case slices.Contains(printed, "change"):
			change = append(change, max(cents, -cents))
		case slices.Contains(printed, "cash"), slices.Contains(printed, "paid"):
			paid = append(paid, max(cents, -cents))
		}
	}
	if len(change) == 0 {
		change = []int64{0}
	}
	for _, p := range paid {
		for _, c := range change {
			role := x.facts.sums[p-c]
			role.isSettled = true
			x.facts.sums[p-c] = role
		}
	}
}

// rowed adds the amounts of rows whose labels mean the target.
func (g *generator) rowed() {
	if g.t.field.Type != fieldlift.NumberField || g.t.field.Enum != nil || g.t.list {
		return
	}
	for _, r := range g.figureRows {
		best := labelled{segment: r.segment}
		for _, from := range r.starts {
			l := span{from, r.to}
			for _, m := range g.labels.match(g.label(l)) {
				if m.target == g.target && m.score > best.score {
					best.span, best.match = l, m
				}
			}
		}
		if best.score == 0 {
			continue
		}
		if _, ok := g.rateBeside(best.span, g.segments[best.segment]); ok && g.t.class == rateClass {
			continue
		}
		g.labelled = best.evidence()
		e := &g.labelled
		if best.contrary || g.contrary(best) {
			e[labelContrary] = 1
		}
		if startsUpper(g.words[best.from].Text) {
			e[labelCapital] = 1
		}
		if slices.ContainsFunc(g.labels.meaning(g.label(best.span)), func(c string) bool { return c == "gross" || c == "due" }) {
			e[rowGross] = 1
		}
		for i, a := range r.amounts {
			before := len(g.found)
			g.put(best, candidate{reading: reading{value: a.value, spans: []span{a.span}, fit: 1, typed: a}}, relationRow, 0, false)
			if i < len(r.amounts)-1 {
				g.found[before].evidence[rowEarly] = 1
			}
		}
	}
}

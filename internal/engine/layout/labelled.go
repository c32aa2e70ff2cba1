package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// labelled is a label that was recognised.
type labelled struct {
	span
	match
	segment int
}

// labelsOf gives the labels that a segment may hold, for each target the best
// one.
func (x *extraction) labelsOf(i int) []labelled {
	s := x.segments[i]
	var found []labelled
	for from := s.from; from < s.to; from++ {
		if from > s.from+longestProse {
			break
		}
		if isFilled(x.words[from].Word) || !x.labels.hits(x.words[from].Text) {
			continue
		}
		for n := 1; n <= min(longestLabel, s.to-from); n++ {
			label := span{from, from + n}
			if n > 1 && !x.labels.hits(x.words[label.to-1].Text) && !strings.HasSuffix(x.words[label.to-1].Text, ":") {
				continue
			}
			for _, m := range x.labels.match(x.label(label)) {
				if x.targets[m.target].table >= 0 {
					continue
				}
				l := labelled{label, m, i}
				switch at := x.seen[m.target]; {
				case at >= len(found) || found[at].target != m.target:
					x.seen[m.target] = len(found)
					found = append(found, l)
				case found[at].score <= m.score:
					found[at] = l
				}
			}
		}
	}
	return found
}

// longestProse is how many words of a segment are searched for labels.
const longestProse = 40

// findLabelled collects, for all targets, the labels of the document.
func (x *extraction) findLabelled() [][]labelled {
	all := make([][]labelled, len(x.targets))
	for i := range x.segments {
		for _, l := range x.labelsOf(i) {
			if len(all[l.target]) < mostTried {
				all[l.target] = append(all[l.target], l)
			}
		}
	}
	return all
}

// foremost gives the labels that fit best, of many the first and the last.
func foremost(labels []labelled, best float64) []labelled {
	const most = 40
	var good []labelled
	for _, margin := range []float64{0.35, 0.1} {
		good = good[:0]
		for _, l := range labels {
			if l.score >= best-margin {
				good = append(good, l)
			}
		}
		if len(good) <= most {
			return good
		}
	}
	return append(good[:most*3/4:most*3/4], good[len(good)-most/4:]...)
}

func startsUpper(text string) bool {
	for _, r := range strings.TrimLeft(text, "(“\"'") {
		return unicode.IsUpper(r)
	}
	return false
}

func startsLower(text string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(first)
}

// withoutLabel gives a segment without the label at its end that a colon
// makes: "3 May 2026 Due:" is a date and the next label.
func (x *extraction) withoutLabel(i int) span {
	s := x.segments[i]
	if !s.colon {
		return s.span
	}
	length := 1
	for n := min(4, s.to-s.from); n > 1; n-- {
		if x.knownShare(span{s.to - n, s.to}) > 0.9 {
			length = n
			break
		}
	}
	return span{s.from, s.to - length}
}

// contrasts are sets of concepts of which a field means one: a label that has
// another one instead speaks against it.
var contrasts = []string{
	" start end ", " opening closing ", " debit credit ", " issue due delivery order birth payment ", " bic iban ", " phone fax ",
	" rate amount ", " invoice order delivery quote contract customer ", " first last middle ",
}

// opposites are what a label must not have beside, by what the field means:
// the total of an invoice is no total of its net amounts.
var opposites = map[string]string{
	"total": " net subtotal tax discount shipping quantity ", "gross": " net subtotal tax discount ",
	"net": " gross tax ", "subtotal": " gross tax ", "date": " time ", "name": " number ",
}

// contrary reports whether a label says something that its target does not
// mean.
func (g *generator) contrary(l labelled) bool {
	printed := g.labels.meaning(g.label(l.span))
	foreign := func(set string) bool {
		return slices.ContainsFunc(printed, func(c string) bool {
			return strings.Contains(set, " "+c+" ") && !slices.Contains(g.t.concepts, c)
		})
	}
	for _, set := range contrasts {
		mine := slices.IndexFunc(g.t.concepts, func(c string) bool { return strings.Contains(set, " "+c+" ") })
		if mine >= 0 && !slices.Contains(printed, g.t.concepts[mine]) && foreign(set) {
			return true
		}
	}
	return slices.ContainsFunc(g.t.concepts, func(c string) bool { return foreign(opposites[c]) })
}

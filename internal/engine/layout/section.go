package layout

import (
	"sort"
	"strings"

	"fieldlift/internal/page"
)

// section is a title that says whose the names and numbers below it are:
// "Bill to" over a customer's lines.
type section struct {
	party string
	line  int
	page  int
	box   page.Box
}

// reach is how many lines a title may stand above what belongs to it.
const reach = 15

// findSections finds the titles of parties.
func (x *extraction) findSections() {
	for i, s := range x.segments {
		if s.to-s.from > 6 || x.hasDigits(s.span) {
			continue
		}
		printed := x.labels.meaning(x.label(s.span))
		party := x.lexicon.party(printed)
		if party == "" || len(printed) > 3 {
			continue
		}
		if s.colon && i+1 < x.lines[s.line].to && len(printed) > 1 {
			continue // "Customer number: 4711" is no title
		}
		x.sections = append(x.sections, section{party, s.line, x.lines[s.line].page, s.box})
	}
}

// partyAt gives the party of the nearest title above a place, in whose column
// it stands; "" for none.
func (x *extraction) partyAt(line int, box page.Box) string {
	best, found := -1, ""
	var at float64
	for i := x.sectionsBefore(line) - 1; i >= 0 && i > x.sectionsBefore(line)-65; i-- {
		s := x.sections[i]
		if s.page != x.lines[line].page || line-s.line > reach {
			break
		}
		if s.line == line && s.box.X0 >= box.X0 || s.box.X0 > box.X0+0.02 {
			continue
		}
		if best < 0 || s.box.X0 > at+0.02 && best-s.line < 4 {
			best, found, at = s.line, s.party, s.box.X0
		}
	}
	return found
}

// sectionsBefore counts the titles up to and with a line.
func (x *extraction) sectionsBefore(line int) int {
	return sort.Search(len(x.sections), func(i int) bool { return x.sections[i].line > line })
}

// isAnyLabel reports whether a span reads like a label, asked for or not: it
// has no figures, and most of its words are words of labels.
func (x *extraction) isAnyLabel(s span) bool {
	if s.to-s.from > longestLabel {
		return false
	}
	if strings.HasSuffix(x.words[s.to-1].Text, ":") {
		return true
	}
	return !x.hasDigits(s) && x.knownShare(s) >= 0.7
}

// knownShare is the share of a span's words that are words of labels.
func (x *extraction) knownShare(s span) float64 {
	var sum wordCount
	for i := s.from; i < s.to; i++ {
		c := x.countOf(x.words[i].Text)
		sum.known += c.known
		sum.all += c.all
	}
	if sum.all == 0 {
		return 0
	}
	return float64(sum.known) / float64(sum.all)
}

// wordCount is how many words a printed one has in it, and how many of them
// are words of labels.
type wordCount struct{ known, all int }

func (x *extraction) countOf(printed string) wordCount {
	c, ok := x.counts[printed]
	if ok {
		return c
	}
	for _, folded := range split(printed) {
		if len(folded) < 2 {
			continue
		}
		c.all++
		if x.lexicon.knows(folded) {
			c.known++
		}
	}
	x.counts[printed] = c
	return c
}

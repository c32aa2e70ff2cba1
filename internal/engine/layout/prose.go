package layout

import (
	"slices"
	"strings"
	"unicode"
)

// prose adds what sentences tell: "Acme, Inc., as Borrower", "Acme, Inc. (the
// “Borrower”)", "“Maturity Date” means June 30, 2027".
func (g *generator) prose(l labelled) {
	switch {
	case g.definedBefore(l):
		if name, ok := g.nameBefore(l.from); ok {
			g.addProse(l, name)
		}
	case g.definedAfter(l):
		g.addProse(l, span{l.to + 1, min(len(g.words), l.to+1+longestMeaning)})
	}
}

// longestMeaning is how many words of a definition are read.
const longestMeaning = 40

// definedBefore reports whether what a label names stands before it: after
// "as" or "as the", or in quotation marks in brackets.
func (g *generator) definedBefore(l labelled) bool {
	at := l.from - 1
	if at < 1 {
		return false
	}
	opened := strings.ContainsAny(g.words[l.from].Text, "(“\"”")
	for range 2 {
		if at >= 0 && slices.Contains([]string{"the", "The", "(the", "an", "a", "“", "(“"}, g.words[at].Text) {
			opened = opened || strings.HasPrefix(g.words[at].Text, "(")
			at--
		}
	}
	if at < 0 {
		return false
	}
	if strings.EqualFold(g.words[at].Text, "as") {
		return true
	}
	return opened && strings.ContainsAny(g.words[l.to-1].Text, ")”\"")
}

// definedAfter reports whether a definition follows: "Term" means …
func (g *generator) definedAfter(l labelled) bool {
	return l.to < len(g.words) && slices.Contains([]string{"means", "mean", "means:", "shall"}, g.words[l.to].Text) &&
		strings.ContainsAny(g.words[l.to-1].Text, "”\"’'")
}

// nameBefore goes back over a name: words that begin with capitals, and the
// small words and commas that join them.
func (g *generator) nameBefore(end int) (span, bool) {
	to := end
	for to > 0 && slices.Contains([]string{"as", "as:", "the", "(the", "an", "a", "“", "(“", "("}, g.words[to-1].Text) {
		to--
	}
	// "Acme, Inc., a Delaware corporation (the “Borrower”)": the name comes first.
	for i := to - 1; i > 0 && i > to-9; i-- {
		if text := g.words[i].Text; (text == "a" || text == "an") && strings.HasSuffix(g.words[i-1].Text, ",") {
			to = i
			break
		}
	}
	from := to
	for from > 0 && to-from < 10 {
		text := g.words[from-1].Text
		joins := to > from && slices.Contains([]string{"of", "and", "&", "de", "für", "the"}, text)
		if !isNameWord(text) && !joins {
			break
		}
		if strings.HasSuffix(text, ";") || to-from > 0 && strings.HasSuffix(text, ".") && len(text) > 5 {
			break
		}
		from--
	}
	for from < to && !isNameWord(g.words[from].Text) {
		from++
	}
	return span{from, to}, from < to
}

// isNameWord reports whether a word may be part of a name: it begins with a
// capital or a figure.
func isNameWord(text string) bool {
	for _, r := range text {
		if r == '(' || r == '“' || r == '"' || r == '\'' {
			continue
		}
		return unicode.IsUpper(r) || unicode.IsDigit(r) || r == '&'
	}
	return false
}

// addProse reads what a sentence tells, which may reach over lines.
func (g *generator) addProse(l labelled, s span) {
	if s.empty() {
		return
	}
	var readings []reading
	switch {
	case g.t.field.Type == "string" && g.loose():
		lines := g.byLine(s)
		if text := strings.Trim(clean(g.joined(lines)), "“”\"()'"); text != "" && s.to-s.from <= 14 {
			readings = append(readings, reading{value: text, spans: lines, fit: 1})
		}
	default:
		readings = g.readings(g.t, s)
	}
	for _, r := range readings[:min(len(readings), 1)] {
		g.put(l, candidate{reading: r}, relationProse, 0, false)
	}
}

// byLine parts a span at the ends of lines.
func (d *document) byLine(s span) []span {
	var found []span
	from := s.from
	for i := s.from + 1; i <= s.to; i++ {
		if i == s.to || d.words[i].line != d.words[from].line {
			found = append(found, span{from, i})
			from = i
		}
	}
	return found
}

// introducers are words after which a sentence tells a value, by the concept
// that they introduce. The second part may stand some words after the first:
// "governed by, and construed in accordance with, the laws of the State of …".
var introducers = []struct{ concept, first, second string }{
	{"law", "governed by", "law of"},
	{"law", "governed by", "laws of"},
	{"law", "subject to", "laws of"},
	{"law", "unterliegt", "recht der"},
	{"law", "regi par", "droit"},
	{"contract", "dated", "as of"},
	{"contract", "entered into", "as of"},
	{"contract", "made and entered into", "on"},
	{"effective", "effective", "as of"},
	{"start", "effective", "as of"},
}

// introduction is how many words the parts may be apart.
const introduction = 16

// introduced adds what follows such words.
func (g *generator) introduced() {
	for _, in := range introducers {
		if !slices.Contains(g.t.concepts, in.concept) {
			continue
		}
		first, second := strings.Fields(in.first), strings.Fields(in.second)
		for i, count := 0, 0; i < len(g.words) && count < 3; i++ {
			if !g.reads(i, first) {
				continue
			}
			for j := i + len(first); j < i+introduction; j++ {
				if g.reads(j, second) {
					g.follows(j + len(second))
					count++
					break
				}
			}
		}
	}
}

// reads reports whether words stand at a place of the document, in any case.
func (g *generator) reads(at int, words []string) bool {
	if at+len(words) > len(g.words) {
		return false
	}
	for n, w := range words {
		if !strings.EqualFold(strings.Trim(g.words[at+n].Text, ",.;:"), w) {
			return false
		}
	}
	return true
}

// follows reads a date, or the capitalised words that come next.
func (g *generator) follows(at int) {
	l := labelled{span: span{at - 1, at}}
	if g.t.field.Type == "date" {
		if dates := typedReadings(g.datesIn(span{at, min(len(g.words), at+8)})); len(dates) > 0 {
			g.put(l, candidate{reading: dates[0]}, relationProse, 0, false)
		}
		return
	}
	if !g.loose() {
		return
	}
	from := at
	for from < len(g.words) && slices.Contains([]string{"the", "of", "THE", "OF", "laws", "LAWS", ","}, g.words[from].Text) {
		from++
	}
	to := from
	for to < len(g.words) && to-from < 8 && (isNameWord(g.words[to].Text) || to > from && slices.Contains([]string{"of", "and"}, g.words[to].Text)) {
		to++
		if strings.ContainsAny(g.words[to-1].Text, ",.;)") {
			break
		}
	}
	if from < to {
		lines := g.byLine(span{from, to})
		g.put(l, candidate{reading: reading{value: strings.Trim(clean(g.joined(lines)), "."), spans: lines, fit: 1}}, relationProse, 0, false)
	}
}

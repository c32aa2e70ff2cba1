package layout

import (
	"slices"
	"strings"

	"fieldlift/internal/value"
)

// mostUnlabelled bounds the candidates of one target that have no label.
const mostUnlabelled = 60

// unlabelled adds candidates that are known by their look: dates, amounts,
// identifiers with a form of their own, and the lines of letterheads and
// addresses.
func (g *generator) unlabelled() {
	g.labelled = features{}
	none := labelled{}
	put := func(r reading) {
		if g.isOthers(r.spans[0]) {
			return
		}
		g.put(none, candidate{reading: r}, relationNone, 0, false)
	}
	if g.t.list || g.t.field.Enum != nil {
		return
	}
	switch g.t.class {
	case issueDateClass, dateClass:
		if starts, ends := g.asks(); g.t.class == dateClass && (!starts && !ends || slices.Contains(g.t.concepts, "due")) {
			return
		}
		for _, d := range ends(g.facts.dates) {
			put(reading{value: d.value, spans: []span{d.span}, fit: 1, typed: d})
		}
	case totalClass, subtotalClass, taxClass:
		for _, a := range ends(g.facts.amounts) {
			if a.cents || a.currency != "" {
				put(reading{value: a.value, spans: []span{a.span}, fit: 1, typed: a})
			}
		}
	case rateClass:
		for _, a := range ends(g.facts.amounts) {
			if a.percent {
				for _, r := range g.readings(g.t, a.span) {
					put(r)
				}
			}
		}
	case textClass, numberClass:
		if n := len(g.t.concepts); n > 0 && g.t.concepts[n-1] == "year" {
			g.years(put)
		}
	case currencyClass:
		g.unlabelledCurrency(put)
	case patternClass:
		g.unlabelledPattern(put)
	case vendorNameClass, customerNameClass:
		g.parties(put, false)
		g.letterhead(put, false)
	case nameClass:
		if len(g.t.concepts) > 1 || g.t.owner != "employee" && g.t.owner != "patient" { // those are no letterheads
			g.parties(put, false)
			g.letterhead(put, false)
		}
	case partyClass, vendorAddressClass, customerAddressClass, addressClass:
		g.parties(put, true)
		g.letterhead(put, true)
	}
}

// isOthers reports whether a place is in the section of another party than the
// one that sells: what stands under "Bill to" is not the vendor's.
func (g *generator) isOthers(s span) bool {
	if g.t.class != vendorNameClass && g.t.class != vendorAddressClass {
		return false
	}
	party := g.partyAt(g.words[s.from].line, g.box(s))
	return party != "" && party != "vendor" && party != "company"
}

// ends gives the first and the last of many.
func ends(found []typedSpan) []typedSpan {
	if n := len(found); n > mostUnlabelled {
		return append(append([]typedSpan(nil), found[:mostUnlabelled/2]...), found[n-mostUnlabelled/2:]...)
	}
	return found
}

// years adds words that are a year and nothing else.
func (g *generator) years(put func(reading)) {
	count := 0
	for i, w := range g.words {
		if len(w.Text) != 4 || !onlyDigits(w.Text) || w.Text < "1900" || w.Text > "2099" || count > mostUnlabelled {
			continue
		}
		count++
		for _, r := range g.readings(g.t, span{i, i + 1}) {
			put(r)
		}
	}
}

// unlabelledCurrency adds each currency of the document once, where it first
// stands.
func (g *generator) unlabelledCurrency(put func(reading)) {
	seen := map[string]bool{}
	add := func(c string, s span, of typedSpan) {
		if c = codeOf(c); c != "" && !seen[c] {
			seen[c] = true
			put(reading{value: c, spans: []span{s}, fit: 1, typed: of})
		}
	}
	for _, a := range g.facts.amounts {
		add(a.currency, a.span, a)
	}
	for i, w := range g.words {
		if len(w.Text) > 6 {
			continue
		}
		c, _ := value.Currency(strings.Trim(w.Text, "()[],.:"))
		add(c, span{i, i + 1}, typedSpan{})
	}
}

// unlabelledPattern adds each value of the target's form once.
func (g *generator) unlabelledPattern(put func(reading)) {
	seen := map[any]bool{}
	for _, s := range g.segments {
		for rest := s.span; !rest.empty() && len(seen) < mostUnlabelled; {
			found := g.patterns(g.t.kind, rest)
			if len(found) == 0 {
				break
			}
			r := found[0]
			if !seen[r.value] {
				seen[r.value] = true
				put(r)
			}
			rest.from = r.spans[0].to
		}
	}
}

// parties adds the lines that may name a party, or tell its address: those of
// paragraphs on the first page, and at the foot of any.
func (g *generator) parties(put func(reading), address bool) {
	count := 0
	for _, p := range g.paragraphs {
		first := g.segments[p[0]]
		foot := first.box.Y0 > 0.85
		if g.lines[first.line].page > 0 && !foot || count > mostUnlabelled {
			continue
		}
		if address {
			count += g.addresses(p, put)
			continue
		}
		for i, j := range p[:min(len(p), 3)] {
			s := g.segments[j]
			text := g.text(s.span)
			if s.colon || len(text) > 90 || !hasLetter(text) || i > 0 && g.readsAddress(j) {
				break
			}
			for _, r := range g.texts(g.t, s.span) {
				put(r)
				count++
			}
			if r, ok := g.untilMark(s.span); ok {
				put(r)
			}
			if i == 0 && len(p) > 1 && first.line < 12 {
				if r, ok := g.readLines([]span{s.span, g.segments[p[1]].span}); ok {
					put(r)
				}
			}
		}
	}
}

// untilMark reads the first part of a line that has a whole address on it:
// "North Quay Ltd, 12 Quay Street, Bristol".
func (x *extraction) untilMark(s span) (reading, bool) {
	for i := s.from; i < s.to-1; i++ {
		text := x.words[i].Text
		next := x.words[i+1].Text
		if strings.HasSuffix(text, ",") || next == "·" || next == "|" || next == "•" || next == "-" || next == "–" || next == "*" {
			part := span{s.from, i + 1}
			return reading{value: clean(x.text(part)), spans: []span{part}, fit: 1, trimmed: true}, true
		}
	}
	return reading{}, false
}

// addresses adds the runs of a paragraph's lines that read like an address.
func (g *generator) addresses(p paragraph, put func(reading)) int {
	count := 0
	for from := 0; from < min(len(p), 4); from++ {
		var spans []span
		reads := false
		for _, j := range p[from:] {
			s := g.segments[j]
			text := g.text(s.span)
			if s.colon || len(text) > 120 {
				break
			}
			spans = append(spans, s.span)
			reads = reads || g.readsAddress(j)
			if reads && len(spans) <= 6 {
				if r, ok := g.readLines(append([]span(nil), spans...)); ok {
					put(r)
					count++
				}
			}
		}
	}
	return count
}

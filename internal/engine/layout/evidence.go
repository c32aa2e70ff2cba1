package layout

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// weigh notes the evidence that lies in a candidate's value and its place.
func (g *generator) weigh(c *candidate) {
	e := &c.evidence
	first, last := c.spans[0], c.spans[len(c.spans)-1]
	text := g.text(first)
	line := g.words[first.from].line
	box := g.box(first)
	segment := g.segmentOf(first.from)

	g.weighText(e, c, text)
	g.weighType(e, c)
	g.weighPlace(e, line, box, segment, first)
	if len(c.spans) > 1 {
		e[valueLines] = float32(len(c.spans) - 1)
	}
	if first.from == g.segments[segment].from && last.to == g.segments[g.segmentOf(last.to-1)].to {
		e[valueWhole] = 1
	}
	if c.trimmed {
		e[valueTrimmed] = 1
	}
	g.weighPerson(c)
	g.weighBlock(e, box, line, g.segmentOf(last.to-1))
	g.weighAddress(e, segment, g.segmentOf(last.to-1), len(c.spans))
	g.weighHead(e, first, last)
	if s := g.segments[g.segmentOf(last.to-1)]; s.colon && s.to == last.to {
		e[valueColon] = 1
	}
	e[noisy] = float32(1 - g.certainty(c.spans...))
	switch {
	case g.words[first.from].Source == fieldlift.SourceForm:
		e[valueFilled] = 1
	case g.facts.filled[g.lines[line].page]:
		e[valueFilled] = -1
	}
	if g.ruleNear(line, box, box.Y1, 1) {
		e[valueUnderlined] = 1
	}
	if !c.label.empty() {
		a, b := g.words[c.label.from], g.words[first.from]
		if a.Bold != b.Bold || a.Size > 1.1*b.Size || b.Size > 1.1*a.Size {
			e[valueSet] = 1
		}
	}
	if g.words[first.from].taken {
		e[inTable] = 1
	}
	if g.t.owner != "" {
		party := g.partyAt(line, box)
		if party == "" && e[legalForm] > 0 && g.facts.parties[normal(text)] != g.t.owner {
			party = g.facts.parties[normal(text)] // it stands there, too
		}
		switch party {
		case "":
		case g.t.owner:
			e[sectionAgrees] = 1
		default:
			e[sectionDiffers] = 1
		}
	}
}

// weighPerson tells the name that a document of a person begins with.
func (g *generator) weighPerson(c *candidate) {
	if !c.label.empty() || g.named && g.t.class == nameClass {
		c.evidence[biggest] = 0 // where a label tells, size does not
		return
	}
	if text, ok := c.value.(string); ok && g.t.class == nameClass && g.isHeadline(c, strings.Fields(text)) {
		c.evidence[headline] = 1
	}
}

// weighBlock tells whether a value begins where what it is part of does, and
// ends where that ends.
func (g *generator) weighBlock(e *features, box page.Box, line, last int) {
	if p := g.paragraphs[g.paragraphOf[last]]; g.paragraphLine[last] == len(p)-1 {
		e[blockLast] = 1
	}
	if line == 0 || g.lines[line-1].page != g.lines[line].page || box.Y0-g.lines[line-1].box.Y1 > box.Height() {
		return
	}
	if j, ok := g.overlapping(g.lines[line-1], box); ok {
		text := g.text(g.segments[j].span)
		if goesOn(text, strings.Fields(text)) || g.wantsAddress() && (g.readsAddress(j) || g.asksForCity(j)) && !g.asksPartsOf(g.t.owner) {
			e[valueMiddle] = 1
		}
	}
}

// weighAddress tells whole addresses from parts of them.
func (g *generator) weighAddress(e *features, first, last, lines int) {
	p := g.paragraphs[g.paragraphOf[last]]
	if next := g.paragraphLine[last] + 1; next < len(p) && g.readsAddress(p[next]) {
		e[addressCut] = 1
	}
	if lines < 2 {
		return
	}
	begins, ends := g.readsAddress(first), g.readsAddress(last)
	if !begins && !ends && !g.wantsAddress() {
		return // a name of several lines
	}
	if !begins {
		e[addressHead] = 1
	}
	if !ends {
		e[addressTail] = 1
	}
}

func (g *generator) weighText(e *features, c *candidate, text string) {
	whole := text
	if v, ok := c.value.(string); ok {
		whole = v
	}
	if n := g.facts.printed[normal(whole)]; n > 1 {
		e[valueRepeated] = float32(math.Log(float64(n)))
	}
	if g.t.field.Type != fieldlift.StringField {
		return
	}
	var letters, digits, count int
	for _, r := range whole {
		switch {
		case unicode.IsLetter(r):
			letters++
		case unicode.IsDigit(r):
			digits++
		}
		if !unicode.IsSpace(r) {
			count++
		}
	}
	if count > 0 {
		e[valueDigits] = float32(digits) / float32(count)
	}
	if count <= 2 {
		e[valueShort] = 1
	}
	words := strings.Fields(whole)
	if len(words) > 8 {
		e[valueLong] = float32(math.Log(float64(len(words)) / 8))
	}
	first := c.spans[0]
	e[valueKnown] = float32(g.knownOf(c.spans))
	if g.isAnyLabel(first) || isItem(words) {
		e[valueLabel] = 1
	}
	if g.t.class != identifierClass && g.t.class != documentNumberClass && g.hasDate(c.spans) {
		e[valueDated] = 1
	}
	if goesOn(whole, words) {
		e[valueOpen] = 1
	}
	if capitals(words) {
		e[valueCapital] = 1
	}
	if g.fitsForm(whole) {
		e[valueForm] = 1
	}
	if hasLegalForm(words) {
		e[legalForm] = 1
	}
	if g.readsAddress(g.segmentOf(first.from)) {
		e[addressLike] = 1
	}
	g.weighAddresses(e, words)
}

func (g *generator) hasDate(spans []span) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return s.to-s.from < 40 && (len(g.datesIn(s)) > 0 || g.isDay(s)) })
}

// isDay reports whether a span is a day without its year: "Nov. 12".
func (g *generator) isDay(s span) bool {
	if s.to-s.from != 2 {
		return false
	}
	a, b := strings.Trim(g.words[s.from].Text, ".,"), strings.Trim(g.words[s.from+1].Text, ".,")
	return value.IsMonth(a) && onlyDigits(b) || onlyDigits(a) && value.IsMonth(b)
}

// knownOf is the share of a value's words that are words of labels.
func (g *generator) knownOf(spans []span) float64 {
	known, count := 0.0, 0
	for _, s := range spans {
		known += g.knownShare(s) * float64(s.to-s.from)
		count += s.to - s.from
	}
	return known / float64(max(count, 1))
}

// isItem reports whether a text begins with the number of a form's item: "3.
// Nature of material".
func isItem(words []string) bool {
	if len(words) < 2 || len(words[0]) > 4 || !hasLetter(words[1]) {
		return false
	}
	number := strings.Trim(words[0], ".)(")
	return number != "" && onlyDigits(number) && number != words[0] && !value.IsMonth(words[1])
}

// goesOn reports whether a text has not come to its end.
func goesOn(text string, words []string) bool {
	const joining = " of the and & for to in as de der die und et y e van von "
	return strings.Count(text, "(") > strings.Count(text, ")") || len(words) > 1 && strings.Contains(joining, " "+strings.ToLower(words[len(words)-1])+" ")
}

// capitals reports whether all words of some length begin with a capital.
func capitals(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		first, _ := utf8.DecodeRuneInString(w)
		return len(w) > 3 && unicode.IsLower(first)
	})
}

// weighAddresses tells whether a word of a name is in the name of a web or
// e-mail address, and how frequent that is, and whether one is in what stands
// before the @.
func (g *generator) weighAddresses(e *features, words []string) {
	if len(g.facts.hosts) == 0 && g.facts.mailboxes == "" {
		return
	}
	for _, w := range words[:min(len(words), 4)] {
		if len(w) < 4 {
			continue
		}
		folded := normal(w)
		if len(folded) < 4 {
			continue
		}
		for host, often := range g.facts.hosts {
			if strings.Contains(host, folded) {
				e[domain] = max(e[domain], float32(often))
			}
		}
		if strings.Contains(g.facts.mailboxes, folded) {
			e[mailed] = 1
		}
	}
}

// isHeadline reports whether an unlabelled line is what the document begins
// with, set larger than all else: the name of the person that it is about, or a
// title.
func (g *generator) isHeadline(c *candidate, words []string) bool {
	return c.evidence[biggest] > 0 && c.evidence[onFirstPage] > 0 && c.evidence[atTop] > 0 && len(words) >= 2 && len(words) <= 5 &&
		len(c.spans) == 1 && capitals(words) && c.evidence[valueDigits] == 0 && c.evidence[valueKnown] <= 0.5
}

func (g *generator) weighType(e *features, c *candidate) {
	t := c.typed
	if t.empty() {
		return
	}
	of := g.facts.amounts
	if g.t.field.Type == fieldlift.DateField {
		of = g.facts.dates
	}
	if len(of) > 0 {
		if sameValue(of[0].value, t.value) {
			e[orderFirst] = 1
		}
		if sameValue(of[len(of)-1].value, t.value) {
			e[orderLast] = 1
		}
		if len(of) < 20 && !slices.ContainsFunc(of, func(o typedSpan) bool { return !sameValue(o.value, t.value) }) {
			e[orderOnly] = 1
		}
	}
	if t.of > 1 {
		g.weighRange(e, t)
	}
	g.weighExtreme(e, t)
	n, isNumber := t.value.(json.Number)
	if !isNumber {
		return
	}
	if t.currency != "" {
		e[valueMoney] = 1
	}
	if t.cents {
		e[valueCents] = 1
	}
	if t.percent {
		e[valuePercent] = 1
	}
	if t.number >= 1900 && t.number <= 2100 && !strings.Contains(string(n), ".") {
		e[valueYear] = 1
	}
	switch t.number {
	case 0:
		e[valueZero] = 1
	case g.facts.largest:
		e[valueLarge] = 1
	}
	role := g.facts.sums[int64(math.Round(t.number*100))]
	if role.isSum && t.cents {
		e[valueSum] = 1
	}
	if role.isPart && t.cents {
		e[valuePart] = 1
	}
	if role.isSettled {
		e[valueSettled] = 1
	}
}

// weighRange tells the first from the last of what stands side by side.
func (g *generator) weighRange(e *features, t typedSpan) {
	starts, ends := g.asks()
	switch first := t.order == 0; {
	case first && starts, !first && ends:
		e[rangeAgrees] = 1
	case first && ends, !first && starts, !first:
		e[rangeDiffers] = 1
	}
}

// weighExtreme tells the first and the last day of the document.
func (g *generator) weighExtreme(e *features, t typedSpan) {
	day, ok := t.value.(string)
	if !ok {
		return
	}
	switch starts, ends := g.asks(); {
	case starts && day == g.facts.firstDay, ends && day == g.facts.lastDay:
		e[extremeAgrees] = 1
	}
}

// asks tells whether the target is the begin or the end of something.
func (g *generator) asks() (starts, ends bool) {
	return slices.Contains(g.t.concepts, "start"),
		slices.Contains(g.t.concepts, "end") || slices.Contains(g.t.concepts, "closing") || slices.Contains(g.t.concepts, "due")
}

func (g *generator) weighPlace(e *features, line int, box interface{ CenterY() float64 }, segment int, first span) {
	l := g.lines[line]
	if l.page == 0 {
		e[onFirstPage] = 1
	}
	if last := len(g.pages) - 1; last > 0 && l.page == last {
		e[onLastPage] = 1
	}
	switch y := box.CenterY(); {
	case y < 0.2:
		e[atTop] = 1
	case y > 0.875:
		e[atBottom] = 1
	}
	if g.segments[segment].box.X0 < 0.4 {
		e[atLeft] = 1
	}
	if line == 0 {
		e[pageFirst] = 1
	}
	if line < 8 {
		e[pageEarly] = 1
	}
	if l.to-l.from >= 4 {
		e[inRow] = 1
	}
	switch g.paragraphLine[segment] {
	case 0:
		e[blockFirst] = 1
	case 1:
		e[blockSecond] = 1
	}
	p := g.paragraphs[g.paragraphOf[segment]]
	for _, j := range p[min(len(p), g.paragraphLine[segment]+1):min(len(p), g.paragraphLine[segment]+4)] {
		if g.readsAddress(j) {
			e[blockAddress] = 1
			break
		}
	}
	w := g.words[first.from]
	if w.Size > 1.2*g.facts.median {
		e[bigger] = 1
	}
	if w.Size >= 0.98*g.facts.top && g.facts.top > 1.2*g.facts.median {
		e[biggest] = 1
	}
	if w.Bold {
		e[heavy] = 1
	}
}

// fitsForm reports whether a text has the form that the target's name asks
// for, with check digits that are right.
func (g *generator) fitsForm(text string) bool {
	switch {
	case slices.Contains(g.t.concepts, "iban"):
		_, ok := value.IBAN(text)
		return ok
	case slices.Contains(g.t.concepts, "bic"):
		return isBIC(text)
	case slices.Contains(g.t.concepts, "tax") || slices.Contains(g.t.concepts, "vat"):
		_, ok := value.VAT(text)
		return ok
	}
	return false
}

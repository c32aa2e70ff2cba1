package layout

import (
	"slices"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/value"
)

// mostReadings is how many values of one type are taken from a span.
const mostReadings = 3

// readings reads a span as a target's value in all the ways it may be meant;
// the evidence decides among them.
func (x *extraction) readings(t *target, s span) []reading {
	switch {
	case t.field.Enum != nil:
		return one(x.readEnum(t, s))
	case t.field.Type == fieldlift.BooleanField:
		return one(x.read(t, s))
	case t.field.Type == fieldlift.DateField:
		return x.inPast(t, typedReadings(x.datesIn(s)))
	case t.field.Type == fieldlift.NumberField:
		return typedReadings(x.amountsIn(s))
	}
	switch t.class {
	case patternClass:
		return x.patterns(t.kind, s)
	case currencyClass:
		return x.currencies(s)
	case rateClass:
		return x.rates(s)
	case identifierClass, documentNumberClass:
		return x.identifiers(s)
	}
	return x.texts(t, s)
}

func one(r reading, ok bool) []reading {
	if !ok {
		return nil
	}
	return []reading{r}
}

func typedReadings(found []typedSpan) []reading {
	var readings []reading
	for _, f := range found[:min(len(found), mostReadings)] {
		readings = append(readings, reading{value: f.value, spans: []span{f.span}, fit: 1, typed: f})
	}
	return readings
}

// pastConcepts are those of days that have been.
var pastConcepts = []string{"birth", "hire", "seniority", "antiguedad", "anciennete", "anzianita"}

// inPast brings the days of births and hirings, which do not lie in the future,
// to the century that they can lie in.
func (d *document) inPast(t *target, readings []reading) []reading {
	if !slices.ContainsFunc(pastConcepts, t.describes) {
		return readings
	}
	today := time.Now().UTC().Format(time.DateOnly)
	for i := range readings {
		if date, ok := readings[i].value.(string); ok {
			readings[i].value = value.NotAfter(today, date, d.text(readings[i].spans[0]))
		}
	}
	return readings
}

// rates reads percentages as printed.
func (x *extraction) rates(s span) []reading {
	var readings []reading
	for _, a := range x.amountsIn(s) {
		if a.percent && len(readings) < mostReadings {
			readings = append(readings, reading{value: strings.ReplaceAll(x.text(a.span), " ", ""), spans: []span{a.span}, fit: 1, typed: a})
		}
	}
	return readings
}

func (x *extraction) currencies(s span) []reading {
	for i := s.from; i < s.to; i++ {
		if c, ok := value.Currency(strings.Trim(x.words[i].Text, "()[],.:")); ok {
			return []reading{{value: codeOf(c), spans: []span{{i, i + 1}}, fit: 1}}
		}
	}
	for _, a := range x.amountsIn(s) {
		if a.currency != "" {
			return []reading{{value: codeOf(a.currency), spans: []span{a.span}, fit: 1}}
		}
	}
	return nil
}

// codeOf gives the code of the currency that a sign most often stands for.
func codeOf(sign string) string {
	switch sign {
	case "$":
		return "USD"
	case "£":
		return "GBP"
	case "¥":
		return "JPY"
	case "RM":
		return "MYR"
	}
	return sign
}

// patterns reads what has a form of its own.
func (x *extraction) patterns(kind string, s span) []reading {
	longest := 1 // words
	switch kind {
	case "iban":
		longest = 10
	case "phone":
		longest = 6
	case "vat":
		longest = 4
	}
	for i := s.from; i < s.to; i++ {
		for n := min(longest, s.to-i); n > 0; n-- {
			part := span{i, i + n}
			if v, ok := readPattern(kind, x.text(part)); ok {
				return []reading{{value: v, spans: []span{part}, fit: 1}}
			}
		}
	}
	return nil
}

// readPattern gives what is printed where it has the form of its kind.
func readPattern(kind, text string) (string, bool) {
	text = strings.Trim(text, " ,;:.()[]<>")
	switch kind {
	case "email":
		return value.Email(text)
	case "website":
		return value.URL(text)
	case "iban":
		return text, isIBANLike(text)
	case "phone":
		_, ok := value.Phone(text)
		return text, ok
	case "vat":
		_, ok := value.VAT(text)
		return text, ok
	case "bic":
		return text, isBIC(text)
	}
	return "", false
}

// isIBANLike knows an account number by its form alone: one with a wrong check
// digit is still what the document says.
func isIBANLike(text string) bool {
	bare := strings.ReplaceAll(text, " ", "")
	if len(bare) < 15 || len(bare) > 34 {
		return false
	}
	for i := range len(bare) {
		letter, figure := bare[i] >= 'A' && bare[i] <= 'Z', bare[i] >= '0' && bare[i] <= '9'
		if i < 2 && !letter || (i == 2 || i == 3) && !figure || !letter && !figure {
			return false
		}
	}
	return true
}

// isBIC knows the code of a bank by its form: four letters, a country, two
// characters and perhaps three for the branch.
func isBIC(text string) bool {
	if len(text) != 8 && len(text) != 11 {
		return false
	}
	for i := range len(text) {
		letter := text[i] >= 'A' && text[i] <= 'Z'
		if !letter && (i < 6 || text[i] < '0' || text[i] > '9') {
			return false
		}
	}
	return true
}

// identifiers reads numbers of documents and accounts: words with figures. The
// first alone, and those that follow it with it.
func (x *extraction) identifiers(s span) []reading {
	const most = 4 // words before it, and of it
	from := s.from
	for from < s.to && !hasDigit(x.words[from].Text) {
		if from++; from > s.from+most {
			return nil
		}
	}
	if from == s.to {
		if isFilled(x.words[s.from].Word) { // whatever was written there: the number of a state may be its name
			return []reading{{value: clean(x.text(s)), spans: []span{s}, fit: 1}}
		}
		return nil
	}
	var readings []reading
	if r, ok := x.vatFrom(span{from - 1, s.to}); ok && from == s.from {
		readings = append(readings, r)
	}
	to := from + 1
	for ; to <= min(s.to, from+most) && hasDigit(x.words[to-1].Text); to++ {
		part := span{from, to}
		if len(x.datesIn(part)) > 0 && !onlyDigits(x.words[from].Text) {
			break
		}
		if text := strings.Trim(x.text(part), " ,;:.()[]#*"); len(text) <= 60 && text != "" {
			readings = append(readings, reading{value: text, spans: []span{part}, fit: 1, trimmed: to < s.to})
		}
	}
	if len(readings) > 0 && from > s.from && from-s.from <= 2 { // "FV 12/2026": the letters may belong to it
		part := span{s.from, to - 1}
		if text := strings.Trim(x.text(part), " ,;:.()[]#*"); len(text) <= 40 {
			readings = append(readings, reading{value: text, spans: []span{part}, fit: 1, trimmed: to-1 < s.to})
		}
	}
	return readings
}

// vatFrom reads a VAT number whose country stands apart from it, and may have
// been taken for the end of its label: "VAT ID DE 123 456 789".
func (x *extraction) vatFrom(s span) (reading, bool) {
	if s.from < 0 || !isState(x.words[s.from].Text) || x.words[s.from].line != x.words[s.from+1].line {
		return reading{}, false
	}
	for n := min(5, s.to-s.from); n > 1; n-- {
		part := span{s.from, s.from + n}
		if _, ok := value.VAT(x.text(part)); ok {
			return reading{value: x.text(part), spans: []span{part}, fit: 1}, true
		}
	}
	return reading{}, false
}

const longestText = 500 // bytes

// texts reads a string: all of a span, and without what stands in brackets at
// its end or after a wide mark. Of what can be ticked it is what was.
func (x *extraction) texts(t *target, s span) []reading {
	if x.hasTick(s) {
		chosen, ok := x.chosen(s)
		if !ok {
			return nil // what could have been chosen, or more than one thing
		}
		s = chosen
	}
	for !s.empty() && strings.Trim(x.words[s.from].Text, "-–—_.:;,|/*#•") == "" {
		s.from++
	}
	for !s.empty() && strings.Trim(x.words[s.to-1].Text, "-–—_.:;,|/*#•") == "" {
		s.to--
	}
	if s.empty() {
		return nil
	}
	text := clean(x.text(s))
	if text == "" || len(text) > longestText || t.class != textClass && (!hasLetter(text) || x.onlyLegalForms(s)) {
		return nil
	}
	if t.class == nameClass && startsLower(text) && strings.HasSuffix(x.words[s.to-1].Text, ".") {
		return nil // the end of a sentence
	}
	readings := []reading{{value: text, spans: []span{s}, fit: 1}}
	readings = append(readings, x.besideComma(t, s)...)
	if open := x.bracketAt(s); open > s.from {
		part := span{s.from, open}
		readings = append(readings, reading{value: clean(x.text(part)), spans: []span{part}, fit: 1, trimmed: true})
	}
	return readings
}

// besideComma reads one side of a comma: "Jane Doe, Director" is a name and a
// title.
func (x *extraction) besideComma(t *target, s span) []reading {
	titled := slices.Contains(t.concepts, "title")
	if !titled && (t.class != nameClass || !x.asksTitleOf(t.owner)) {
		return nil
	}
	for i := s.from; i < s.to-1; i++ {
		if !strings.HasSuffix(x.words[i].Text, ",") {
			continue
		}
		part := span{s.from, i + 1}
		if titled {
			part = span{i + 1, s.to}
		} else if isLegalForm(x.words[i+1].Text) {
			return nil
		}
		return []reading{{value: clean(x.text(part)), spans: []span{part}, fit: 1, trimmed: true}}
	}
	return nil
}

// asksTitleOf reports whether the schema asks for the title of a party, too.
func (x *extraction) asksTitleOf(party string) bool {
	return slices.ContainsFunc(x.targets, func(t target) bool { return t.owner == party && slices.Contains(t.concepts, "title") })
}

// onlyLegalForms reports whether a span has the end of a company's name only.
func (x *extraction) onlyLegalForms(s span) bool {
	for _, w := range x.words[s.from:s.to] {
		if !isLegalForm(w.Text) {
			return false
		}
	}
	return true
}

// bracketAt gives the word that opens a bracket which the span's end shuts.
func (x *extraction) bracketAt(s span) int {
	if !strings.HasSuffix(x.words[s.to-1].Text, ")") {
		return s.from
	}
	for i := s.to - 1; i > s.from; i-- {
		if strings.HasPrefix(x.words[i].Text, "(") {
			return i
		}
	}
	return s.from
}

// clean takes marks off a text that belong to the layout.
func clean(text string) string {
	return strings.Trim(text, " :;,|*_•–—")
}

// readLines reads lines as one value.
func (x *extraction) readLines(spans []span) (reading, bool) {
	text := x.joined(spans)
	return reading{value: clean(text), spans: spans, fit: 1}, len(text) < longestText
}

func onlyDigits(text string) bool { return strings.Trim(text, "0123456789") == "" }

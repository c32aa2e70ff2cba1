package llm

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/value"
)

const (
	mostConfidence = 0.99 // nobody is ever sure
	// doubt is how much of a confidence is lost when another, wholly sure, says
	// otherwise.
	doubt = 0.3
	// dim is how sure the embedded engine must be of what it read off a picture
	// to go before a value that was not found there.
	dim = 0.6
	// sureAbsent is how sure a model is that finds nothing.
	sureAbsent = 0.9
	// leastKept is the confidence from which a value that was read on the page
	// stays though the model finds none, with mostDenied at most; and firm that
	// from which it is merely doubted.
	leastKept  = 0.5
	mostDenied = 0.5
	firm       = 0.9
	// given is the confidence from which what a document says for machines, such
	// as an electronic invoice, is not up for debate.
	given = 0.95
)

// joiner puts together what the model and the embedded engine found.
type joiner struct {
	*inquiry
	embedded []engine.Found
	blind    bool // the model found nothing of all that it was asked for
	warnings []fieldlift.Violation
}

// join gives the values of all items: those of the embedded engine, and where
// the model was asked what both together say.
func (j *joiner) join(items, asked []item) []engine.Found {
	found := clone(j.embedded)
	answers := j.sorted()
	silent := silence{}
	j.blind = !j.sees(answers, asked)
	for _, one := range asked {
		before := *at(found, one.path)
		heard, fails := hear(answers, one)
		var after engine.Found
		switch {
		case len(heard) == 0:
			after = before
			silent.add(one, fails)
		case one.field.Type == fieldlift.ArrayField:
			after = j.list(one, before, heard, fails)
		default:
			after = j.scalar(one, before, heard, fails)
		}
		*at(found, one.path) = after
	}
	j.warnings = append(silent.warnings(asked), j.warnings...)
	for n := range found {
		j.sign(&found[n])
	}
	for _, one := range items {
		j.Model.options.Metrics.gave(cmp.Or(whoGave(*at(found, one.path)), "nobody"))
	}
	return found
}

// clone copies what was found as deep as items reach.
func clone(found []engine.Found) []engine.Found {
	copied := slices.Clone(found)
	for n := range copied {
		copied[n].Members = clone(copied[n].Members)
		copied[n].Elements = clone(copied[n].Elements)
	}
	return copied
}

// sign says of each value who gave it, and keeps its confidence in bounds.
func (j *joiner) sign(f *engine.Found) {
	if f.Value != nil {
		m := &f.Place
		m.Engine = cmp.Or(m.Engine, string(fieldlift.LayoutEngine))
		m.Confidence = math.Round(min(m.Confidence, mostConfidence)*1000) / 1000
		if len(m.Boxes) == 0 && m.Engine == string(fieldlift.ModelEngine) {
			m.Confidence = min(m.Confidence, mostUnproven)
		}
	}
	for n := range f.Members {
		j.sign(&f.Members[n])
	}
	for n := range f.Elements {
		j.sign(&f.Elements[n])
	}
}

// whoGave tells who gave a value, or the first of a list's; "" for none.
func whoGave(f engine.Found) string {
	if f.Value != nil {
		return f.Place.Engine
	}
	for _, inner := range slices.Concat(f.Members, f.Elements) {
		if who := whoGave(inner); who != "" {
			return who
		}
	}
	return ""
}

func (j *joiner) warn(path, format string, args ...any) {
	j.warnings = append(j.warnings, warning(path, format, args...))
}

// ruleModel is the rule of warnings that a model's part brings.
const ruleModel = fieldlift.RuleModel

func warning(path, format string, args ...any) fieldlift.Violation {
	return fieldlift.Violation{Path: path, Rule: ruleModel, Severity: fieldlift.SeverityWarning, Message: fmt.Sprintf(format, args...) + "."}
}

// statement is what was said of an item in one part of the document.
type statement struct {
	answered
	text json.RawMessage
}

// failure is a part of the document of which nothing could be had.
type failure struct {
	span
	reason string
}

// hear gathers what was said of an item, in the order of the document.
func hear(answers []answered, one item) (heard []statement, fails []failure) {
	for _, a := range answers {
		if text, ok := a.Said[one.key]; ok {
			heard = append(heard, statement{a, text})
		}
		if reason, ok := a.Failed[one.key]; ok {
			fails = append(fails, failure{span{a.from, a.to}, reason})
		}
	}
	return heard, fails
}

// silence gathers the items that the model said nothing of at all, by reason.
type silence map[string][]item

func (s silence) add(one item, fails []failure) {
	reason := "it was not asked"
	if len(fails) > 0 {
		reason = fails[0].reason
	}
	s[reason] = append(s[reason], one)
}

// warnings tells of each field, or once for all where all have one reason.
func (s silence) warnings(asked []item) []fieldlift.Violation {
	var list []fieldlift.Violation
	for _, reason := range slices.Sorted(maps.Keys(s)) {
		if len(s[reason]) == len(asked) && len(asked) > 1 {
			return []fieldlift.Violation{warning("", "The model had no part in this: %s. The embedded engine answered alone", reason)}
		}
		for _, one := range s[reason] {
			list = append(list, warning(one.pointer, "The model had no part in this: %s. The embedded engine answered alone", reason))
		}
	}
	return list
}

// candidate is a value with its place, as found in one part of the document.
type candidate struct {
	engine.Found
	pieces  []piece // none: it was not found
	planted bool
}

func (c candidate) proven() bool { return len(c.Place.Boxes) > 0 }

// locate looks for a scalar on the page.
func (l listener) locate(f fieldlift.Field, s said, claimed *claims) candidate {
	if where, ok := l.find(f, s, claimed); ok {
		return l.placed(s, where)
	}
	c := candidate{Found: engine.Found{Value: s.value, Place: unproven(s)}}
	c.planted = l.citesPlanted(s) || l.standsPlanted(f, s.value)
	return c
}

func (l listener) placed(s said, where finding) candidate {
	c := candidate{Found: engine.Found{Value: s.value, Place: l.place(where)}, pieces: where.pieces}
	c.planted = l.isPlanted(where.pieces) || l.citesPlanted(s)
	return c
}

// citesPlanted tells whether a value was taken from where somebody speaks to a
// model, even if it stands elsewhere, too.
func (l listener) citesPlanted(s said) bool {
	return len(s.lines) > 0 && !slices.ContainsFunc(s.lines, func(n int) bool { return !l.lines[n].planted })
}

// standsPlanted tells whether a value that was found nowhere else stands there.
func (l listener) standsPlanted(f fieldlift.Field, v any) bool {
	for _, k := range l.seekers(f, v) {
		for n := l.from; n < l.to; n++ {
			if l.lines[n].planted && len(k.on(n)) > 0 {
				return true
			}
		}
	}
	return false
}

// scalar settles one value.
func (j *joiner) scalar(one item, before engine.Found, heard []statement, fails []failure) engine.Found {
	var best candidate
	others := 0
	for _, s := range heard {
		l := listener{j.transcript, s.from, s.to}
		said, err := l.read(one, s.text)
		if err != nil || said.value == nil {
			continue // what could not be read was not kept
		}
		c := l.locate(one.field, said, nil)
		switch {
		case best.Value == nil:
			best = c
		case same(best.Value, c.Value):
			if c.Place.Confidence > best.Place.Confidence {
				best = c
			}
		default:
			others++
			if c.Place.Confidence > best.Place.Confidence {
				best = c
			}
		}
	}
	if best.planted {
		j.warn(one.pointer, "The value that the model gave stands where the document speaks to a model, and is left out")
		return before
	}
	if others > 0 {
		best.Place.Confidence *= 1 - doubt*best.Place.Confidence
	}
	if best.Value == nil && len(fails) > 0 {
		j.warn(one.pointer, "The model could not be asked about %s: %s", j.pages(fails[0].from, fails[0].to), fails[0].reason)
		return before
	}
	if best.Value == nil {
		return j.denied(one, before)
	}
	after := settle(before, best)
	if isUnproven(after) {
		j.warn(one.pointer, "The value that the model gave was not found on the page, or does not follow from what it cites")
	}
	return after
}

// isUnproven tells a value that nobody but the model vouches for.
func isUnproven(f engine.Found) bool {
	return f.Value != nil && f.Place.Engine == string(fieldlift.ModelEngine) && len(f.Place.Boxes) == 0
}

// settle decides between what the embedded engine found and what the model
// gave, if it gave something.
func settle(before engine.Found, c candidate) engine.Found {
	e, m := before.Place.Confidence, c.Place.Confidence
	switch {
	case before.Value == nil:
		c.Place.Engine = string(fieldlift.ModelEngine)
		return c.Found
	case same(before.Value, c.Value):
		if len(before.Place.Boxes) == 0 && c.proven() {
			before.Place = c.Place
		}
		if c.proven() {
			before.Value = c.Value
		}
		before.Place.Confidence = 1 - (1-e)*(1-m)
		before.Place.Engine = fieldlift.EngineBoth
		return before
	case isGiven(before), !c.proven() && e > pick(isRecognised(before), dim, m):
		before.Place.Confidence = e * (1 - doubt*m)
		return before
	}
	c.Place.Confidence = m * (1 - doubt*e)
	c.Place.Engine = string(fieldlift.ModelEngine)
	return c.Found
}

// isRecognised tells what was read off a picture, where a model that sees more
// than we do may be right about what is not there as we read it.
func isRecognised(f engine.Found) bool { return f.Place.Source == fieldlift.SourceOCR }

// sees tells whether the model found anything at all.
func (j *joiner) sees(answers []answered, asked []item) bool {
	for _, a := range answers {
		l := listener{j.transcript, a.from, a.to}
		for _, one := range asked {
			if text, ok := a.Said[one.key]; ok {
				if said, err := l.read(one, text); err == nil && !said.empty() {
					return true
				}
			}
		}
	}
	return false
}

// denied is what becomes of what the embedded engine read where the model finds
// nothing. What stands on the page is not lost to that, unless there was little
// to say for it and the model has shown that it can read; then it is told.
func (j *joiner) denied(one item, before engine.Found) engine.Found {
	sure, there := confidence(before)
	switch {
	case !there:
		return engine.Found{}
	case isGiven(before):
		return before
	case sure >= firm, isPrinted(before) && (sure >= leastKept || j.blind):
		return weaker(before)
	}
	what := plainText(before.Value)
	if one.field.Type == fieldlift.ArrayField {
		what = fmt.Sprintf("%d elements", len(before.Elements))
	}
	j.warn(one.pointer, "The model finds nothing here. What the embedded engine read with a confidence of %.2f is left out: %s", sure, bounded(what))
	return engine.Found{}
}

// isPrinted tells whether something of it has a place on the page.
func isPrinted(f engine.Found) bool {
	return f.Value != nil && len(f.Place.Boxes) > 0 || slices.ContainsFunc(slices.Concat(f.Members, f.Elements), isPrinted)
}

// weaker is what the model does not find, with less confidence.
func weaker(f engine.Found) engine.Found {
	f.Members, f.Elements = slices.Clone(f.Members), slices.Clone(f.Elements)
	if sure := f.Place.Confidence * (1 - doubt*sureAbsent); f.Value != nil && !isGiven(f) {
		f.Place.Confidence = pick(f.Place.Confidence >= firm, sure, min(sure, mostDenied))
	}
	for n := range f.Members {
		f.Members[n] = weaker(f.Members[n])
	}
	for n := range f.Elements {
		f.Elements[n] = weaker(f.Elements[n])
	}
	return f
}

// isGiven tells what the document says for machines.
func isGiven(f engine.Found) bool {
	return f.Place.Source == fieldlift.SourceForm && f.Place.Confidence >= given
}

// same compares values as a person would.
func same(a, b any) bool {
	x, isNumber := a.(json.Number)
	y, areNumbers := b.(json.Number)
	if isNumber && areNumbers {
		return value.SameNumber(x, y)
	}
	s, isText := a.(string)
	t, areTexts := b.(string)
	if isText && areTexts {
		return s == t || letters(s) == letters(t) && strings.TrimSpace(letters(s)) != ""
	}
	return a == b
}

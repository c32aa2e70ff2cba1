package layout

import (
	"encoding/json"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/value"
)

// reading is a value that was read from the words of a document.
type reading struct {
	value any
	spans []span  // what it was read from, one for each line
	fit   float64 // how well the words fit what was asked, 0 to 1

	trimmed bool      // something was cut off the end
	typed   typedSpan // of dates and amounts
}

// rateFit is how well a percentage fits a number that is not called a rate:
// "VAT 20 %" has the rate in its label, and the amount elsewhere.
const rateFit = 0.7

// longestTyped is more words than any date or amount has, longestBoolean as
// many as "[ x ]".
const longestTyped, longestBoolean = 8, 3

// read reads the value of a target that has a type or an enum at the beginning
// of a span, in whole or, where the type tells its end, in part.
func (d *document) read(t *target, s span) (reading, bool) {
	if s.empty() {
		return reading{}, false
	}
	if t.field.Enum != nil {
		return d.readEnum(t, s)
	}
	switch t.field.Type {
	case fieldlift.NumberField, fieldlift.DateField, fieldlift.BooleanField:
		longest := longestTyped
		if t.field.Type == fieldlift.BooleanField {
			longest = longestBoolean
		}
		for n := min(s.to-s.from, longest); n > 0; n-- {
			part := span{s.from, s.from + n}
			if t.field.Type != fieldlift.BooleanField && !d.hasDigits(part) {
				break // no number and no date
			}
			if v, ok := d.typed(t.field.Type, d.text(part)); ok {
				r := reading{value: v, spans: []span{part}, fit: 1}
				if part != s {
					r.fit = 0.88
				}
				if strings.Contains(d.text(part), "%") && !slices.Contains(t.concepts, "rate") {
					r.fit = rateFit
				}
				if t.field.Type == fieldlift.DateField {
					r = d.inPast(t, []reading{r})[0]
				}
				return r, true
			}
		}
		if chosen, ok := d.chosen(s); ok && t.field.Type == fieldlift.BooleanField {
			v, ok := value.Boolean(d.text(chosen))
			return reading{value: v, spans: []span{chosen}, fit: 0.95}, ok
		}
		return reading{}, false
	}
	return reading{}, false
}

func (d *document) typed(of fieldlift.FieldType, text string) (any, bool) {
	switch of {
	case fieldlift.NumberField:
		if n, ok := value.Number(text, d.locale); ok {
			return n, true
		}
		return asAny(value.Percent(text, d.locale))
	case fieldlift.DateField:
		return asAny(value.Date(text, d.locale))
	case fieldlift.BooleanField:
		return asAny(value.Boolean(text))
	}
	return text, text != ""
}

func asAny[T any](v T, ok bool) (any, bool) { return v, ok }

// chosen gives what stands beside the one tick in "☒ Yes ☐ No", or in "Yes ☒ No
// ☐".
func (d *document) chosen(s span) (span, bool) {
	found, count := span{}, 0
	if !s.empty() && !isTicked(d.words[s.from].Text) && isTicked(d.words[s.to-1].Text) {
		from := s.from
		for i := s.from; i < s.to; i++ {
			ticked, isTick := value.Tick(d.words[i].Text)
			if ticked {
				found, count = span{from, i}, count+1
			}
			if isTick {
				from = i + 1
			}
		}
		return found, count == 1 && !found.empty()
	}
	for i := s.from; i < s.to; i++ {
		ticked, isTick := value.Tick(d.words[i].Text)
		switch {
		case isTick && ticked:
			found, count = span{i + 1, i + 1}, count+1
		case count > 0 && found.to == i && !isTick:
			found.to = i + 1
		}
	}
	return found, count == 1 && !found.empty()
}

// readEnum finds the one allowed value that the span is, or that it has in it.
func (d *document) readEnum(t *target, s span) (reading, bool) {
	if chosen, ok := d.chosen(s); ok {
		s = chosen
	} else if d.unticked(s) {
		return reading{}, false
	}
	s.to = min(s.to, s.from+20)
	text := value.Fold(d.text(s))
	found, fit, count := any(nil), 0.0, 0
	for _, allowed := range t.field.Enum {
		if n, ok := allowed.(json.Number); ok {
			for w := s.from; w < s.to; w++ {
				if printed, ok := value.Number(d.words[w].Text, d.locale); ok && value.SameNumber(n, printed) {
					return reading{value: n, spans: []span{{w, w + 1}}, fit: 0.95}, true
				}
			}
			continue
		}
		name, _ := allowed.(string)
		folded := strings.Join(split(name), " ")
		switch {
		case folded == "":
		case t.field.Type == fieldlift.DateField:
			if date, ok := value.Date(d.text(s), d.locale); ok && date == name {
				return reading{value: name, spans: []span{s}, fit: 1}, true
			}
		case strings.Join(split(text), " ") == folded:
			return reading{value: name, spans: []span{s}, fit: 1}, true
		case strings.Contains(" "+strings.Join(split(text), " ")+" ", " "+folded+" "):
			found, fit, count = name, 0.85, count+1
		}
	}
	if count != 1 {
		return reading{}, false
	}
	return reading{value: found, spans: []span{s}, fit: fit}, true
}

// unticked reports whether a span has boxes to tick and none is ticked: it
// says what could have been chosen.
func (d *document) unticked(s span) bool {
	boxes := false
	for _, w := range d.words[s.from:min(s.to, s.from+20)] {
		ticked, isBox := value.Tick(w.Text)
		if isBox && ticked {
			return false
		}
		boxes = boxes || isBox
	}
	return boxes
}

// kindOf tells what a string must look like from what its field's name means.
func kindOf(f fieldlift.Field, x *lexicon, concepts []string) string {
	if f.Type != fieldlift.StringField || len(concepts) == 0 {
		return ""
	}
	for _, kind := range []string{"email", "website", "iban", "bic", "phone", "currency", "address"} {
		if slices.Contains(concepts, kind) {
			return kind
		}
	}
	switch kind := x.kind(concepts); kind {
	case "id", "vat":
		return "number"
	case "date", "name", "city", "zip", "country":
		return kind
	case "address":
		return "street"
	}
	return ""
}

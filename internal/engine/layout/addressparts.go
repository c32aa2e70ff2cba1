package layout

import (
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
)

// addressParts are the places of a street, a city and so on in an address.
type addressParts struct{ street, city, zip, state, country span }

// partCertainty is how sure a part of an address is when the address is.
const partCertainty = 0.95

// fillAddressParts finds the street, city, postcode, state and country that
// nothing names in the address of the party they belong to.
func (x *extraction) fillAddressParts() {
	known := map[string]*addressParts{}
	sure := map[string]float64{}
	for i := range x.targets {
		t := &x.targets[i]
		if t.table >= 0 || t.list || x.found[i].Value != nil || t.field.Type != fieldlift.StringField || partKind(t) == "" {
			continue
		}
		if _, looked := known[t.owner]; !looked {
			known[t.owner], sure[t.owner] = x.addressOf(t.owner)
		}
		p := known[t.owner]
		if p == nil {
			continue
		}
		part := map[string]span{"street": p.street, "city": p.city, "zip": p.zip, "state": p.state, "country": p.country}[partKind(t)]
		if part.empty() {
			continue
		}
		confidence := calibrated(x.model.calibration, sure[t.owner]) * partCertainty
		x.found[i] = engine.Found{Value: clean(x.text(part)), Place: x.place(confidence, part)}
	}
}

// partKind tells which part of an address a target asks for.
func partKind(t *target) string {
	for _, c := range t.concepts {
		switch c {
		case "street", "city", "zip", "state", "country":
			return c
		}
	}
	return ""
}

// addressOf finds the address of a party as if it were asked for.
func (x *extraction) addressOf(party string) (*addressParts, float64) {
	t := target{field: fieldlift.Field{Type: fieldlift.StringField}, table: -1, kind: "address", owner: party, concepts: []string{party, "address"}}
	t.class = classOf(&t)
	c := choice{target: len(x.targets)}
	g := generator{extraction: x, target: c.target, t: &t}
	for i := range x.targets { // what names the party names its address
		if x.targets[i].owner == party && x.targets[i].table < 0 {
			for _, l := range x.labelsFound[i] {
				if l.form == owner {
					g.around(l)
				}
			}
		}
	}
	g.unlabelled()
	c.candidates = x.distinct(g.found)
	c.absent = [absentCount]float64{absentAlways: 1, absentFit: x.schemaFit(), absentTrade: 1 - x.facts.trade}
	w := &x.model.weights[t.class]
	best := -1
	scores := make([]float64, len(c.candidates)+1)
	for j := range c.candidates {
		if scores[j] = w.score(&c.candidates[j].evidence); best < 0 || scores[j] > scores[best] {
			best = j
		}
	}
	scores[len(c.candidates)] = w.absence(&c.absent)
	said, sayings := x.sayings(&c)
	p := spread(scores, said, sayings)
	if best < 0 || p[best] < p[len(c.candidates)] {
		return nil, 0
	}
	near := 0.0 // its extent may be in doubt; the parts are in all of them
	for j := range c.candidates {
		if shareWords(c.candidates[j].spans, c.candidates[best].spans) {
			near += p[j]
		}
	}
	if near < 0.5 {
		return nil, 0
	}
	return x.partsOf(c.candidates[best].spans), near
}

// partsOf takes an address apart: the postcode tells where the city is, and
// the street stands before both.
func (x *extraction) partsOf(lines []span) *addressParts {
	var parts []span // lines, and what commas part of them
	for _, l := range lines {
		from := l.from
		for i := l.from; i < l.to; i++ {
			if i+1 == l.to || strings.HasSuffix(x.words[i].Text, ",") && !x.isStateAndZip(i+1, l.to) {
				parts = append(parts, span{from, i + 1})
				from = i + 1
			}
		}
	}
	var found addressParts
	at := -1
	for i, p := range parts {
		if x.findZip(p, &found) {
			at = i
			break
		}
	}
	if at < 0 {
		return nil
	}
	if at > 0 {
		found.street = parts[at-1]
		for i := at - 1; i >= 0; i-- {
			if text := x.text(parts[i]); isAddressLine(text) || hasDigit(text) {
				found.street = parts[i]
				break
			}
		}
	}
	if at+1 < len(parts) && !hasDigit(x.text(parts[at+1])) {
		found.country = parts[at+1]
	}
	return &found
}

// isStateAndZip reports whether words are the end of "Springfield, IL 62701".
func (x *extraction) isStateAndZip(from, to int) bool {
	return to-from >= 2 && isState(x.words[from].Text) && isPostcode(strings.Trim(x.words[from+1].Text, ",."))
}

func isState(text string) bool {
	return len(text) == 2 && text == strings.ToUpper(text) && hasLetter(text) && !hasDigit(text)
}

// findZip finds a postcode in part of an address, and the city and the state
// beside it.
func (x *extraction) findZip(s span, found *addressParts) bool {
	for i := s.from; i < s.to; i++ {
		text := strings.Trim(x.words[i].Text, ",.;")
		size := 0
		switch {
		case isPostcode(text):
			size = 1
		case len(text) == 4 && onlyDigits(text) && i+1 < s.to: // 3012 CN Rotterdam, 8001 Zürich
			size = 1
			if isState(strings.Trim(x.words[i+1].Text, ",")) {
				size = 2
			}
		}
		if size == 0 || i == s.from && i+size == s.to && s.to-s.from == 1 {
			continue
		}
		found.zip = span{i, i + size}
		switch {
		case i+size < s.to: // the city follows
			found.city = span{i + size, s.to}
		case i > s.from && isState(x.words[i-1].Text):
			found.state = span{i - 1, i}
			found.city = span{s.from, i - 1}
		default:
			found.city = span{s.from, i}
		}
		return !found.city.empty()
	}
	return false
}

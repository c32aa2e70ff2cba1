package layout

import (
	"strings"

	"fieldlift/internal/page"
)

// filledField is a field of the document's own form, with the words that were
// filled in.
type filledField struct {
	name  string // for people, or of the form
	spans []span
}

// findFields finds the form fields that have a name and something filled in.
func (x *extraction) findFields() {
	for i, p := range x.pages {
		for _, f := range p.Fields {
			name := f.Label
			if name == "" {
				name = lastPart(f.Name)
			}
			ticked := f.Kind == page.FieldCheckbox || f.Kind == page.FieldRadio
			if name == "" || len(name) > 120 || !f.Written() && !ticked {
				continue
			}
			if spans := x.wordsIn(i, f.Box); len(spans) > 0 {
				x.fields = append(x.fields, filledField{name, spans})
			}
		}
	}
}

// lastPart is the last part of a field's full name, without its number:
// "form[0].page1[0].zip_code[0]" is "zip_code".
func lastPart(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}
	name, _, _ = strings.Cut(name, "[")
	return name
}

// wordsIn gives the words whose middle lies in a box of a page, by line.
func (x *extraction) wordsIn(number int, b page.Box) []span {
	var found []span
	for at := range x.lines {
		l := x.lines[at]
		if l.page != number || l.box.Y1 < b.Y0 || l.box.Y0 > b.Y1 {
			continue
		}
		for i := x.segments[l.from].from; i < x.segments[l.to-1].to; i++ {
			w := x.words[i].Box
			middle := (w.X0 + w.X1) / 2
			if middle < b.X0 || middle > b.X1 || w.CenterY() < b.Y0 || w.CenterY() > b.Y1 {
				continue
			}
			if n := len(found); n > 0 && found[n-1].to == i && x.words[found[n-1].from].line == at {
				found[n-1].to++
			} else {
				found = append(found, span{i, i + 1})
			}
		}
	}
	return found
}

// fillings adds what was filled into fields that are named like the target.
func (g *generator) fillings() {
	for _, f := range g.fields {
		for _, m := range g.labels.match(f.name) {
			if m.target != g.target {
				continue
			}
			g.labelled = features{}
			g.labelled[labelAsked], g.labelled[labelShown] = float32(m.asked), float32(m.shown)
			l := labelled{match: m}
			g.add(l, f.spans[0], relationField, 0, false)
			if len(f.spans) > 1 && g.wantsLines() {
				g.addLines(l, f.spans, relationField, 0, false)
			}
		}
	}
}

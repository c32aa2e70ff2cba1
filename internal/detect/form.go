package detect

import (
	"fmt"
	"strings"
	"unicode"

	"fieldlift"
	"fieldlift/internal/page"
)

// mostTicks is how many checkboxes become fields. A questionnaire has hundreds.
const mostTicks = 12

// filled gives what the document's own form has: fields with something written
// in them, and checkboxes with the words behind them.
func (d *Detector) filled(s *sheet, pages []page.Page) []candidate {
	var all []candidate
	ticks := 0
	for _, p := range pages {
		for _, f := range p.Fields {
			if !f.Written() {
				continue
			}
			label := formLabel(f)
			if label == "" {
				label = s.labelAt(p.Number, f.Box)
			}
			if c, ok := d.candidate(s, label, segment{text: f.Value, words: []page.Word{{Text: f.Value}}, box: f.Box}, p.Number); ok {
				all = append(all, c)
			}
		}
		for _, b := range p.Checkboxes {
			label := briefly(s.textBehind(p.Number, b.Box))
			if ticks == mostTicks || !isLabelText(label) {
				continue
			}
			ticks++
			f := fieldlift.Field{Name: snake(label), Type: fieldlift.BooleanField, Description: fmt.Sprintf("Whether %q is ticked.", strings.Map(plainQuote, label))}
			all = append(all, candidate{field: f, label: label, page: p.Number, box: b.Box})
		}
	}
	return all
}

// formLabel is what a form field is called for people, or in the form if that
// is words: "zip_code", not "f1_07".
func formLabel(f page.FormField) string {
	if label := briefly(f.Label); isLabelText(label) {
		return label
	}
	name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
	name, _, _ = strings.Cut(name, "[")
	words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, word := range words {
		if len(word) < 3 || hasDigit(word) {
			return ""
		}
	}
	switch name {
	case "", "undefined", "Text", "text", "Field", "field", "fill":
		return ""
	}
	return strings.Join(words, " ")
}

// labelAt is the printed text that stands nearest above a form field, or at its
// left.
func (s *sheet) labelAt(number int, box page.Box) string {
	const farthest = 0.03 // of the page's height
	label, nearest := "", farthest
	for _, l := range s.lines {
		if l.page != number {
			continue
		}
		for _, one := range l.segments {
			if one.words[0].Source == fieldlift.SourceForm || !hasLetter(one.text) {
				continue
			}
			distance := farthest
			switch {
			case one.box.CenterY() > box.Y0 && one.box.CenterY() < box.Y1 && one.box.X1 <= box.X0+0.01:
				distance = (box.X0 - one.box.X1) / 4
			case one.box.X0 < box.X1 && one.box.X1 > box.X0 && one.box.CenterY() < box.CenterY():
				distance = max(0, box.Y0-one.box.Y1)
			}
			if distance < nearest {
				label, nearest = one.text, distance
			}
		}
	}
	return briefly(label)
}

// textBehind is the printed text that begins right of a checkbox.
func (s *sheet) textBehind(number int, box page.Box) string {
	const farthest = 0.03 // of the page's width
	for _, l := range s.lines {
		if l.page != number || l.box.Y0 > box.CenterY() || l.box.Y1 < box.CenterY() {
			continue
		}
		for _, one := range l.segments {
			for i, w := range one.words {
				if w.Box.X0 >= box.X1-0.002 && w.Box.X0 < box.X1+farthest && hasLetter(w.Text) {
					return newSegment(one.words[i:]).text
				}
			}
		}
	}
	return ""
}

// briefly is what a long label begins with, without its number and without
// what explains it: "2  Business name (if different from above)".
func briefly(label string) string {
	label = beforeAny(strings.TrimLeft(label, "0123456789.:)☐☑☒ "), "(,;:.")
	if first, rest, ok := strings.Cut(label, " "); ok && len(first) == 1 && !strings.EqualFold(first, "a") {
		label = rest
	}
	return strings.TrimSpace(label)
}

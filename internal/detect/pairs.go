package detect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// pairs gives the labels of the sheet that have a value: "Date: 3 May", a label
// over its value, or a known one before it without any mark.
func (d *Detector) pairs(s *sheet) []candidate {
	var all []candidate
	for i, l := range s.lines {
		if l.table {
			continue
		}
		for j, one := range l.segments {
			if c, ok := d.pair(s, i, j, one); ok {
				c.section = d.section(s, i, one)
				all = append(all, c)
			}
		}
	}
	return all
}

func (d *Detector) pair(s *sheet, i, j int, label segment) (candidate, bool) {
	if d.isLabel(label) {
		v, number, ok := d.valueOf(s, i, j)
		if !ok {
			return candidate{}, false
		}
		return d.candidate(s, label.text, v, number)
	}
	// "Invoice No 4711", with nothing between the two.
	for n := min(len(label.words)-1, 5); n > 0; n-- {
		head, rest := newSegment(label.words[:n]), newSegment(label.words[n:])
		if d.isLabel(head) && s.isTyped(rest.text) && !d.isLabel(rest) {
			return d.candidate(s, head.text, rest, s.lines[i].page)
		}
	}
	// "Handling fee   12.00": what no list knows, beside an amount or a date that ends its line.
	if segments := s.lines[i].segments; j+2 == len(segments) && len(segments) <= 3 && isLabelText(label.text) && !hasDigit(label.text) && len(label.words) <= 5 {
		if next := segments[j+1]; !d.isLabel(next) && s.isAmountOrDate(next.text) {
			return d.candidate(s, label.text, next, s.lines[i].page)
		}
	}
	return candidate{}, false
}

// isLabel tells a segment that announces a value: by its colon, or because it
// is nothing but a known label. Labels begin with a capital, unlike what goes
// on from the line before.
func (d *Detector) isLabel(s segment) bool {
	_, known := d.names.find(s.text)
	return (known || s.colon && isLabelText(s.text)) && beginsLabel(s.text)
}

func (s *sheet) isAmountOrDate(text string) bool {
	switch s.kindOf(text, "") {
	case fieldlift.DateField:
		return true
	case fieldlift.NumberField:
		return strings.ContainsAny(text, ".,%€$£")
	}
	return false
}

// valueOf finds the value of a label: to its right, or else below it.
func (d *Detector) valueOf(s *sheet, i, j int) (segment, int, bool) {
	l := s.lines[i]
	label := l.segments[j]
	if j+1 < len(l.segments) {
		next := l.segments[j+1]
		const widest = 0.5 // of the page
		if !d.isLabel(next) && next.box.X0-label.box.X1 < widest && d.mayBeValue(label, next) {
			return next, l.page, true
		}
	}
	for _, below := range s.lines[i+1 : min(i+3, len(s.lines))] {
		const farthest = 3 // heights of the label
		if below.page != l.page || below.table || below.box.Y0-label.box.Y1 > farthest*label.box.Height() {
			break
		}
		for _, one := range below.segments {
			if one.box.X0 < label.box.X1 && one.box.X1 > label.box.X0 && one.box.X0-label.box.X0 < 0.05 && label.box.X0-one.box.X0 < 0.05 {
				return one, below.page, !d.isLabel(one) && d.mayBeValue(label, one)
			}
		}
	}
	return segment{}, 0, false
}

// mayBeValue keeps titles and sentences from being taken for values of labels
// without a colon.
func (d *Detector) mayBeValue(label, v segment) bool {
	if len(v.words) > 12 || v.colon {
		return false
	}
	return label.colon || hasDigit(v.text) || d.names.isText(label.text)
}

// candidate makes a field of a label and its value, unless the two do not fit.
func (d *Detector) candidate(s *sheet, label string, v segment, number int) (candidate, bool) {
	label = strings.TrimLeft(label, "(*•·-– ")
	if first := plain(v.words[0].Text); len(v.words) > 1 && slices.Contains(numberMarks, first) && hasDigit(v.words[1].Text) {
		// "Invoice   No. 4711"
		label += " " + v.words[0].Text
		v = newSegment(v.words[1:])
	}
	name, known := d.names.find(label)
	if !known {
		name = snake(label)
	}
	f := fieldlift.Field{Name: name, Type: s.kindOf(v.text, name)}
	f.Description = describe(f.Type, label)
	return candidate{field: f, label: label, text: v.text, page: number, box: v.box}, name != "" && !isNoField(label) && fits(name, f.Type)
}

// numberMarks are words that belong to the label before them.
var numberMarks = []string{"no", "nr", "n", "num", "number", "nummer"}

// isNoField tells labels that tell of the paper, or of the money beside them.
func isNoField(label string) bool {
	if _, isCurrency := value.Currency(label); isCurrency {
		return true
	}
	switch plain(label) {
	case "page", "seite", "pagina", "strona", "pag", "note", "hinweis", "important", "total pages":
		return true
	}
	return false
}

// fits keeps a field that is known to be a date or an amount from getting
// another value.
func fits(name string, kind fieldlift.FieldType) bool {
	switch {
	case isDate(name):
		return kind == fieldlift.DateField
	case isAmount(name):
		return kind == fieldlift.NumberField
	}
	return true
}

// isDate tells names of days.
func isDate(name string) bool {
	return name == "date" || name == "date_of_birth" || strings.HasSuffix(name, "_date")
}

// isAmount tells names of sums of money.
func isAmount(name string) bool {
	return strings.HasSuffix(name, "_amount") || strings.HasSuffix(name, "_balance") || strings.HasSuffix(name, "_pay") ||
		slices.Contains([]string{"subtotal", "amount_due", "amount_paid", "tip", "cash", "change"}, name)
}

// describe helps a person, and the engine, which looks for what is quoted.
func describe(t fieldlift.FieldType, label string) string {
	what := "Text"
	switch t {
	case fieldlift.DateField:
		what = "Date"
	case fieldlift.NumberField:
		what = "Number"
	case fieldlift.BooleanField:
		what = "Yes or no,"
	}
	return fmt.Sprintf("%s printed as %q.", what, strings.Map(plainQuote, label))
}

// plainQuote keeps a label from ending its own quotation.
func plainQuote(r rune) rune {
	if r == '"' || r == '\\' {
		return '\''
	}
	return r
}

// section names the party whose title stands nearest above, in the same column:
// "Bill to" over a customer's lines.
func (d *Detector) section(s *sheet, i int, label segment) string {
	const reach = 10 // lines
	for k := i - 1; k >= max(0, i-reach) && s.lines[k].page == s.lines[i].page; k-- {
		for _, one := range s.lines[k].segments {
			if party, ok := d.names.party(one.text); ok && one.box.X0-label.box.X0 < 0.03 && label.box.X0-one.box.X0 < 0.03 {
				return party
			}
		}
	}
	return ""
}

// inOrder sorts candidates as they stand on the pages; those without a place
// come last.
func inOrder(all []candidate) []candidate {
	slices.SortStableFunc(all, func(a, b candidate) int {
		const sameLine = 0.005
		if order := cmp.Compare(uint(a.page)-1, uint(b.page)-1); order != 0 { // 0 becomes the last
			return order
		}
		if a.box.Y0-b.box.Y0 > sameLine || b.box.Y0-a.box.Y0 > sameLine {
			return cmp.Compare(a.box.Y0, b.box.Y0)
		}
		return cmp.Compare(a.box.X0, b.box.X0)
	})
	return all
}

// unique keeps the first of several fields with one name. Those that stand
// under the titles of different parties become members of objects instead.
func unique(all []candidate) []candidate {
	parties := map[string][]string{}
	for _, c := range all {
		if c.section != "" && !slices.Contains(parties[c.field.Name], c.section) {
			parties[c.field.Name] = append(parties[c.field.Name], c.section)
		}
	}
	var kept []candidate
	seen := map[[2]string]bool{}
	for _, c := range all {
		if len(parties[c.field.Name]) < 2 {
			c.section = "" // the name alone tells whose it is
		}
		key := [2]string{c.section, c.field.Name}
		if seen[key] || c.section != "" && seen[[2]string{"", c.section}] {
			continue
		}
		seen[key] = true
		kept = append(kept, c)
	}
	return kept
}

// overlaps tells whether two boxes share some of the page.
func overlaps(a, b page.Box) bool {
	return a.X0 < b.X1 && b.X0 < a.X1 && a.Y0 < b.Y1 && b.Y0 < a.Y1
}

package dashboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"fieldlift"
)

// sheetView is one object with the schema's fields: the document's, or that of
// a page.
type sheetView struct {
	Page   int // 0: the document's
	Values []valueView
}

// valueView is a value as the page shows it, or an object or an array of them.
type valueView struct {
	Pointer string
	Label   string // of a person's words: "Invoice number"
	Hint    string // the field's description
	Kind    string // "value", "object", "table" or "list"

	// Of a single value:
	Text     string // "" when there is none
	Type     fieldlift.FieldType
	Enum     []string
	State    string // see stateOf
	Sure     string // confidence in per cent
	Page     int    // 0 when it has no place
	Printed  string // as it stands there
	Source   string
	Messages []string
	By       string
	At       time.Time
	Changed  bool
	Original string // what was extracted, if a person changed it
	Number   int64  // of the correction
	Row      string // the pointer of the innermost row that it is in; "" when it is in none
	Current  bool   // it is selected

	Members []valueView // of an object
	Heads   []string    // of a table
	Rows    []rowView   // of a table or a list
	Hidden  int         // rows that are not shown
}

// rowView is a row of a table or a list.
type rowView struct {
	Pointer string
	Number  int
	Cells   []valueView
}

// The states of values. A page tells them by words and signs, not by colour
// alone.
const (
	stateDoubtful = "doubtful" // a person should look at it
	stateSure     = "sure"
	stateChecked  = "checked" // a person found it right
	stateChanged  = "changed" // a person changed it
	stateNone     = "none"    // nothing was found, and nothing had to be
)

// doubtful is the confidence below which values are pointed out: of those above
// it, one in a hundred is wrong (docs/ACCURACY.md).
const doubtful = 0.9

// rowsAtFirst bounds how many rows of a table are shown until all are asked for.
const rowsAtFirst = 200

// show puts a review on the page.
func (p *documentPage) show(d fieldlift.DocumentReview, selected string) {
	p.Revision = d.Revision
	for _, c := range slices.Backward(d.Review.Corrections) {
		p.History = append(p.History, c)
	}
	b := valueBuilder{page: p, selected: selected, messages: map[string][]string{}}
	var violations []fieldlift.Violation
	if err := json.Unmarshal([]byte(d.Record.Validation), &violations); err == nil {
		for _, v := range violations {
			b.messages[v.Path] = append(b.messages[v.Path], sentence(v.Message))
		}
	}
	for i, sheet := range d.Review.Sheets() {
		view := sheetView{}
		if d.Extraction.ResultMode == fieldlift.OnePerPage {
			view.Page = i + 1
		}
		for _, one := range sheet.Values {
			view.Values = append(view.Values, b.value(one, ""))
		}
		p.Sheets = append(p.Sheets, view)
	}
	for _, v := range violations {
		if b.messages[v.Path] != nil { // nowhere else to be read
			p.Messages = append(p.Messages, v)
		}
	}
}

// sentence begins with a capital.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	first, rest := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[rest:]
}

// valueBuilder makes views of values, and counts them.
type valueBuilder struct {
	page     *documentPage
	selected string
	messages map[string][]string // by pointer; those that are shown are taken out
}

func (b *valueBuilder) value(v fieldlift.ReviewedValue, row string) valueView {
	view := valueView{Pointer: v.Pointer, Label: label(v.Field.Name), Hint: v.Field.Description, Row: row, Messages: b.messages[v.Pointer]}
	delete(b.messages, v.Pointer)
	switch {
	case v.Field.Type == fieldlift.ObjectField:
		view.Kind = "object"
		for _, member := range v.Members {
			view.Members = append(view.Members, b.value(member, row))
		}
	case v.Field.Type == fieldlift.ArrayField && isTable(v.Field):
		view.Kind = "table"
		for _, f := range v.Field.Items.Fields {
			view.Heads = append(view.Heads, label(f.Name))
		}
		b.rows(&view, v, func(one fieldlift.ReviewedValue) []valueView {
			var cells []valueView
			for _, member := range one.Members {
				cells = append(cells, b.value(member, one.Pointer))
			}
			return cells
		})
	case v.Field.Type == fieldlift.ArrayField:
		view.Kind = "list"
		b.rows(&view, v, func(one fieldlift.ReviewedValue) []valueView { return []valueView{b.value(one, one.Pointer)} })
	default:
		b.scalar(&view, v)
	}
	return view
}

func isTable(f fieldlift.Field) bool {
	return f.Items != nil && f.Items.Type == fieldlift.ObjectField && len(f.Items.Fields) > 0
}

func (b *valueBuilder) rows(view *valueView, v fieldlift.ReviewedValue, cells func(fieldlift.ReviewedValue) []valueView) {
	for i, one := range v.Rows {
		made := rowView{one.Pointer, i + 1, cells(one)} // all are counted
		if i >= rowsAtFirst && !b.page.AllRows {
			view.Hidden++
			b.page.HasHidden = true
			continue
		}
		view.Rows = append(view.Rows, made)
	}
}

func (b *valueBuilder) scalar(view *valueView, v fieldlift.ReviewedValue) {
	view.Kind, view.Text, view.Type, view.Number = "value", textOf(v.Value), v.Field.Type, v.Number
	for _, allowed := range v.Field.Enum {
		view.Enum = append(view.Enum, textOf(allowed))
	}
	if m := v.Metadata; m != nil {
		view.Sure = percent(m.Confidence)
		view.Page, view.Printed, view.Source = m.Page, m.Text, m.Source
		if m.Reviewed != nil {
			view.By, view.At = m.Reviewed.By, m.Reviewed.At
			if m.Reviewed.Original != nil {
				view.Changed, view.Original = true, originalText(m.Reviewed.Original)
			}
		}
	}
	view.State = stateOf(*view, v)
	if view.Text != "" {
		b.page.Values++
	}
	if view.By != "" {
		b.page.Checked++
	}
	if view.State == stateDoubtful {
		b.page.Doubtful++
	}
	view.Current = b.selected == view.Pointer
	b.place(*view, v.Metadata)
	if view.Current {
		kept := *view
		b.page.Selected = &kept
	}
}

func stateOf(view valueView, v fieldlift.ReviewedValue) string {
	switch {
	case view.Changed:
		return stateChanged
	case view.By != "":
		return stateChecked
	case len(view.Messages) > 0:
		return stateDoubtful
	case v.Value == nil:
		return stateNone
	case v.Metadata == nil || v.Metadata.Confidence < doubtful:
		return stateDoubtful
	}
	return stateSure
}

// place marks where a value stands on its page.
func (b *valueBuilder) place(view valueView, m *fieldlift.FieldMetadata) {
	if m == nil || m.Page < 1 || m.Page > len(b.page.Pages) {
		return
	}
	on := &b.page.Pages[m.Page-1]
	for _, box := range m.Boxes {
		const margin = 0.0025 // so that the frame does not touch the print
		thousandths := func(v float64) string { return strconv.FormatFloat(v*1000, 'f', 1, 64) }
		on.Boxes = append(on.Boxes, boxView{
			Pointer: view.Pointer, Label: view.Label + ": " + view.Text, State: view.State, Lit: view.Current,
			X: thousandths(box[0] - margin), Y: thousandths(box[1] - margin),
			Width: thousandths(box[2] - box[0] + 2*margin), Height: thousandths(box[3] - box[1] + 2*margin),
		})
	}
}

// textOf is a value as people read it.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case bool:
		if v {
			return "yes"
		}
		return "no"
	}
	return fmt.Sprint(value)
}

func originalText(text json.RawMessage) string {
	var value any
	if json.Unmarshal(text, &value) != nil {
		return string(text)
	}
	if _, isNumber := value.(float64); isNumber {
		return string(text) // as it was written
	}
	return textOf(value)
}

// label makes a field's name readable: invoice_number and invoiceNumber are the
// invoice number.
func label(name string) string {
	var words strings.Builder
	lower := false
	for _, r := range name {
		upper := r >= 'A' && r <= 'Z'
		switch {
		case r == '_' || r == '-':
			words.WriteByte(' ')
		case upper && lower:
			words.WriteByte(' ')
			words.WriteRune(r + ('a' - 'A'))
		default:
			words.WriteRune(r)
		}
		lower = r >= 'a' && r <= 'z'
	}
	return sentence(strings.TrimSpace(words.String()))
}

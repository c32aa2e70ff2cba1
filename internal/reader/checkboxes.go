package reader

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/page"
)

// How sure a checkbox of each origin is to be one, and rightly read.
const (
	sureGlyph   = 0.97
	sureFrame   = 0.9
	sureCircle  = 0.75
	sureTick    = 0.75 // a tick without a box
	sureBracket = 0.8
)

// checkboxes finds the places to tick on a page of a PDF: those of its form,
// characters, and drawn boxes.
func checkboxes(p page.Page, drawn squares) []page.Checkbox {
	c := &ticking{page: p}
	c.fields()
	c.frames(append(drawn.frames, drawn.assembled(p.Width, p.Height)...), drawn.marks)
	for _, b := range drawn.pictured {
		c.add(b.Box, b.Checked, b.Confidence)
	}
	c.glyphs()
	c.brackets()
	sortCheckboxes(c.found)
	return c.found
}

// sortCheckboxes puts them from top to bottom.
func sortCheckboxes(boxes []page.Checkbox) {
	slices.SortStableFunc(boxes, func(a, b page.Checkbox) int {
		return cmp.Or(cmp.Compare(a.Box.Y0, b.Box.Y0), cmp.Compare(a.Box.X0, b.Box.X0))
	})
}

// ticking is the search for a page's checkboxes. What is found first wins over
// what lies at the same place.
type ticking struct {
	page  page.Page
	found []page.Checkbox
}

func (c *ticking) fields() {
	for _, f := range c.page.Fields {
		if f.Kind == page.FieldCheckbox || f.Kind == page.FieldRadio {
			c.found = append(c.found, page.Checkbox{Box: f.Box, Checked: f.Checked, Confidence: 1, Source: fieldlift.SourceForm})
		}
	}
}

// add keeps a checkbox unless there is one, or a field to write into.
func (c *ticking) add(box page.Box, checked bool, confidence float64) {
	if len(c.found) >= mostSquares {
		return
	}
	for _, f := range c.page.Fields {
		if f.Box.Holds(box) {
			return
		}
	}
	for _, other := range c.found {
		if other.Box.Holds(box) || box.Holds(other.Box) {
			return
		}
	}
	c.found = append(c.found, page.Checkbox{Box: box, Checked: checked, Confidence: confidence, Source: fieldlift.SourceText})
}

// frames adds the drawn boxes that have nothing in them, or a tick.
func (c *ticking) frames(frames []frame, marks []mark) {
	for _, f := range c.alone(frames) {
		ticked, taken := c.written(f.box)
		near := around(f.box, 0.25)
		for _, m := range marks {
			if !near.Holds(m.box) {
				continue
			}
			covers := c.long(m.box) / c.long(f.box)
			switch {
			case m.solid && covers > 0.95:
				taken = true // a box that is all dark is a bullet or a sample of a colour
			case covers > 0.25 && covers < 1.8:
				ticked = true
			}
		}
		switch {
		case taken:
		case f.round:
			c.add(f.box, ticked, sureCircle)
		default:
			c.add(f.box, ticked, sureFrame)
		}
	}
}

// written tells whether a box has a tick as text in it, or is taken by other
// text.
func (c *ticking) written(box page.Box) (ticked, taken bool) {
	for _, w := range c.page.Words {
		if !around(box, 0.1).Holds(w.Box) {
			continue
		}
		if isMark(w.Text) {
			ticked = true
		} else if w.Box.Width() < 1.5*box.Width() && !isTick(firstRune(w.Text)) {
			taken = true
		}
	}
	return ticked, taken
}

// alone leaves out frames that are drawn again within or over another, and those
// that touch another: these are cells, of a table or for single letters.
func (c *ticking) alone(frames []frame) []frame {
	slices.SortStableFunc(frames, func(a, b frame) int { return cmp.Compare(area(b.box), area(a.box)) })
	var outer []frame
	for _, f := range frames {
		if !slices.ContainsFunc(outer, func(o frame) bool { return o.box.Holds(f.box) }) {
			outer = append(outer, f)
		}
	}
	const gap = 1.5 // points
	return slices.DeleteFunc(slices.Clone(outer), func(f frame) bool {
		return slices.ContainsFunc(outer, func(o frame) bool {
			across := (max(f.box.X0, o.box.X0) - min(f.box.X1, o.box.X1)) * c.page.Width
			down := (max(f.box.Y0, o.box.Y0) - min(f.box.Y1, o.box.Y1)) * c.page.Height
			return o != f && max(across, down) < gap && min(across, down) < -smallestBox/2
		})
	})
}

// glyphs adds boxes and ticks that are characters.
func (c *ticking) glyphs() {
	for _, w := range c.page.Words {
		r := firstRune(w.Text)
		switch {
		case !isTick(r) || utf8.RuneCountInString(w.Text) != 1:
		case isEmptyBox(r):
			// A tick that was put over it is a word of its own.
			ticked, _ := c.written(w.Box)
			c.add(w.Box, ticked, sureGlyph)
		case isTickedBox(r):
			c.add(w.Box, true, sureGlyph)
		default:
			c.add(w.Box, true, sureTick)
		}
	}
}

// brackets adds boxes that are typed: [x], [ ], (x), ( ). The closing one may be
// a word of its own, and so may the tick.
func (c *ticking) brackets() {
	words := c.page.Words
	for n, w := range words {
		if !strings.HasPrefix(w.Text, "[") && !strings.HasPrefix(w.Text, "(") {
			continue
		}
		text, box := w.Text, w.Box
		for _, next := range words[n+1 : min(n+3, len(words))] {
			apart := next.Box.X0 - box.X1
			if strings.ContainsAny(text, "])") || math.Abs(next.Box.CenterY()-box.CenterY()) > box.Height()/2 ||
				apart < -box.Height() || apart*c.page.Width > 2.5*w.Size {
				break
			}
			text, box = text+next.Text, box.Union(next.Box)
		}
		switch {
		case text == "[]" || text == "[_]" || text == "()" && w.Text == "(": // without a gap it is a bullet
			c.add(box, false, sureBracket)
		case len(text) > 2 && (text[0] == '[' && text[len(text)-1] == ']' || text[0] == '(' && text[len(text)-1] == ')') &&
			isMark(text[1:len(text)-1]):
			c.add(box, true, sureBracket)
		}
	}
}

// long is a box's longer side in points.
func (c *ticking) long(b page.Box) float64 {
	return max(b.Width()*c.page.Width, b.Height()*c.page.Height)
}

// around is a box that is larger by a share of its sides on each of them.
func around(b page.Box, share float64) page.Box {
	x, y := share*b.Width(), share*b.Height()
	return page.Box{X0: b.X0 - x, Y0: b.Y0 - y, X1: b.X1 + x, Y1: b.Y1 + y}
}

func firstRune(text string) rune {
	r, _ := utf8.DecodeRuneInString(text)
	return r
}

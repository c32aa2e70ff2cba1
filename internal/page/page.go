// Package page is the model of a document as it was read: pages with words,
// rules, form fields, checkboxes and their places. It is plain data with the geometry that goes with
// it; it neither reads files nor extracts anything.
package page

import (
	"cmp"
	"slices"
	"sort"

	"fieldlift/internal/einvoice"
)

// Document is a file as it was read.
type Document struct {
	Kind  string `json:"kind"` // pdf, png, jpeg, …
	Pages []Page `json:"pages"`
	// Invoice is what a PDF says of itself for machines, if it is an electronic
	// invoice.
	Invoice *einvoice.Invoice `json:"invoice,omitempty"`
}

// Page is one page as a person would hold it: upright and level. Where that is
// not how it was uploaded, Reading has the way back.
type Page struct {
	Number int     `json:"number"` // from 1
	Width  float64 `json:"width"`  // in points, 72 to the inch
	Height float64 `json:"height"`
	Words  []Word  `json:"words"` // in reading order, as far as the source has one
	Rules  []Rule  `json:"rules"`
	// Fields are the form's on this page, filled in or not. What is written in
	// them is among the words as well.
	Fields     []FormField `json:"fields,omitempty"`
	Checkboxes []Checkbox  `json:"checkboxes,omitempty"` // from top to bottom, those of the form included
	// Images is the share of the page that pictures cover, 0 to 1: a page
	// without words that is all picture is a scan.
	Images float64 `json:"images"`
	// Hidden is the share of the words that are not printed but lie unseen on
	// the page, as recognisers leave them over or under a scan.
	Hidden  float64 `json:"hidden,omitempty"`
	Reading Reading `json:"reading"`
}

// Reading tells how a page's words were had, and where the page lay.
type Reading struct {
	Source     string  `json:"source"`     // text, ocr, mixed or none
	Reason     string  `json:"reason"`     // in a few words of a person's
	Confidence float64 `json:"confidence"` // mean, of what was recognised
	DPI        int     `json:"dpi,omitempty"`
	Languages  string  `json:"languages,omitempty"` // as the recogniser names them
	Stance
}

// The sources of a page's words.
const (
	FromText = "text"  // the file's own text
	FromOCR  = "ocr"   // recognised
	FromBoth = "mixed" // recognised, and the file's own where that is to be trusted
	FromNone = "none"  // there is nothing to read
)

// Box is a rectangle in fractions of the page, from the top left.
type Box struct {
	X0 float64 `json:"x0"`
	Y0 float64 `json:"y0"`
	X1 float64 `json:"x1"`
	Y1 float64 `json:"y1"`
}

// Word is a run of characters without white space.
type Word struct {
	Text       string  `json:"text"`
	Box        Box     `json:"box"`
	Size       float64 `json:"size"` // of the font, in points
	Bold       bool    `json:"bold,omitempty"`
	Source     string  `json:"source"`     // fieldlift.SourceText, SourceForm or SourceOCR
	Confidence float64 `json:"confidence"` // that the text is right: 1 unless it was recognised
}

// Rule is a straight line drawn on the page, or the edge of a filled box.
type Rule struct {
	Box      Box  `json:"box"` // thin: its height or width is the line's
	Vertical bool `json:"vertical,omitempty"`
}

// Width is the box's extent from left to right.
func (b Box) Width() float64 { return b.X1 - b.X0 }

// Height is the box's extent from top to bottom.
func (b Box) Height() float64 { return b.Y1 - b.Y0 }

// CenterX is how far from the left the box's middle is.
func (b Box) CenterX() float64 { return (b.X0 + b.X1) / 2 }

// CenterY is the height of the box's middle on the page.
func (b Box) CenterY() float64 { return (b.Y0 + b.Y1) / 2 }

// Union is the smallest box that holds both.
func (b Box) Union(o Box) Box {
	return Box{min(b.X0, o.X0), min(b.Y0, o.Y0), max(b.X1, o.X1), max(b.Y1, o.Y1)}
}

// Holds tells whether the middle of another box lies within this one.
func (b Box) Holds(o Box) bool {
	x, y := o.CenterX(), o.CenterY()
	return x >= b.X0 && x <= b.X1 && y >= b.Y0 && y <= b.Y1
}

// Array gives the box as the interface shows it.
func (b Box) Array() [4]float64 { return [4]float64{b.X0, b.Y0, b.X1, b.Y1} }

// Line is words that stand on one line, from left to right.
type Line []Word

// Box is the smallest box that holds the line.
func (l Line) Box() Box {
	var b Box
	for i, w := range l {
		if i == 0 {
			b = w.Box
		}
		b = b.Union(w.Box)
	}
	return b
}

// Lines groups the page's words into lines, from top to bottom. A word joins
// the line whose middle is nearest to its own, unless it stands over or under a
// word of that line: lines of two columns may be set half a line apart.
func (p Page) Lines() []Line {
	words := slices.Clone(p.Words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.Box.CenterY(), b.Box.CenterY()) })
	var rows []row
	for _, w := range words {
		best, distance := -1, 0.0
		for i := len(rows) - 1; i >= 0 && i >= len(rows)-openRows; i-- {
			d := w.Box.CenterY() - rows[i].middle
			if d = max(d, -d); d <= sameLine*min(rows[i].height, w.Box.Height()) && (best < 0 || d < distance) && !rows[i].covers(w.Box) {
				best, distance = i, d
			}
		}
		if best < 0 {
			rows = append(rows, row{middle: w.Box.CenterY(), height: w.Box.Height(), words: Line{w}})
			continue
		}
		r := &rows[best]
		n := float64(len(r.words))
		r.middle = (r.middle*n + w.Box.CenterY()) / (n + 1)
		r.height = max(r.height, w.Box.Height())
		r.words = slices.Insert(r.words, r.after(w.Box), w)
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.middle, b.middle) })
	lines := make([]Line, len(rows))
	for i, r := range rows {
		lines[i] = r.words
	}
	return lines
}

const (
	sameLine = 0.5 // how far the middles of words of one line may be apart, in heights
	openRows = 12  // rows that a word is held against
)

// row is a line in the making.
type row struct {
	middle, height float64
	words          Line // from left to right
}

// after gives the place of a box among the row's words.
func (r row) after(b Box) int {
	return sort.Search(len(r.words), func(i int) bool { return r.words[i].Box.X0 > b.X0 })
}

// covers reports whether a box stands where the row has a word already. Since
// the row's own words hardly overlap, only its neighbours can be there: looking
// at all of them would take minutes on a line of a hundred thousand.
func (r row) covers(b Box) bool {
	const neighbours = 8 // on either side
	at := r.after(b)
	for _, w := range r.words[max(0, at-neighbours):min(len(r.words), at+neighbours)] {
		if shared := min(w.Box.X1, b.X1) - max(w.Box.X0, b.X0); shared > 0.5*min(w.Box.Width(), b.Width()) && shared > 0 {
			return true
		}
	}
	return false
}

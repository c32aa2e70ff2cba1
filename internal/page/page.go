// Package page is the model of a document as it was read: pages with words,
// rules, form fields, checkboxes and their places. It is plain data with the geometry that goes with
// it; it neither reads files nor extracts anything.
package page

import (
	"cmp"
	"slices"

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

// Page is one page as a person sees it: rotation and orientation are undone.
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
}

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

// Lines groups the page's words into lines, from top to bottom. Words share a
// line when the middle of one lies within the height of the other.
func (p Page) Lines() []Line {
	words := slices.Clone(p.Words)
	slices.SortStableFunc(words, func(a, b Word) int { return cmp.Compare(a.Box.CenterY(), b.Box.CenterY()) })
	var lines []Line
	for _, w := range words {
		if n := len(lines); n > 0 {
			last := lines[n-1][0].Box
			if c := w.Box.CenterY(); c >= last.Y0 && c <= last.Y1 {
				lines[n-1] = append(lines[n-1], w)
				continue
			}
		}
		lines = append(lines, Line{w})
	}
	for _, l := range lines {
		slices.SortStableFunc(l, func(a, b Word) int { return cmp.Compare(a.Box.X0, b.Box.X0) })
	}
	return lines
}

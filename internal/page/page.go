// Package page is the model of a document as it was read: pages with words,
// rules and their places. It is plain data with the geometry that goes with
// it; it neither reads files nor extracts anything.
package page

import (
	"cmp"
	"slices"
)

// Document is a file as it was read.
type Document struct {
	Kind  string `json:"kind"` // pdf, png, jpeg, …
	Pages []Page `json:"pages"`
}

// Page is one page as a person would hold it: upright and level. Where that is
// not how it was uploaded, Reading has the way back.
type Page struct {
	Number int     `json:"number"` // from 1
	Width  float64 `json:"width"`  // in points, 72 to the inch
	Height float64 `json:"height"`
	Words  []Word  `json:"words"` // in reading order, as far as the source has one
	Rules  []Rule  `json:"rules"`
	// Images is the share of the page that pictures cover, 0 to 1: a page
	// without words that is all picture is a scan.
	Images float64 `json:"images"`
	// Hidden is the share of the words that are not printed but lie unseen on
	// the page, as recognisers leave them over a scan.
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
	Source     string  `json:"source"`     // fieldlift.SourceText or SourceOCR
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

// CenterY is the height of the box's middle on the page.
func (b Box) CenterY() float64 { return (b.Y0 + b.Y1) / 2 }

// Union is the smallest box that holds both.
func (b Box) Union(o Box) Box {
	return Box{min(b.X0, o.X0), min(b.Y0, o.Y0), max(b.X1, o.X1), max(b.Y1, o.Y1)}
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

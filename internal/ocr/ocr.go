// Package ocr recognises text in the prepared picture of a page: pixels in,
// words with their places out. Tesseract does it, in processes of its own that
// are killed with all they started when they take too long.
//
// It decodes no files and prepares no pictures; what comes in was made by our
// own code. It knows nothing of documents.
package ocr

import (
	"context"
	"strings"
)

// Recognizer recognises the text of a picture.
type Recognizer interface {
	Recognize(ctx context.Context, p Picture) ([]Word, error)
	// Languages are those that can be chosen among for a page, the usual first;
	// an error says what is missing altogether.
	Languages(ctx context.Context) ([]string, error)
	// Identity tells apart recognisers that may read the same picture
	// differently.
	Identity(ctx context.Context) string
}

// Picture is a picture in shades of grey, upright and level.
type Picture struct {
	Width, Height int
	Grey          []byte // row by row, 0 black
	DPI           int
	Languages     []string // "": the usual one
	Layout        Layout
}

// Layout says how text is to be looked for.
type Layout int

// The layouts.
const (
	Page   Layout = iota // columns and blocks of lines
	Block                // lines below one another
	Sparse               // words wherever there are any
)

// Word is a run of characters without white space.
type Word struct {
	Text           string
	X0, Y0, X1, Y1 int     // pixels
	Confidence     float64 // 0 to 1, as the recogniser judges itself
	Line           int     // words with the same number stand on one line
	LineHeight     int     // pixels
}

// Quality is how much of a picture was recognised how well: the confidence in
// all its letters and digits together. Of two ways to look at the same pixels,
// the right one has more.
func Quality(words []Word) (sum, mean float64) {
	n := 0.0
	for _, w := range words {
		letters := 0.0
		for _, r := range w.Text {
			if isAlphanumeric(r) {
				letters++
			}
		}
		sum += letters * w.Confidence
		n += letters
	}
	if n == 0 {
		return 0, 0
	}
	return sum, sum / n
}

// joined gives languages as tesseract takes them.
func joined(languages []string) string { return strings.Join(languages, "+") }

package transcribe

import (
	"cmp"
	"math"
	"slices"
	"unicode"

	"fieldlift/internal/page"
)

// verdict is what a page needs.
type verdict int

const (
	nothing   verdict = iota // its own text is good
	check                    // its own text may be good
	recognise                // its own text is not
)

const (
	// A picture of this share of the page is the page: a scan.
	wholePage = 0.6
	// One of this share may have something to read on it.
	aPicture = 0.2
	// On a scan, text that covers less of the page's height, or of its width when
	// it runs up and down, is a stamp, a heading or a page number,
	stampShare = 0.15
	// and so is text that keeps within so much of the page's top and bottom.
	margin = 0.12
	// Text with a larger share of characters that are none is of no use.
	mostUnknown = 0.2
)

// judge decides whether the file's own text on a page can be used, and says
// why.
func judge(p page.Page) (verdict, string) {
	if len(p.Words) == 0 {
		return recognise, "the page has no text of its own"
	}
	if unknownShare(p.Words) > mostUnknown {
		return recognise, "the page's own text does not say which letters it is made of"
	}
	switch scanned := p.Images >= wholePage; {
	case scanned && isStamp(p.Words):
		return recognise, "the page's own text is only a few words on a picture"
	case scanned && p.Hidden > 0.5:
		return check, "the page has unseen text, of which a part was compared with its picture and agrees"
	}
	if p.Images >= aPicture {
		return nothing, "the page has text of its own; what its pictures show was not read"
	}
	return nothing, "the page has text of its own"
}

// isStamp tells a few lines that were put on a picture from the text of a page.
func isStamp(words []page.Word) bool {
	down, across, within := make([]span, 0, len(words)), make([]span, 0, len(words)), false
	for _, w := range words {
		down, across = append(down, span{w.Box.Y0, w.Box.Y1}), append(across, span{w.Box.X0, w.Box.X1})
		within = within || w.Box.Y1 > margin && w.Box.Y0 < 1-margin
	}
	return !within || min(covered(down), covered(across)) < stampShare
}

// span is from where to where a word reaches.
type span struct{ from, to float64 }

// covered is how much spans cover together.
func covered(spans []span) float64 {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	sum, end := 0.0, math.Inf(-1)
	for _, s := range spans {
		sum += max(s.to-max(s.from, end), 0)
		end = max(end, s.to)
	}
	return sum
}

// unknownShare is the share of characters that cannot be told.
func unknownShare(words []page.Word) float64 {
	unknown, all := 0, 0
	for _, w := range words {
		for _, r := range w.Text {
			all++
			if isUnknown(r) {
				unknown++
			}
		}
	}
	return float64(unknown) / float64(max(all, 1))
}

// isUnknown tells characters that fonts without a mapping give.
func isUnknown(r rune) bool {
	return r == unicode.ReplacementChar || unicode.IsControl(r) || unicode.Is(unicode.Co, r)
}

// isSound tells whether each character of a word is known.
func isSound(w page.Word) bool {
	for _, r := range w.Text {
		if isUnknown(r) {
			return false
		}
	}
	return true
}

package transcribe

import (
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
	// On a scan, fewer words than these are a stamp, a heading or a page number.
	stampWords = 30
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
	case scanned && len(p.Words) < stampWords:
		return recognise, "the page's own text is only a few words on a picture"
	case scanned && p.Hidden > 0.5:
		return check, "the page has unseen text over a picture, which agrees with it"
	}
	return nothing, "the page has text of its own"
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

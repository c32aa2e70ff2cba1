package transcribe

import (
	"regexp"
	"slices"

	"fieldlift/internal/ocr"
)

// An amount that was taken apart behind its decimal point: "11." and "80".
var (
	wholeAmount = regexp.MustCompile(`\d[.,]$`)
	cents       = regexp.MustCompile(`^\d\d[)\]*]?$`)
)

// nearer is how much narrower than the other gaps of its line the one within a
// word is, at most.
const nearer = 0.7

// mend joins what the recogniser took apart and geometry says is one word.
// Printers of receipts set letters so far apart that amounts fall in two. Other
// neighbours that nearly touch are mostly two words, so they stay.
func mend(words []ocr.Word) []ocr.Word {
	mended := make([]ocr.Word, 0, len(words))
	for _, line := range linesOf(words) {
		usual := usualGap(line)
		for i, w := range line {
			if i > 0 && isSplitAmount(line[i-1], w, usual) {
				before := &mended[len(mended)-1]
				*before = united(*before, w)
			} else {
				mended = append(mended, w)
			}
		}
	}
	return mended
}

// isSplitAmount tells whether two neighbours are one amount: the gap is narrower
// than a letter is high, and clearly narrower than the line's others.
func isSplitAmount(a, b ocr.Word, usual int) bool {
	gap := b.X0 - a.X1
	return wholeAmount.MatchString(a.Text) && cents.MatchString(b.Text) &&
		gap < b.Y1-b.Y0 && float64(gap) < nearer*float64(usual)
}

func united(a, b ocr.Word) ocr.Word {
	a.Text += b.Text
	a.X0, a.Y0, a.X1, a.Y1 = min(a.X0, b.X0), min(a.Y0, b.Y0), max(a.X1, b.X1), max(a.Y1, b.Y1)
	a.Confidence = min(a.Confidence, b.Confidence)
	return a
}

// usualGap is the median of a line's gaps; 0 when it has too few to tell.
func usualGap(line []ocr.Word) int {
	if len(line) < 3 {
		return 0
	}
	gaps := make([]int, 0, len(line)-1)
	for i, w := range line[1:] {
		gaps = append(gaps, w.X0-line[i].X1)
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// linesOf parts words where their lines end.
func linesOf(words []ocr.Word) [][]ocr.Word {
	var lines [][]ocr.Word
	for from, to := 0, 0; from < len(words); from = to {
		for to < len(words) && words[to].Line == words[from].Line {
			to++
		}
		lines = append(lines, words[from:to])
	}
	return lines
}

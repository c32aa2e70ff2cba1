package ocreval

import (
	"fmt"
	"io"

	"fieldlift/internal/page"
)

// calibration counts how often words are right, by the confidence in them.
type calibration [10]struct {
	words, right int
	confidence   float64 // summed
}

// note counts a page's words against those that stand on it.
func (c *calibration) note(truth []string, words []page.Word) {
	left := map[string]int{}
	for _, w := range truth {
		left[w]++
	}
	for _, w := range words {
		bin := &c[min(int(w.Confidence*10), 9)]
		bin.words++
		bin.confidence += w.Confidence
		if left[w.Text] > 0 {
			left[w.Text]--
			bin.right++
		}
	}
}

func (c *calibration) print(out io.Writer) {
	_, _ = fmt.Fprintf(out, "\n%-32s %8s %12s %8s\n", "confidence in words", "words", "mean", "right")
	for i, bin := range c {
		if bin.words > 0 {
			_, _ = fmt.Fprintf(out, "%-32s %8d %12.2f %8.2f\n", fmt.Sprintf("%.1f to %.1f", float64(i)/10, float64(i+1)/10),
				bin.words, bin.confidence/float64(bin.words), float64(bin.right)/float64(bin.words))
		}
	}
}

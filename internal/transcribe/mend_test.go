package transcribe

import (
	"strings"
	"testing"

	"fieldlift/internal/ocr"
)

// typed sets words of letters that are 10 wide and 15 high, as far apart as
// there are spaces of 5 between them.
func typed(lines ...string) []ocr.Word {
	var words []ocr.Word
	for n, line := range lines {
		x := 0
		for _, text := range strings.SplitAfter(line, " ") {
			if bare := strings.TrimSpace(text); bare != "" {
				width := 10 * len([]rune(bare))
				words = append(words, ocr.Word{Text: bare, X0: x, X1: x + width, Y0: 20 * n, Y1: 20*n + 15, Line: n, Confidence: 0.9})
				x += width
			}
			x += 5 * strings.Count(text, " ")
		}
	}
	return words
}

func TestMend(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"an amount in two":          {"Total   RM   11. 80", "Total RM 11.80"},
		"with a comma":              {"Summe   EUR   1.011, 80", "Summe EUR 1.011,80"},
		"in brackets":               {"(GST   6%   RM2. 21)", "(GST 6% RM2.21)"},
		"a list":                    {"3. 12 bolts M8", "3. 12 bolts M8"},
		"columns":                   {"3.    12     bolts", "3. 12 bolts"},
		"a date":                    {"Monday,   3. 12.   2026", "Monday, 3. 12. 2026"},
		"within a line":             {"We   paid   11. 80   came", "We paid 11.80 came"},
		"words":                     {"Tax   B HD", "Tax B HD"},
		"thousands":                 {"Total   RM   1 234.50", "Total RM 1 234.50"},
		"nothing to compare with":   {"11. 80", "11. 80"},
		"a line's end and a line's": {"Total   RM   11.\n80   pieces   of   it", "Total RM 11. 80 pieces of it"},
		"none":                      {"", ""},
	} {
		words := typed(strings.Split(c.text, "\n")...)
		var texts []string
		for _, w := range mend(words) {
			texts = append(texts, w.Text)
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestMendedWordsReachOverBoth(t *testing.T) {
	words := typed("Total   RM   11. 80")
	words[3].Confidence, words[3].Y0 = 0.4, -2
	got := mend(words)[2]
	want := ocr.Word{Text: "11.80", X0: words[2].X0, X1: words[3].X1, Y0: -2, Y1: 15, Confidence: 0.4}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

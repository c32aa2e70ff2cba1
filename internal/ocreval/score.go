package ocreval

import (
	"strings"
	"unicode"

	"fieldlift/internal/page"
)

// textOf gives a page's words line by line.
func textOf(p page.Page) []string {
	var lines []string
	for _, line := range p.Lines() {
		var words []string
		for _, w := range line {
			words = append(words, w.Text)
		}
		lines = append(lines, strings.Join(words, " "))
	}
	return lines
}

func wordsOf(lines []string) []string { return strings.Fields(strings.Join(lines, " ")) }

// wordF1 compares words as they are, whatever their order.
func wordF1(truth, read []string) float64 {
	counts := map[string]int{}
	for _, w := range truth {
		counts[w]++
	}
	shared := 0
	for _, w := range read {
		if counts[w] > 0 {
			counts[w]--
			shared++
		}
	}
	if len(truth)+len(read) == 0 {
		return 1
	}
	return 2 * float64(shared) / float64(len(truth)+len(read))
}

// characterErrors is the edit distance by the length of the truth.
func characterErrors(truth, read []string) float64 {
	a, b := []rune(strings.Join(wordsOf(truth), " ")), []rune(strings.Join(wordsOf(read), " "))
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, r := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, s := range b {
			above := row[j+1]
			change := diagonal
			if r != s {
				change++
			}
			row[j+1] = min(change, above+1, row[j]+1)
			diagonal = above
		}
	}
	return float64(row[len(b)]) / float64(max(len(a), 1))
}

// recall is the share of wanted words that were read, letters and digits alone
// compared.
func recall(wanted, read []string) float64 {
	seen := map[string]bool{}
	for _, w := range read {
		seen[bare(w)] = true
	}
	found, all := 0, 0
	for _, w := range wanted {
		if w = bare(w); w == "" {
			continue
		}
		all++
		if seen[w] {
			found++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(found) / float64(all)
}

func bare(word string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, word)
}

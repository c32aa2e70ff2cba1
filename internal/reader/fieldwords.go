package reader

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/page"
)

// withFields tells which of the page's words were filled in, and adds those that
// no one has printed: programs may leave it to viewers to show what a field
// holds. The page was flattened, so what was printed is there already.
func withFields(p *page.Page) {
	for _, f := range p.Fields {
		if !f.Written() && !f.Checked {
			continue
		}
		var inside []int
		for at, w := range p.Words {
			if f.Box.Holds(w.Box) {
				inside = append(inside, at)
				if f.Kind != page.FieldList || strings.Contains(f.Value, w.Text) { // lists print what was not chosen, too
					p.Words[at].Source = fieldlift.SourceForm
				}
			}
		}
		if !f.Written() {
			continue
		}
		if len(inside) == 0 {
			p.Words = append(p.Words, lettering(f, p.Width, p.Height)...)
		} else if joined, ok := join(p.Words, inside, strings.Fields(f.Value)); ok {
			p.Words[inside[0]] = joined[0]
			rest := inside[1:]
			p.Words = slices.Insert(remove(p.Words, rest), inside[0]+1, joined[1:]...)
		}
	}
}

// remove takes out the words at the given places, which are in ascending order.
func remove(words []page.Word, places []int) []page.Word {
	at := -1
	return slices.DeleteFunc(words, func(page.Word) bool {
		at++
		_, found := slices.BinarySearch(places, at)
		return found
	})
}

// join puts together words that are printed letter by letter, each in a cell of
// its own, as tax forms have them for numbers. False when they are whole already,
// or are not the ones wanted.
func join(words []page.Word, inside []int, wanted []string) ([]page.Word, bool) {
	if len(inside) <= len(wanted) {
		return nil, false
	}
	letters := make([]page.Word, 0, len(inside))
	for _, at := range inside {
		letters = append(letters, words[at])
	}
	slices.SortStableFunc(letters, func(a, b page.Word) int { return cmp.Compare(a.Box.X0, b.Box.X0) })
	joined := make([]page.Word, 0, len(wanted))
	for _, text := range wanted {
		word := page.Word{}
		for word.Text != text {
			if len(letters) == 0 || !strings.HasPrefix(text, word.Text+letters[0].Text) {
				return nil, false
			}
			next := letters[0]
			letters = letters[1:]
			if word.Text == "" {
				word = next
				continue
			}
			word.Text += next.Text
			word.Box = word.Box.Union(next.Box)
		}
		joined = append(joined, word)
	}
	return joined, len(letters) == 0
}

// How viewers print what a field holds, roughly: the letters' width for their
// size, and the most that size is when the field leaves it open.
const (
	letterShare = 0.5
	lineShare   = 1.15
	usualSize   = 12.0
)

// lettering sets a field's value in words in its box, line by line, as a viewer
// would.
func lettering(f page.FormField, pageWidth, pageHeight float64) []page.Word {
	lines := strings.Split(f.Value, "\n")
	high := f.Box.Height() * pageHeight / float64(len(lines))
	size := min(high/lineShare, usualSize)
	width, height := size*letterShare/pageWidth, size/pageHeight
	leading := min(f.Box.Height()/float64(len(lines)), height*lineShare)
	top := f.Box.CenterY() - leading*float64(len(lines))/2
	var words []page.Word
	for n, line := range lines {
		letters := float64(utf8.RuneCountInString(line))
		across := min(width, f.Box.Width()/max(letters, 1)) // no further than the box reaches
		x, y := f.Box.X0, top+leading*float64(n)
		for word := range strings.SplitSeq(line, " ") {
			long := across * float64(utf8.RuneCountInString(word))
			if word != "" {
				words = append(words, page.Word{
					Text: word, Box: page.Box{X0: x, Y0: y, X1: x + long, Y1: y + leading}, Size: size,
					Source: fieldlift.SourceForm, Confidence: 1,
				})
			}
			x += long + across
		}
	}
	return words
}

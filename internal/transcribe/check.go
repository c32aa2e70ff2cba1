package transcribe

import (
	"context"
	"slices"
	"strings"
	"sync"

	"fieldlift"
	"fieldlift/internal/ocr"
	"fieldlift/internal/page"
	"fieldlift/internal/scan"
)

// hiddenText remembers how the unseen text of a document's pages fared: it is
// one recogniser's work, good or bad throughout.
type hiddenText struct {
	mu        sync.Mutex
	agreed    int
	disagreed int
}

// enoughChecks is after how many pages without fault the others are believed.
const enoughChecks = 3

func (h *hiddenText) believed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.disagreed == 0 && h.agreed >= enoughChecks
}

func (h *hiddenText) note(agrees bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if agrees {
		h.agreed++
	} else {
		h.disagreed++
	}
}

// alike is how similar unseen text and picture must be.
const alike = 0.7

// mostStrips is at how many places a page's unseen text is compared.
const mostStrips = 3

// check reads a few lines off the page and compares them with the unseen text
// at the same place. Where nothing is installed to read them with, the text is
// believed.
func (t *Transcriber) check(ctx context.Context, path string, p *page.Page, h *hiddenText, spoken *tongue) error {
	if h.believed() {
		p.Reading.Reason = "the page has unseen text, which was not compared with its picture: that of other pages agrees with theirs"
		return nil
	}
	if _, missing := t.recognizer.Languages(ctx); missing != nil {
		if fieldlift.CodeOf(missing) == fieldlift.ServiceUnavailable {
			return missing
		}
		p.Reading.Reason = "the page has unseen text over a picture; nothing is installed to check it with"
		return nil
	}
	picture, err := t.reader.Scan(ctx, path, p.Number, 0)
	if err != nil {
		return err
	}
	if picture.Blank {
		p.Reading.Reason = "the page has unseen text, and its picture shows nothing to compare it with"
		return nil
	}
	agrees, err := t.agrees(ctx, p, picture)
	if err != nil {
		return err
	}
	h.note(agrees)
	if agrees {
		return nil
	}
	return t.recognise(ctx, path, p, "the page's unseen text disagrees with its picture", spoken)
}

// agrees compares where there are most figures, which matter most, and where
// there is most text if there are none.
func (t *Transcriber) agrees(ctx context.Context, p *page.Page, picture scan.Picture) (bool, error) {
	own := rowsOf(*p, picture)
	places := figurePlaces(own, picture.StripHeight())
	if len(places) == 0 {
		_, top := picture.Strip()
		places = []int{top}
	}
	for _, top := range places {
		top = max(min(top, picture.Height-picture.StripHeight()), 0)
		strip := picture.StripAt(top)
		words, err := t.recognizer.Recognize(ctx, asked(strip, ocr.Block))
		if err != nil {
			return false, err
		}
		line := int(2 * picture.Letter) // what the strip's edge cuts is in one or the other
		if similarity(printed(words), below(own, top, top+strip.Height)) < alike ||
			!hasFigures(below(own, top-line, top+strip.Height+line), words) {
			return false, nil
		}
	}
	return true, nil
}

// row is a word and the row of the picture on which its middle lies.
type row struct {
	text string
	at   int
}

func rowsOf(p page.Page, picture scan.Picture) []row {
	stance := stanceOf(p, picture)
	rows := make([]row, 0, len(p.Words))
	for _, w := range p.Words {
		rows = append(rows, row{w.Text, int(stance.Upright(w.Box).CenterY() * float64(picture.Height))})
	}
	return rows
}

// below are the words within some rows of the picture.
func below(rows []row, from, to int) []string {
	var found []string
	for _, r := range rows {
		if r.at >= from && r.at <= to {
			found = append(found, r.text)
		}
	}
	return found
}

// figurePlaces are the tops of strips with most figures, which do not overlap.
func figurePlaces(rows []row, high int) []int {
	var figures []int
	for _, r := range rows {
		if len(digitsOf(r.text)) >= fewestDigits {
			figures = append(figures, r.at)
		}
	}
	slices.Sort(figures)
	var places []int
	for len(figures) > 0 && len(places) < mostStrips {
		best, from, to := 0, 0, 0
		for i, at := range figures {
			n, _ := slices.BinarySearch(figures[i:], at+high*3/4)
			if n > best {
				best, from, to = n, i, i+n
			}
		}
		places = append(places, figures[from]-high/8)
		figures = slices.Delete(figures, from, to)
	}
	return places
}

// Figures that count have so many digits: shorter ones are everywhere.
const fewestDigits = 3

// plain is how sure the recogniser is of figures that unseen text must have.
const plain = 0.9

// hasFigures tells whether a text has nearly all the figures that can clearly
// be read off its picture. Spaces and signs between digits may differ.
func hasFigures(own []string, read []ocr.Word) bool {
	digits := digitsOf(strings.Join(own, ""))
	all, missing := 0, 0
	for _, w := range read {
		figure := digitsOf(w.Text)
		if len(figure) < fewestDigits || w.Confidence < plain {
			continue
		}
		all++
		if !strings.Contains(digits, figure) {
			missing++
		}
	}
	return missing*10 <= all
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

func printed(words []ocr.Word) []string {
	found := make([]string, 0, len(words))
	for _, w := range words {
		found = append(found, w.Text)
	}
	return found
}

// similarity compares texts by their pairs of letters, whatever their order: 1
// is the same.
func similarity(a, b []string) float64 {
	pairs, total := map[string]int{}, 0
	for _, pair := range pairsOf(a) {
		pairs[pair]++
		total++
	}
	shared := 0
	others := pairsOf(b)
	for _, pair := range others {
		if pairs[pair] > 0 {
			pairs[pair]--
			shared++
		}
	}
	if total+len(others) == 0 {
		return 1
	}
	return 2 * float64(shared) / float64(total+len(others))
}

func pairsOf(words []string) []string {
	var pairs []string
	for _, word := range words {
		letters := []rune(" " + strings.ToLower(word) + " ")
		for i := 1; i < len(letters); i++ {
			pairs = append(pairs, string(letters[i-1:i+1]))
		}
	}
	return pairs
}

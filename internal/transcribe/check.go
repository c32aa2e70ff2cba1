package transcribe

import (
	"context"
	"strings"
	"sync"

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

// check reads a few lines off the page and compares them with the unseen text
// at the same place. Where nothing is installed to read them with, the text is
// believed.
func (t *Transcriber) check(ctx context.Context, path string, p *page.Page, h *hiddenText, spoken *tongue) error {
	if h.believed() {
		return nil
	}
	if _, missing := t.recognizer.Languages(ctx); missing != nil {
		p.Reading.Reason = "the page has unseen text over a picture; nothing is installed to check it with"
		return nil //nolint:nilerr // what is missing is told in the reason
	}
	picture, err := t.reader.Scan(ctx, path, p.Number, 0)
	if err != nil || picture.Blank {
		return err
	}
	strip, top := picture.Strip()
	words, err := t.recognizer.Recognize(ctx, asked(strip, ocr.Block))
	if err != nil {
		return err
	}
	agrees := similarity(printed(words), below(*p, picture, top, top+strip.Height)) >= alike
	h.note(agrees)
	if agrees {
		return nil
	}
	return t.recognise(ctx, path, p, "the page's unseen text disagrees with the picture under it", spoken)
}

// below are a page's own words within some rows of its picture.
func below(p page.Page, picture scan.Picture, from, to int) []string {
	stance := stanceOf(p, picture)
	var found []string
	for _, w := range p.Words {
		middle := stance.Upright(w.Box).CenterY() * float64(picture.Height)
		if middle >= float64(from) && middle <= float64(to) {
			found = append(found, w.Text)
		}
	}
	return found
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

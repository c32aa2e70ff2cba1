package transcribe

import (
	"context"
	"slices"
	"strings"
	"sync"
	"unicode"

	"fieldlift/internal/ocr"
	"fieldlift/internal/scan"
)

// common are words that many sentences and forms of a language have, without
// letters that only its own recogniser would know.
var common = map[string]string{
	"eng": "the and of to for with from by on is are this that your please or not we you be it have has invoice date number page address amount customer quantity price order",
	"deu": "der die das und mit von den dem des zu auf ein eine einer nicht wir sie ist im bei nach oder auch bitte ihre rechnung datum betrag kunde summe vom fiir seite nummer anschrift netto brutto preis menge gmbh",
	"fra": "le la les des du et un une pour par sur dans avec est nous vous au aux sont ce facture montant numero adresse prix client tva",
	"spa": "el los las del y una por para con es su en que no al se factura fecha importe cliente precio cantidad",
	"ita": "il gli di della del e una per con sono che non da nel alla si fattura importo cliente prezzo numero",
	"nld": "de het een van en voor met is op aan niet wij uw bij te factuur bedrag klant prijs aantal",
	"por": "os as do da dos das uma para com por em que ao se fatura valor cliente quantidade",
	"pol": "w z na do nie jest oraz dla od przez faktura kwota cena",
}

// tongue is the language of a document's pages, as far as it is known: pages
// of one are usually written alike.
type tongue struct {
	mu     sync.Mutex
	spoken string
}

func (t *tongue) get() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.spoken
}

func (t *tongue) set(language string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.spoken = language
}

const (
	// So many of a language's common words tell it,
	enoughWords = 3
	// if they are so many times more than those of the one it was read in.
	clearly = 2
)

// language finds the language of a page that was read in one of several, by
// its common words; "" when that one will do.
func language(words []ocr.Word, readIn string, among []string) string {
	counts := map[string]int{}
	for _, w := range words {
		bare := strings.ToLower(strings.TrimFunc(w.Text, func(r rune) bool { return !unicode.IsLetter(r) }))
		for _, one := range among {
			if bare != "" && slices.Contains(strings.Fields(common[one]), bare) {
				counts[one]++
			}
		}
	}
	best := readIn
	for _, one := range among {
		if counts[one] > counts[best] {
			best = one
		}
	}
	if best == readIn || counts[best] < enoughWords || counts[best] < clearly*counts[readIn] {
		return ""
	}
	return best
}

// bestOn finds the language in which a few lines read best. Where scripts
// differ, only the right one reads well.
func (l *look) bestOn(ctx context.Context, p scan.Picture, among []string) (string, error) {
	strip, _ := p.Strip()
	best, chosen := 0.0, among[0]
	for _, one := range among {
		question := asked(strip, ocr.Block)
		question.Languages = []string{one}
		words, err := l.recognizer.Recognize(ctx, question)
		if err != nil {
			return "", err
		}
		if sum, _ := ocr.Quality(words); sum > best {
			best, chosen = sum, one
		}
	}
	return chosen, nil
}

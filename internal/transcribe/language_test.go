package transcribe

import (
	"strings"
	"testing"

	"fieldlift/internal/ocr"
)

func TestLanguage(t *testing.T) {
	all := []string{"eng", "deu", "fra", "jpn"}
	for _, c := range []struct{ text, readIn, want string }{
		{"Please pay the amount of this invoice by the date on the top, with thanks.", "eng", ""},
		{"Bitte zahlen Sie den Betrag der Rechnung bis zu dem Datum, das auf ihr steht.", "eng", "deu"},
		{"Nous vous prions de payer le montant de la facture dans les 30 jours par virement.", "eng", "fra"},
		{"Please pay the amount of this invoice by the date on the top, with thanks.", "deu", "eng"},
		{"4711 12.00 EUR 13.40 SKU-12 die", "eng", ""},
		{"", "eng", ""},
	} {
		var words []ocr.Word
		for _, w := range strings.Fields(c.text) {
			words = append(words, ocr.Word{Text: w})
		}
		if got := language(words, c.readIn, all); got != c.want {
			t.Errorf("%q read in %s: %q, want %q", c.text, c.readIn, got, c.want)
		}
	}
}

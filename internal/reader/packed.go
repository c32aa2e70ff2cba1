package reader

import (
	"encoding/binary"
	"math"
	"strings"

	"fieldlift"
	"fieldlift/internal/page"
)

// packedPage is a page on its way from a child to its parent. A contract has
// words by the ten thousand, and gob would spend as long on them as PDFium does;
// here they are one string and one run of numbers.
type packedPage struct {
	Page    page.Page // without its words
	Text    string    // the words, each with a line feed after it
	Numbers []byte    // for each word x0 y0 x1 y1 size, little-endian, then its flags
}

const (
	numbersLength = 5*8 + 1

	flagBold = 1 << 0
	flagForm = 1 << 1 // its source
)

func pack(p page.Page) packedPage {
	var text strings.Builder
	numbers := make([]byte, 0, len(p.Words)*numbersLength)
	for _, w := range p.Words {
		text.WriteString(w.Text)
		text.WriteByte('\n')
		for _, f := range [...]float64{w.Box.X0, w.Box.Y0, w.Box.X1, w.Box.Y1, w.Size} {
			numbers = binary.LittleEndian.AppendUint64(numbers, math.Float64bits(f))
		}
		numbers = append(numbers, flags(w))
	}
	p.Words = nil
	return packedPage{p, text.String(), numbers}
}

func flags(w page.Word) (set byte) {
	if w.Bold {
		set |= flagBold
	}
	if w.Source == fieldlift.SourceForm {
		set |= flagForm
	}
	return set
}

func (p packedPage) unpack() page.Page {
	out := p.Page
	out.Words = make([]page.Word, 0, len(p.Numbers)/numbersLength)
	rest := p.Text
	for n := p.Numbers; len(n) >= numbersLength; n = n[numbersLength:] {
		var text string
		text, rest, _ = strings.Cut(rest, "\n")
		source := fieldlift.SourceText
		if n[40]&flagForm != 0 {
			source = fieldlift.SourceForm
		}
		out.Words = append(out.Words, page.Word{
			Text: text, Box: page.Box{X0: float64At(n), Y0: float64At(n[8:]), X1: float64At(n[16:]), Y1: float64At(n[24:])},
			Size: float64At(n[32:]), Bold: n[40]&flagBold != 0, Source: source, Confidence: 1,
		})
	}
	return out
}

func float64At(b []byte) float64 { return math.Float64frombits(binary.LittleEndian.Uint64(b)) }

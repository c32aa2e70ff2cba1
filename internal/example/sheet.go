package example

import (
	"bytes"
	"fmt"
	"strings"
)

// A4, in points.
const (
	pageWidth  = 595.0
	pageHeight = 842.0
)

type colour struct{ r, g, b float64 }

var white = colour{1, 1, 1}

// font is one of the two that every reader of PDFs has, so none is embedded.
type font int

const (
	regular font = iota
	bold
)

// sheet is a page that is being drawn, in PDF's own language.
type sheet struct{ drawing bytes.Buffer }

// text writes a line that begins at x.
func (s *sheet) text(x, y float64, f font, size float64, c colour, text string) {
	fmt.Fprintf(&s.drawing, "%.2f %.2f %.2f rg BT /F%d %g Tf %.2f %.2f Td (%s) Tj ET\n",
		c.r, c.g, c.b, f, size, x, y, strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(text))
}

// textEnd writes a line that ends at x.
func (s *sheet) textEnd(x, y float64, f font, size float64, c colour, text string) {
	s.text(x-f.width(text)*size/1000, y, f, size, c, text)
}

func (s *sheet) fill(x, y, width, height float64, c colour) {
	fmt.Fprintf(&s.drawing, "%.2f %.2f %.2f rg %.2f %.2f %.2f %.2f re f\n", c.r, c.g, c.b, x, y, width, height)
}

// rule draws a line across the page, between its margins.
func (s *sheet) rule(y, width float64, c colour) {
	fmt.Fprintf(&s.drawing, "%.2f %.2f %.2f RG %g w %.2f %.2f m %.2f %.2f l S\n", c.r, c.g, c.b, width, left, y, right, y)
}

// pdf gives the file that has this page.
func (s *sheet) pdf(title string) []byte {
	var b, table bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Resources << /Font << /F0 4 0 R /F1 5 0 R >> >> /Contents 6 0 R >>", pageWidth, pageHeight),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
		fmt.Sprintf("<< /Length %d >>\nstream\n%sendstream", s.drawing.Len(), s.drawing.String()),
		fmt.Sprintf("<< /Title (%s) >>", title),
	}
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, start)
	return b.Bytes()
}

// width is how wide a text is, in thousandths of the font's size. Characters
// are ASCII's printable ones.
func (f font) width(text string) (sum float64) {
	widths := [...][95]float64{
		regular: {
			278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
			556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
			1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
			667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
			333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
			556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
		},
		bold: {
			278, 333, 474, 556, 556, 889, 722, 238, 333, 333, 389, 584, 278, 333, 278, 278,
			556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 333, 333, 584, 584, 584, 611,
			975, 722, 722, 722, 722, 667, 611, 778, 722, 278, 556, 722, 611, 833, 722, 778,
			667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 333, 278, 333, 584, 556,
			333, 556, 611, 556, 611, 556, 333, 611, 611, 278, 278, 556, 278, 889, 611, 611,
			611, 611, 389, 556, 333, 611, 556, 778, 556, 556, 500, 389, 280, 389, 584,
		},
	}
	for i := range len(text) {
		sum += widths[f][text[i]-' ']
	}
	return sum
}

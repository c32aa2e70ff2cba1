package reader_test

import (
	"fmt"
	"strings"

	"fieldlift/internal/apptest"
)

// sheet is a page of a PDF to be made: its content is PDF's own drawing
// language, its coordinates are points from the bottom left.
type sheet struct {
	content           string
	rotate            int
	mediaBox, cropBox string // "x0 y0 x1 y1"; A4 and none when empty
	annotations       string // references to extra objects
	pictures          string // names of pictures, and references to extra objects
}

// show writes a line of text in one of the fonts F1, F2 (bold), F3 (Zapf
// Dingbats), F4 (Wingdings) and F5 (Wingdings 2).
func show(font string, size, x, y float64, text string) string {
	text = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(text)
	return fmt.Sprintf("BT /%s %g Tf %g %g Td (%s) Tj ET\n", font, size, x, y, text)
}

// makePDF makes a file of the sheets. Objects 1 to 7 are the catalogue, the page
// tree, two fonts, a 2 x 2 picture /Im, a form /Fm that draws a line, and one
// /Self that draws itself; extra objects are numbered from 8.
func makePDF(sheets []sheet, extra ...string) []byte { return makePDFWith("", sheets, extra...) }

// makePDFWith is makePDF with further entries of the catalogue.
func makePDFWith(catalogue string, sheets []sheet, extra ...string) []byte {
	var objects []string
	first := 8 + len(extra)
	var kids []string
	for n := range sheets {
		kids = append(kids, fmt.Sprintf("%d 0 R", first+2*n))
	}
	objects = append(objects,
		"<< /Type /Catalog /Pages 2 0 R "+catalogue+" >>",
		fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(sheets), strings.Join(kids, " ")),
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
		stream("/Type /XObject /Subtype /Image /Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8", "\x00\x40\x80\xc0"),
		stream("/Type /XObject /Subtype /Form /BBox [0 0 1000 1000]", "0 0 m 100 0 l S"),
		stream("/Type /XObject /Subtype /Form /BBox [0 0 1000 1000] /Resources << /XObject << /Self 7 0 R >> >>", "/Self Do"),
	)
	objects = append(objects, extra...)
	for n, s := range sheets {
		box := s.mediaBox
		if box == "" {
			box = "0 0 595 842"
		}
		page := fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [%s] /Rotate %d /Contents %d 0 R", box, s.rotate, first+2*n+1)
		page += " /Resources << /Font << /F1 3 0 R /F2 4 0 R /F3 << /Type /Font /Subtype /Type1 /BaseFont /ZapfDingbats >>" +
			" /F4 << /Type /Font /Subtype /TrueType /BaseFont /ABCDEF+Wingdings-Regular /Encoding /WinAnsiEncoding >>" +
			" /F5 << /Type /Font /Subtype /TrueType /BaseFont /Wingdings2 /Encoding /WinAnsiEncoding >> >> /XObject << /Im 5 0 R /Fm 6 0 R /Self 7 0 R " + s.pictures + " >> >>"
		if s.cropBox != "" {
			page += " /CropBox [" + s.cropBox + "]"
		}
		if s.annotations != "" {
			page += " /Annots [" + s.annotations + "]"
		}
		objects = append(objects, page+" >>", stream("", s.content))
	}
	return apptest.PDFOf(objects...)
}

// stream writes an object that holds bytes.
func stream(dictionary, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// makeForm makes a page with the given content and fields. A field is what
// stands in its dictionary; each is an object of its own, numbered from 8.
// Further objects come after them, of which those that are named as roots are
// fields of the form, too.
func makeForm(content string, fields []string, roots string, extra ...string) []byte {
	var widgets []string
	objects := make([]string, 0, len(fields)+len(extra))
	for n, f := range fields {
		widgets = append(widgets, fmt.Sprintf("%d 0 R", 8+n))
		objects = append(objects, "<< /Type /Annot /Subtype /Widget "+f+" >>")
	}
	all := strings.Join(widgets, " ")
	catalogue := "/AcroForm << /DA (/F1 10 Tf 0 g) /DR << /Font << /F1 3 0 R >> >> /Fields [" + all + " " + roots + "] >>"
	return makePDFWith(catalogue, []sheet{{content: content, annotations: all}}, append(objects, extra...)...)
}

package apptest

import (
	"bytes"
	"fmt"
	"strings"
)

// PDF makes a file with a text layer: a page for each text, a line of the page
// for each line of it.
func PDF(pages ...string) []byte { return pdfIn("Helvetica", 11, pages) }

// Typed is PDF as a typewriter has it: all letters are of one width, so that
// two spaces make a gap, and columns can be laid out.
func Typed(pages ...string) []byte { return pdfIn("Courier", 9, pages) }

func pdfIn(font string, size int, pages []string) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"", // the page tree, when its pages are known
		"<< /Type /Font /Subtype /Type1 /BaseFont /" + font + " /Encoding /WinAnsiEncoding >>",
	}
	var kids []string
	for _, text := range pages {
		var content strings.Builder
		for i, line := range strings.Split(text, "\n") {
			line = strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(line)
			fmt.Fprintf(&content, "BT /F1 %d Tf 50 %d Td (%s) Tj ET\n", size, 790-18*i, line)
		}
		page := len(objects) + 1
		kids = append(kids, fmt.Sprintf("%d 0 R", page))
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", page+1),
			fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", content.Len(), content.String()))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", len(pages), strings.Join(kids, " "))
	return PDFOf(objects...)
}

// PDFOf writes a file of PDF's own objects, of which the first is the
// catalogue; they may be as wrong as a test likes.
func PDFOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	var table strings.Builder
	for i, object := range objects {
		fmt.Fprintf(&table, "%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n",
		len(objects)+1, table.String(), len(objects)+1, start)
	return b.Bytes()
}

// Invoice makes a one-page invoice with a text layer.
func Invoice(number string) []byte {
	return PDF("ACME Tools Ltd\nInvoice Number: " + number + "\nInvoice Date: 2026-05-03\nTotal: 1,234.50")
}

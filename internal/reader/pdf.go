package reader

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"fieldlift/internal/page"
)

// PDFium's reasons for not opening a document.
const passwordError = 4

// document is an open PDF.
type document struct {
	*instance
	handle uint64
}

// open opens a PDF. Encrypted ones whose password is empty open as others do.
func (p *pdfium) open(f *os.File) (*document, error) {
	i, err := p.instantiate()
	if err != nil {
		return nil, err
	}
	d := &document{instance: i}
	at, size := i.load(f)
	d.handle = i.call("FPDF_LoadMemDocument64", uint64(at), size, 0)
	if i.err == nil && d.handle == 0 {
		reason := i.number("FPDF_GetLastError")
		i.close()
		if reason == passwordError {
			return nil, needsPassword()
		}
		return nil, damaged(kindPDF, fmt.Errorf("PDFium's reason is %d", reason))
	}
	if err := d.failure(); err != nil {
		i.close()
		return nil, err
	}
	return d, nil
}

// failure says what a spoilt instance means.
func (d *document) failure() error {
	switch {
	case d.err == nil:
		return nil
	case errors.Is(d.err, errMemory):
		return tookTooMuchMemory(kindPDF, d.err)
	}
	return damaged(kindPDF, d.err)
}

// pageCount counts the pages. A document's own claim is not believed when not
// even one of the first pages can be had.
func (d *document) pageCount(most int) (int, error) {
	count := d.number("FPDF_GetPageCount", d.handle)
	if err := d.failure(); err != nil {
		return 0, err
	}
	if count <= 0 {
		return 0, noPages(kindPDF)
	}
	if count > most {
		return 0, tooManyPages(most)
	}
	for n := range min(count, 10) {
		if s, ok := d.openPage(n); ok {
			s.close()
			return count, d.failure()
		}
	}
	return 0, damaged(kindPDF, cmp.Or(d.err, errors.New("none of the first pages can be loaded")))
}

// mostMarks bounds the words and rules of a file: 500 pages of dense print have
// half as many. The service holds them all at once, and has no limit of memory
// as its children do.
const mostMarks = 750_000

// read reads all pages.
func (d *document) read(count int) ([]page.Page, error) {
	pages := make([]page.Page, 0, count)
	marks := 0
	for n := range count {
		p := page.Page{Number: n + 1, Width: letterWidth, Height: letterHeight}
		if s, ok := d.openPage(n); ok {
			s = d.flatten(s, n)
			p.Width, p.Height = s.size()
			p.Words = s.words()
			p.Rules, p.Images = s.drawings()
			s.close()
		}
		if err := d.failure(); err != nil {
			return nil, err
		}
		if marks += len(p.Words) + len(p.Rules); marks > mostMarks {
			return nil, tooManyMarks(mostMarks)
		}
		pages = append(pages, p)
	}
	return pages, nil
}

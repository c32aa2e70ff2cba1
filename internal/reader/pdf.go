package reader

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"fieldlift/internal/page"
)

// PDFium's reasons for not opening a document.
const passwordError = 4

// document is an open PDF.
type document struct {
	*instance
	handle uint64

	form       uint64 // see openForm
	soughtForm bool
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

// Long documents are read by several instances at once, each with some of the
// pages. They share the memory that one child may have, so large files are not.
const (
	mostReaders     = 4
	pagesPerReader  = 3
	mostSharedBytes = 32 << 20
)

// readers is how many instances read a file.
func readers(f *os.File, pages int) int {
	if stat, err := f.Stat(); err != nil || stat.Size() > mostSharedBytes {
		return 1
	}
	return max(min(pages/pagesPerReader, mostReaders, runtime.GOMAXPROCS(0)), 1)
}

// read reads all pages of a file, of which d is an open instance.
func (p *pdfium) read(f *os.File, d *document, count int) ([]packedPage, error) {
	pages := make([]packedPage, count)
	var next, marks atomic.Int64
	var group errgroup.Group
	group.Go(func() error { return d.readPages(&next, &marks, pages) })
	for range readers(f, count) - 1 {
		group.Go(func() error {
			another, err := p.open(f)
			if err != nil {
				return err
			}
			defer another.close()
			return another.readPages(&next, &marks, pages)
		})
	}
	return pages, group.Wait()
}

// readPages reads pages that are nobody's yet, until none is left.
func (d *document) readPages(next, marks *atomic.Int64, pages []packedPage) error {
	for {
		n := int(next.Add(1)) - 1
		if n >= len(pages) {
			return nil
		}
		p := d.readPage(n)
		pages[n] = pack(p)
		err := d.failure()
		if marks.Add(int64(len(p.Words)+len(p.Rules)+len(p.Fields)+len(p.Checkboxes))) > mostMarks {
			err = cmp.Or(err, error(tooManyMarks(mostMarks)))
		}
		if err != nil {
			next.Store(int64(len(pages))) // the others need not go on
			return err
		}
	}
}

// readPage reads a page, by its number from 0. One that cannot be loaded is
// empty.
func (d *document) readPage(n int) page.Page {
	p := page.Page{Number: n + 1, Width: letterWidth, Height: letterHeight}
	s, ok := d.openPage(n)
	if !ok {
		return p
	}
	p.Fields = s.fields()
	s = d.flatten(s, n)
	p.Width, p.Height = s.size()
	p.Words, p.Hidden = s.words()
	drawn := s.drawings()
	p.Rules, p.Images = drawn.rules, drawn.pictures
	p.Hidden = max(p.Hidden, drawn.covered())
	withFields(&p)
	p.Checkboxes = checkboxes(p, drawn.squares)
	s.close()
	return p
}

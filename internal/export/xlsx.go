package export

import (
	"archive/zip"
	"compress/flate"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/xuri/excelize/v2"
)

// Excel's limits, and ours.
const (
	mostRows     = excelize.TotalRows      // on a sheet
	mostUnits    = excelize.TotalCellChars // in a cell, in UTF-16 units
	cutMark      = " … (cut)"
	mostDigits   = 15    // of a number; more would come back changed
	mostNumber   = 9e307 // in absolute value
	mostSheets   = 32    // at the start: each takes memory, see workbook
	columnWidth  = 18    // in characters
	resultsSheet = "Results"
)

// workbook is an XLSX file in the making. Its sheets are written side by side
// in one pass over the records: excelize keeps up to 16 MB of each in memory
// and the rest in temporary files, and the whole is zipped at the end,
// straight to where it goes.
type workbook struct {
	file     *excelize.File
	names    sheetNames
	bold     int // styles
	date     int
	mostRows int
	sheets   []*sheet
}

func writeXLSX(w io.Writer, t Table, tempDir string, mostRows int) (err error) {
	b := &workbook{
		file:     excelize.NewFile(excelize.Options{TmpDir: tempDir}),
		names:    sheetNames{},
		mostRows: mostRows,
	}
	defer func() {
		if closing := b.file.Close(); err == nil {
			err = closing // it removes the temporary files
		}
	}()
	if err := b.prepare(t.Name); err != nil {
		return err
	}
	results, err := newTables(b, t)
	if err != nil {
		return err
	}
	for r, err := range t.Records {
		if err != nil {
			return err
		}
		if err := results.record(r); err != nil {
			return err
		}
	}
	return b.write(w)
}

// prepare makes the styles and says who made the file; excelize would put its
// own author there.
func (b *workbook) prepare(title string) (err error) {
	if b.bold, err = b.file.NewStyle(&excelize.Style{Font: &excelize.Font{Bold: true}}); err != nil {
		return err
	}
	format := "yyyy-mm-dd"
	if b.date, err = b.file.NewStyle(&excelize.Style{CustomNumFmt: &format}); err != nil {
		return err
	}
	now := time.Now().UTC().Format(time.RFC3339)
	return b.file.SetDocProps(&excelize.DocProperties{
		Title: cellText(title), Creator: "Fieldlift", LastModifiedBy: "Fieldlift", Created: now, Modified: now,
	})
}

// write ends the sheets and writes the file. By itself excelize would make
// the whole of it in memory first; with our own zip writer it does not.
func (b *workbook) write(w io.Writer) error {
	for _, s := range b.sheets {
		if err := s.stream.Flush(); err != nil {
			return err
		}
	}
	b.file.SetZipWriter(func(io.Writer) excelize.ZipWriter {
		z := zip.NewWriter(w)
		z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
			return flate.NewWriter(w, flate.BestSpeed) // sheets are so repetitive that more effort gains little
		})
		return z
	})
	return b.file.Write(io.Discard)
}

// sheet is one table of the workbook; when it is full it goes on in another.
type sheet struct {
	book   *workbook
	name   string
	header []string
	part   int // from 1
	stream *excelize.StreamWriter
	row    int // the last written
}

func (b *workbook) newSheet(name string, header []string) (*sheet, error) {
	s := &sheet{book: b, name: name, header: header}
	b.sheets = append(b.sheets, s)
	return s, s.open()
}

// open begins the sheet or its next part, with the header.
func (s *sheet) open() error {
	s.part++
	name := s.book.names.give(s.name, s.part)
	if s.part == 1 && len(s.book.sheets) == 1 {
		if err := s.book.file.SetSheetName(s.book.file.GetSheetName(0), name); err != nil {
			return err // a new file has one sheet already
		}
	} else if _, err := s.book.file.NewSheet(name); err != nil {
		return err
	}
	var err error
	if s.stream, err = s.book.file.NewStreamWriter(name); err != nil {
		return err
	}
	if err := s.stream.SetPanes(&excelize.Panes{Freeze: true, YSplit: 1, TopLeftCell: "A2", ActivePane: "bottomLeft"}); err != nil {
		return err
	}
	if err := s.stream.SetColWidth(1, len(s.header), columnWidth); err != nil {
		return err
	}
	values := make([]any, len(s.header))
	for i, name := range s.header {
		values[i] = excelize.Cell{StyleID: s.book.bold, Value: cellText(name)}
	}
	s.row = 1
	return s.stream.SetRow("A1", values)
}

func (s *sheet) write(cells []cell) error {
	if s.row == s.book.mostRows {
		if err := s.stream.Flush(); err != nil {
			return err
		}
		if err := s.open(); err != nil {
			return err
		}
	}
	s.row++
	values := make([]any, len(cells))
	for i, c := range cells {
		values[i] = s.book.value(c)
	}
	return s.stream.SetRow("A"+strconv.Itoa(s.row), values)
}

// value gives a cell as excelize takes it, nil when it is empty. What a
// spreadsheet's number or date cannot hold unchanged is text.
func (b *workbook) value(c cell) any {
	switch c.kind {
	case empty:
		return nil
	case boolean:
		return c.text == "true"
	case number:
		if n, ok := spreadsheetNumber(c.text); ok {
			return n
		}
	case date:
		if days, ok := spreadsheetDate(c.text); ok {
			return excelize.Cell{StyleID: b.date, Value: days}
		}
	}
	return cellText(c.text)
}

// spreadsheetNumber refuses long whole numbers, whose last digits would be
// lost; they are mostly numbers of accounts and the like.
func spreadsheetNumber(s string) (float64, bool) {
	if len(strings.TrimPrefix(s, "-")) > mostDigits && !strings.ContainsAny(s, ".eE") {
		return 0, false
	}
	n, err := strconv.ParseFloat(s, 64)
	return n, err == nil && math.Abs(n) <= mostNumber
}

// spreadsheetDate counts days as spreadsheets do. Before March 1900 they
// differ: some believe that February had a 29th.
func spreadsheetDate(s string) (int64, bool) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || t.Before(time.Date(1900, time.March, 1, 0, 0, 0, 0, time.UTC)) {
		return 0, false
	}
	const secondsOfDay = 24 * 60 * 60
	return (t.Unix() - time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC).Unix()) / secondsOfDay, true
}

// cellText makes a text that a cell takes: without what XML cannot hold, and
// not too long.
func cellText(s string) string {
	s = strings.Map(func(r rune) rune {
		if !inXML(r) {
			return -1
		}
		return r
	}, s)
	if cut := cutUnits(s, mostUnits); len(cut) < len(s) {
		return cutUnits(s, mostUnits-len(cutMark)) + cutMark
	}
	return s
}

package ocreval

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// specimen is a page whose text is known, as a PDF.
type specimen struct {
	name string
	pdf  []byte
	text []string // its lines, from top to bottom
}

// sheet is a page that is being written, in points from the top left.
type sheet struct {
	width, height float64
	content       bytes.Buffer
	text          []string
}

// Fonts that every PDF reader has.
const (
	helvetica = "/F1"
	bold      = "/F2"
	times     = "/F3"
	courier   = "/F4"
)

// write writes texts on one line, each at its own place across.
func (s *sheet) write(font string, size, y float64, places ...place) {
	var line []string
	for _, p := range places {
		escaped := strings.NewReplacer(`\`, `\\`, `(`, `\(`, `)`, `\)`).Replace(p.text)
		fmt.Fprintf(&s.content, "BT %s %g Tf %g %g Td (%s) Tj ET\n", font, size, p.x, s.height-y, escaped)
		line = append(line, p.text)
	}
	s.text = append(s.text, strings.Join(line, " "))
}

type place struct {
	x    float64
	text string
}

// rule draws a line.
func (s *sheet) rule(x0, y0, x1, y1 float64) {
	fmt.Fprintf(&s.content, "0.7 w %g %g m %g %g l S\n", x0, s.height-y0, x1, s.height-y1)
}

func (s *sheet) specimen(name string) specimen {
	font := func(base string) string {
		return "<< /Type /Font /Subtype /Type1 /BaseFont /" + base + " /Encoding /WinAnsiEncoding >>"
	}
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %g %g] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 7 0 R /F4 8 0 R >> >> >>", s.width, s.height),
		fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", s.content.Len(), s.content.String()),
		font("Helvetica"), font("Helvetica-Bold"), font("Times-Roman"), font("Courier"),
	}
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
	return specimen{name, b.Bytes(), s.text}
}

// specimens are the pages that are measured on: what people send most.
func specimens() []specimen {
	r := rand.New(rand.NewPCG(7, 11)) //nolint:gosec // the same pages each time are wanted
	return []specimen{letter(r), invoice(r), receipt(r)}
}

// specimens are the pages that a kind is measured on.
func (k kind) specimens() []specimen {
	if k.long {
		return []specimen{longReceipt(rand.New(rand.NewPCG(13, 17)))} //nolint:gosec // the same page each time is wanted
	}
	return specimens()
}

// vocabulary is what letters are made of.
const vocabulary = `account address agreement amount annual apply arrange attached autumn balance before begin between board branch
bring budget build capital carriage charge claim clerk client collect comfort company complete confirm consider copper council
county credit current customs damage deliver deposit describe detail differ direct district divide during early effort either
employ engine enquiry entitle equal estate every evidence examine exchange expect explain factory family favour figure finance
finish follow foreign forward freight garden general govern gradual grateful growth handle harbour heavy history honour hundred
improve include income increase inform insure interest invoice journey justify keep kindly labour language ledger letter licence
machine manage market measure meeting member merchant method minute mortgage natural neither notice number object obtain offer
office opinion order ordinary parcel partner payment pension perhaps period permit policy position postage prefer prepare present
private product profit promise property provide purchase quality quantity quarter question quickly railway receipt recent record
reduce refer regular remain reply report request require reserve result return reward sample satisfy schedule season secure
service settle shipment signature similar society special standard station statement supply surface system taxable thousand
together transfer travel treasury tuesday under until urgent usual valley value various vehicle village volume warehouse weekly
weight whether window winter without witness wooden yearly yesterday yield`

func letter(r *rand.Rand) specimen {
	s := &sheet{width: 595, height: 842}
	words := strings.Fields(vocabulary)
	s.write(bold, 14, 70, place{60, "Harbour & Valley Trading Company"})
	s.write(times, 10, 88, place{60, "14 Quay Street, Bristol BS1 4XY, Telephone 0117 496 0182"})
	s.write(times, 11, 130, place{60, "Dear Ms Whitfield,"})
	y := 152.0
	for range 5 {
		for range 7 {
			var line []string
			for length := 0; length < 72; {
				word := words[r.IntN(len(words))]
				if len(line) == 0 {
					word = strings.ToUpper(word[:1]) + word[1:]
				}
				line = append(line, word)
				length += len(word) + 1
			}
			s.write(times, 11, y, place{60, strings.Join(line, " ") + []string{"", ",", "."}[r.IntN(3)]})
			y += 15
		}
		y += 10
	}
	s.write(times, 11, y+10, place{60, "Yours sincerely,"})
	s.write(times, 11, y+40, place{60, "Jonathan Pemberton, Head of Purchasing"})
	return s.specimen("letter")
}

func invoice(r *rand.Rand) specimen {
	s := &sheet{width: 595, height: 842}
	words := strings.Fields(vocabulary)
	s.write(bold, 20, 70, place{50, "Northgate Instruments Ltd"}, place{430, "INVOICE"})
	s.write(helvetica, 9, 90, place{50, "Unit 7, Foundry Road, Sheffield S3 8LN"}, place{380, "Invoice No:"}, place{460, "NG-2026-00418"})
	s.write(helvetica, 9, 104, place{50, "VAT No: GB 284 7719 06"}, place{380, "Date:"}, place{460, "17/03/2026"})
	s.write(helvetica, 9, 118, place{50, "accounts@northgate.example"}, place{380, "Due:"}, place{460, "16/04/2026"})
	s.write(bold, 10, 150, place{50, "Bill to"}, place{310, "Ship to"})
	s.write(helvetica, 10, 164, place{50, "Calder Precision GmbH"}, place{310, "Calder Precision GmbH, Dock 4"})
	s.write(helvetica, 10, 178, place{50, "Hafenstrasse 21, 20457 Hamburg"}, place{310, "Veddeler Damm 9, 20457 Hamburg"})
	top := 205.0
	s.write(bold, 9, top+12, place{55, "Item"}, place{110, "Description"}, place{330, "Qty"}, place{380, "Unit price"}, place{470, "Amount"})
	y := top + 18
	s.rule(50, top, 545, top)
	for i := range 22 {
		quantity, price := 1+r.IntN(40), 100+r.IntN(90000)
		description := words[r.IntN(len(words))] + " " + words[r.IntN(len(words))] + " " + words[r.IntN(len(words))]
		s.rule(50, y, 545, y)
		s.write(helvetica, 9, y+13, place{55, fmt.Sprintf("%04d", 1000+37*i)}, place{110, strings.ToUpper(description[:1]) + description[1:]},
			place{330, fmt.Sprint(quantity)}, place{380, money(price)}, place{470, money(quantity * price)})
		y += 18
	}
	s.rule(50, y, 545, y)
	for _, x := range []float64{50, 105, 325, 375, 465, 545} {
		s.rule(x, top, x, y)
	}
	for i, label := range []string{"Subtotal", "VAT 20%", "Total GBP"} {
		s.write(helvetica, 10, y+22+15*float64(i), place{380, label}, place{470, money(1000 + r.IntN(9_000_000))})
	}
	s.write(helvetica, 8, 790, place{50, "Payment within 30 days to IBAN GB33 BUKB 2020 1555 5555 55, BIC BUKBGB22. Company No. 04417702."})
	return s.specimen("invoice")
}

func receipt(r *rand.Rand) specimen {
	s := &sheet{width: 226, height: 560}
	words := strings.Fields(vocabulary)
	s.write(courier, 12, 40, place{50, "KINGSWAY MARKET"})
	s.write(courier, 8, 54, place{40, "22 HIGH ST, LEEDS LS1 6AB"})
	s.write(courier, 8, 66, place{40, "TEL 0113 496 0771"})
	s.write(courier, 8, 84, place{16, "17/03/2026 14:52"}, place{140, "TILL 03"})
	y := 106.0
	for range 22 {
		name := strings.ToUpper(words[r.IntN(len(words))] + " " + words[r.IntN(len(words))])
		s.write(courier, 8, y, place{16, name}, place{175, money(50 + r.IntN(5000))})
		y += 12
	}
	s.write(courier, 10, y+10, place{16, "TOTAL"}, place{160, money(9000 + r.IntN(90000))})
	s.write(courier, 8, y+26, place{16, "CARD **** 4471"}, place{160, "AUTH 88213"})
	s.write(courier, 8, y+50, place{40, "THANK YOU FOR SHOPPING"})
	return s.specimen("receipt")
}

// longReceipt is of a cash register that sets all letters and figures on a
// grid, so that they stand in columns as well as in lines.
func longReceipt(r *rand.Rand) specimen {
	const lines = 90
	s := &sheet{width: 226, height: 60 + 14*lines}
	s.write(courier, 10, 30, place{10, "KINGSWAY MARKET     LEEDS LS1 6AB"})
	for i := range lines {
		s.write(courier, 10, 50+14*float64(i), place{10, fmt.Sprintf("ITEM %05d   %3d x %5s %7s", 10_000+r.IntN(90_000), 1+r.IntN(200), money(50+r.IntN(900)), money(1000+r.IntN(9000)))})
	}
	return s.specimen("long receipt")
}

// money writes hundredths with separators.
func money(hundredths int) string {
	whole := fmt.Sprint(hundredths / 100)
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return fmt.Sprintf("%s.%02d", whole, hundredths%100)
}

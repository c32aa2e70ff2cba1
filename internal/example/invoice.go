package example

import "fmt"

// InvoiceName is what the file of Invoice is called.
const InvoiceName = "example-invoice.pdf"

// item is a line of the invoice; amounts are in cents.
type item struct {
	description string
	quantity    int
	unitPrice   int
}

func items() []item {
	return []item{
		{"Recycled paper A4, 500 sheets", 20, 490},
		{"Fountain pen, fine nib", 3, 3250},
		{"Desk lamp, oak and linen", 2, 7400},
		{"Notebook A5, dotted, 192 pages", 12, 980},
		{"Delivery", 1, 890},
	}
}

const vatPercent = 23

// Where things stand on the page, in points from its lower left corner.
const (
	left   = 56.0
	right  = pageWidth - 56
	middle = 340.0

	quantityEnd = 372.0 // columns of numbers are set flush right
	priceEnd    = 456.0
)

// The colours of the invoice.
var (
	ink    = colour{0.13, 0.15, 0.19}
	grey   = colour{0.42, 0.45, 0.50}
	accent = colour{0.06, 0.38, 0.36}
	tint   = colour{0.91, 0.95, 0.94}
	hair   = colour{0.78, 0.81, 0.84}
)

// Invoice draws the example: a PDF of one page, always the same.
func Invoice() []byte {
	var s sheet
	letterhead(&s)
	parties(&s)
	y := table(&s, 556)
	y = totals(&s, y)
	payment(&s, y)
	s.rule(74, 0.5, hair)
	s.text(left, 58, regular, 8, grey, "Larkspur Office Supplies Ltd, 14 Harbour Street, Cork, Ireland")
	s.textEnd(right, 58, regular, 8, grey, "Page 1 of 1")
	return s.pdf("Example invoice")
}

func letterhead(s *sheet) {
	s.fill(0, pageHeight-10, pageWidth, 10, accent)
	s.text(left, 768, bold, 17, accent, "Larkspur Office Supplies Ltd")
	s.text(left, 750, regular, 9, grey, "14 Harbour Street, Cork T12 X8PN, Ireland")
	s.text(left, 738, regular, 9, grey, "accounts@larkspur.example")
	s.textEnd(right, 764, bold, 24, ink, "INVOICE")
}

func parties(s *sheet) {
	s.rule(716, 0.5, hair)
	s.text(left, 690, bold, 9, accent, "Bill to")
	for i, line := range []string{"Quillfeather Books", "Ms Imogen Hartley", "7 Mill Lane", "Galway H91 K6RV", "Ireland"} {
		s.text(left, 674-14*float64(i), regular, 10, ink, line)
	}
	for i, pair := range [][2]string{
		{"Invoice number", "LS-2026-0418"}, {"Invoice date", "2 March 2026"}, {"Due date", "1 April 2026"}, {"Customer number", "C-20731"}, {"Currency", "EUR"},
	} {
		y := 690 - 17*float64(i)
		s.text(middle, y, regular, 10, grey, pair[0])
		s.textEnd(right, y, bold, 10, ink, pair[1])
	}
}

// table draws what was delivered from y downwards and tells where it ends.
func table(s *sheet, y float64) float64 {
	const height = 24.0
	s.fill(left, y, right-left, height, tint)
	s.text(left+8, y+8, bold, 9, ink, "Description")
	s.textEnd(quantityEnd, y+8, bold, 9, ink, "Quantity")
	s.textEnd(priceEnd, y+8, bold, 9, ink, "Unit price")
	s.textEnd(right-8, y+8, bold, 9, ink, "Amount")
	s.rule(y, 1, accent)
	for _, one := range items() {
		y -= height
		s.text(left+8, y+8, regular, 10, ink, one.description)
		s.textEnd(quantityEnd, y+8, regular, 10, ink, fmt.Sprint(one.quantity))
		s.textEnd(priceEnd, y+8, regular, 10, ink, money(one.unitPrice))
		s.textEnd(right-8, y+8, regular, 10, ink, money(one.quantity*one.unitPrice))
		s.rule(y, 0.5, hair)
	}
	return y
}

func totals(s *sheet, y float64) float64 {
	subtotal := 0
	for _, one := range items() {
		subtotal += one.quantity * one.unitPrice
	}
	vat := subtotal * vatPercent / 100
	y -= 28
	s.text(middle, y, regular, 10, grey, "Subtotal")
	s.textEnd(right-8, y, regular, 10, ink, money(subtotal))
	y -= 18
	s.text(middle, y, regular, 10, grey, fmt.Sprintf("VAT %d%%", vatPercent))
	s.textEnd(right-8, y, regular, 10, ink, money(vat))
	y -= 34
	s.fill(middle-8, y, right-middle+8, 26, accent)
	s.text(middle, y+8, bold, 12, white, "Total")
	s.textEnd(right-8, y+8, bold, 12, white, "EUR "+money(subtotal+vat))
	return y
}

func payment(s *sheet, y float64) {
	y -= 46
	s.text(left, y, bold, 9, accent, "Payment")
	for i, pair := range [][2]string{{"IBAN", "IE71 EXMP 9000 1712 3456 78"}, {"BIC", "EXMPIE2DXXX"}, {"Reference", "LS-2026-0418"}} {
		at := y - 16 - 15*float64(i)
		s.text(left, at, regular, 10, grey, pair[0])
		s.text(left+72, at, regular, 10, ink, pair[1])
	}
	s.text(left, y-78, regular, 9, grey, "Payment is due within 30 days. Thank you for your order.")
}

// money writes cents as people do.
func money(cents int) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

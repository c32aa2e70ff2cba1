package detect

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/internal/einvoice"
	"fieldlift/internal/engine"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/page"
	"fieldlift/internal/schema"
)

// typed lays text out on a page as a typewriter does: every character has its
// place, and two spaces are a gap.
func typed(number int, text string) page.Page {
	const width, height, char, pitch = 595.0, 842.0, 5.5, 14.0
	p := page.Page{Number: number, Width: width, Height: height}
	for i, l := range strings.Split(strings.Trim(text, "\n"), "\n") {
		y, column := 40+float64(i)*pitch, 0
		for _, w := range strings.SplitAfter(l, " ") {
			if printed := strings.TrimSpace(w); printed != "" {
				x, n := 20+float64(column)*char, float64(len([]rune(printed)))
				p.Words = append(p.Words, page.Word{
					Text: printed, Size: 10, Source: fieldlift.SourceText, Confidence: 1,
					Box: page.Box{X0: x / width, Y0: y / height, X1: (x + n*char) / width, Y1: (y + 10) / height},
				})
			}
			column += len([]rune(w))
		}
	}
	return p
}

func document(texts ...string) *page.Document {
	d := &page.Document{Kind: "pdf"}
	for i, text := range texts {
		d.Pages = append(d.Pages, typed(i+1, text))
	}
	return d
}

func propose(t testing.TB, d *page.Document, prompt string) fieldlift.Proposal {
	t.Helper()
	p, err := New(layout.New()).Detect(t.Context(), d, prompt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// shape writes fields as "name:type", columns and members behind a dot.
func shape(fields []fieldlift.Field) []string {
	var all []string
	for _, f := range fields {
		all = append(all, f.Name+":"+string(f.Type))
		inner := f.Fields
		if f.Items != nil {
			inner = f.Items.Fields
		}
		for _, s := range shape(inner) {
			all = append(all, f.Name+"."+s)
		}
	}
	return all
}

const englishInvoice = `
INVOICE

Invoice No: INV-2026-0042                    Invoice Date:   May 3, 2026
PO Number: 4500012345                        Due Date: June 2, 2026

Description                  Qty     Unit Price      Amount
Hammer, large                  2          12.50       25.00
Nails                          1           9.90        9.90
Saw                            3          20.00       60.00

Subtotal                                              94.90
VAT                                                   18.03
Handling fee                                           5.00
Total                                                117.93`

const germanInvoice = `
Rechnung

Rechnungsnummer: 2026-17                Kundennummer: 00815
Rechnungsdatum: 03.05.2026              Fällig am: 02.06.2026

Pos   Bezeichnung              Menge    Einzelpreis    Gesamt
1     Hammer                       2          12,50     25,00
2     Nägel                        1           9,90      9,90

Nettobetrag                                             34,90
MwSt                                                     6,63
Gesamtbetrag                                         41,53 €`

const payslip = `
Pay Slip

Employee: Ann Example                 Employee No: 0042
Pay Date: 2026-05-31                  Pay Period: May 2026
Gross Pay: 4,200.00                   Net Pay: 2,811.44
Full time: yes`

const statement = `
Bank Statement

Account Number: 12345678              IBAN: DE89 3704 0044 0532 0130 00
Opening Balance: 1,000.00

Date          Description             Debit       Credit      Balance
2026-05-01    Rent                    800.00                   200.00
2026-05-02    Salary                              2,500.00   2,700.00
2026-05-03    Groceries                54.10                 2,645.90

Closing Balance: 2,645.90`

const certificate = `
Certificate of Origin

Exporter: Umbrella Trading SpA
Country of origin: Italy
Net weight (kg): 1,250.50
Inspection passed: ☒
Vessel: Nordic Star`

func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		text, kind string
		want       []string
	}{
		"English invoice": {englishInvoice, "invoice", []string{
			"invoice_number:string", "invoice_date:date", "po_number:string", "due_date:date",
			"line_items:array", "line_items.description:string", "line_items.quantity:number", "line_items.unit_price:number", "line_items.amount:number",
			"subtotal:number", "tax_amount:number", "handling_fee:number", "total_amount:number",
		}},
		"German invoice": {germanInvoice, "invoice", []string{
			"invoice_number:string", "customer_number:string", "invoice_date:date", "due_date:date",
			"line_items:array", "line_items.position:number", "line_items.description:string", "line_items.quantity:number", "line_items.unit_price:number", "line_items.amount:number",
			"subtotal:number", "tax_amount:number", "total_amount:number", "currency:string",
		}},
		"payslip": {payslip, "payslip", []string{
			"employee_name:string", "employee_number:string", "pay_date:date", "pay_period:string", "gross_pay:number", "net_pay:number", "full_time:boolean",
		}},
		"bank statement": {statement, "bank_statement", []string{
			"account_number:string", "iban:string", "opening_balance:number",
			"transactions:array", "transactions.date:date", "transactions.description:string", "transactions.debit:number", "transactions.credit:number", "transactions.balance:number",
			"closing_balance:number",
		}},
		"labels that nobody knows": {certificate, "", []string{
			"exporter:string", "country_of_origin:string", "net_weight_kg:number", "inspection_passed:boolean", "vessel:string",
		}},
		"prose":   {"This is a letter of some words\nand none of them has a value", "", nil},
		"nothing": {"", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := propose(t, document(c.text), "")
			if diff := cmp.Diff(c.want, shape(p.Fields)); diff != "" || p.DocumentType != c.kind {
				t.Errorf("%q %s", p.DocumentType, diff)
			}
			wantFoundAgain(t, document(c.text), p)
		})
	}
}

// wantFoundAgain extracts the proposed fields from their sample.
func wantFoundAgain(t testing.TB, d *page.Document, p fieldlift.Proposal) {
	t.Helper()
	if len(p.Fields) == 0 {
		return
	}
	text := fieldlift.SchemaOf(p.Fields).String()
	if _, found := fieldlift.ParseSchema([]byte(text)); found != nil {
		t.Fatalf("%v in %s", found, text)
	}
	answer, err := layout.New().Extract(t.Context(), engine.Request{Pages: d.Pages, Fields: p.Fields, DocumentType: p.DocumentType})
	if err != nil {
		t.Fatal(err)
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(answer.Data, &data); err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Fields {
		if string(data[f.Name]) == "null" {
			t.Errorf("%s is not found again in %s", f.Name, answer.Data)
		}
		if f.Description == "" {
			t.Errorf("%s has no description", f.Name)
		}
	}
}

func TestPartiesBecomeObjects(t *testing.T) {
	p := propose(t, document(`
Invoice

Invoice No: 7

Seller                              Buyer
Name: ACME Ltd                      Name: Umbrella Inc
VAT ID: GB123456789                 VAT ID: DE987654321

Total                               10.00`), "")
	if got := strings.Join(shape(p.Fields), " "); !strings.Contains(got, "vendor:object vendor.name:string vendor.vat_id:string") ||
		!strings.Contains(got, "customer:object customer.name:string customer.vat_id:string") {
		t.Error(got)
	}
}

// The engine knows a letterhead and an address without any label.
func TestUsualFields(t *testing.T) {
	d := document(`
North Quay Trading Ltd
12 Quay Street
Bristol BS1 4DJ

INVOICE

Bill to                                      Invoice No: 4711
Umbrella Inc                                 Invoice Date: 3 May 2026
7 Rain Road
Leeds LS1 1AA

Description                  Qty     Unit Price      Amount
Hammer, large                  2          12.50       25.00
Nails                          1           9.90        9.90

Total                                                £34.90`)
	p := propose(t, d, "")
	if got := shape(p.Fields); got[0] != "vendor_name:string" || !slices.Contains(got, "customer_name:string") || !slices.Contains(got, "currency:string") {
		t.Error(got)
	}
	wantFoundAgain(t, d, p)
}

// What others are named on an invoice, it is none of them.
func TestDocumentType(t *testing.T) {
	for text, want := range map[string]string{
		"Handelsrechnung (380) Nr. 471102 vom 05.03.2018\n\nBestellung: 4711\nBestellung vom 01.03.2018\nLieferschein: 17": "invoice",
		"Invoice\n\nPurchase order: 4500012345\nDelivery note: 17\nTotal: 10.00":                                           "invoice",
		"Purchase Order\n\nOrder number: 17\nTotal: 10.00":                                                                 "purchase_order",
		"Rechnungskorrektur\n\nRechnungsnummer: 17":                                                                        "credit_note",
		"Corner Shop\n\nTotal: 8.00\nCash: 10.00\nChange: 2.00":                                                            "receipt",
	} {
		if got := propose(t, document(text), "").DocumentType; got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
	d := document("Nr. 17 vom 05.03.2018")
	d.Invoice = &einvoice.Invoice{Number: "17", Kind: "381"}
	if got := propose(t, d, "").DocumentType; got != "credit_note" {
		t.Errorf("an electronic credit note is taken for %q", got)
	}
}

// A form's fields have names of their own, or the labels printed at them;
// boxes to tick become yes or no.
func TestForms(t *testing.T) {
	d := document(`
Request for Taxpayer

1  Name (as shown on your tax return)
   Ann Example


   Springfield

   Individual owner              Partnership`)
	p := &d.Pages[0]
	box := func(line, column, width float64) page.Box {
		x, y := 20+column*5.5, 40+line*14
		return page.Box{X0: x / 595, Y0: y / 842, X1: (x + width*5.5) / 595, Y1: (y + 10) / 842}
	}
	p.Fields = []page.FormField{
		{Name: "form[0].f1_1[0]", Kind: page.FieldText, Value: "Ann Example", Box: box(3, 3, 20)},
		{Name: "form[0].home_town[0]", Kind: page.FieldText, Value: "Springfield", Box: box(6, 3, 20)},
		{Name: "form[0].f1_2[0]", Kind: page.FieldText, Box: box(7, 3, 20)},
	}
	for i, w := range p.Words {
		if w.Text == "Ann" || w.Text == "Example" || w.Text == "Springfield" {
			p.Words[i].Source = fieldlift.SourceForm
		}
	}
	p.Checkboxes = []page.Checkbox{
		{Box: box(8, 1, 1), Checked: true, Confidence: 1, Source: fieldlift.SourceForm},
		{Box: box(8, 31, 1), Confidence: 1, Source: fieldlift.SourceForm},
	}
	proposed := propose(t, d, "")
	if diff := cmp.Diff([]string{"name:string", "home_town:string", "individual_owner:boolean", "partnership:boolean"}, shape(proposed.Fields)); diff != "" || proposed.DocumentType != "tax_form" {
		t.Error(proposed.DocumentType, diff)
	}
	wantFoundAgain(t, d, proposed)
}

func TestPrompt(t *testing.T) {
	for prompt, want := range map[string]string{
		"":                            "invoice_number invoice_date po_number due_date line_items subtotal tax_amount handling_fee total_amount",
		"This is an English invoice.": "invoice_number invoice_date po_number due_date line_items subtotal tax_amount handling_fee total_amount",
		"Only the totals":             "subtotal total_amount",
		"only the invoice number and the due date":    "invoice_number due_date",
		"Please extract just dates":                   "invoice_date due_date",
		"without line items":                          "invoice_number invoice_date po_number due_date subtotal tax_amount handling_fee total_amount",
		"Ignore the handling fee, the PO number":      "invoice_number invoice_date due_date line_items subtotal tax_amount total_amount",
		"only totals, also the ship date":             "subtotal total_amount ship_date",
		"Only totals. Include the buyer's VAT number": "subtotal total_amount buyer_vat_number",
		"nur das Rechnungsdatum":                      "invoice_date",
		"only the warehouse":                          "warehouse",
	} {
		var got []string
		for _, f := range propose(t, document(englishInvoice), prompt).Fields {
			got = append(got, f.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q proposes %q, want %q", prompt, strings.Join(got, " "), want)
		}
	}
	p := propose(t, document(englishInvoice), "only the ship date, freight amount, warehouse code")
	if diff := cmp.Diff([]string{"ship_date:date", "freight_amount:number", "warehouse_code:string"}, shape(p.Fields)); diff != "" {
		t.Error(diff)
	}
}

// advising is a model that suggests what the test says.
type advising []llm.Suggestion

func (a advising) Propose(context.Context, []page.Page, string) ([]llm.Suggestion, string, error) {
	return a, "", nil
}

// TestTypesOfAModel has a model name types of its own: what comes of it can be a
// parser's schema.
func TestTypesOfAModel(t *testing.T) {
	suggest := func(name string, kind fieldlift.FieldType, items *fieldlift.Field) llm.Suggestion {
		return llm.Suggestion{Field: fieldlift.Field{Name: name, Type: kind, Items: items}, Text: "x", Asked: true}
	}
	columns := &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{{Name: "part", Type: "text"}, {Name: "price", Type: "money"}, {Name: "more", Type: "array"}}}
	p, advice, err := New(layout.New()).DetectWith(t.Context(), advising{
		suggest("colour", "enum", nil), suggest("weight", "Number", nil), suggest("price", "currency", nil), suggest("paid", "bool", nil),
		suggest("seen", "datetime", nil), suggest("thing", "object", nil), suggest("nothing", "", nil), suggest("tags", "array", nil),
		suggest("rows", "array", columns), suggest("sizes", "number", columns), suggest("empty", "array", &fieldlift.Field{Type: "object"}),
		{Field: fieldlift.Field{Name: "talk", Type: "string", Description: strings.Repeat("and so on ", 10_000)}, Asked: true},
	}, document("nothing of note"), "all of them")
	if advice != nil || err != nil {
		t.Fatal(advice, err)
	}
	want := "colour:string weight:number price:number paid:boolean seen:string thing:string nothing:string tags:array rows:array rows.part:string rows.price:number rows.more:string sizes:number empty:array talk:string"
	if got := strings.Join(shape(p.Fields), " "); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if _, found := schema.Parse([]byte(fieldlift.SchemaOf(p.Fields).String())); len(found) > 0 {
		t.Errorf("%+v", found)
	}
}

// TestAdviceNarrowsByWhatIsThere has a model name fields that a prompt is said to
// ask for: one that is nowhere on the sample says nothing of the others.
func TestAdviceNarrowsByWhatIsThere(t *testing.T) {
	const prompt = "whatever the accountants need"
	sample := document(englishInvoice)
	own := shape(propose(t, sample, prompt).Fields)
	invented := llm.Suggestion{Field: fieldlift.Field{Name: "colour_of_the_cover", Type: fieldlift.StringField}, Asked: true}
	there := llm.Suggestion{Field: fieldlift.Field{Name: "letterhead", Type: fieldlift.StringField}, Text: "x", Page: 1, Box: page.Box{X1: 0.001, Y1: 0.001}, Asked: true}
	for name, c := range map[string]struct {
		advice advising
		want   []string
	}{
		"nothing that is there":   {advising{invented}, append([]string{"colour_of_the_cover:string"}, own...)},
		"something that is there": {advising{invented, there}, []string{"colour_of_the_cover:string", "letterhead:string"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, _, err := New(layout.New()).DetectWith(t.Context(), c.advice, sample, prompt)
			if err != nil {
				t.Fatal(err)
			}
			got := shape(p.Fields)
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNames(t *testing.T) {
	x := newLexicon()
	for label, want := range map[string]string{
		"Invoice #": "invoice_number", "INVOICE NO.": "invoice_number", "Rechnungs-Nr.": "invoice_number", "N° de facture": "invoice_number",
		"Fecha de vencimiento": "due_date", "Échéance": "due_date", "Kunden-Nr. / Customer No.": "customer_number", "VAT (19%)": "tax_amount",
		"Numer faktury": "invoice_number", "Partita IVA": "vat_id", "Totaal": "total_amount", "Data de emissão": "issue_date",
	} {
		if got, ok := x.find(label); !ok || got != want {
			t.Errorf("%q is called %q, want %q", label, got, want)
		}
	}
	for label, want := range map[string]string{
		"Net weight (kg)": "net_weight_kg", "Größe": "grosse", "1099 box": "field_1099_box", "# of spots": "number_of_spots", "---": "",
		strings.Repeat("very ", 30): "very_very_very_very_very_very_very_very_very", strings.Repeat("x", 100): strings.Repeat("x", 48), "Buyer's name": "buyers_name", "PAYER’S TIN": "payers_tin",
	} {
		if got := snake(label); got != want {
			t.Errorf("%q becomes %q, want %q", label, got, want)
		}
	}
}

func TestLimits(t *testing.T) {
	var b strings.Builder
	for i := range 55 {
		fmt.Fprintf(&b, "%cum%cat: V-%d\n", 'B'+i%8, 'b'+i/8, 100+i)
	}
	p := propose(t, document(b.String(), b.String()), "")
	if n := len(p.Fields); n < mostFields/2 || n > mostFields {
		t.Errorf("%d fields", n)
	}
	if p := propose(t, &page.Document{Pages: make([]page.Page, 500)}, ""); len(p.Fields) != 0 {
		t.Errorf("%+v", p)
	}
}

// Whatever stands on the pages, what is proposed is sound.
func FuzzDetect(f *testing.F) {
	for i, text := range []string{englishInvoice, germanInvoice, payslip, statement, certificate} {
		f.Add(text, "only totals", uint64(i))
	}
	f.Add("a:b:c ::: : \xff:x\n#  No.  Qty\n1  2  3\n4  5  6", "without. include , and 's", uint64(9))
	f.Fuzz(func(t *testing.T, text, prompt string, seed uint64) {
		if len(text) > 4000 || len(prompt) > 400 {
			return
		}
		d := document(text)
		random := rand.New(rand.NewPCG(seed, 0))
		if seed%2 == 1 { // words that stand anywhere, of any size
			for i := range d.Pages[0].Words {
				b := &d.Pages[0].Words[i].Box
				*b = page.Box{X0: random.Float64(), Y0: random.Float64(), X1: random.Float64(), Y1: random.Float64()}
			}
		}
		p := propose(t, d, prompt)
		names := map[string]bool{}
		for _, one := range p.Fields {
			if names[one.Name] {
				t.Errorf("%s stands twice", one.Name)
			}
			names[one.Name] = true
		}
		if len(p.Fields) > 0 {
			text := fieldlift.SchemaOf(p.Fields).String()
			if _, found := fieldlift.ParseSchema([]byte(text)); found != nil {
				t.Errorf("%v in %s", found, text)
			}
		}
		if (fieldlift.ParserChange{DocumentType: &p.DocumentType}).Check() != nil {
			t.Error(p.DocumentType)
		}
		if again := propose(t, d, prompt); !slices.Equal(shape(p.Fields), shape(again.Fields)) || again.DocumentType != p.DocumentType {
			t.Errorf("%v, then %v", shape(p.Fields), shape(again.Fields))
		}
	})
}

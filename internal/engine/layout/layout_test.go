package layout

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The measures of a sheet, in points.
const sheetLeft, sheetTop, sheetChar, sheetPitch = 20.0, 40.0, 5.5, 14.0

// sheet lays text out on a page as a typewriter does: every character has its
// place, two spaces are a gap, and an empty line is one.
func sheet(number int, text string) page.Page {
	const width, height = 595.0, 842.0
	p := page.Page{Number: number, Width: width, Height: height}
	for i, line := range strings.Split(strings.Trim(text, "\n"), "\n") {
		y := sheetTop + float64(i)*sheetPitch
		column := 0
		for _, w := range strings.SplitAfter(line, " ") {
			if printed := strings.TrimSpace(w); printed != "" {
				x := sheetLeft + float64(column)*sheetChar
				n := float64(len([]rune(printed)))
				p.Words = append(p.Words, page.Word{
					Text: printed, Size: 10, Source: fieldlift.SourceText, Confidence: 1,
					Box: page.Box{X0: x / width, Y0: y / height, X1: (x + n*sheetChar) / width, Y1: (y + 10) / height},
				})
			}
			column += len([]rune(w))
		}
	}
	return p
}

// fieldsOf reads fields as clients write them.
func fieldsOf(t testing.TB, text string) []fieldlift.Field {
	t.Helper()
	fields, found := fieldlift.ParseFields([]byte(text))
	if found != nil {
		t.Fatal(found)
	}
	return fields
}

func extract(t testing.TB, fields string, pages ...page.Page) engine.Answer {
	t.Helper()
	answer, err := New().Extract(t.Context(), engine.Request{Pages: pages, Fields: fieldsOf(t, fields)})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

const invoiceFields = `[
	{"name":"invoice_number","required":true},{"name":"invoiceDate","type":"date"},{"name":"due_date","type":"date"},
	{"name":"vendor","type":"object","fields":[{"name":"name"},{"name":"vat_id"},{"name":"email"}]},
	{"name":"customer","type":"object","fields":[{"name":"name"},{"name":"address"},{"name":"customer_number"}]},
	{"name":"line_items","type":"array","fields":[{"name":"description"},{"name":"quantity","type":"number"},{"name":"unit_price","type":"number"},{"name":"amount","type":"number"}]},
	{"name":"subtotal","type":"number"},{"name":"tax","type":"number"},{"name":"total","type":"number"},{"name":"currency"},
	{"name":"payment_method","enum":["cash","card","bank transfer"]},{"name":"paid","type":"boolean"},{"name":"tags","type":"array","items":{"type":"string"}},
	{"name":"passport_number"}]`

const englishInvoice = `
INVOICE

Invoice No: INV-2026-0042                    Invoice Date:   May 3, 2026
PO Number: 4500012345                        Due Date: June 2, 2026

Bill to:                                     Customer number: C-881
Harbour Supplies Ltd
12 Quay Street
Bristol BS1 4DJ

Description                      Qty   Unit Price      Amount
Rope, three strands, 20 m          2        45.00       90.00
Anchor, galvanised                 1     1,150.50    1,150.50
with chain and swivel
Deck paint                        12         9.25      111.00

                                 Subtotal           $1,351.50
                                 VAT 20%              $270.30
                                 Total              $1,621.80

Payment method: Bank transfer     Paid: no
Tags: marine, wholesale, export
Questions? billing@northquay.example
`

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (write it anew with -update): %s", name, diff)
	}
}

func TestScalars(t *testing.T) {
	for name, c := range map[string]struct{ fields, text, want string }{
		"beside a colon":              {`[{"name":"order_number"}]`, "Order number: A-17", `{"order_number":"A-17"}`},
		"across a gap":                {`[{"name":"order_number"}]`, "Order No.          A-17", `{"order_number":"A-17"}`},
		"inside of the word":          {`[{"name":"order_number"}]`, "Order No.:A-17", `{"order_number":"A-17"}`},
		"on the same segment":         {`[{"name":"order_number"}]`, "Order number A-17", `{"order_number":"A-17"}`},
		"a colon that stands alone":   {`[{"name":"order_number"}]`, "Order number : A-17", `{"order_number":"A-17"}`},
		"below":                       {`[{"name":"order_number"},{"name":"ship_date","type":"date"}]`, "Order number      Ship date\nA-17              2026-05-03", `{"order_number":"A-17","ship_date":"2026-05-03"}`},
		"too far below":               {`[{"name":"order_number"}]`, "Order number\n\n\n\nA-17", `{"order_number":null}`},
		"two on one line":             {`[{"name":"city"},{"name":"country"}]`, "City: New York Country: Malta", `{"city":"New York","country":"Malta"}`},
		"a misread label":             {`[{"name":"passport_number"}]`, "Passp0rt number: X1   Pasport number: X12", `{"passport_number":"X12"}`},
		"of the wrong type":           {`[{"name":"weight","type":"number"},{"name":"born","type":"date"}]`, "Weight: heavy   Born: yesterday", `{"weight":null,"born":null}`},
		"the label of a description":  {`[{"name":"x","description":"printed as \"Batch code\""}]`, "Batch code: Q7", `{"x":"Q7"}`},
		"dates as the document does":  {`[{"name":"start_date","type":"date"},{"name":"end_date","type":"date"}]`, "Start date: 05/03/2026\nEnd date: 13/03/2026", `{"start_date":"2026-03-05","end_date":"2026-03-13"}`},
		"born in the last century":    {`[{"name":"birth_date","type":"date"},{"name":"valid_until","type":"date"}]`, "Birth date: 05-Nov-61\nValid until: 05-Nov-61", `{"birth_date":"1961-11-05","valid_until":"2061-11-05"}`},
		"born in this century":        {`[{"name":"dob","type":"date"}]`, "Date of birth: 05/11/2019", `{"dob":"2019-11-05"}`},
		"hired in the last century":   {`[{"name":"hire_date","type":"date"}]`, "Hire date: 01.04.68", `{"hire_date":"1968-04-01"}`},
		"a birthday in Spanish":       {`[{"name":"fecha_nacimiento","type":"date"}]`, "Fecha de nacimiento: 12/03/58", `{"fecha_nacimiento":"1958-03-12"}`},
		"seniority in Spanish":        {`[{"name":"antiguedad","type":"date"}]`, "Antigüedad: 12/03/58", `{"antiguedad":"1958-03-12"}`},
		"a birthday in German":        {`[{"name":"geburtsdatum","type":"date"}]`, "Geburtsdatum: 12.03.58", `{"geburtsdatum":"1958-03-12"}`},
		"born, by the description":    {`[{"name":"day","type":"date","description":"date of birth"}]`, "Date of birth: 12.03.58", `{"day":"1958-03-12"}`},
		"percent":                     {`[{"name":"discount_rate","type":"number"}]`, "Discount rate: 7.5 %", `{"discount_rate":7.5}`},
		"a rate in the label":         {`[{"name":"tax","type":"number"}]`, "VAT 20%     270.30", `{"tax":270.30}`},
		"a rate in brackets":          {`[{"name":"tax_rate","type":"number"},{"name":"sales_tax","type":"number"}]`, "Subtotal   551.00\nSales Tax (8.25%)     45.46\nTotal   596.46", `{"tax_rate":8.25,"sales_tax":45.46}`},
		"a rate beside its label":     {`[{"name":"vat_rate","type":"number"},{"name":"vat_amount","type":"number"}]`, "Net   100.00\nVAT   20 %   20.00\nTotal   120.00", `{"vat_rate":20,"vat_amount":20.00}`},
		"a rate as text":              {`[{"name":"tax_rate"},{"name":"sales_tax","type":"number"}]`, "Subtotal   551.00\nSales Tax (8.25 %)     45.46\nTotal   596.46", `{"tax_rate":"8.25%","sales_tax":45.46}`},
		"a rate that is not applied":  {`[{"name":"tax_rate","description":"0% when none"},{"name":"total","type":"number"}]`, "Goods   119.95\nVAT (19%)   0.00\nTotal   119.95", `{"tax_rate":"0%","total":119.95}`},
		"one span serves one":         {`[{"name":"weight","type":"number"},{"name":"gross_weight","type":"number"}]`, "Gross weight: 12 kg", `{"weight":null,"gross_weight":12}`},
		"a ticked box before":         {`[{"name":"smoker","type":"boolean"},{"name":"diabetic","type":"boolean"}]`, "☒ Smoker     ☐ Diabetic", `{"smoker":true,"diabetic":false}`},
		"a ticked choice":             {`[{"name":"smoker","type":"boolean"},{"name":"gender","enum":["male","female"]}]`, "Smoker: ☐ yes ☒ no\nGender: ☐ male ☒ female", `{"smoker":false,"gender":"female"}`},
		"a tick opens its line":       {`[{"name":"gala_dinner","type":"boolean"},{"name":"newsletter","type":"boolean"}]`, "☒ I want to attend the gala dinner\n☐ Subscribe me to the newsletter\nMeal: ☐ Yes ☑ No", `{"gala_dinner":true,"newsletter":false}`},
		"ticks in a row":              {`[{"name":"standard","type":"boolean"},{"name":"premium","type":"boolean"},{"name":"student","type":"boolean"}]`, "Ticket type: ☐ Standard ☒ Premium ☐ Student\nPayment: ☑ Bank transfer ☐ Card ☐ Cheque", `{"standard":false,"premium":true,"student":false}`},
		"ticks behind their labels":   {`[{"name":"cash","type":"boolean"},{"name":"transfer","type":"boolean"},{"name":"cheque","type":"boolean"}]`, "Cash [ ]   Transfer [x]   Cheque [ ]", `{"cash":false,"transfer":true,"cheque":false}`},
		"no before yes":               {`[{"name":"parking","type":"boolean"},{"name":"smoker","type":"boolean"}]`, "Parking: ☐ No ☑ Yes\nSmoker: ☒ No ☐ Yes", `{"parking":true,"smoker":false}`},
		"the text that is ticked":     {`[{"name":"ticket_type"},{"name":"payment_method"}]`, "Ticket type: ☐ Standard ☒ Premium seat ☐ Student\nPayment method: ☑ Bank transfer   ☐ Credit card   ☐ Cheque", `{"ticket_type":"Premium seat","payment_method":"Bank transfer"}`},
		"ticked behind it":            {`[{"name":"ticket_type"}]`, "Ticket type: Standard ☐ Premium ☒ Student ☐", `{"ticket_type":"Premium"}`},
		"nothing is ticked":           {`[{"name":"ticket_type"}]`, "Ticket type: ☐ Standard ☐ Premium ☐ Student", `{"ticket_type":null}`},
		"not of the enum":             {`[{"name":"colour","enum":["red","green"]}]`, "Colour: blue", `{"colour":null}`},
		"an enum of numbers":          {`[{"name":"level","type":"number","enum":[1,2]}]`, "Level: 2.0", `{"level":2}`},
		"a list":                      {`[{"name":"skills","type":"array"},{"name":"sizes","type":"array","items":{"type":"number"}}]`, "Skills: Go, SQL and plain prose\nSizes: 1; 2,5; 3", `{"skills":["Go","SQL and plain prose"],"sizes":[1,2.5,3]}`},
		"sections tell objects apart": {`[{"name":"buyer","type":"object","fields":[{"name":"city"}]},{"name":"seller","type":"object","fields":[{"name":"city"}]}]`, "Seller\nCity: Porto\n\nBuyer\nCity: Gdynia", `{"buyer":{"city":"Gdynia"},"seller":{"city":"Porto"}}`},
		"the last total":              {`[{"name":"total","type":"number"}]`, "Total: 12.00\nmore\nTotal: 30.00", `{"total":30.00}`},
		"objects without fields":      {`[{"name":"extra","type":"object"},{"name":"grid","type":"array","items":{"type":"array"}}]`, "Extra: 1", `{"extra":null,"grid":null}`},
		"no words":                    {`[{"name":"total","type":"number"}]`, "", `{"total":null}`},
		"no fields":                   {`[]`, "Total: 1", `{}`},
	} {
		answer := extract(t, c.fields, sheet(1, c.text))
		if string(answer.Data) != c.want {
			t.Errorf("%s: %s, want %s", name, answer.Data, c.want)
		}
		checkAnswer(t, fieldsOf(t, c.fields), answer)
	}
}

func TestConfidenceFollowsEvidence(t *testing.T) {
	fields := `[{"name":"order_number"}]`
	confidence := func(p page.Page) float64 { return extract(t, fields, p).Metadata["/order_number"].Confidence }
	clear := confidence(sheet(1, "Order number: A-17"))
	if clear < 0.9 || clear > mostConfidence {
		t.Errorf("a clear label makes %v", clear)
	}
	if vague := confidence(sheet(1, "Order: A-17")); vague > clear {
		t.Errorf("half a label makes %v, a whole one %v", vague, clear)
	}
	scan := sheet(1, "Order number: A-17")
	for i := range scan.Words {
		scan.Words[i].Source, scan.Words[i].Confidence = fieldlift.SourceOCR, 0.7
	}
	if m := extract(t, fields, scan).Metadata["/order_number"]; m.Source != fieldlift.SourceOCR || m.Confidence >= clear {
		t.Errorf("a bad scan has %+v, print %v", m, clear)
	}
}

func TestPlaces(t *testing.T) {
	p := sheet(3, "SKU    Description      Qty\nA1     Bolt               4\n       with nut\nA2     Nut                5")
	m := extract(t, `[{"name":"items","type":"array","fields":[{"name":"sku"},{"name":"description"},{"name":"qty","type":"number"}]}]`, p).Metadata["/items/0/description"]
	want := [][4]float64{p.Words[4].Box.Array(), p.Words[6].Box.Union(p.Words[7].Box).Array()}
	if diff := cmp.Diff(want, m.Boxes); diff != "" || m.Page != 3 || m.Text != "Bolt\nwith nut" || m.Source != fieldlift.SourceText {
		t.Errorf("%+v %s", m, diff)
	}
}

const ledgerFields = `[{"name":"account_number"},{"name":"transactions","type":"array","fields":[{"name":"date","type":"date"},{"name":"description"},{"name":"amount","type":"number"},{"name":"balance","type":"number"}]},{"name":"closing_balance","type":"number"}]`

// ledger has rows on pages of fifty, with heads on all pages or the first only.
func ledger(rows int, heads bool) []page.Page {
	var pages []page.Page
	for first := 0; first < rows; first += 50 {
		var b strings.Builder
		fmt.Fprintf(&b, "Statement of account            Account number: 77-%d\n\n", 1000)
		if heads || first == 0 {
			b.WriteString("Date         Description                Amount       Balance\n")
		}
		for i := first; i < min(first+50, rows); i++ {
			day := time.Date(2026, 1, 1+i/20, 0, 0, 0, 0, time.UTC)
			fmt.Fprintf(&b, "%s   Payment no %-12d %8d.%02d   %10d.00\n", day.Format("02/01/2006"), i, i, i%100, 10000+i)
		}
		fmt.Fprintf(&b, "\nPage %d\n", len(pages)+1)
		if first+50 >= rows {
			b.WriteString("Closing balance:   99999.00\n")
		}
		pages = append(pages, sheet(len(pages)+1, b.String()))
	}
	return pages
}

func TestLongTables(t *testing.T) {
	for _, heads := range []bool{true, false} {
		pages := ledger(2000, heads)
		start := time.Now()
		answer := extract(t, ledgerFields, pages...)
		t.Logf("2000 rows on %d pages, heads on all %v: %v", len(pages), heads, time.Since(start))
		var got struct {
			Account      string `json:"account_number"`
			Transactions []struct {
				Date, Description string
				Amount, Balance   json.Number
			}
			Closing json.Number `json:"closing_balance"`
		}
		if err := json.Unmarshal(answer.Data, &got); err != nil {
			t.Fatal(err)
		}
		if len(got.Transactions) != 2000 || got.Account != "77-1000" || got.Closing != "99999.00" {
			t.Fatalf("%d rows, account %q, closing %q", len(got.Transactions), got.Account, got.Closing)
		}
		for i, row := range got.Transactions {
			want := fmt.Sprintf("Payment no %d", i)
			if row.Description != want || row.Amount.String() != fmt.Sprintf("%d.%02d", i, i%100) || row.Balance.String() != fmt.Sprintf("%d.00", 10000+i) {
				t.Fatalf("row %d is %+v", i, row)
			}
			if m := answer.Metadata[fmt.Sprintf("/transactions/%d/amount", i)]; m.Page != i/50+1 {
				t.Fatalf("row %d is on page %d", i, m.Page)
			}
		}
	}
}

func TestTables(t *testing.T) {
	fields := `[{"name":"items","type":"array","fields":[{"name":"sku"},{"name":"description"},{"name":"qty","type":"number"}]}]`
	for name, c := range map[string]struct{ text, want string }{
		"none":          {"SKU: 1\nDescription: x", `null`},
		"no rows":       {"SKU    Description      Qty\n\nThank you for your visit", `null`},
		"empty cells":   {"SKU    Description      Qty\nA1     Bolt               4\nA2                        5", `[{"sku":"A1","description":"Bolt","qty":4},{"sku":"A2","description":null,"qty":5}]`},
		"foreign":       {"SKU    Colour  Description      Qty\nA1     red     Bolt               4", `[{"sku":"A1","description":"Bolt","qty":4}]`},
		"sums":          {"SKU    Description      Qty\nA1     Bolt               4\nTotal                     4", `[{"sku":"A1","description":"Bolt","qty":4}]`},
		"wrapped cells": {"SKU    Description      Qty\nA1     Bolt               4\n       with nut\nA2     Nut                5", `[{"sku":"A1","description":"Bolt with nut","qty":4},{"sku":"A2","description":"Nut","qty":5}]`},
		"text after":    {"SKU    Description      Qty\nA1     Bolt               4\n\nGoods remain ours until they are paid for.\nSee our terms.\nThank you.", `[{"sku":"A1","description":"Bolt","qty":4}]`},
	} {
		answer := extract(t, fields, sheet(1, c.text))
		if want := `{"items":` + c.want + `}`; string(answer.Data) != want {
			t.Errorf("%s: %s, want %s", name, answer.Data, want)
		}
		checkAnswer(t, fieldsOf(t, fields), answer)
	}
}

func TestAnswersAreTheSameEveryTime(t *testing.T) {
	first := extract(t, invoiceFields, sheet(1, englishInvoice))
	for range 20 {
		if diff := cmp.Diff(first, extract(t, invoiceFields, sheet(1, englishInvoice))); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestEndedContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := New().Extract(ctx, engine.Request{Pages: []page.Page{sheet(1, englishInvoice)}, Fields: fieldsOf(t, invoiceFields)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestHugePages has pages that nobody prints: what takes seconds here would
// take a worker away from everybody else.
func TestHugePages(t *testing.T) {
	many := make([]string, 0, 400)
	for i := range 400 {
		many = append(many, fmt.Sprintf(`{"name":"date_%d","type":"date"},{"name":"total_%d","type":"number"}`, i, i))
	}
	wide := "[" + strings.Join(many, ",") + "]"
	for name, c := range map[string]struct {
		fields string
		word   func(i int) string
	}{
		"labels only":       {invoiceFields, func(i int) string { return []string{"Total", "Date", "Invoice", "Amount", "Qty"}[i%5] }},
		"distinct words":    {invoiceFields, func(i int) string { return fmt.Sprintf("w%dx", i) }},
		"labels and values": {invoiceFields, func(i int) string { return []string{"Total:", "12.00", "Due Date:", "03.05.2026"}[i%4] }},
		"many fields":       {wide, func(i int) string { return []string{"Total:", "12.00", "Date", "03.05.2026"}[i%4] }},
	} {
		for _, perLine := range []int{10, 100_000} {
			p := page.Page{Number: 1, Width: 595, Height: 842}
			for i := range 100_000 {
				row, column := i/perLine, i%perLine
				h, w := 1/float64(100_000/perLine), 1/float64(perLine)
				p.Words = append(p.Words, page.Word{Text: c.word(i), Confidence: 1, Box: page.Box{
					X0: float64(column) * w, X1: (float64(column) + 0.8) * w, Y0: float64(row) * h, Y1: (float64(row) + 0.8) * h,
				}})
			}
			start := time.Now()
			extract(t, c.fields, p)
			took := time.Since(start)
			t.Logf("%s, %d on a line: %v", name, perLine, took)
			if took > time.Minute {
				t.Errorf("%s, %d on a line, took %v", name, perLine, took)
			}
		}
	}
}

func BenchmarkExtract(b *testing.B) {
	var text strings.Builder
	text.WriteString(englishInvoice)
	for n := len(strings.Fields(englishInvoice)); n < 500; n += 10 {
		text.WriteString("Goods remain ours until the invoice total is paid in\n")
	}
	var hundred []page.Page
	for n := range 100 {
		hundred = append(hundred, sheet(n+1, text.String()))
	}
	e := New()
	for name, r := range map[string]engine.Request{
		"page":       {Pages: hundred[:1], Fields: fieldsOf(b, invoiceFields)},
		"100 pages":  {Pages: hundred, Fields: fieldsOf(b, invoiceFields)},
		"2,000 rows": {Pages: ledger(2000, true), Fields: fieldsOf(b, ledgerFields)},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := e.Extract(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

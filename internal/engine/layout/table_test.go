package layout

import (
	"strings"
	"testing"

	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// rules draws lines on a sheet: "=" from column to column below a line of text.
// Each is written as line, first column, last column; across, or down to a
// further line.
type rule struct{ line, from, to, down int }

func ruled(p page.Page, rules ...rule) page.Page {
	const width, height, char, pitch = 595.0, 842.0, 5.5, 14.0
	for _, r := range rules {
		x0, x1 := (20+float64(r.from)*char)/width, (20+float64(r.to)*char)/width
		y := (40 + float64(r.line)*pitch - 2) / height
		if r.down > 0 {
			p.Rules = append(p.Rules, page.Rule{Vertical: true, Box: page.Box{X0: x0, X1: x0, Y0: y, Y1: (40 + float64(r.down)*pitch - 2) / height}})
			continue
		}
		p.Rules = append(p.Rules, page.Rule{Box: page.Box{X0: x0, X1: x1, Y0: y, Y1: y}})
	}
	return p
}

const (
	lineFields = `[{"name":"items","type":"array","fields":[{"name":"description"},{"name":"quantity","type":"number"},{"name":"unit_price","type":"number"},{"name":"amount","type":"number"}]}]`
	threeItems = `{"items":[{"description":"Rope","quantity":2,"unit_price":45.00,"amount":90.00},{"description":"Anchor","quantity":3,"unit_price":150.50,"amount":451.50},{"description":"Paint","quantity":12,"unit_price":9.25,"amount":111.00}]}`
)

func TestLineItems(t *testing.T) {
	for name, text := range map[string]string{
		"heads over two lines": `
                            Unit
Description        Qty     price       Amount
Rope                 2     45.00        90.00
Anchor               3    150.50       451.50
Paint               12      9.25       111.00`,
		"figures beside their heads": `
Description     Qty        Unit price     Amount
Rope                  2             45.00         90.00
Anchor                3            150.50        451.50
Paint                12              9.25        111.00`,
		"a quantity with its unit": `
Description        Qty     Unit price       Amount
Rope              2 pc          45.00        90.00
Anchor            3 pc         150.50       451.50
Paint            12 pc           9.25       111.00`,
		"currency signs": `
Description        Qty     Unit price       Amount
Rope                 2        $ 45.00      $ 90.00
Anchor               3       $ 150.50     $ 451.50
Paint               12         $ 9.25     $ 111.00`,
		"sums below": `
Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00
Subtotal                                    652.50
VAT 20 %                                    130.50
Total                                       783.00`,
		"sums on the right": `
Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00

                           Goods            652.50
                           Carriage          10.00`,
		"sums between": `
Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
Subtotal                                     90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00
Subtotal                                    562.50`,
		"another table below": `
Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00

VAT rate           Net            VAT        Gross
20 %            652.50         130.50       783.00`,
		"another table above": `
Order        Date           Amount
77           03.05.2026     652.50

Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00`,
		"heads nobody knows": `
Description      Zzyx         Foo           Bar
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00`,
		"heads that mislead": `
Description     Amount          Price         Total
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00`,
		"no heads": `
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00`,
		"prose around": `
We thank you for your order and deliver as follows, all prices net.

Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
Anchor               3         150.50       451.50
Paint               12           9.25       111.00
Goods remain ours until the whole amount of this invoice has been paid.
Please pay within 30 days after the date of this invoice without discount.`,
		"attributes of items": `
Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
Serial no: 4711
Anchor               3         150.50       451.50
Serial no: 4712
Paint               12           9.25       111.00
Serial no: 4713`,
		"columns of others between": `
Pos   Description      Qty   Unit   Unit price   VAT     Amount
1     Rope               2   pc          45.00   20 %     90.00
2     Anchor             3   pc         150.50   20 %    451.50
3     Paint             12   l            9.25   20 %    111.00`,
	} {
		answer := extract(t, lineFields, sheet(1, text))
		if string(answer.Data) != threeItems {
			t.Errorf("%s: %s", name, answer.Data)
		}
		checkAnswer(t, fieldsOf(t, lineFields), answer)
	}
}

func TestWrappedText(t *testing.T) {
	want := `{"items":[{"description":"Rope of hemp in three strands","quantity":2,"unit_price":45.00,"amount":90.00},{"description":"Anchor with chain and swivel","quantity":3,"unit_price":150.50,"amount":451.50}]}`
	for name, c := range map[string]struct {
		text  string
		rules []rule
	}{
		"below the figures": {text: `
Description        Qty     Unit price       Amount
Rope of hemp         2          45.00        90.00
in three strands
Anchor               3         150.50       451.50
with chain
and swivel`},
		"above the figures": {text: `
Description        Qty     Unit price       Amount
Rope of hemp
in three strands     2          45.00        90.00
Anchor with chain
and swivel           3         150.50       451.50`},
		"around the figures, with rules": {text: `
Description        Qty     Unit price       Amount
Rope of hemp
in three             2          45.00        90.00
strands
Anchor with
chain                3         150.50       451.50
and swivel`, rules: []rule{{line: 1, to: 52}, {line: 4, to: 52}, {line: 7, to: 52}}},
		"figures on several lines, with rules": {text: `
Description        Qty     Unit price       Amount
Rope of hemp         2
in three                        45.00
strands                                      90.00
Anchor with          3
chain                          150.50
and swivel                                  451.50`, rules: []rule{{line: 1, to: 52}, {line: 4, to: 52}, {line: 7, to: 52}}},
	} {
		answer := extract(t, lineFields, ruled(sheet(1, c.text), c.rules...))
		if string(answer.Data) != want {
			t.Errorf("%s: %s", name, answer.Data)
		}
	}
}

// TestRowsWithoutGaps has rows whose date and text are one segment that reads
// like a sentence: their figures tell that they are rows.
func TestRowsWithoutGaps(t *testing.T) {
	fields := `[{"name":"transactions","type":"array","fields":[{"name":"date","type":"date"},{"name":"description"},{"name":"debit","type":"number"},{"name":"credit","type":"number"},{"name":"balance","type":"number"}]}]`
	want := `{"transactions":[{"date":"2026-02-04","description":"Card payment at the bakery","debit":12.40,"credit":null,"balance":1187.60},` +
		`{"date":"2026-02-05","description":"Salary","debit":null,"credit":2100.00,"balance":3287.60},` +
		`{"date":"2026-02-06","description":"Standing order for the rent","debit":950.00,"credit":null,"balance":2337.60},` +
		`{"date":"2026-02-07","description":"Water","debit":31.10,"credit":null,"balance":2306.50}]}`
	for name, below := range map[string]string{
		"nothing below": "",
		"prose below":   "\nInterest of 3 % was last paid on this account in 2025     and is taxed.",
	} {
		answer := extract(t, fields, sheet(1, `
Date       Description                    Debit      Credit     Balance
2026-02-04 Card payment at the bakery     12.40                 1187.60
2026-02-05 Salary                                   2100.00     3287.60
2026-02-06 Standing order for the rent   950.00                 2337.60
2026-02-07 Water                          31.10                 2306.50`+below))
		if string(answer.Data) != want {
			t.Errorf("%s: %s", name, answer.Data)
		}
	}
}

// halved sets the lines of a sheet half as far apart.
func halved(p page.Page) page.Page {
	for i := range p.Words {
		b := &p.Words[i].Box
		up := (b.Y0 - sheetTop/842) / 2
		b.Y0, b.Y1 = b.Y0-up, b.Y1-up
	}
	return p
}

// TestCentredText has cells set in the middle of their rows, as browsers do:
// text of two lines stands half a line above and below the figures.
func TestCentredText(t *testing.T) {
	const heads = `
Pos   Description             Qty     Unit price       Amount


`
	const rope = `
      Rope of hemp
1                               2          45.00        90.00
      in three strands

`
	const anchor = `
2     Anchor                    3         150.50       451.50

`
	const paint = `
      Paint

      which dries
3                              12           9.25       111.00
      within a day

      in all weathers

`
	items := map[string]string{
		rope:   `{"description":"Rope of hemp in three strands","quantity":2,"unit_price":45.00,"amount":90.00}`,
		anchor: `{"description":"Anchor","quantity":3,"unit_price":150.50,"amount":451.50}`,
		paint:  `{"description":"Paint which dries within a day in all weathers","quantity":12,"unit_price":9.25,"amount":111.00}`,
	}
	for name, rows := range map[string][]string{
		"all of two lines": {rope, rope, rope},
		"one line first":   {anchor, rope, anchor, rope},
		"two lines first":  {rope, anchor, anchor, rope, rope},
		"one line at last": {rope, rope, anchor},
		"a single row":     {rope},
		"few of two lines": {anchor, anchor, anchor, rope},
		"four lines":       {paint, anchor, rope, paint, paint},
	} {
		text := strings.TrimLeft(heads, "\n")
		var want []string
		for _, r := range rows {
			text += strings.TrimLeft(r, "\n")
			want = append(want, items[r])
		}
		answer := extract(t, lineFields, halved(sheet(1, text)))
		if want := `{"items":[` + strings.Join(want, ",") + `]}`; string(answer.Data) != want {
			t.Errorf("%s: %s", name, answer.Data)
		}
	}
}

// grid draws the rules of a table with cells closed on all sides.
func grid(first, last int, columns ...int) []rule {
	var rules []rule
	for line := first; line <= last; line++ {
		rules = append(rules, rule{line: line, from: columns[0], to: columns[len(columns)-1]})
	}
	for _, c := range columns {
		rules = append(rules, rule{line: first, from: c, down: last})
	}
	return rules
}

func TestRuledTables(t *testing.T) {
	statement := `[{"name":"transactions","type":"array","fields":[{"name":"date","type":"date"},{"name":"description"},{"name":"debit","type":"number"},{"name":"credit","type":"number"}]}]`
	years := `[{"name":"rows","type":"array","fields":[{"name":"region"},{"name":"a","description":"Column \"2005 Men\""},{"name":"b","description":"Column \"2005 Women\""},{"name":"c","description":"Column \"2006 Men\""},{"name":"d","description":"Column \"2006 Women\""}]}]`
	yearRows := `{"rows":[{"region":"North","a":"12","b":"13","c":"14","d":"15"},{"region":"South","a":"22","b":"23","c":"24","d":"25"}]}`
	merged := []rule{{line: 0, to: 50}, {line: 1, to: 50}, {line: 2, from: 12, to: 50}, {line: 3, to: 50}, {line: 4, from: 12, to: 50}, {line: 5, to: 50}}
	for name, c := range map[string]struct {
		fields, text string
		rules        []rule
		want         string
	}{
		"a cell that reaches over rows": {statement, `
Date        Description     Debit   Credit
2026-02-04  Insurance      445.00
            Refund                    3.00
2026-02-05  Rent           900.00
            Water           31.10`, merged,
			`{"transactions":[{"date":"2026-02-04","description":"Insurance","debit":445.00,"credit":null},{"date":"2026-02-04","description":"Refund","debit":null,"credit":3.00},` +
				`{"date":"2026-02-05","description":"Rent","debit":900.00,"credit":null},{"date":"2026-02-05","description":"Water","debit":31.10,"credit":null}]}`},
		"dates where they change": {statement, `
Date        Description     Debit   Credit
2026-02-04  Insurance      445.00
            Refund                    3.00
2026-02-05  Rent           900.00
            Water           31.10`, nil,
			`{"transactions":[{"date":"2026-02-04","description":"Insurance","debit":445.00,"credit":null},{"date":"2026-02-04","description":"Refund","debit":null,"credit":3.00},` +
				`{"date":"2026-02-05","description":"Rent","debit":900.00,"credit":null},{"date":"2026-02-05","description":"Water","debit":31.10,"credit":null}]}`},
		"a head over two": {statement, `
                                Amount
Date        Description     Debit   Credit
2026-02-04  Insurance      445.00
2026-02-05  Refund                    3.00`, nil,
			`{"transactions":[{"date":"2026-02-04","description":"Insurance","debit":445.00,"credit":null},{"date":"2026-02-05","description":"Refund","debit":null,"credit":3.00}]}`},
		"heads over the gaps of two": {years, `
                2005               2006
Region       Men    Women       Men    Women
North         12       13        14       15
South         22       23        24       25`, nil, yearRows},
		"heads over three, with rules": {years, `
                2005               2006
Region     Men   All   Women  Men   All  Women
North       12     0      13   14     0     15
South       22     0      23   24     0     25`, []rule{{line: 1, from: 11, to: 29}, {line: 1, from: 30, to: 46}}, yearRows},
		"all rows of text": {`[{"name":"rows","type":"array","fields":[{"name":"region","description":"Column \"Region\""},{"name":"signed","description":"Column \"Signed (EURm)\""}]}]`, `
Region          Signed
                (EURm)
North             6.19
South            12.60
Total            18.79
Source: annual report`, append(grid(2, 5, 0, 14, 24), rule{line: 0, to: 24}, rule{from: 0, down: 2}, rule{from: 14, down: 2}, rule{from: 24, down: 2}),
			`{"rows":[{"region":"North","signed":"6.19"},{"region":"South","signed":"12.60"},{"region":"Total","signed":"18.79"}]}`},
		"nothing but text": {`[{"name":"rows","type":"array","fields":[{"name":"type"},{"name":"meaning"}]}]`, `
Type        Meaning
Visual      A line of fixed length
scale       with words at its ends
Checklist   A choice between options
The options of a response are considered appropriate when they are clear.`, []rule{{line: 0, to: 40}, {line: 1, to: 40}, {line: 3, to: 40}, {line: 4, to: 40}, {from: 0, down: 4}, {from: 11, down: 4}, {from: 40, down: 4}},
			`{"rows":[{"type":"Visual scale","meaning":"A line of fixed length with words at its ends"},{"type":"Checklist","meaning":"A choice between options"}]}`},
		"a first column without a head": {`[{"name":"rows","type":"array","fields":[{"name":"label"},{"name":"y1994","description":"Column \"1994\""},{"name":"y1997","description":"Column \"1997\""}]}]`, `
                1994         1997
Lowest          1,200        1,400
Middle          2,200        2,400
Highest         over 3,000   over 4,000`, nil,
			`{"rows":[{"label":"Lowest","y1994":"1,200","y1997":"1,400"},{"label":"Middle","y1994":"2,200","y1997":"2,400"},{"label":"Highest","y1994":"over 3,000","y1997":"over 4,000"}]}`},
		"dots that lead to figures": {`[{"name":"rows","type":"array","fields":[{"name":"offence"},{"name":"total","description":"Column \"Total\""},{"name":"male","description":"Column \"Male\""}]}]`, `
Offence                 Total      Male
Murder . . . . . .      9,775     8,770
Robbery.............  100,702    89,000`, nil,
			`{"rows":[{"offence":"Murder","total":"9,775","male":"8,770"},{"offence":"Robbery","total":"100,702","male":"89,000"}]}`},
		"labels of several lines": {`[{"name":"rows","type":"array","fields":[{"name":"group","description":"Column \"Group\""},{"name":"men","description":"Column \"Men\""},{"name":"women","description":"Column \"Women\""}]}]`, `
Group                        Men     Women
Employed
In agriculture and in
fishing                       12        13
In the trade of goods        140       131
of all kinds
Unemployed                     -         7
Source: census`, nil,
			`{"rows":[{"group":"Employed","men":null,"women":null},{"group":"In agriculture and in fishing","men":"12","women":"13"},` +
				`{"group":"In the trade of goods of all kinds","men":"140","women":"131"},{"group":"Unemployed","men":"-","women":"7"}]}`},
	} {
		answer := extract(t, c.fields, ruled(sheet(1, c.text), c.rules...))
		if string(answer.Data) != c.want {
			t.Errorf("%s: %s", name, answer.Data)
		}
		checkAnswer(t, fieldsOf(t, c.fields), answer)
	}
}

func TestTablesByTheirTitle(t *testing.T) {
	answer := extract(t, `[{"name":"withdrawals","type":"array","fields":[{"name":"date","type":"date"},{"name":"description"},{"name":"amount","type":"number"}]},
		{"name":"deposits","type":"array","fields":[{"name":"date","type":"date"},{"name":"description"},{"name":"amount","type":"number"}]}]`, sheet(1, `
Deposits
Date         Description        Amount
2026-02-04   Salary            3000.00

Withdrawals
Date         Description        Amount
2026-02-05   Rent               900.00
2026-02-06   Water               31.10`))
	want := `{"withdrawals":[{"date":"2026-02-05","description":"Rent","amount":900.00},{"date":"2026-02-06","description":"Water","amount":31.10}],"deposits":[{"date":"2026-02-04","description":"Salary","amount":3000.00}]}`
	if string(answer.Data) != want {
		t.Errorf("%s", answer.Data)
	}
}

func TestTablesAreRefused(t *testing.T) {
	for name, text := range map[string]string{
		"of something else": `
Test          Result    Unit     Range
Glucose         5.4     mmol/l   3.9 - 5.5
Sodium          140     mmol/l   135 - 145`,
		"one column only": `
Date          Channel   Spots    Length
2026-05-03    WZZM          4    30
2026-05-04    WZZM          2    30`,
		"dates only": `
Start date    End date     Week
2026-05-03    2026-05-09      4
2026-05-10    2026-05-16      2`,
		"prose": `
The amount and the date of each balance are described in the credit agreement, in which debit and
credit have the meaning that the description in section 4 gives to them on any date on which a
balance is due.`,
		"labels": `
Date: 2026-05-03          Description: Rent
Balance: 12.00            Amount: 3.00`,
	} {
		answer := extract(t, `[{"name":"transactions","type":"array","fields":[{"name":"date","type":"date"},{"name":"description"},{"name":"debit","type":"number"},{"name":"credit","type":"number"},{"name":"balance","type":"number"}]}]`, sheet(1, text))
		if want := `{"transactions":null}`; string(answer.Data) != want {
			t.Errorf("%s: %s", name, answer.Data)
		}
	}
}

func TestTablesOverPages(t *testing.T) {
	first := `
Description        Qty     Unit price       Amount
Rope                 2          45.00        90.00
` + strings.Repeat("Anchor               3         150.50       451.50\n", 48) + `Carried forward                          21762.00

Page 1 of 2`
	for name, second := range map[string]string{
		"heads again": `
Invoice 4711, continued

Description        Qty     Unit price       Amount
Brought forward                          21762.00
Paint               12           9.25       111.00

Total                                    21873.00`,
		"no heads": `
Invoice 4711, continued

Brought forward                          21762.00
Paint               12           9.25       111.00

Total                                    21873.00`,
	} {
		answer := extract(t, lineFields, sheet(1, first), sheet(2, second))
		if n := strings.Count(string(answer.Data), "description"); n != 50 || !strings.Contains(string(answer.Data), `"Paint"`) || strings.Contains(string(answer.Data), "forward") {
			t.Errorf("%s: %d rows in %s", name, n, answer.Data)
		}
		if m := answer.Metadata["/items/49/amount"]; m.Page != 2 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func TestTextOverPages(t *testing.T) {
	fields := `[{"name":"votes","type":"array","fields":[{"name":"member"},{"name":"party"},{"name":"vote"}]}]`
	first := "Member              Party        Vote\n" + strings.Repeat("AGUILAR, LINO       Green        yes\n", 50)
	second := "Record of the house\n\n" + strings.Repeat("BERTONE, ROSA       Blue         no\n", 3) + "\nThe record was read and approved by all members of the house."
	answer := extract(t, fields, sheet(1, first), sheet(2, second))
	if green, blue := strings.Count(string(answer.Data), `"Green"`), strings.Count(string(answer.Data), `"Blue"`); green != 50 || blue != 3 || strings.Count(string(answer.Data), `"member"`) != 53 {
		t.Errorf("%d and %d: %s", green, blue, answer.Data)
	}
}

func BenchmarkTables(b *testing.B) {
	for name, heads := range map[string]bool{"heads on all pages": true, "heads on the first": false} {
		b.Run(name, func(b *testing.B) {
			r := engine.Request{Pages: ledger(2000, heads), Fields: fieldsOf(b, ledgerFields)}
			e := New()
			for b.Loop() {
				if _, err := e.Extract(b.Context(), r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

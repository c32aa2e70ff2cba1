package detect

import (
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// usualFields has on each line kinds of documents and the fields that such
// documents usually have, printed with a label or without. The engine knows
// many of them by other signs, such as a letterhead. It is asked for those that
// no label told of.
const usualFields = `
invoice credit_note utility_bill: vendor_name vendor_address vendor_vat_id:vat_id invoice_number invoice_date:issue_date,date due_date customer_name customer_address currency subtotal tax_amount total_amount:amount_due line_items
receipt: vendor_name vendor_address date:invoice_date,issue_date currency subtotal tax_amount total_amount line_items
quote purchase_order delivery_note: vendor_name vendor_address customer_name customer_address date:order_date,issue_date,delivery_date currency total_amount line_items
payslip: pay_date pay_period gross_pay net_pay
bank_statement: account_number iban opening_balance closing_balance
resume: name email phone
`

// leastUsual is the confidence from which a field is proposed that nothing on
// the page announces.
const leastUsual = 0.6

// usualOf gives the usual fields of a kind of document that were not found yet.
// Behind a colon stand names that serve as well.
func usualOf(kind string, found []candidate) []candidate {
	has := func(name string) bool {
		return slices.ContainsFunc(found, func(c candidate) bool {
			return c.field.Name == name || c.section != "" && c.section+"_"+c.field.Name == name
		})
	}
	var all []candidate
	for l := range strings.Lines(strings.TrimSpace(usualFields)) {
		kinds, names, _ := strings.Cut(strings.TrimSpace(l), ": ")
		if !slices.Contains(strings.Fields(kinds), kind) {
			continue
		}
		for entry := range strings.FieldsSeq(names) {
			name, others, _ := strings.Cut(entry, ":")
			if !has(name) && !slices.ContainsFunc(strings.Split(others, ","), has) {
				all = append(all, candidate{field: usualField(name), usual: true})
			}
		}
	}
	return all
}

func usualField(name string) fieldlift.Field {
	f := fieldlift.Field{Name: name, Type: fieldlift.StringField, Description: "The " + strings.ReplaceAll(name, "_", " ") + "."}
	switch {
	case name == "line_items":
		f.Type, f.Description = fieldlift.ArrayField, "What was sold, line by line."
		f.Items = &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{
			{Name: "description", Type: fieldlift.StringField, Description: "What it is."},
			{Name: "quantity", Type: fieldlift.NumberField, Description: "How many of it."},
			{Name: "unit_price", Type: fieldlift.NumberField, Description: "The price of one."},
			{Name: "amount", Type: fieldlift.NumberField, Description: "The price of all."},
		}}
	case name == "currency":
		f.Description = "ISO code of the currency of the amounts, such as EUR."
	case isDate(name):
		f.Type = fieldlift.DateField
	case isAmount(name):
		f.Type = fieldlift.NumberField
	}
	return f
}

// takeUsual takes the place of a usual field from the engine's answer, and
// tells whether the engine is sure enough of it.
func (c *candidate) takeUsual(answer engine.Answer) bool {
	m := answer.Metadata["/"+c.field.Name]
	if c.field.Type == fieldlift.ArrayField {
		m = answer.Metadata["/"+c.field.Name+"/0/"+c.field.Items.Fields[0].Name]
	}
	if m.Confidence < leastUsual {
		return false
	}
	c.page, c.box = m.Page, page.Box{}
	if len(m.Boxes) > 0 { // what an electronic invoice says need not be printed
		b := m.Boxes[0]
		c.box = page.Box{X0: b[0], Y0: b[1], X1: b[2], Y1: b[3]}
	}
	return true
}

// withoutEchoes leaves out usual fields whose value has another name already.
// They come after all others, and of two the first is kept.
func withoutEchoes(candidates []candidate) []candidate {
	var kept []candidate
	for _, c := range candidates {
		if c.usual && !c.asked && c.field.Name != "currency" && slices.ContainsFunc(kept, func(o candidate) bool {
			return o.page == c.page && o.field.Name != "currency" && overlaps(o.box, c.box)
		}) {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

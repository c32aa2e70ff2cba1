package layout

import "testing"

func TestNoughtWhereThereIsNone(t *testing.T) {
	const invoice = `
Harbour Supplies Ltd            Invoice number:  4711
12 Quay Street                  Invoice date:    3 May 2026
Bristol BS1 4DJ

Subtotal        23.00
Total           23.00`
	const told, untold = "VAT rate as a percentage, 0% when none", "VAT rate as a percentage"
	fields := func(description, rest string) string {
		return `[{"name":"invoice_number"},{"name":"tax_rate","description":"` + description + `"}` + rest + `]`
	}
	const total = `,{"name":"total_amount","type":"number"}`
	for name, c := range map[string]struct{ fields, text, want string }{
		"asked for":          {fields(told, total), invoice, `{"invoice_number":"4711","tax_rate":"0%","total_amount":23.00}`},
		"not asked for":      {fields(untold, total), invoice, `{"invoice_number":"4711","tax_rate":null,"total_amount":23.00}`},
		"without a total":    {fields(told, ""), invoice, `{"invoice_number":"4711","tax_rate":null}`},
		"a number":           {fields(untold, total+`,{"name":"discount","type":"number","description":"Discount, 0 if none"}`), invoice, `{"invoice_number":"4711","tax_rate":null,"total_amount":23.00,"discount":0}`},
		"with what is there": {fields(told, total), invoice + "\nVAT 20% is included", `{"invoice_number":"4711","tax_rate":"20%","total_amount":23.00}`},
	} {
		answer := extract(t, c.fields, sheet(1, c.text))
		if string(answer.Data) != c.want {
			t.Errorf("%s: %s", name, answer.Data)
		}
		checkAnswer(t, fieldsOf(t, c.fields), answer)
	}
}

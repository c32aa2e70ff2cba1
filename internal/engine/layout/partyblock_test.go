package layout

import (
	"strings"
	"testing"
)

// A party's name is the first line under its label that does not read like an
// address, and its address what follows.
func TestNameAboveAddress(t *testing.T) {
	const fields = `[{"name":"invoice_number"},{"name":"customer","type":"object","fields":[{"name":"name"},{"name":"address"}]},{"name":"total","type":"number"}]`
	for name, c := range map[string]struct{ block, want string }{
		"a person":                      {"Ines Falk\n17 Elm Ln\n44400 Torby", `{"name":"Ines Falk","address":"17 Elm Ln 44400 Torby"}`},
		"a street without a word":       {"Town of Torby\n310 W Third\nTorby, TX 78664", `{"name":"Town of Torby","address":"310 W Third Torby, TX 78664"}`},
		"a street without a number":     {"Mairie de Torby\nPlace Anne Renard\n44400 Torby", `{"name":"Mairie de Torby","address":"Place Anne Renard 44400 Torby"}`},
		"a street with its number last": {"Ines Falk\nRynek 5\n30-042 Torby", `{"name":"Ines Falk","address":"Rynek 5 30-042 Torby"}`},
	} {
		answer := extract(t, fields, sheet(1, "Invoice\n\nInvoice no: 5\n\nBill to:\n"+c.block+"\n\nTotal: 12.00"))
		if !strings.Contains(string(answer.Data), c.want) {
			t.Errorf("%s: %s", name, answer.Data)
		}
	}
}

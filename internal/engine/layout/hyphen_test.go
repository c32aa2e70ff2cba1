package layout

import "testing"

func TestGoOn(t *testing.T) {
	for _, c := range []struct{ text, next, want string }{
		{"Allgemeine Versiche-", "rung der Fahrt", "Allgemeine Versicherung der Fahrt"},
		{"Grundstücksverkehrs\u00ad", "genehmigung", "Grundstücksverkehrsgenehmigung"},
		{"manage\u2010", "ment fee", "management fee"},
		{"E-Mail-", "Adresse", "E-Mail-Adresse"},
		{"a state-of-the-", "art boat", "a state-of-the-art boat"},
		{"Price by e-", "mail", "Price by e-mail"},
		{"Müller-", "Lüdenscheidt GmbH", "Müller-Lüdenscheidt GmbH"},
		{"Vor-", "und Nachname", "Vor- und Nachname"},
		{"short-", "or long-term", "short- or long-term"},
		{"Ein-", "bzw. Ausgang", "Ein- bzw. Ausgang"},
		{"Main Street 12", "Springfield", "Main Street 12 Springfield"},
		{"A boat -", "and its oars", "A boat - and its oars"},
		{"2015-", "2016", "2015- 2016"},
		{"120.00-", "credit", "120.00- credit"},
		{"Versiche-", "", "Versiche- "},
		{"-", "rung", "- rung"},
		{"", "rung", " rung"},
	} {
		if got := goOn(c.text, c.next); got != c.want {
			t.Errorf("%q and %q: %q, want %q", c.text, c.next, got, c.want)
		}
	}
}

func TestHyphensStayOutOfValues(t *testing.T) {
	for name, c := range map[string]struct{ fields, text, want string }{
		"in a table": {`[{"name":"items","type":"array","fields":[{"name":"description"},{"name":"quantity","type":"number"},{"name":"amount","type":"number"}]}]`, `
Description            Quantity    Amount
Transportversiche-            1    120.00
rung
Deckel                        2     10.00`, `{"items":[{"description":"Transportversicherung","quantity":1,"amount":120.00},{"description":"Deckel","quantity":2,"amount":10.00}]}`},
		"in a list": {`[{"name":"skills","type":"array"}]`, `
Skills
• Sailing of small and me-
  dium boats
• Knots`, `{"skills":["Sailing of small and medium boats","Knots"]}`},
	} {
		if answer := extract(t, c.fields, sheet(1, c.text)); string(answer.Data) != c.want {
			t.Errorf("%s: %s", name, answer.Data)
		}
	}
}

package cli

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
)

func TestFields(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{`total`, `{"total":{"type":"string"}}`},
		{`invoice_number!, total:number`, `{"invoice_number":{"type":"string"},"total":{"type":"number"}},"required":["invoice_number"]`},
		{" a : boolean ! ,\n\tb:date", `{"a":{"type":"boolean"},"b":{"type":"string","format":"date"}},"required":["a"]`},
		{`Invoice No.x`, `{"Invoice No":{"type":"object","properties":{"x":{"type":"string"}}}}`},
		{`größe:number`, `{"größe":{"type":"number"}}`},
		{`vendor.name, vendor.address.city!, total`, `{"vendor":{"type":"object","properties":{"name":{"type":"string"},"address":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}},"total":{"type":"string"}}`},
		{`items[].text, items[].amount:number!`, `{"items":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"amount":{"type":"number"}},"required":["amount"]}}}`},
		{`items[]!, items[].a`, `{"items":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}},"required":["items"]`},
		{`items[].a, items[]:object!`, `{"items":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}},"required":["items"]`},
		{`tags[], days[]:date, any:array, o:object`, `{"tags":{"type":"array","items":{"type":"string"}},"days":{"type":"array","items":{"type":"string","format":"date"}},"any":{"type":"array","items":{}},"o":{"type":"object"}}`},
	} {
		schema, faults := parseFields(test.text)
		if want := `{"type":"object","properties":` + test.want + `}`; schema.String() != want || faults != nil {
			t.Errorf("%q is\n%s\nand not\n%s\n%q", test.text, schema, want, faults)
		}
	}
}

func TestFieldsPointAtMistakes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{``, "at least one field"},
		{`[{"name":"a"}]`, "a JSON Schema goes to --schema"},
		{`a, total:numbr`, "no type \"numbr\"; string, number, boolean, date, array or object is needed\n    total:numbr\n          ^"},
		{`größe: x`, "\n    größe: x\n           ^"},
		{`a:`, "no type \"\""},
		{`a,,b`, "nothing before or after a comma"},
		{`a!:number`, "at the end of a field\n    a!:number\n     ^"},
		{`a!!`, "at the end of a field\n    a!!\n     ^"},
		{`a.b[0].c`, "stands for an array\n    a.b[0].c\n       ^"},
		{`a[][]`, "stands for an array"},
		{`a..b`, "a name is missing\n    a..b\n      ^"},
		{`[]`, "this looks like JSON"},
		{`a, []`, "a name is missing"},
		{`a, b, a:number`, "the field a is named twice\n    a:number\n    ^"},
		{`a:number, a.b`, "a is a number and has no fields of its own\n    a.b\n      ^"},
		{`a.b, a:number`, "a has fields of its own and cannot be a number\n    a:number\n      ^"},
		{`a[].b, a.c`, "with [] in one place and without in another"},
		{"a\x00b", "control characters"},
		{strings.Repeat("x", 201), "at most 200 characters"},
		{strings.Repeat("a.", 20) + "a", "nested deeper than 16 levels"},
		{strings.Repeat("a,", 2000) + "a", "more than 2000 fields"},
	} {
		if _, faults := parseFields(test.text); len(faults) == 0 || !strings.Contains(faults[0], test.want) {
			t.Errorf("%q: %q, want %q", test.text, faults, test.want)
		}
	}
	if _, faults := parseFields(`a:x, b, b, c!d`); len(faults) != 3 {
		t.Errorf("not all mistakes are told: %q", faults)
	}
}

func FuzzFields(f *testing.F) {
	for _, seed := range []string{`a`, `a:number!, b.c[].d`, `x[]:date,x[]`, `größe : boolean`, `a..b`, `a[0]!!:`, "\xff.", `{`, ` , ,`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		schema, faults := parseFields(text)
		if schema.IsZero() != (len(faults) > 0) {
			t.Fatalf("%q is both good and bad, or neither: %s, %q", text, schema, faults)
		}
		for _, fault := range faults {
			lines := strings.Split(fault, "\n")
			if lines[0] == "" || len(lines) != 1 && len(lines) != 3 {
				t.Errorf("%q: %q", text, fault)
			}
			if len(lines) == 3 && utf8.RuneCountInString(lines[2]) > utf8.RuneCountInString(lines[1])+1 {
				t.Errorf("%q: the mark stands outside: %q", text, fault)
			}
		}
		if again := fieldlift.SchemaOf(schema.Fields()); again != schema {
			t.Errorf("%q: %s", text, cmp.Diff(schema.String(), again.String()))
		}
	})
}

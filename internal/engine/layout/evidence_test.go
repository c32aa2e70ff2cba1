package layout

import (
	"strings"
	"testing"
)

func TestHostName(t *testing.T) {
	for address, want := range map[string]string{
		"https://www.acme.com/contact": "acme", "shop.acme.co.uk": "acme", "acme.de": "acme", "mail.north-quay.example": "northquay",
		"www.acme.com,": "acme", "localhost": "localhost", "": "",
	} {
		if got := hostName(address); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func TestItemsOfForms(t *testing.T) {
	for text, want := range map[string]bool{
		"3. Nature of material": true, "(12) Signature": true, "7) Name": true, "3 Nature": false, "3.": false, "12. May": false,
		"Nature of material": false, "1460 Colony Street": false, "4711. Nothing": false, "3. 14": false,
	} {
		if got := isItem(strings.Fields(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPostcodesOfTwoWords(t *testing.T) {
	for text, want := range map[string]bool{
		"Bristol BS1 4DJ": true, "London SW1A 1AA": true, "Ottawa K1A 0B1": true, "Total 12 345": false, "Room B1 4th door": false, "Bristol BS 4DJ": false,
	} {
		if got := isAddressLine(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestVATNumberWithItsCountryApart(t *testing.T) {
	const fields = `[{"name":"vendor_name"},{"name":"vendor_vat_id"},{"name":"invoice_number"}]`
	answer := extract(t, fields, sheet(1, `
Nordlicht GmbH
Uferweg 40, 63571 Gelnhausen
UStId DE 232 446 240

Rechnung Nr. 4711`))
	if want := `"vendor_vat_id":"DE 232 446 240"`; !strings.Contains(string(answer.Data), want) {
		t.Errorf("%s", answer.Data)
	}
}

// A number that has a label of its own is not what the party above it is asked
// for.
func TestNumberWithItsOwnLabel(t *testing.T) {
	const fields = `[{"name":"employee","type":"object","fields":[{"name":"name"},{"name":"social_security_number"}]}]`
	const head = "RECIBO DE SALARIOS\n\nTrabajador: RUBIO SANZ, ELENA\nNIF:        87654321X\n"
	for text, want := range map[string]string{
		head + "Nº Afiliación S.S.: 28/87654321/09\nCategoría: Oficial": `"social_security_number":"28/87654321/09"`,
		head + "Categoría: Oficial":                                     `"social_security_number":null`,
	} {
		if answer := extract(t, fields, sheet(1, text)); !strings.Contains(string(answer.Data), want) {
			t.Errorf("%s, want %s", answer.Data, want)
		}
	}
}

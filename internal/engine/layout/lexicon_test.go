package layout

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/value"
)

// pair is the name of a field and a label that may be printed for it.
type pair struct{ name, label string }

// same are labels that must be recognised, by the language of the document.
var same = map[string][]pair{
	"en": {
		{"invoice_number", "Invoice No."}, {"invoice_number", "Inv. #"}, {"invoice_number", "Bill No"}, {"invoiceNumber", "INVOICE NUMBER:"},
		{"invoice_date", "Date of invoice"}, {"invoice_date", "Bill date"}, {"due_date", "Payment due by"}, {"due_date", "Pay before"},
		{"po_number", "P.O. No."}, {"po_number", "Purchase Order #"}, {"purchase_order", "PO"}, {"customer_name", "Bill To"}, {"customer_id", "Client no."},
		{"billing_address", "Bill To"}, {"ship_to", "Delivery address"}, {"shipping_address", "Ship to"}, {"shipping_cost", "Freight"},
		{"vendor_name", "Seller"}, {"supplier", "Vendor name"}, {"quantity", "Qty"}, {"quantity", "Hours"}, {"unit", "U/M"}, {"unit_price", "Price per unit"},
		{"unit_price", "Unit cost"}, {"unitprice", "Price each"}, {"line_total", "Extended price"}, {"subtotal", "Net amount"}, {"subtotal", "Total excl. VAT"},
		{"total_amount", "Grand total"}, {"total_amount", "Amount due"}, {"amount_due", "Balance due"}, {"amount_due", "Please pay"}, {"tax_amount", "VAT"},
		{"vat_rate", "VAT %"}, {"tax_rate", "Tax rate"}, {"vat_number", "VAT Reg. No."}, {"vendor_vat_id", "VAT No"}, {"tax_id", "T.I.N."},
		{"account_number", "A/C No."}, {"account_number", "Acct #"}, {"sort_code", "Sort Code"}, {"opening_balance", "Balance brought forward"},
		{"beginning_balance", "Opening balance"}, {"ending_balance", "Closing balance"}, {"withdrawals", "Paid out"}, {"deposits", "Paid in"},
		{"payment_terms", "Terms of payment"}, {"payment_method", "Paid by"}, {"date_of_birth", "D.O.B."}, {"birth_date", "Date of Birth"},
		{"first_name", "Given names"}, {"last_name", "Surname"}, {"phone", "Tel."}, {"phone_number", "Mobile"}, {"email", "E-mail"}, {"zip_code", "Postcode"},
		{"ssn", "Social security number"}, {"ein", "Employer identification number (EIN)"}, {"payer_tin", "PAYER'S TIN"}, {"recipient_name", "RECIPIENT'S name"},
		{"payer_tin", "PAYER'S federal identification number"}, {"wages_tips_other_compensation", "1 Wages, tips, other compensation"},
		{"federal_tax_withheld", "Federal income tax withheld"}, {"nonemployee_compensation", "1 Nonemployee compensation"}, {"rents", "1 Rents"},
		{"state_income", "7 State income"}, {"gross_pay", "Gross earnings"}, {"net_pay", "Net wages"}, {"employee_id", "Personnel no."}, {"pay_date", "Date paid"},
		{"passport_number", "Passport No"}, {"expiry_date", "Valid until"}, {"issue_date", "Issued on"}, {"policy_number", "Policy #"}, {"claim_number", "Claim reference"},
		{"effective_date", "Effective as of"}, {"governing_law", "Applicable law"}, {"agreement_date", "Dated as of"}, {"tenant", "Lessee"}, {"landlord_name", "Lessor"},
		{"meter_number", "Meter ID"}, {"booking_reference", "PNR"}, {"flight_number", "Flight no."}, {"vin", "Chassis number"}, {"mileage", "Odometer"},
		{"license_plate", "Registration plate"}, {"patient_id", "MRN"}, {"reference_range", "Normal values"}, {"physician", "Doctor"}, {"hs_code", "Commodity code"},
		{"country_of_origin", "Made in"}, {"tracking_number", "Waybill no"}, {"job_title", "Occupation"}, {"institution", "University"}, {"gpa", "Grade point average"},
		{"check_in_date", "Check-in"}, {"net_weight", "N.W."}, {"gross_amount", "Gross"}, {"flight_start_date", "Flight start"}, {"registration_number", "Reg. No."},
		{"signer_name", "Name of signatory"}, {"currency", "Ccy"}, {"website", "www"}, {"description", "Particulars"}, {"item_number", "Part no."}, {"sku", "Product"},
	},
	"de": {
		{"invoice_number", "Rechnungs-Nr."}, {"invoice_number", "Rechnungsnummer"}, {"invoice_number", "RG-Nr."}, {"invoice_number", "Belegnummer"}, {"invoice_date", "Rechnungsdatum"},
		{"due_date", "Fällig am"}, {"due_date", "Zahlbar bis"}, {"due_date", "Faelligkeitsdatum"}, {"customer_number", "Kundennr."}, {"customer_number", "Kd.-Nr."}, {"customer_name", "Rechnung an"},
		{"vendor_name", "Lieferant"}, {"billing_address", "Rechnungsanschrift"}, {"shipping_address", "Lieferanschrift"}, {"vat_id", "USt-IdNr."}, {"vat_number", "Umsatzsteuer-Identifikationsnummer"},
		{"tax_number", "Steuernummer"}, {"tax_amount", "MwSt."}, {"tax_rate", "MwSt-Satz"}, {"vat_rate", "USt %"}, {"subtotal", "Nettobetrag"}, {"subtotal", "Zwischensumme"}, {"subtotal", "Summe netto"},
		{"total_amount", "Gesamtbetrag"}, {"total_amount", "Bruttobetrag"}, {"total", "Endsumme"}, {"amount_due", "Zahlbetrag"}, {"total_amount", "Rechnungsbetrag"}, {"unit_price", "Einzelpreis"},
		{"unit_price", "E-Preis"}, {"unit_price", "Preis/Einheit"}, {"quantity", "Menge"}, {"quantity", "Anzahl"}, {"unit", "Einh."}, {"line_total", "Gesamtpreis"}, {"amount", "Betrag EUR"},
		{"description", "Bezeichnung"}, {"item_number", "Art.-Nr."}, {"position", "Pos."}, {"order_number", "Bestellnummer"}, {"order_date", "Auftragsdatum"}, {"delivery_date", "Lieferdatum"},
		{"account_number", "Kontonummer"}, {"bank", "Bankverbindung"}, {"account_holder", "Kontoinhaber"}, {"payment_terms", "Zahlungsbedingungen"}, {"birth_date", "Geburtsdatum"},
		{"place_of_birth", "Geburtsort"}, {"first_name", "Vorname"}, {"last_name", "Nachname"}, {"net_pay", "Auszahlungsbetrag"}, {"gross_salary", "Bruttolohn"}, {"employee_number", "Personal-Nr."},
		{"nationality", "Staatsangehörigkeit"}, {"meter_reading", "Zählerstand"}, {"consumption", "Verbrauch"}, {"license_plate", "Amtliches Kennzeichen"}, {"tenant", "Mieter"}, {"rent", "Kaltmiete"},
		{"policy_number", "Versicherungsnummer"}, {"zip", "PLZ"}, {"patient_name", "Patient"}, {"payment_reference", "Zahlungsreferenz"}, {"service_date", "Leistungsdatum"}, {"contract_start_date", "Vertragsbeginn"},
	},
	"fr": {
		{"invoice_number", "N° de facture"}, {"invoice_number", "Facture n°"}, {"invoice_date", "Date de facturation"}, {"due_date", "Date d'échéance"}, {"customer_number", "Code client"},
		{"customer_name", "Client"}, {"vendor_name", "Fournisseur"}, {"shipping_address", "Adresse de livraison"}, {"vat_number", "N° TVA intracommunautaire"}, {"tax_amount", "Montant TVA"},
		{"tax_rate", "Taux de TVA"}, {"subtotal", "Total HT"}, {"total_amount", "Total TTC"}, {"amount_due", "Net à payer"}, {"unit_price", "P.U. HT"}, {"unit_price", "Prix unitaire"},
		{"quantity", "Qté"}, {"description", "Désignation"}, {"company_number", "SIRET"}, {"payment_method", "Mode de règlement"}, {"date_of_birth", "Né(e) le"}, {"first_name", "Prénom"},
		{"issue_date", "Date de délivrance"}, {"account_number", "Numéro de compte"}, {"opening_balance", "Ancien solde"}, {"net_salary", "Net payé"}, {"order_number", "Commande n°"},
		{"landlord", "Bailleur"}, {"consumption", "Consommation"}, {"zip_code", "Code postal"}, {"governing_law", "Droit applicable"}, {"discount", "Remise"},
	},
	"es": {
		{"invoice_number", "Nº de factura"}, {"invoice_number", "Factura núm."}, {"invoice_date", "Fecha de factura"}, {"due_date", "Vencimiento"}, {"vendor_tax_id", "NIF proveedor"}, {"tax_id", "C.I.F."},
		{"subtotal", "Base imponible"}, {"tax_amount", "Cuota IVA"}, {"tax_rate", "Tipo de IVA"}, {"total_amount", "Importe total"}, {"amount_due", "Total a pagar"}, {"quantity", "Cant."},
		{"unit_price", "Precio unitario"}, {"description", "Concepto"}, {"customer_name", "Cliente"}, {"payment_method", "Forma de pago"}, {"birth_date", "Fecha de nacimiento"}, {"last_name", "Apellidos"},
		{"account_number", "Nº de cuenta"}, {"balance", "Saldo"}, {"address", "Domicilio"}, {"net_pay", "Líquido a percibir"}, {"company_name", "Razón social"}, {"expiry_date", "Fecha de caducidad"},
	},
	"it": {
		{"invoice_number", "Fattura n."}, {"invoice_number", "Numero fattura"}, {"invoice_date", "Data fattura"}, {"due_date", "Scadenza"}, {"vat_number", "P. IVA"}, {"vat_number", "Partita IVA"}, {"tax_id", "C.F."},
		{"tax_code", "Codice fiscale"}, {"subtotal", "Imponibile"}, {"tax_rate", "Aliquota IVA"}, {"tax_amount", "Totale IVA"}, {"total_amount", "Totale documento"}, {"quantity", "Q.tà"},
		{"unit_price", "Prezzo unit."}, {"unit", "U.M."}, {"customer_name", "Spett.le"}, {"date_of_birth", "Data di nascita"}, {"last_name", "Cognome"}, {"payment_method", "Modalità di pagamento"},
		{"delivery_note_number", "DDT n."}, {"net_pay", "Netto in busta"}, {"license_plate", "Targa"},
	},
	"pt": {
		{"invoice_number", "Fatura nº"}, {"invoice_date", "Data da fatura"}, {"due_date", "Data de vencimento"}, {"tax_id", "Contribuinte"}, {"tax_id", "NIF"}, {"subtotal", "Total ilíquido"},
		{"tax_amount", "Valor do IVA"}, {"tax_rate", "Taxa de IVA"}, {"total_amount", "Valor total"}, {"amount_due", "Valor a pagar"}, {"unit_price", "Preço unitário"}, {"quantity", "Qtd."},
		{"vendor_name", "Fornecedor"}, {"address", "Morada"}, {"birth_date", "Data de nascimento"}, {"description", "Designação"}, {"discount", "Desconto"}, {"phone", "Telemóvel"},
	},
	"nl": {
		{"invoice_number", "Factuurnummer"}, {"invoice_number", "Factuurnr."}, {"invoice_date", "Factuurdatum"}, {"due_date", "Vervaldatum"}, {"customer_number", "Klantnummer"}, {"customer_number", "Debiteurnr."},
		{"vat_number", "BTW-nummer"}, {"tax_rate", "BTW %"}, {"tax_amount", "BTW-bedrag"}, {"subtotal", "Totaal excl. BTW"}, {"total_amount", "Totaal incl. BTW"}, {"amount_due", "Te betalen"},
		{"unit_price", "Stukprijs"}, {"quantity", "Aantal"}, {"description", "Omschrijving"}, {"company_number", "KvK-nummer"}, {"iban", "IBAN"}, {"account_number", "Rekeningnummer"}, {"birth_date", "Geboortedatum"},
		{"delivery_date", "Leverdatum"}, {"shipping_address", "Afleveradres"}, {"payment_terms", "Betalingstermijn"},
	},
	"pl": {
		{"invoice_number", "Faktura VAT nr"}, {"invoice_number", "Numer faktury"}, {"invoice_date", "Data wystawienia faktury"}, {"due_date", "Termin płatności"}, {"vendor_name", "Sprzedawca"}, {"customer_name", "Nabywca"},
		{"tax_id", "NIP"}, {"tax_amount", "Kwota VAT"}, {"tax_rate", "Stawka VAT"}, {"subtotal", "Wartość netto"}, {"total_amount", "Razem brutto"}, {"amount_due", "Do zapłaty"}, {"quantity", "Ilość"},
		{"unit_price", "Cena jedn."}, {"unit", "J.m."}, {"description", "Nazwa towaru lub usługi"}, {"account_number", "Nr rachunku bankowego"}, {"payment_method", "Sposób zapłaty"}, {"position", "Lp."},
		{"service_date", "Data sprzedaży"}, {"birth_date", "Data urodzenia"}, {"last_name", "Nazwisko"},
	},
}

// other are labels of something else.
var other = map[string][]pair{
	"en": {
		{"invoice_date", "Due date"}, {"due_date", "Invoice date"}, {"due_date", "Date"}, {"vendor_name", "Customer name"}, {"customer_name", "Vendor name"}, {"subtotal", "Total"}, {"total", "Subtotal"},
		{"total_amount", "Net amount"}, {"tax_rate", "Tax amount"}, {"tax_amount", "Tax rate"}, {"tax_amount", "Tax ID"}, {"tax_id", "Tax amount"}, {"ship_to", "Bill to"}, {"billing_address", "Ship to"}, {"iban", "BIC"},
		{"bic", "IBAN"}, {"invoice_number", "Order number"}, {"order_number", "Invoice number"}, {"invoice_number", "Customer number"}, {"customer_number", "Customer name"}, {"customer_name", "Customer no."},
		{"start_date", "End date"}, {"end_date", "Start date"}, {"invoice_number", "Invoice date"}, {"invoice_date", "Invoice number"}, {"unit_price", "Unit"}, {"unit", "Unit price"}, {"quantity", "Unit price"},
		{"opening_balance", "Closing balance"}, {"debit", "Credit"}, {"gross_pay", "Net pay"}, {"net_weight", "Gross weight"}, {"net_weight", "Net amount"}, {"first_name", "Last name"}, {"birth_date", "Place of birth"},
		{"date_of_issue", "Date of expiry"}, {"expiry_date", "Date of birth"}, {"employer_name", "Employee name"}, {"payer_tin", "RECIPIENT'S TIN"}, {"payer_name", "RECIPIENT'S name"}, {"landlord", "Tenant"},
		{"borrower", "Lender"}, {"policy_number", "Claim number"}, {"departure_date", "Arrival date"}, {"origin", "Destination"}, {"phone", "Fax"}, {"email", "Website"}, {"account_number", "Account name"},
		{"bank_name", "Account name"}, {"payment_date", "Payment method"}, {"payment_method", "Payment terms"}, {"item_number", "Item description"}, {"description", "Item no."}, {"due_date", "Amount due"}, {"amount_due", "Due date"},
		{"check_number", "Check-in"}, {"patient_id", "Patient name"}, {"flight_number", "Flight date"}, {"vendor_address", "Vendor name"}, {"contract_number", "Contract date"}, {"social_security_wages", "Social security number"},
		{"shipping_cost", "Shipping address"}, {"meter_number", "Meter reading"},
	},
	"de": {
		{"invoice_date", "Fälligkeitsdatum"}, {"invoice_number", "Kundennummer"}, {"order_number", "Rechnungsnummer"}, {"tax_rate", "Steuernummer"}, {"vendor_name", "Kunde"}, {"unit_price", "Gesamtpreis"},
		{"customer_name", "Kundennummer"}, {"subtotal", "Gesamtbetrag"}, {"delivery_date", "Rechnungsdatum"}, {"gross_salary", "Nettolohn"}, {"meter_number", "Zählerstand"},
	},
	"fr": {{"subtotal", "Total TTC"}, {"invoice_date", "Date d'échéance"}, {"tax_rate", "Montant TVA"}, {"customer_name", "Code client"}, {"first_name", "Nom de famille"}},
	"es": {{"subtotal", "Total a pagar"}, {"invoice_date", "Vencimiento"}, {"vendor_name", "Cliente"}, {"tax_amount", "Tipo de IVA"}},
	"it": {{"invoice_date", "Data di nascita"}, {"total", "Imponibile"}, {"vat_rate", "Partita IVA"}},
	"pt": {{"invoice_date", "Data de vencimento"}, {"tax_rate", "Valor do IVA"}},
	"nl": {{"invoice_date", "Vervaldatum"}, {"tax_rate", "BTW-nummer"}},
	"pl": {{"invoice_date", "Termin płatności"}, {"vendor_name", "Nabywca"}},
}

// fit tells how well a label fits the one field of a schema.
func fit(x *lexicon, language string, p pair) match {
	l := newLabels(x, "")
	l.readIn(language)
	targets := []target{{field: fieldlift.Field{Name: p.name, Type: fieldlift.StringField}, table: -1, concepts: x.concepts(p.name)}}
	l.learn(targets, make([][]string, len(targets)))
	if found := l.match(p.label); len(found) > 0 {
		return found[0]
	}
	return match{}
}

// clearLabel is a score that other evidence seldom outweighs.
const clearLabel = 0.6

func TestLabelsOfNames(t *testing.T) {
	x := newLexicon()
	for language, pairs := range same {
		for _, p := range pairs {
			if fit(x, language, p).score < leastLabel {
				t.Errorf("%s: %q is not taken for a label of %q: %v is not %v", language, p.label, p.name, x.in(language).concepts(p.label), x.concepts(p.name))
			}
		}
	}
	for language, pairs := range other {
		for _, p := range pairs {
			if m := fit(x, language, p); m.form == whole && !m.contrary && m.score >= clearLabel {
				t.Errorf("%s: %q is taken for a label of %q with %.2f: %v, %v", language, p.label, p.name, m.score, x.in(language).concepts(p.label), x.concepts(p.name))
			}
		}
	}
}

func TestConcepts(t *testing.T) {
	x := newLexicon()
	for _, c := range []struct{ language, text, want string }{
		{"", "P.O. No.", "purchase order number"},
		{"", "p.o. number", "purchase order number"},
		{"", "MwSt", "tax vat"},
		{"", "e-mail", "email"},
		{"", "invoiceNumber", "invoice number"},
		{"", "vat %", "tax vat rate"},
		{"", "VAT 20 %", "tax vat 20"},
		{"", "Total incl. 20% VAT", "total gross"},
		{"", "Incl. 20% VAT", "20 tax vat"},
		{"de", "Rechnungssumme (inkl. 19 % USt.)", "invoice total amount gross"},
		{"", "price including delivery", "price delivery"},
		{"", "data_fattura", "invoice date"}, // Italian knows both words
		{"", "data_source", "data source"},
		{"", "Umsatzsteueridentifikationsnummer", "tax vat number"},
		{"", "Patientenname", "patient name"},
		{"de", "Faelligkeit", "due"},
		{"", "quantities", "quantity"},
		{"", "the date of the invoice", "date invoice"},
		{"", "number of pages", "count page"},
		{"", "xyzzy", "xyzzy"},
		{"", "", ""},
		// What a word means depends on the language.
		{"it", "Data", "date"},
		{"en", "Data", "data"},
		{"de", "Rate", "installment"},
		{"en", "Rate", "rate"},
		{"de", "Charge", "batch"},
		{"en", "Charge", "cost"},
		{"it", "Via", "street"},
		{"en", "Via", "shipment method"},
		{"nl", "Bij", "credit"},
		{"nl", "Bij ons", ""},
		{"nl", "Tot", "end"},
		{"nl", "Tot en met", "end"},
		{"pt", "do", ""},
		{"fr", "Port", "shipping"},
		{"en", "Port", "port"},
		{"pt", "No", "number"},
		{"en", "Los Angeles", "angeles"},
		{"en", "Art", "art"},
		{"de", "Art", "type"},
		{"fr", "Date du document", "date document"},
	} {
		if got := strings.Join(x.in(c.language).concepts(c.text), " "); got != c.want {
			t.Errorf("%q in %q means %q, not %q", c.text, c.language, got, c.want)
		}
	}
}

func TestKind(t *testing.T) {
	x := newLexicon()
	for name, want := range map[string]string{
		"invoice_date": "date", "total_amount": "money", "total": "money", "tax_rate": "percent", "vat_number": "vat", "customer_number": "id",
		"customer_name": "name", "customer": "name", "unit_price": "money", "iban": "iban", "date_of_birth": "date", "place_of_birth": "city",
		"shipping_address": "address", "phone_number": "phone", "quantity": "number", "xyzzy": "", "": "",
	} {
		if got := x.kind(x.concepts(name)); got != want {
			t.Errorf("%s is of kind %q, not %q", name, got, want)
		}
	}
}

func TestLanguageOf(t *testing.T) {
	x := newLexicon()
	for text, want := range map[string]string{
		"Invoice number 17 Date of issue Due date Bill to Description Quantity Unit price Total":         "en",
		"Rechnung Nr. 17 Datum Kunde Bezeichnung Menge Einzelpreis Gesamtbetrag zahlbar bis zum":         "de",
		"Facture n° 17 Date d'échéance Désignation Quantité Prix unitaire Total TTC à payer pour le":     "fr",
		"Factura núm. 17 Fecha de vencimiento Descripción Cantidad Precio unitario Total a pagar por el": "es",
		"Fattura n. 17 Data di scadenza Descrizione Quantità Prezzo unitario Totale da pagare":           "it",
		"Fatura n.º 17 Data de vencimento Descrição Quantidade Preço unitário Total a pagar":             "pt",
		"Factuurnummer 17 Vervaldatum Omschrijving Aantal Stukprijs Totaal te betalen voor de":           "nl",
		"Faktura nr 17 Termin płatności Nazwa towaru Ilość Cena jednostkowa Razem do zapłaty":            "pl",
		"4711 0815": "",
		"IBAN":      "",
		"":          "",
	} {
		if got := x.languageOf(strings.Fields(text)); got != want {
			t.Errorf("the language of %q is %q, not %q", text, got, want)
		}
	}
}

// TestConceptTable checks what is easily got wrong in a long table.
func TestConceptTable(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(conceptTable, "\n"), "\n")
	if want := "concept\tkind\tweight\t" + strings.ReplaceAll(languages, " ", "\t"); lines[0] != want {
		t.Fatalf("the head is %q, not %q", lines[0], want)
	}
	kinds, rows, primitives := kindSets(), map[string]bool{}, map[string]bool{}
	words := make([]map[string]string, languageCount)
	for i := range words {
		words[i] = map[string]string{}
	}
	for i, line := range lines[1:] {
		if strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 3+languageCount {
			t.Fatalf("line %d has %d cells", i+2, len(cells))
		}
		concept, kind, weight := cells[0], cells[1], cells[2]
		if concept == "" || rows[concept] {
			t.Errorf("line %d: concept %q is empty or told twice", i+2, concept)
		}
		rows[concept] = true
		if _, ok := kinds[kind]; !ok && kind != "-" {
			t.Errorf("%s: kind %q is unknown", concept, kind)
		}
		if strings.Contains(concept, " ") {
			if weight != "-" {
				t.Errorf("%s: weights are those of its concepts", concept)
			}
		} else {
			primitives[concept] = true
			if w, err := strconv.ParseFloat(weight, 64); err != nil || w < 0.3 || w > 1 {
				t.Errorf("%s: weight %q is not from 0.3 to 1", concept, weight)
			}
		}
		for language, cell := range cells[3:] {
			if cell == "" {
				continue
			}
			list := strings.Split(cell, ", ")
			if !slices.IsSorted(list) {
				t.Errorf("%s: %q is not sorted", concept, cell)
			}
			for _, word := range list {
				if word == "" || value.Fold(word) != word || strings.Join(split(word), " ") != word {
					t.Errorf("%s: no text is split into %q", concept, word)
				}
				if before, taken := words[language][word]; taken {
					t.Errorf("%q means both %s and %s in one language", word, before, concept)
				}
				words[language][word] = concept
			}
		}
	}
	for row := range rows {
		for _, concept := range strings.Fields(row) {
			if !primitives[concept] {
				t.Errorf("%s: %s has no row of its own", row, concept)
			}
		}
	}
	for line := range strings.Lines(strings.TrimSpace(smallWords)) {
		name, list, _ := strings.Cut(line, ":")
		for _, word := range strings.Fields(list) {
			if value.Fold(word) != word {
				t.Errorf("%s: %q is not folded", name, word)
			}
		}
	}
}

func FuzzConcepts(f *testing.F) {
	f.Add("\u0739") // an accent alone
	for _, pairs := range same {
		for _, p := range pairs {
			f.Add(p.label)
		}
	}
	x := newLexicon()
	views := []*lexicon{x}
	for _, language := range strings.Fields(languages) {
		views = append(views, x.in(language))
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, view := range views {
			found := view.concepts(text)
			for _, c := range found {
				if c == "" || strings.ContainsAny(c, " \t\n") {
					t.Errorf("%q means %q", text, found)
				}
				if w := view.weight(c); w < 0.3 || w > 1 {
					t.Errorf("%q weighs %v", c, w)
				}
			}
			if again := view.concepts(text); !slices.Equal(again, found) {
				t.Errorf("%q means %q, then %q", text, found, again)
			}
			view.kind(found)
		}
		x.languageOf(strings.Fields(text))
	})
}

func BenchmarkNewLexicon(b *testing.B) {
	for b.Loop() {
		newLexicon()
	}
}

func BenchmarkConcepts(b *testing.B) {
	x := newLexicon()
	for _, view := range []struct {
		name string
		*lexicon
	}{{"names", x}, {"labels", x.in("de")}} {
		b.Run(view.name, func(b *testing.B) {
			for b.Loop() {
				for _, p := range same["de"] {
					view.concepts(p.label)
				}
			}
		})
	}
}

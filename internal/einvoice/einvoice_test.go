package einvoice_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift/internal/einvoice"
)

// example is the invoice that the documents of these tests tell.
func example() *einvoice.Invoice {
	return &einvoice.Invoice{
		Number: "RE-2026/0042", Kind: "380", Issued: "2026-05-03", Delivery: "2026-04-30", Due: "2026-06-02",
		Currency: "EUR", Notes: "Thank you & goodbye",
		Seller: einvoice.Party{
			Name: "Müller Werkzeuge GmbH", ID: "549910", VATID: "DE123456789", TaxNumber: "201/113/40209", Register: "HRB 7",
			Address: einvoice.Address{Street: "Lieferantenstraße 20\nHof 3", PostCode: "80333", City: "München", Country: "DE"},
			Contact: einvoice.Contact{Name: "Ada Lovelace", Phone: "+49 89 1234", Email: "ada@example.com"},
		},
		Buyer: einvoice.Party{
			Name: "Kunden AG", ID: "GE2020211",
			Address: einvoice.Address{Street: "Kundenstraße 15", PostCode: "69876", City: "Frankfurt", Country: "DE"},
		},
		BuyerReference: "04011000-12345-34", OrderNumber: "PO-77", ContractNumber: "C-1",
		Terms: "30 days net", Payment: einvoice.Payment{IBAN: "DE02120300000000202051", BIC: "BYLADEM1001", Holder: "Müller", Reference: "RE 42"},
		Lines: []einvoice.Line{
			{
				Position: "1", Name: "Trennblätter A4", SellerID: "TB100A4", GTIN: "4012345001235", Quantity: "20.0000", Unit: "H87",
				UnitPrice: "9.90", Net: "198.00", TaxRate: "19.00", TaxCategory: "S",
			},
			{Position: "2", Name: "Joghurt", Description: "Banane", Quantity: "50", Unit: "H87", UnitPrice: "5.50", Net: "275.00", TaxRate: "7", TaxCategory: "S"},
		},
		Taxes: []einvoice.Tax{
			{Rate: "19.00", Category: "S", Base: "198.00", Amount: "37.62"},
			{Rate: "7", Category: "S", Base: "275.00", Amount: "19.25"},
		},
		Totals: einvoice.Totals{Lines: "473.00", Charges: "0.00", Allowances: "0.00", Net: "473.00", Tax: "56.87", Gross: "529.87", Prepaid: "0.00", Due: "529.87"},
	}
}

// cii writes the example as a Cross Industry Invoice, in the names of Factur-X
// or of ZUGFeRD 1.
func cii(old bool) string {
	replaced := strings.NewReplacer()
	if old {
		replaced = strings.NewReplacer(
			"CrossIndustryInvoice", "CrossIndustryDocument", ":ExchangedDocument>", ":HeaderExchangedDocument>",
			":SupplyChainTradeTransaction>", ":SpecifiedSupplyChainTradeTransaction>",
			"ApplicableHeaderTrade", "ApplicableSupplyChainTrade", "SpecifiedLineTrade", "SpecifiedSupplyChainTrade",
			"HeaderMonetarySummation", "MonetarySummation", "LineMonetarySummation", "MonetarySummation",
			"RateApplicablePercent", "ApplicablePercent", "IssuerAssignedID", "ID")
	}
	i := example()
	party := func(name string, p einvoice.Party) string {
		streets := strings.Split(p.Address.Street+"\n", "\n")
		return fmt.Sprintf(`<ram:%[1]s><ram:ID>%s</ram:ID><ram:Name>%s</ram:Name>
			<ram:SpecifiedLegalOrganization><ram:ID>%s</ram:ID></ram:SpecifiedLegalOrganization>
			<ram:DefinedTradeContact><ram:PersonName>%s</ram:PersonName>
			<ram:TelephoneUniversalCommunication><ram:CompleteNumber>%s</ram:CompleteNumber></ram:TelephoneUniversalCommunication>
			<ram:EmailURIUniversalCommunication><ram:URIID>%s</ram:URIID></ram:EmailURIUniversalCommunication></ram:DefinedTradeContact>
			<ram:PostalTradeAddress><ram:PostcodeCode>%s</ram:PostcodeCode><ram:LineOne>%s</ram:LineOne><ram:LineTwo>%s</ram:LineTwo>
			<ram:CityName>%s</ram:CityName><ram:CountryID>%s</ram:CountryID></ram:PostalTradeAddress>
			<ram:SpecifiedTaxRegistration><ram:ID schemeID="FC">%s</ram:ID></ram:SpecifiedTaxRegistration>
			<ram:SpecifiedTaxRegistration><ram:ID schemeID="VA">%s</ram:ID></ram:SpecifiedTaxRegistration></ram:%[1]s>`,
			name, p.ID, p.Name, p.Register, p.Contact.Name, p.Contact.Phone, p.Contact.Email,
			p.Address.PostCode, streets[0], streets[1], p.Address.City, p.Address.Country, p.TaxNumber, p.VATID)
	}
	date := func(iso string) string {
		return `<udt:DateTimeString format="102">` + strings.ReplaceAll(iso, "-", "") + `</udt:DateTimeString>`
	}
	var lines, taxes strings.Builder
	for _, l := range i.Lines {
		fmt.Fprintf(&lines, `<ram:IncludedSupplyChainTradeLineItem>
			<ram:AssociatedDocumentLineDocument><ram:LineID>%s</ram:LineID></ram:AssociatedDocumentLineDocument>
			<ram:SpecifiedTradeProduct><ram:GlobalID schemeID="0160">%s</ram:GlobalID><ram:SellerAssignedID>%s</ram:SellerAssignedID>
			<ram:Name>%s</ram:Name><ram:Description>%s</ram:Description></ram:SpecifiedTradeProduct>
			<ram:SpecifiedLineTradeAgreement><ram:NetPriceProductTradePrice><ram:ChargeAmount>%s</ram:ChargeAmount></ram:NetPriceProductTradePrice></ram:SpecifiedLineTradeAgreement>
			<ram:SpecifiedLineTradeDelivery><ram:BilledQuantity unitCode="%s">%s</ram:BilledQuantity></ram:SpecifiedLineTradeDelivery>
			<ram:SpecifiedLineTradeSettlement><ram:ApplicableTradeTax><ram:TypeCode>VAT</ram:TypeCode><ram:CategoryCode>%s</ram:CategoryCode>
			<ram:RateApplicablePercent>%s</ram:RateApplicablePercent></ram:ApplicableTradeTax>
			<ram:SpecifiedTradeSettlementLineMonetarySummation><ram:LineTotalAmount>%s</ram:LineTotalAmount></ram:SpecifiedTradeSettlementLineMonetarySummation>
			</ram:SpecifiedLineTradeSettlement></ram:IncludedSupplyChainTradeLineItem>`,
			l.Position, l.GTIN, l.SellerID, l.Name, l.Description, l.UnitPrice, l.Unit, l.Quantity, l.TaxCategory, l.TaxRate, l.Net)
	}
	for _, t := range i.Taxes {
		fmt.Fprintf(&taxes, `<ram:ApplicableTradeTax><ram:CalculatedAmount>%s</ram:CalculatedAmount><ram:BasisAmount>%s</ram:BasisAmount>
			<ram:CategoryCode>%s</ram:CategoryCode><ram:RateApplicablePercent>%s</ram:RateApplicablePercent></ram:ApplicableTradeTax>`, t.Amount, t.Base, t.Category, t.Rate)
	}
	t := i.Totals
	return replaced.Replace(`<?xml version="1.0" encoding="UTF-8"?>
<rsm:CrossIndustryInvoice xmlns:rsm="urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100" xmlns:ram="urn:ram" xmlns:udt="urn:udt">
	<rsm:ExchangedDocument><ram:ID>` + i.Number + `</ram:ID><ram:TypeCode>380</ram:TypeCode>
		<ram:IssueDateTime>` + date(i.Issued) + `</ram:IssueDateTime><ram:IncludedNote><ram:Content>Thank you &amp; goodbye</ram:Content></ram:IncludedNote></rsm:ExchangedDocument>
	<rsm:SupplyChainTradeTransaction>` + lines.String() + `
		<ram:ApplicableHeaderTradeAgreement><ram:BuyerReference>` + i.BuyerReference + `</ram:BuyerReference>` +
		party("SellerTradeParty", i.Seller) + party("BuyerTradeParty", i.Buyer) + `
			<ram:BuyerOrderReferencedDocument><ram:IssuerAssignedID>PO-77</ram:IssuerAssignedID></ram:BuyerOrderReferencedDocument>
			<ram:ContractReferencedDocument><ram:IssuerAssignedID>C-1</ram:IssuerAssignedID></ram:ContractReferencedDocument></ram:ApplicableHeaderTradeAgreement>
		<ram:ApplicableHeaderTradeDelivery><ram:ActualDeliverySupplyChainEvent><ram:OccurrenceDateTime>` + date(i.Delivery) + `</ram:OccurrenceDateTime></ram:ActualDeliverySupplyChainEvent></ram:ApplicableHeaderTradeDelivery>
		<ram:ApplicableHeaderTradeSettlement><ram:PaymentReference>RE 42</ram:PaymentReference><ram:InvoiceCurrencyCode>EUR</ram:InvoiceCurrencyCode>
			<ram:SpecifiedTradeSettlementPaymentMeans><ram:PayeePartyCreditorFinancialAccount><ram:IBANID>DE02 1203 0000 0000 2020 51</ram:IBANID><ram:AccountName>Müller</ram:AccountName></ram:PayeePartyCreditorFinancialAccount>
			<ram:PayeeSpecifiedCreditorFinancialInstitution><ram:BICID>BYLADEM1001</ram:BICID></ram:PayeeSpecifiedCreditorFinancialInstitution></ram:SpecifiedTradeSettlementPaymentMeans>` + taxes.String() + `
			<ram:SpecifiedTradePaymentTerms><ram:Description>30 days net</ram:Description><ram:DueDateDateTime>` + date(i.Due) + `</ram:DueDateDateTime></ram:SpecifiedTradePaymentTerms>
			<ram:SpecifiedTradeSettlementHeaderMonetarySummation><ram:LineTotalAmount>` + t.Lines + `</ram:LineTotalAmount><ram:ChargeTotalAmount>0.00</ram:ChargeTotalAmount>
				<ram:AllowanceTotalAmount>0.00</ram:AllowanceTotalAmount><ram:TaxBasisTotalAmount>` + t.Net + `</ram:TaxBasisTotalAmount>
				<ram:TaxTotalAmount currencyID="SEK">999.99</ram:TaxTotalAmount><ram:TaxTotalAmount currencyID="EUR">` + t.Tax + `</ram:TaxTotalAmount>
				<ram:GrandTotalAmount>` + t.Gross + `</ram:GrandTotalAmount><ram:TotalPrepaidAmount>0.00</ram:TotalPrepaidAmount><ram:DuePayableAmount>` + t.Due + `</ram:DuePayableAmount>
			</ram:SpecifiedTradeSettlementHeaderMonetarySummation></ram:ApplicableHeaderTradeSettlement></rsm:SupplyChainTradeTransaction>
</rsm:CrossIndustryInvoice>`)
}

// ubl writes the example in UBL.
func ubl() string {
	i := example()
	party := func(role string, p einvoice.Party) string {
		streets := strings.Split(p.Address.Street+"\n", "\n")
		return fmt.Sprintf(`<cac:%[1]s><cac:Party><cac:PartyIdentification><cbc:ID>%s</cbc:ID></cac:PartyIdentification>
			<cac:PartyName><cbc:Name>brand</cbc:Name></cac:PartyName><cac:PostalAddress><cbc:StreetName>%s</cbc:StreetName>
			<cbc:AdditionalStreetName>%s</cbc:AdditionalStreetName><cbc:CityName>%s</cbc:CityName><cbc:PostalZone>%s</cbc:PostalZone>
			<cac:Country><cbc:IdentificationCode>%s</cbc:IdentificationCode></cac:Country></cac:PostalAddress>
			<cac:PartyTaxScheme><cbc:CompanyID>%s</cbc:CompanyID><cac:TaxScheme><cbc:ID>VAT</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
			<cac:PartyTaxScheme><cbc:CompanyID>%s</cbc:CompanyID><cac:TaxScheme><cbc:ID>FC</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>
			<cac:PartyLegalEntity><cbc:RegistrationName>%s</cbc:RegistrationName><cbc:CompanyID>%s</cbc:CompanyID></cac:PartyLegalEntity>
			<cac:Contact><cbc:Name>%s</cbc:Name><cbc:Telephone>%s</cbc:Telephone><cbc:ElectronicMail>%s</cbc:ElectronicMail></cac:Contact></cac:Party></cac:%[1]s>`,
			role, p.ID, streets[0], streets[1], p.Address.City, p.Address.PostCode, p.Address.Country, p.VATID, p.TaxNumber, p.Name, p.Register,
			p.Contact.Name, p.Contact.Phone, p.Contact.Email)
	}
	var lines, taxes strings.Builder
	for _, l := range i.Lines {
		fmt.Fprintf(&lines, `<cac:InvoiceLine><cbc:ID>%s</cbc:ID><cbc:InvoicedQuantity unitCode="%s">%s</cbc:InvoicedQuantity>
			<cbc:LineExtensionAmount currencyID="EUR">%s</cbc:LineExtensionAmount><cac:Item><cbc:Description>%s</cbc:Description><cbc:Name>%s</cbc:Name>
			<cac:SellersItemIdentification><cbc:ID>%s</cbc:ID></cac:SellersItemIdentification><cac:StandardItemIdentification><cbc:ID>%s</cbc:ID></cac:StandardItemIdentification>
			<cac:ClassifiedTaxCategory><cbc:ID>%s</cbc:ID><cbc:Percent>%s</cbc:Percent></cac:ClassifiedTaxCategory></cac:Item>
			<cac:Price><cbc:PriceAmount>%s</cbc:PriceAmount></cac:Price></cac:InvoiceLine>`,
			l.Position, l.Unit, l.Quantity, l.Net, l.Description, l.Name, l.SellerID, l.GTIN, l.TaxCategory, l.TaxRate, l.UnitPrice)
	}
	for _, t := range i.Taxes {
		fmt.Fprintf(&taxes, `<cac:TaxSubtotal><cbc:TaxableAmount>%s</cbc:TaxableAmount><cbc:TaxAmount>%s</cbc:TaxAmount>
			<cac:TaxCategory><cbc:ID>%s</cbc:ID><cbc:Percent>%s</cbc:Percent></cac:TaxCategory></cac:TaxSubtotal>`, t.Base, t.Amount, t.Category, t.Rate)
	}
	t := i.Totals
	return `<ubl:Invoice xmlns:ubl="urn:ubl" xmlns:cac="urn:cac" xmlns:cbc="urn:cbc"><cbc:ID>` + i.Number + `</cbc:ID><cbc:IssueDate>2026-05-03+02:00</cbc:IssueDate>
		<cbc:DueDate>2026-06-02</cbc:DueDate><cbc:InvoiceTypeCode>380</cbc:InvoiceTypeCode><cbc:Note>Thank you &amp; goodbye</cbc:Note>
		<cbc:DocumentCurrencyCode>EUR</cbc:DocumentCurrencyCode><cbc:BuyerReference>` + i.BuyerReference + `</cbc:BuyerReference>
		<cac:OrderReference><cbc:ID>PO-77</cbc:ID></cac:OrderReference><cac:ContractDocumentReference><cbc:ID>C-1</cbc:ID></cac:ContractDocumentReference>` +
		party("AccountingSupplierParty", i.Seller) + party("AccountingCustomerParty", i.Buyer) + `
		<cac:Delivery><cbc:ActualDeliveryDate>2026-04-30</cbc:ActualDeliveryDate></cac:Delivery>
		<cac:PaymentMeans><cbc:PaymentID>RE 42</cbc:PaymentID><cac:PayeeFinancialAccount><cbc:ID>DE02120300000000202051</cbc:ID><cbc:Name>Müller</cbc:Name>
			<cac:FinancialInstitutionBranch><cbc:ID>BYLADEM1001</cbc:ID></cac:FinancialInstitutionBranch></cac:PayeeFinancialAccount></cac:PaymentMeans>
		<cac:PaymentTerms><cbc:Note>30 days net</cbc:Note></cac:PaymentTerms>
		<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">` + t.Tax + `</cbc:TaxAmount>` + taxes.String() + `</cac:TaxTotal>
		<cac:LegalMonetaryTotal><cbc:LineExtensionAmount>` + t.Lines + `</cbc:LineExtensionAmount><cbc:TaxExclusiveAmount>` + t.Net + `</cbc:TaxExclusiveAmount>
			<cbc:TaxInclusiveAmount>` + t.Gross + `</cbc:TaxInclusiveAmount><cbc:AllowanceTotalAmount>0.00</cbc:AllowanceTotalAmount><cbc:ChargeTotalAmount>0.00</cbc:ChargeTotalAmount>
			<cbc:PrepaidAmount>0.00</cbc:PrepaidAmount><cbc:PayableAmount>` + t.Due + `</cbc:PayableAmount></cac:LegalMonetaryTotal>` + lines.String() + `</ubl:Invoice>`
}

func TestParse(t *testing.T) {
	for name, document := range map[string]string{
		"Cross Industry Invoice": cii(false), "ZUGFeRD 1": cii(true), "UBL": ubl(),
		"with a byte order mark": "\ufeff" + cii(false),
		"a UBL credit note": strings.NewReplacer("ubl:Invoice", "ubl:CreditNote", "InvoiceTypeCode", "CreditNoteTypeCode",
			"InvoiceLine", "CreditNoteLine", "InvoicedQuantity", "CreditedQuantity").Replace(ubl()),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := einvoice.Parse([]byte(document))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(example(), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseIsForgiving(t *testing.T) {
	got, err := einvoice.Parse([]byte(`<?xml version="1.0" encoding="ISO-8859-1"?><!-- old --><Invoice><ID> M` + "\xfc" + `ller-1 </ID><IssueDate>soon</IssueDate>` +
		`<LegalMonetaryTotal><PayableAmount>12,50</PayableAmount><TaxInclusiveAmount>+.5</TaxInclusiveAmount></LegalMonetaryTotal><Note><![CDATA[a<b]]>c</Note></Invoice>`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Number != "Müller-1" || got.Issued != "" || got.Totals.Due != "" || got.Totals.Gross != ".5" || got.Notes != "a<bc" {
		t.Errorf("%+v", got)
	}
}

func TestWhatIsNoInvoice(t *testing.T) {
	for name, document := range map[string]string{
		"nothing":          "",
		"text":             "hello",
		"another document": "<html><body/></html>",
		"half of one":      cii(false)[:3000],
		"crossed elements": "<Invoice><ID></Invoice></ID>",
		"two roots":        "<Invoice/><Invoice/>",
		"an end too many":  "<Invoice/></Invoice>",
		"an entity": `<!DOCTYPE Invoice [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>
			<Invoice><ID>&b;</ID></Invoice>`,
		"a file of ours":      `<!DOCTYPE Invoice [<!ENTITY a SYSTEM "file:///etc/passwd">]><Invoice><ID>&a;</ID></Invoice>`,
		"an unknown encoding": `<?xml version="1.0" encoding="utf-7"?><Invoice/>`,
		"a deep one":          strings.Repeat("<Invoice>", 100_000),
		"too many elements":   "<Invoice>" + strings.Repeat("<ID/>", 500_000) + "</Invoice>",
		"a large one":         "<Invoice>" + strings.Repeat(" ", einvoice.MaxBytes) + "</Invoice>",
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := einvoice.Parse([]byte(document)); err == nil {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestGiven(t *testing.T) {
	given := example().Given()
	for label, want := range map[string]einvoice.Given{
		"invoice number":   {Type: einvoice.Text, Value: "RE-2026/0042"},
		"invoice date":     {Type: einvoice.Date, Value: "2026-05-03"},
		"due date":         {Type: einvoice.Date, Value: "2026-06-02"},
		"vendor name":      {Type: einvoice.Text, Value: "Müller Werkzeuge GmbH"},
		"supplier":         {Type: einvoice.Text, Value: "Müller Werkzeuge GmbH"},
		"seller vat id":    {Type: einvoice.Text, Value: "DE123456789"},
		"customer address": {Type: einvoice.Text, Value: "Kundenstraße 15\n69876 Frankfurt\nDE"},
		"iban":             {Type: einvoice.Text, Value: "DE02120300000000202051"},
		"subtotal":         {Type: einvoice.Number, Value: "473.00"},
		"total vat":        {Type: einvoice.Number, Value: "56.87"},
		"grand total":      {Type: einvoice.Number, Value: "529.87"},
		"document type":    {Type: einvoice.Text, Value: "invoice"},
		"line description": {Type: einvoice.Text, Value: "Trennblätter A4", Line: 1},
		"unit price":       {Type: einvoice.Number, Value: "9.90", Line: 1},
		"line details":     {Type: einvoice.Text, Value: "Banane", Line: 2},
	} {
		at := slices.IndexFunc(given, func(g einvoice.Given) bool { return slices.Contains(g.Labels, label) })
		if at < 0 {
			t.Errorf("nothing is called %q", label)
		} else if got := given[at]; got.Type != want.Type || got.Value != want.Value || got.Line != want.Line {
			t.Errorf("%q is %+v", label, got)
		}
	}
	for _, g := range given {
		if g.Value == "" || len(g.Labels) == 0 || slices.Contains(g.Labels, "tax rate") && g.Line == 0 {
			t.Errorf("%+v", g)
		}
	}
	credit := example()
	credit.Kind = "381"
	if labels := credit.Given()[0].Labels; labels[0] != "credit note number" || labels[1] != "invoice number" {
		t.Errorf("%q", labels)
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{cii(false), cii(true), ubl(), "<Invoice/>", `<CreditNote a="b"><!-- --><ID>&lt;</ID></CreditNote>`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, document []byte) {
		i, err := einvoice.Parse(document)
		if (i == nil) == (err == nil) {
			t.Fatalf("%v, %v", i, err)
		}
		if i == nil {
			return
		}
		for _, g := range i.Given() {
			if g.Value == "" || len(g.Labels) == 0 {
				t.Errorf("%+v", g)
			}
		}
	})
}

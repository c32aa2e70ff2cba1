package einvoice

import "strings"

// ubl reads an invoice or credit note of the Universal Business Language.
func ubl(root *node) *Invoice {
	totals := root.one("LegalMonetaryTotal")
	i := &Invoice{
		Number:   root.get("ID"),
		Kind:     root.get("InvoiceTypeCode|CreditNoteTypeCode"),
		Issued:   date(root.get("IssueDate")),
		Notes:    root.lines("Note"),
		Currency: root.get("DocumentCurrencyCode"),
		Delivery: date(root.get("Delivery/ActualDeliveryDate")),
		Due:      date(root.get("DueDate", "PaymentMeans/PaymentDueDate")),

		Seller: ublParty(root.one("AccountingSupplierParty/Party")),
		Buyer:  ublParty(root.one("AccountingCustomerParty/Party")),
		ShipTo: Party{
			Name:    root.get("Delivery/DeliveryParty/PartyName/Name"),
			Address: ublAddress(root.one("Delivery/DeliveryLocation/Address")),
		},

		BuyerReference:  root.get("BuyerReference"),
		OrderNumber:     root.get("OrderReference/ID"),
		SalesOrder:      root.get("OrderReference/SalesOrderID"),
		ContractNumber:  root.get("ContractDocumentReference/ID"),
		ProjectNumber:   root.get("ProjectReference/ID"),
		DespatchNumber:  root.get("DespatchDocumentReference/ID"),
		PrecedingNumber: root.get("BillingReference/InvoiceDocumentReference/ID"),

		Terms: root.lines("PaymentTerms/Note"),
		Payment: Payment{
			IBAN:      strings.ReplaceAll(root.get("PaymentMeans/PayeeFinancialAccount/ID"), " ", ""),
			BIC:       root.get("PaymentMeans/PayeeFinancialAccount/FinancialInstitutionBranch/ID"),
			Holder:    root.get("PaymentMeans/PayeeFinancialAccount/Name"),
			Reference: root.get("PaymentMeans/PaymentID"),
		},
		Period: Period{Start: date(root.get("InvoicePeriod/StartDate")), End: date(root.get("InvoicePeriod/EndDate"))},
		Totals: Totals{
			Lines:      number(totals.get("LineExtensionAmount")),
			Charges:    number(totals.get("ChargeTotalAmount")),
			Allowances: number(totals.get("AllowanceTotalAmount")),
			Net:        number(totals.get("TaxExclusiveAmount")),
			Gross:      number(totals.get("TaxInclusiveAmount")),
			Prepaid:    number(totals.get("PrepaidAmount")),
			Due:        number(totals.get("PayableAmount")),
		},
	}
	if root.name == "CreditNote" && i.Kind == "" {
		i.Kind = "381"
	}
	i.Totals.Tax = firstNumber(with(root.all("TaxTotal/TaxAmount"), "currencyID", i.Currency).text, root.get("TaxTotal/TaxAmount"))
	for _, t := range root.all("TaxTotal/TaxSubtotal") {
		i.Taxes = append(i.Taxes, Tax{
			Rate: number(t.get("TaxCategory/Percent")), Category: t.get("TaxCategory/ID"),
			Base: number(t.get("TaxableAmount")), Amount: number(t.get("TaxAmount")),
		})
	}
	for _, l := range root.all("InvoiceLine|CreditNoteLine") {
		if line := ublLine(l); line != (Line{}) {
			i.Lines = append(i.Lines, line)
		}
	}
	return i
}

func ublParty(n *node) Party {
	p := Party{
		Name:     n.get("PartyLegalEntity/RegistrationName", "PartyName/Name"),
		ID:       n.get("PartyIdentification/ID"),
		Register: n.get("PartyLegalEntity/CompanyID"),
		Address:  ublAddress(n.one("PostalAddress")),
		Contact: Contact{
			Name: n.get("Contact/Name"), Phone: n.get("Contact/Telephone"), Email: n.get("Contact/ElectronicMail"),
		},
	}
	for _, scheme := range n.all("PartyTaxScheme") {
		if id := scheme.get("CompanyID"); scheme.get("TaxScheme/ID") == "VAT" {
			p.VATID = id
		} else {
			p.TaxNumber = id
		}
	}
	return p
}

func ublAddress(n *node) Address {
	return Address{
		Street:   n.lines("StreetName", "AdditionalStreetName", "AddressLine/Line"),
		PostCode: n.get("PostalZone"),
		City:     n.get("CityName"),
		Region:   n.get("CountrySubentity"),
		Country:  n.get("Country/IdentificationCode"),
	}
}

func ublLine(n *node) Line {
	quantity := n.one("InvoicedQuantity|CreditedQuantity")
	return Line{
		Position:    n.get("ID"),
		Name:        n.get("Item/Name"),
		Description: n.get("Item/Description"),
		SellerID:    n.get("Item/SellersItemIdentification/ID"),
		BuyerID:     n.get("Item/BuyersItemIdentification/ID"),
		GTIN:        n.get("Item/StandardItemIdentification/ID"),
		Quantity:    number(quantity.text),
		Unit:        quantity.attribute("unitCode"),
		UnitPrice:   number(n.get("Price/PriceAmount")),
		Net:         number(n.get("LineExtensionAmount")),
		TaxRate:     number(n.get("Item/ClassifiedTaxCategory/Percent")),
		TaxCategory: n.get("Item/ClassifiedTaxCategory/ID"),
	}
}

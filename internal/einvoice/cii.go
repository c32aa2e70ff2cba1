package einvoice

import "strings"

// cii reads a Cross Industry Invoice. ZUGFeRD 1 has other names for some of its
// elements; they come after the bar.
func cii(root *node) *Invoice {
	document := root.one("ExchangedDocument|HeaderExchangedDocument")
	trade := root.one("SupplyChainTradeTransaction|SpecifiedSupplyChainTradeTransaction")
	agreement := trade.one("ApplicableHeaderTradeAgreement|ApplicableSupplyChainTradeAgreement")
	delivery := trade.one("ApplicableHeaderTradeDelivery|ApplicableSupplyChainTradeDelivery")
	settlement := trade.one("ApplicableHeaderTradeSettlement|ApplicableSupplyChainTradeSettlement")
	sums := settlement.one("SpecifiedTradeSettlementHeaderMonetarySummation|SpecifiedTradeSettlementMonetarySummation")

	i := &Invoice{
		Number:   document.get("ID"),
		Kind:     document.get("TypeCode"),
		Issued:   date(document.get("IssueDateTime/DateTimeString")),
		Notes:    document.lines("IncludedNote/Content"),
		Currency: settlement.get("InvoiceCurrencyCode"),
		Delivery: date(delivery.get("ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString")),
		Due:      date(settlement.get("SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString")),

		Seller: ciiParty(agreement.one("SellerTradeParty")),
		Buyer:  ciiParty(agreement.one("BuyerTradeParty")),
		ShipTo: ciiParty(delivery.one("ShipToTradeParty")),

		BuyerReference:  agreement.get("BuyerReference"),
		OrderNumber:     agreement.get("BuyerOrderReferencedDocument/IssuerAssignedID|ID"),
		SalesOrder:      agreement.get("SellerOrderReferencedDocument/IssuerAssignedID|ID"),
		ContractNumber:  agreement.get("ContractReferencedDocument/IssuerAssignedID|ID"),
		ProjectNumber:   agreement.get("SpecifiedProcuringProject/ID"),
		DespatchNumber:  delivery.get("DespatchAdviceReferencedDocument|DeliveryNoteReferencedDocument/IssuerAssignedID|ID"),
		PrecedingNumber: settlement.get("InvoiceReferencedDocument/IssuerAssignedID|ID"),

		Terms:   settlement.lines("SpecifiedTradePaymentTerms/Description"),
		Payment: ciiPayment(settlement),
		Period: Period{
			Start: date(settlement.get("BillingSpecifiedPeriod/StartDateTime/DateTimeString")),
			End:   date(settlement.get("BillingSpecifiedPeriod/EndDateTime/DateTimeString")),
		},
		Totals: Totals{
			Lines:      number(sums.get("LineTotalAmount")),
			Charges:    number(sums.get("ChargeTotalAmount")),
			Allowances: number(sums.get("AllowanceTotalAmount")),
			Net:        number(sums.get("TaxBasisTotalAmount")),
			Gross:      number(sums.get("GrandTotalAmount")),
			Prepaid:    number(sums.get("TotalPrepaidAmount")),
			Due:        number(sums.get("DuePayableAmount")),
		},
	}
	// The tax may be told in a second currency, for the seller's authorities.
	taxes := sums.all("TaxTotalAmount")
	i.Totals.Tax = firstNumber(with(taxes, "currencyID", i.Currency).text, sums.get("TaxTotalAmount"))
	for _, t := range settlement.all("ApplicableTradeTax") {
		i.Taxes = append(i.Taxes, Tax{
			Rate: number(t.get("RateApplicablePercent", "ApplicablePercent")), Category: t.get("CategoryCode"),
			Base: number(t.get("BasisAmount")), Amount: number(t.get("CalculatedAmount")),
		})
	}
	for _, l := range trade.all("IncludedSupplyChainTradeLineItem") {
		if line := ciiLine(l); line != (Line{}) {
			i.Lines = append(i.Lines, line)
		}
	}
	return i
}

func ciiParty(n *node) Party {
	registrations := n.all("SpecifiedTaxRegistration/ID")
	contact := n.one("DefinedTradeContact")
	address := n.one("PostalTradeAddress")
	return Party{
		Name:      n.get("Name"),
		ID:        n.get("ID", "GlobalID"),
		VATID:     with(registrations, "schemeID", "VA").text,
		TaxNumber: with(registrations, "schemeID", "FC").text,
		Register:  n.get("SpecifiedLegalOrganization/ID"),
		Address: Address{
			Street:   address.lines("LineOne", "LineTwo", "LineThree", "StreetName"),
			PostCode: address.get("PostcodeCode"),
			City:     address.get("CityName"),
			Region:   address.get("CountrySubDivisionName"),
			Country:  address.get("CountryID"),
		},
		Contact: Contact{
			Name:  contact.get("PersonName", "DepartmentName"),
			Phone: contact.get("TelephoneUniversalCommunication/CompleteNumber"),
			Email: contact.get("EmailURIUniversalCommunication/URIID|CompleteNumber"),
		},
	}
}

func ciiPayment(settlement *node) Payment {
	p := Payment{Reference: settlement.get("PaymentReference")}
	for _, means := range settlement.all("SpecifiedTradeSettlementPaymentMeans") {
		account := means.one("PayeePartyCreditorFinancialAccount")
		if iban := account.get("IBANID", "ProprietaryID"); iban != "" && p.IBAN == "" {
			p.IBAN = strings.ReplaceAll(iban, " ", "")
			p.Holder = account.get("AccountName")
			p.BIC = means.get("PayeeSpecifiedCreditorFinancialInstitution/BICID")
		}
	}
	return p
}

func ciiLine(n *node) Line {
	product := n.one("SpecifiedTradeProduct")
	agreement := n.one("SpecifiedLineTradeAgreement|SpecifiedSupplyChainTradeAgreement")
	settlement := n.one("SpecifiedLineTradeSettlement|SpecifiedSupplyChainTradeSettlement")
	quantity := n.one("SpecifiedLineTradeDelivery|SpecifiedSupplyChainTradeDelivery/BilledQuantity")
	sums := settlement.one("SpecifiedTradeSettlementLineMonetarySummation|SpecifiedTradeSettlementMonetarySummation")
	return Line{
		Position:    n.get("AssociatedDocumentLineDocument/LineID"),
		Name:        product.get("Name"),
		Description: product.get("Description"),
		SellerID:    product.get("SellerAssignedID"),
		BuyerID:     product.get("BuyerAssignedID"),
		GTIN:        product.get("GlobalID"),
		Quantity:    number(quantity.text),
		Unit:        quantity.attribute("unitCode"),
		UnitPrice:   firstNumber(agreement.get("NetPriceProductTradePrice/ChargeAmount"), agreement.get("GrossPriceProductTradePrice/ChargeAmount")),
		Net:         number(sums.get("LineTotalAmount")),
		TaxRate:     number(settlement.get("ApplicableTradeTax/RateApplicablePercent|ApplicablePercent")),
		TaxCategory: settlement.get("ApplicableTradeTax/CategoryCode"),
	}
}

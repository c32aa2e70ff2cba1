package einvoice

import "strings"

// Given is a value of an invoice under the names that people know it by.
type Given struct {
	Labels []string // in English, the most usual first, such as "invoice number"
	Type   Type
	Value  string
	Line   int // the line of the invoice, from 1; 0: the value is the whole invoice's
}

// Type is what a value is.
type Type string

// The types of values.
const (
	Text   Type = "text"
	Date   Type = "date"   // as in 2026-05-03
	Number Type = "number" // as in -1234.50
)

// Given lists all values that the invoice has, those of its lines last.
func (i *Invoice) Given() []Given {
	var g givens
	kind, also := "invoice", ""
	if i.CreditNote() {
		kind, also = "credit note", "invoice number"
	}
	g.add(Text, i.Number, kind+" number", also, kind+" no", "document number", "bill number", "number")
	g.add(Date, i.Issued, kind+" date", "date", "issue date", "document date", "date of issue", "billing date")
	g.add(Date, i.Due, "due date", "payment due date", "pay by", "payable until")
	g.add(Date, i.Delivery, "delivery date", "date of supply", "service date", "shipping date")
	g.add(Text, kind, "document type", "type", "kind of document")
	g.add(Text, i.Currency, "currency", "currency code")
	g.add(Text, i.Notes, "notes", "note", "remarks", "comments")
	g.add(Date, i.Period.Start, "billing period start", "period start", "service period from", "start date")
	g.add(Date, i.Period.End, "billing period end", "period end", "service period to", "end date")

	g.party(i.Seller, "seller", "vendor", "supplier", "issuer", "from")
	g.party(i.Buyer, "buyer", "customer", "client", "bill to", "recipient")
	g.party(i.ShipTo, "ship to", "delivery", "deliver to", "shipping")

	g.add(Text, i.BuyerReference, "buyer reference", "your reference", "customer reference", "reference")
	g.add(Text, i.OrderNumber, "purchase order number", "order number", "po number", "your order")
	g.add(Text, i.SalesOrder, "sales order number", "our order number", "order confirmation number")
	g.add(Text, i.ContractNumber, "contract number", "contract reference")
	g.add(Text, i.ProjectNumber, "project number", "project reference", "project")
	g.add(Text, i.DespatchNumber, "delivery note number", "despatch advice number", "packing slip number")
	g.add(Text, i.PrecedingNumber, "original invoice number", "preceding invoice number", "corrected invoice number")

	g.add(Text, i.Terms, "payment terms", "terms of payment", "terms")
	g.add(Text, i.Payment.IBAN, "iban", "bank account", "account number")
	g.add(Text, i.Payment.BIC, "bic", "swift", "swift code")
	g.add(Text, i.Payment.Holder, "account holder", "account name")
	g.add(Text, i.Payment.Reference, "payment reference", "remittance information")

	g.add(Number, i.Totals.Lines, "sum of lines", "line total", "goods value")
	g.add(Number, i.Totals.Charges, "total charges", "charges", "surcharges")
	g.add(Number, i.Totals.Allowances, "total allowances", "discount", "total discount", "allowances")
	g.add(Number, i.Totals.Net, "subtotal", "net total", "net amount", "total net amount", "amount before tax")
	g.add(Number, i.Totals.Tax, "tax", "total tax", "tax amount", "vat", "vat amount", "total vat")
	g.add(Number, i.Totals.Gross, "total", "total amount", "gross total", "grand total", "gross amount", "invoice total", "amount including tax")
	g.add(Number, i.Totals.Prepaid, "prepaid amount", "paid amount", "deposit", "amount paid")
	g.add(Number, i.Totals.Due, "amount due", "balance due", "amount payable", "total due")
	if len(i.Taxes) == 1 { // else no rate is the invoice's
		g.add(Number, i.Taxes[0].Rate, "tax rate", "vat rate", "tax percent")
	}
	for n, l := range i.Lines {
		g.line = n + 1
		g.lineOf(l)
	}
	return g.list
}

// givens is the list that is being made.
type givens struct {
	list []Given
	line int
}

// add adds a value that there is; names may be empty.
func (g *givens) add(t Type, value string, labels ...string) {
	if value == "" {
		return
	}
	given := Given{Type: t, Value: value, Line: g.line, Labels: make([]string, 0, len(labels))}
	for _, l := range labels {
		if l != "" {
			given.Labels = append(given.Labels, l)
		}
	}
	g.list = append(g.list, given)
}

// party adds a party's values, each under all of the party's names.
func (g *givens) party(p Party, names ...string) {
	of := func(value string, labels ...string) {
		var all []string
		for _, label := range labels {
			for _, name := range names {
				all = append(all, name+" "+label)
			}
		}
		g.add(Text, value, all...)
	}
	if p.Name != "" {
		of(p.Name, "name", "company")
		last := &g.list[len(g.list)-1]
		last.Labels = append(last.Labels, names...)
	}
	of(p.ID, "number", "id", "account number")
	of(p.VATID, "vat id", "vat number", "vat identification number", "tax id")
	of(p.TaxNumber, "tax number")
	of(p.Register, "registration number", "company number")
	of(p.Address.String(), "address", "full address")
	of(p.Address.Street, "street", "street address")
	of(p.Address.PostCode, "postal code", "post code", "zip code")
	of(p.Address.City, "city", "town")
	of(p.Address.Region, "state", "region")
	of(p.Address.Country, "country", "country code")
	of(p.Contact.Name, "contact", "contact person", "contact name")
	of(p.Contact.Phone, "phone", "telephone", "phone number")
	of(p.Contact.Email, "email", "e-mail address")
}

func (g *givens) lineOf(l Line) {
	g.add(Text, l.Position, "line number", "position", "pos", "item number")
	g.add(Text, l.Name, "line description", "description", "item", "product", "name", "article")
	g.add(Text, l.Description, "line details", "details", "long description")
	g.add(Text, l.SellerID, "article number", "product code", "item code", "sku", "part number")
	g.add(Text, l.BuyerID, "customer article number", "buyer item number")
	g.add(Text, l.GTIN, "gtin", "ean", "barcode")
	g.add(Number, l.Quantity, "quantity", "qty", "number of units")
	g.add(Text, l.Unit, "unit", "unit of measure", "uom")
	g.add(Number, l.UnitPrice, "unit price", "price", "rate", "price per unit")
	g.add(Number, l.Net, "line total", "amount", "total", "net amount", "line amount")
	g.add(Number, l.TaxRate, "tax rate", "vat rate", "tax", "vat")
}

// String writes the address as on an envelope.
func (a Address) String() string {
	var lines []string
	for _, line := range []string{a.Street, strings.TrimSpace(a.PostCode + " " + a.City), a.Region, a.Country} {
		if line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

// Package einvoice reads the invoices that PDFs carry as XML: UN/CEFACT's Cross
// Industry Invoice, as ZUGFeRD, Factur-X and XRechnung have it, and UBL. It takes
// what they say as it is said; it checks no sums, and knows nothing of PDFs.
package einvoice

// Invoice is what an invoice's XML says. What it leaves out is empty. Dates are
// as in 2026-05-03, amounts as decimal numbers with a point.
type Invoice struct {
	Number   string `json:"number,omitempty"`
	Kind     string `json:"kind,omitempty"` // as in UNTDID 1001: 380 an invoice, 381 a credit note
	Issued   string `json:"issued,omitempty"`
	Delivery string `json:"delivery,omitempty"` // when it was delivered
	Due      string `json:"due,omitempty"`
	Currency string `json:"currency,omitempty"`
	Notes    string `json:"notes,omitempty"`

	Seller Party `json:"seller"`
	Buyer  Party `json:"buyer"`
	ShipTo Party `json:"ship_to"`

	BuyerReference  string `json:"buyer_reference,omitempty"`
	OrderNumber     string `json:"order_number,omitempty"` // the buyer's
	SalesOrder      string `json:"sales_order,omitempty"`  // the seller's
	ContractNumber  string `json:"contract_number,omitempty"`
	ProjectNumber   string `json:"project_number,omitempty"`
	DespatchNumber  string `json:"despatch_number,omitempty"`
	PrecedingNumber string `json:"preceding_number,omitempty"` // of the invoice that this one corrects

	Terms   string  `json:"terms,omitempty"` // of payment
	Payment Payment `json:"payment"`

	Period Period `json:"period"`
	Lines  []Line `json:"lines,omitempty"`
	Taxes  []Tax  `json:"taxes,omitempty"`
	Totals Totals `json:"totals"`
}

// Party is one that buys, sells or receives.
type Party struct {
	Name      string  `json:"name,omitempty"`
	ID        string  `json:"id,omitempty"` // by which the other party knows it, such as a customer number
	VATID     string  `json:"vat_id,omitempty"`
	TaxNumber string  `json:"tax_number,omitempty"`
	Register  string  `json:"register,omitempty"` // its number in a register of companies
	Address   Address `json:"address"`
	Contact   Contact `json:"contact"`
}

// Address is a postal one.
type Address struct {
	Street   string `json:"street,omitempty"` // lines, as many as there are
	PostCode string `json:"post_code,omitempty"`
	City     string `json:"city,omitempty"`
	Region   string `json:"region,omitempty"`
	Country  string `json:"country,omitempty"` // two letters
}

// Contact is whom to ask.
type Contact struct {
	Name  string `json:"name,omitempty"`
	Phone string `json:"phone,omitempty"`
	Email string `json:"email,omitempty"`
}

// Payment is where the money goes.
type Payment struct {
	IBAN      string `json:"iban,omitempty"`
	BIC       string `json:"bic,omitempty"`
	Holder    string `json:"holder,omitempty"`
	Reference string `json:"reference,omitempty"`
}

// Period is the time that is charged for.
type Period struct {
	Start string `json:"start,omitempty"`
	End   string `json:"end,omitempty"`
}

// Line is a position of the invoice.
type Line struct {
	Position    string `json:"position,omitempty"`
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	SellerID    string `json:"seller_id,omitempty"` // the article's number
	BuyerID     string `json:"buyer_id,omitempty"`
	GTIN        string `json:"gtin,omitempty"`
	Quantity    string `json:"quantity,omitempty"`
	Unit        string `json:"unit,omitempty"` // a code of UN/ECE's Recommendation 20: C62, HUR, KGM
	UnitPrice   string `json:"unit_price,omitempty"`
	Net         string `json:"net,omitempty"`
	TaxRate     string `json:"tax_rate,omitempty"` // in percent
	TaxCategory string `json:"tax_category,omitempty"`
}

// Tax is what is owed at one rate.
type Tax struct {
	Rate     string `json:"rate,omitempty"` // in percent
	Category string `json:"category,omitempty"`
	Base     string `json:"base,omitempty"`
	Amount   string `json:"amount,omitempty"`
}

// Totals are the invoice's sums.
type Totals struct {
	Lines      string `json:"lines,omitempty"` // before charges and allowances
	Charges    string `json:"charges,omitempty"`
	Allowances string `json:"allowances,omitempty"`
	Net        string `json:"net,omitempty"`
	Tax        string `json:"tax,omitempty"`
	Gross      string `json:"gross,omitempty"`
	Prepaid    string `json:"prepaid,omitempty"`
	Due        string `json:"due,omitempty"`
}

// CreditNote tells whether the invoice gives money back.
func (i *Invoice) CreditNote() bool {
	switch i.Kind {
	case "81", "83", "381", "396", "532":
		return true
	}
	return false
}

// Parse reads an invoice. What is XML but no invoice is an error, as is XML that
// is broken, or larger or deeper than any invoice.
func Parse(xml []byte) (*Invoice, error) {
	root, err := parseTree(xml)
	if err != nil {
		return nil, err
	}
	switch root.name {
	case "CrossIndustryInvoice", "CrossIndustryDocument": // the latter in ZUGFeRD 1
		return cii(root), nil
	case "Invoice", "CreditNote":
		return ubl(root), nil
	}
	return nil, errNoInvoice
}

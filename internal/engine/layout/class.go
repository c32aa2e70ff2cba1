package layout

import (
	"slices"
	"strings"

	"fieldlift"
)

// class is the kind of thing a target asks for, by which the weights of
// evidence differ: the name of a vendor is known by other signs than a date.
type class int

const (
	textClass class = iota
	nameClass
	vendorNameClass
	customerNameClass
	partyClass // name and address together
	addressClass
	vendorAddressClass
	customerAddressClass
	identifierClass
	documentNumberClass
	patternClass // has a form of its own: e-mail, IBAN, VAT number
	numberClass
	totalClass
	subtotalClass
	taxClass
	rateClass
	dateClass
	issueDateClass
	currencyClass
	booleanClass
	choiceClass
	classCount
)

var classNames = [classCount]string{
	"text", "name", "vendor_name", "customer_name", "party", "address", "vendor_address", "customer_address", "identifier",
	"document_number", "pattern", "number", "total", "subtotal", "tax", "rate", "date", "issue_date", "currency", "boolean", "choice",
}

// names reports whether a class is the name of someone.
func (c class) names() bool {
	return c == nameClass || c == vendorNameClass || c == customerNameClass
}

// locates reports whether a class is an address and nothing else.
func (c class) locates() bool {
	return c == addressClass || c == vendorAddressClass || c == customerAddressClass
}

// describes reports whether a target's name or description has a concept.
func (t *target) describes(concept string) bool {
	return slices.Contains(t.concepts, concept) || slices.Contains(t.described, concept)
}

// classOf tells a target's class from its type and what its name means.
func classOf(t *target) class {
	has := func(concepts ...string) bool {
		return slices.ContainsFunc(concepts, func(c string) bool { return slices.Contains(t.concepts, c) })
	}
	selling := t.owner == "vendor" || t.owner == "company"
	switch {
	case t.field.Enum != nil:
		return choiceClass
	case t.field.Type == fieldlift.BooleanField:
		return booleanClass
	case has("rate") && !has("exchange"):
		return rateClass
	case t.field.Type == fieldlift.NumberField:
		switch {
		case has("subtotal") || has("net") && has("total", "amount"):
			return subtotalClass
		case has("tax"):
			return taxClass
		case has("total") || has("gross") && has("amount"):
			return totalClass
		}
		return numberClass
	case t.field.Type == fieldlift.DateField:
		if has("issue") || !slices.ContainsFunc(t.concepts, func(c string) bool {
			return c != "date" && !strings.Contains(documentConcepts, " "+c+" ")
		}) {
			return issueDateClass
		}
		return dateClass
	case t.kind == "currency":
		return currencyClass
	case t.kind == "email", t.kind == "website", t.kind == "iban", t.kind == "phone", t.kind == "bic":
		return patternClass
	case t.owner != "" && t.describes("name") && t.describes("address"):
		return partyClass
	case t.kind == "address":
		switch {
		case selling:
			return vendorAddressClass
		case t.owner == "customer":
			return customerAddressClass
		}
		return addressClass
	case t.kind == "name" || t.owner != "" && t.concepts[len(t.concepts)-1] == t.owner:
		switch {
		case selling:
			return vendorNameClass
		case t.owner == "customer":
			return customerNameClass
		}
		return nameClass
	case t.kind == "number":
		if slices.ContainsFunc(t.concepts, func(c string) bool { return strings.Contains(documentConcepts, " "+c+" ") }) {
			return documentNumberClass
		}
		return identifierClass
	}
	return textClass
}

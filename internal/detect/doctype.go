package detect

import (
	"strings"
	"unicode"

	"fieldlift"
	"fieldlift/internal/value"
)

// titles has on each line a kind of document and the words and phrases, folded,
// that such documents are titled with, in eight languages.
const titles = `
credit_note: credit note, credit memo, gutschrift, avoir, nota de credito, nota di credito, creditnota, faktura korygujaca
delivery_note: delivery note, packing slip, packing list, lieferschein, bon de livraison, albaran, documento di trasporto, guia de remessa, pakbon, dowod dostawy
purchase_order: purchase order, bestellung, bon de commande, orden de compra, pedido de compra, ordine di acquisto, ordem de compra, inkooporder, zamowienie
quote: quotation, quote, estimate, angebot, kostenvoranschlag, devis, presupuesto, preventivo, orcamento, offerte, oferta
bill_of_lading: bill of lading, konnossement, connaissement, conocimiento de embarque, polizza di carico, cmr
bank_statement: bank statement, account statement, statement of account, kontoauszug, releve de compte, extracto bancario, estratto conto, extrato bancario, rekeningafschrift, wyciag bankowy
payslip: payslip, pay slip, pay stub, earnings statement, lohnabrechnung, gehaltsabrechnung, entgeltabrechnung, bulletin de paie, fiche de paie, nomina, busta paga, recibo de vencimento, loonstrook, odcinek wyplaty
utility_bill: utility bill, electricity bill, water bill, gas bill, stromrechnung
expense_report: expense report, reisekostenabrechnung, spesenabrechnung, note de frais, nota spese
tax_form: form w-2, form w-9, form 1099, form 1040, tax return, wage and tax statement, steuererklarung, lohnsteuerbescheinigung
passport: passport, reisepass, passeport, pasaporte, passaporto, passaporte, paspoort, paszport
driver_license: driver license, driver's license, driving licence, fuhrerschein, permis de conduire, patente di guida, rijbewijs, prawo jazdy
id_card: identity card, personalausweis, carte d'identite, carta d'identita, dowod osobisty
resume: resume, curriculum vitae, lebenslauf
contract: contract, agreement, vertrag, contrat, contrato, contratto, overeenkomst, umowa
insurance_policy: insurance policy, versicherungsschein, police d'assurance, poliza de seguro, polizza
insurance_claim: claim form, insurance claim, schadenmeldung
lab_report: laboratory report, lab report, test results, laborbericht, laborbefund
medical_record: medical record, discharge summary, arztbrief
invoice: tax invoice, invoice, rechnung, facture, factura, fattura, fatura, factuur, faktura
receipt: receipt, kassenbon, quittung, recu, ticket de caisse, recibo, ricevuta, scontrino, kassabon, paragon
form: application form, registration form, application, antrag, formular, formulaire, formulario, modulo, formulier, formularz, wniosek
`

// titleOf tells the kind of document that a line is the title of, "" for none.
func titleOf(text string) string {
	folded := " " + plain(text) + " "
	for l := range strings.Lines(strings.TrimSpace(titles)) {
		kind, phrases, _ := strings.Cut(strings.TrimSpace(l), ":")
		for phrase := range strings.SplitSeq(phrases, ",") {
			if strings.Contains(folded, " "+plain(phrase)+" ") {
				return kind
			}
		}
	}
	return ""
}

// documentType tells what the sample is by its titles: lines near the top of
// the first page that name a kind of document and little else, the larger the
// better. "" when none does.
func documentType(s *sheet) string {
	best, score := "", 0.0
	for i, l := range s.lines {
		if l.page != s.lines[0].page || i > 40 {
			break
		}
		for _, one := range l.segments {
			kind := titleOf(one.text)
			if kind == "" || len(one.words) > 8 {
				continue
			}
			points := one.height() * (1 - l.box.Y0/2) / float64(len(one.words)+1)
			if one.colon || hasDigit(one.text) {
				points /= 2 // rather a label, such as "Invoice No.:"
			}
			if points > score {
				best, score = kind, points
			}
		}
	}
	return best
}

// plain folds a text to words with single spaces between them.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(strings.NewReplacer("#", " no ", "№", " no ", "°", " ", "º", " ").Replace(value.Fold(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}), " ")
}

// currency tells of amounts that say which money they are in.
func currency(s *sheet) (candidate, bool) {
	for _, l := range s.lines {
		for _, one := range l.segments {
			for _, w := range one.words {
				code, alone := value.Currency(w.Text)
				if amount, ok := value.Money(w.Text, s.locale); !alone && ok {
					code = amount.Currency
				}
				if code != "" {
					f := fieldlift.Field{Name: "currency", Type: fieldlift.StringField, Description: "ISO code of the currency of the amounts, such as EUR."}
					return candidate{field: f, page: l.page, box: w.Box}, true
				}
			}
		}
	}
	return candidate{}, false
}

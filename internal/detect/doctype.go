package detect

import (
	"slices"
	"strings"
	"unicode"

	"fieldlift/internal/value"
)

// titles has on each line a kind of document and the words and phrases, folded,
// that such documents are titled with, in eight languages.
const titles = `
credit_note: credit note, credit memo, gutschrift, rechnungskorrektur, avoir, nota de credito, nota di credito, creditnota, faktura korygujaca
delivery_note: delivery note, packing slip, packing list, lieferschein, bon de livraison, albaran, documento di trasporto, guia de remessa, pakbon, dowod dostawy
purchase_order: purchase order, bestellung, bon de commande, orden de compra, pedido de compra, ordine di acquisto, ordem de compra, inkooporder, zamowienie
quote: quotation, quote, estimate, angebot, kostenvoranschlag, devis, presupuesto, preventivo, orcamento, offerte, oferta
bill_of_lading: bill of lading, konnossement, connaissement, conocimiento de embarque, polizza di carico, cmr
bank_statement: bank statement, account statement, statement of account, kontoauszug, releve de compte, extracto bancario, estratto conto, extrato bancario, rekeningafschrift, wyciag bankowy
payslip: payslip, pay slip, pay stub, earnings statement, lohnabrechnung, gehaltsabrechnung, entgeltabrechnung, bulletin de paie, fiche de paie, nomina, busta paga, recibo de vencimento, loonstrook, odcinek wyplaty
utility_bill: utility bill, electricity bill, water bill, gas bill, stromrechnung
expense_report: expense report, reisekostenabrechnung, spesenabrechnung, note de frais, nota spese
tax_form: form w-2, form w-4, form w-8, form w-8ben, form w-9, form 1099, form 1040, request for taxpayer, certificate of foreign status, tax return, wage and tax statement, steuererklarung, lohnsteuerbescheinigung
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

// title is a phrase that tells a kind of document.
type title struct{ phrase, kind string }

// readTitles gives the phrases, each with a space at either end.
func readTitles() []title {
	var all []title
	for l := range strings.Lines(strings.TrimSpace(titles)) {
		kind, phrases, _ := strings.Cut(strings.TrimSpace(l), ":")
		for phrase := range strings.SplitSeq(phrases, ",") {
			all = append(all, title{" " + plain(phrase) + " ", kind})
		}
	}
	return all
}

// titleOf tells the kind of document that a line is the title of, "" for none.
func (x *lexicon) titleOf(text string) string {
	folded := " " + plain(text) + " "
	for _, t := range x.titles {
		if strings.Contains(folded, t.phrase) {
			return t.kind
		}
	}
	if strings.Contains(folded, "rechnung ") && !strings.Contains(folded, "abrechnung ") {
		return "invoice" // Handelsrechnung, Teilrechnung, Schlussrechnung
	}
	return ""
}

// evidence are fields that only one kind of document has.
var evidence = map[string]string{
	"invoice_number": "invoice", "invoice_date": "invoice", "receipt_number": "receipt", "quote_number": "quote",
	"delivery_note_number": "delivery_note", "contract_number": "contract", "policy_number": "insurance_policy", "claim_number": "insurance_claim",
	"passport_number": "passport", "cash": "receipt", "change": "receipt", "tip": "receipt", "gross_pay": "payslip", "net_pay": "payslip", "pay_period": "payslip",
	"opening_balance": "bank_statement", "closing_balance": "bank_statement", "transactions": "bank_statement", "patient_name": "medical_record",
}

// evidenceWeight is what one such field says beside a title in letters of the
// usual size, which says 1/2.
const evidenceWeight = 0.2

// named are documents that others name: an invoice tells the order and the
// delivery note that it goes with. Only a title says that it is one of them.
var named = []string{"purchase_order", "delivery_note", "quote", "contract"}

// documentType tells what the sample is: by its titles, which are lines of the
// first page that name a kind of document and little else, the larger and the
// higher the better, and by the fields it has. "" when nothing tells.
func (d *Detector) documentType(s *sheet, candidates []candidate) string {
	points := map[string]float64{}
	usual := s.usualHeight()
	for i, l := range s.lines {
		if l.page != s.lines[0].page || i > 40 {
			break
		}
		for j, one := range l.segments {
			kind := d.names.titleOf(one.text)
			if kind == "" || len(one.words) > 8 {
				continue
			}
			title := one.height() / usual * (1 - l.box.Y0/2) / float64(len(one.words)+1)
			if one.colon || hasDigit(one.text) || j+1 < len(l.segments) { // rather a label, such as "Invoice No.:"
				if slices.Contains(named, kind) {
					continue
				}
				title /= 3
			}
			points[kind] = max(points[kind], title)
		}
	}
	for _, c := range candidates {
		if kind := evidence[c.field.Name]; kind != "" {
			points[kind] += evidenceWeight
		}
	}
	best := ""
	for kind, n := range points {
		if n > points[best] || n == points[best] && kind < best {
			best = kind
		}
	}
	return best
}

// usualHeight is that of most segments.
func (s *sheet) usualHeight() float64 {
	var heights []float64
	for _, l := range s.lines {
		for _, one := range l.segments {
			heights = append(heights, one.height())
		}
	}
	if len(heights) == 0 {
		return 1
	}
	slices.Sort(heights)
	return max(heights[len(heights)/2], 1e-6)
}

// plain folds a text to words with single spaces between them.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(signs.Replace(value.Fold(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\''
	}), " ")
}

// signs are written as words.
var signs = strings.NewReplacer("#", " no ", "№", " no ", "°", " ", "º", " ")

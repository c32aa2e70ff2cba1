package detect

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift/internal/value"
)

// fieldNames has on each line a field's name and the labels, folded, that
// documents print for it, in eight languages. A star marks fields whose values
// are words, which need no figures to be told from prose.
const fieldNames = `
invoice_number: invoice number, invoice no, invoice nr, invoice id, inv no, bill number, bill no, rechnungsnummer, rechnungsnr, rechnungs nr, rechnung nr, re nr, belegnummer, numero de facture, n de facture, facture n, facture no, numero facture, numero de factura, n factura, factura n, factura no, numero fattura, fattura n, n fattura, numero da fatura, fatura n, factuurnummer, factuurnr, numer faktury, faktura nr, nr faktury, faktura vat nr
invoice_date: invoice date, date of invoice, bill date, billing date, rechnungsdatum, date de facture, date de la facture, date facture, date de facturation, fecha de factura, fecha factura, data fattura, data della fattura, data da fatura, factuurdatum, data faktury
issue_date: issue date, date of issue, date issued, issued, ausstellungsdatum, date d'emission, fecha de emision, data di emissione, data de emissao, uitgiftedatum, data wystawienia
due_date: due date, payment due, payment due date, pay by, due, fallig am, faelligkeitsdatum, falligkeitsdatum, zahlbar bis, zahlungsziel, date d'echeance, echeance, fecha de vencimiento, vencimiento, data di scadenza, scadenza, data de vencimento, vencimento, vervaldatum, termin platnosci
delivery_date: delivery date, date of delivery, lieferdatum, leistungsdatum, date de livraison, fecha de entrega, data di consegna, data de entrega, leverdatum, data dostawy, data sprzedazy
order_date: order date, bestelldatum, auftragsdatum, date de commande, fecha de pedido, data ordine, orderdatum, data zamowienia
date: date, datum, fecha, data
time: time, uhrzeit, heure, hora, ora, tijd, godzina
order_number: order number, order no, order, bestellung, auftrag, commande, pedido, ordine, order nr, order id, sales order, auftragsnummer, auftragsnr, auftrags nr, bestellnummer, bestellnr, bestell nr, numero de commande, commande n, n de commande, numero de pedido, pedido n, numero ordine, ordine n, ordernummer, numer zamowienia
po_number: po number, po no, po, purchase order number, purchase order no, customer po, your order
customer_number: customer number, customer no, customer nr, customer id, client number, client no, client id, account no for customer, kundennummer, kundennr, kunden nr, numero client, n client, code client, numero de cliente, codice cliente, numero cliente, klantnummer, numer klienta
contract_number: contract number, contract no, contract nr, agreement number, agreement no, vertragsnummer, vertragsnr, numero de contrat, numero de contrato, numero contratto, contractnummer, numer umowy
reference: reference, reference number, reference no, ref, ref no, our reference, your reference, referenz, referenznummer, zeichen, unser zeichen, ihr zeichen, referencia, riferimento, referentie, kenmerk, numer referencyjny
receipt_number: receipt number, receipt no, receipt nr, quittungsnummer, bonnummer, numero de recu, numero de recibo, numero ricevuta, bonnr, numer paragonu
quote_number: quote number, quote no, quotation number, quotation no, estimate number, estimate no, angebotsnummer, angebotsnr, angebot nr, numero de devis, devis n, offertenummer, numer oferty
delivery_note_number: delivery note number, delivery note no, lieferscheinnummer, lieferschein nr, bon de livraison n
policy_number: policy number, policy no, versicherungsnummer, versicherungsscheinnummer, numero de police, numero de poliza, numero polizza, polisnummer, numer polisy
claim_number: claim number, claim no, schadennummer, numero de sinistre
account_number: account number, account no, account nr, acct no, kontonummer, kontonr, numero de compte, numero de cuenta, numero conto, numero da conta, rekeningnummer, numer konta, numer rachunku
iban: iban
bic: bic, swift, swift code, bic swift, swift bic
bank_name*: bank, bank name, bankname, kreditinstitut, nom de la banque, banque, nombre del banco, banco, banca, nome do banco, nazwa banku
vendor_vat_id: seller vat id, vendor vat id, supplier vat number
vat_id: vat id, vat no, vat number, vat reg no, vat registration number, vat registration no, ust id, ust idnr, ust id nr, ustid, ustidnr, umsatzsteuer id, umsatzsteueridentifikationsnummer, n tva, numero de tva, tva intracommunautaire, n tva intracommunautaire, nif, cif, nif iva, partita iva, p iva, btw nummer, btw nr, nip
tax_id: tax id, tax number, tax no, tin, ein, steuernummer, steuernr, steuer nr, st nr, siret, siren, codice fiscale, contribuinte, gst no, gstin, abn
total_amount: total, grand total, invoice total, total amount, total due, gesamt, gesamtbetrag, gesamtsumme, summe, endbetrag, endsumme, rechnungsbetrag, rechnungssumme, bruttobetrag, brutto, zu zahlen, zu zahlender betrag, zahlbetrag, total ttc, montant total, montant ttc, net a payer, total a payer, importe total, total factura, total a pagar, totale, totale fattura, totale documento, importo totale, valor total, totaal, totaalbedrag, te betalen, razem, suma, do zaplaty, kwota do zaplaty, wartosc brutto
amount_due: amount due, balance due, amount payable, balance, offener betrag, restbetrag, reste a payer, saldo
amount_paid: amount paid, paid amount, payments, bezahlt, gezahlt, montant paye, importe pagado, importo pagato, betaald, zaplacono
subtotal: subtotal, sub total, net amount, net total, total net, total excl vat, total excluding vat, total before tax, zwischensumme, nettobetrag, nettosumme, summe netto, netto, gesamt netto, total ht, montant ht, sous total, base imponible, subtotal sin iva, imponibile, totale imponibile, subtotaal, totaal excl btw, wartosc netto, suma netto
tax_amount: tax, sales tax, vat, vat amount, total vat, tax amount, total tax, gst, hst, mwst, mehrwertsteuer, ust, umsatzsteuer, steuer, steuerbetrag, mwst betrag, tva, montant tva, total tva, iva, total iva, imposta, imposto, btw, btw bedrag, podatek, kwota vat
tax_rate: tax rate, vat rate, vat percent, steuersatz, mwst satz, ust satz, taux de tva, taux tva, tipo de iva, aliquota iva, taxa de iva, btw tarief, stawka vat
discount_amount: discount, rabatt, nachlass, remise, descuento, sconto, desconto, korting, rabat
shipping_amount: shipping, shipping and handling, freight, delivery charge, versand, versandkosten, fracht, porto, frais de port, gastos de envio, spese di spedizione, portes, verzendkosten, koszt wysylki
tip: tip, gratuity, trinkgeld, pourboire, propina, mancia
change: change, change due, ruckgeld, rendu, cambio, resto, reszta
cash: cash, bar, especes, efectivo, contanti, dinheiro, contant, gotowka
payment_terms*: payment terms, terms, terms of payment, zahlungsbedingungen, conditions de paiement, condiciones de pago, termini di pagamento, condizioni di pagamento, condicoes de pagamento, betalingsvoorwaarden, warunki platnosci
payment_method*: payment method, method of payment, paid by, payment type, zahlungsart, zahlungsweise, mode de paiement, moyen de paiement, forma de pago, metodo di pagamento, modalita di pagamento, forma de pagamento, betaalwijze, sposob platnosci, forma platnosci
currency*: currency, wahrung, waehrung, devise, moneda, valuta, moeda, waluta
customer_name*: customer, customer name, client, client name, bill to, billed to, sold to, invoice to, buyer, purchaser, kunde, kundenname, kaufer, rechnungsempfanger, empfanger, auftraggeber, acheteur, facture a, nom du client, cliente, nombre del cliente, comprador, facturar a, nome cliente, acquirente, fatturare a, destinatario, nome do cliente, klant, klantnaam, afnemer, nabywca, klient, odbiorca
vendor_name*: vendor, vendor name, seller, seller name, supplier, supplier name, merchant, issued by, lieferant, verkaufer, rechnungssteller, aussteller, vendeur, fournisseur, emetteur, vendedor, proveedor, emisor, venditore, fornitore, fornecedor, leverancier, verkoper, sprzedawca, wystawca
ship_to_name*: ship to, shipped to, deliver to, delivery address, lieferadresse, lieferanschrift, livrer a, adresse de livraison, enviar a, direccion de entrega, spedire a, indirizzo di spedizione, leveradres, adres dostawy, consignee
contact_name*: contact, contact person, attention, attn, ansprechpartner, sachbearbeiter, bearbeiter, interlocuteur, contacto, contatto, referente, contactpersoon, osoba kontaktowa
name*: name, full name, nom, nombre, nome, naam, imie i nazwisko
first_name*: first name, given name, given names, vorname, prenom, nombre de pila, primeiro nome, voornaam, imie
last_name*: last name, surname, family name, nachname, familienname, nom de famille, apellido, apellidos, cognome, sobrenome, apelido, achternaam, nazwisko
address*: address, anschrift, adresse, direccion, domicilio, indirizzo, endereco, morada, adres
city*: city, town, ort, stadt, ville, ciudad, citta, cidade, plaats, woonplaats, miasto, miejscowosc
postcode: zip, zip code, postcode, postal code, plz, postleitzahl, code postal, codigo postal, cap, kod pocztowy
state*: state, province, bundesland, provincia, estado, wojewodztwo
country*: country, land, pays, pais, paese, kraj
phone: phone, phone number, phone no, telephone, tel, tel no, telefon, telefonnummer, telephone n, telefono, telefone, telefoon, numer telefonu
mobile: mobile, mobile number, mobil, handy, portable, movil, cellulare, telemovel, mobiel
fax: fax, fax number, telefax
email*: email, e mail, email address, e mail address, mail, courriel, correo electronico, correo, posta elettronica
website*: website, web, homepage, www, site web, sitio web, sito web
date_of_birth: date of birth, birth date, dob, geburtsdatum, geboren am, date de naissance, fecha de nacimiento, data di nascita, data de nascimento, geboortedatum, data urodzenia
nationality*: nationality, staatsangehorigkeit, nationalite, nacionalidad, nazionalita, nacionalidade, nationaliteit, obywatelstwo
employee_name*: employee, employee name, mitarbeiter, arbeitnehmer, salarie, nom du salarie, empleado, trabajador, dipendente, empregado, werknemer, pracownik
employee_number: employee number, employee no, employee id, personalnummer, personalnr, personal nr, matricule, numero de empleado, matricola, personeelsnummer
employer_name*: employer, employer name, arbeitgeber, employeur, empresa, empleador, datore di lavoro, werkgever, pracodawca
pay_date: pay date, payment date, zahldatum, zahlungsdatum, date de paiement, fecha de pago, data di pagamento, data de pagamento, betaaldatum, data wyplaty, data platnosci
billing_period*: billing period, service period, invoice period, leistungszeitraum, abrechnungszeitraum, periode de facturation, periodo de facturacion, periodo di fatturazione, factuurperiode, okres rozliczeniowy
period*: period, statement period, zeitraum, periode, periodo, periodo di riferimento, okres
pay_period*: pay period, periode de paie, loonperiode
gross_pay: gross pay, gross salary, gross earnings, bruttolohn, bruttogehalt, salaire brut, salario bruto, retribuzione lorda, brutoloon, wynagrodzenie brutto
net_pay: net pay, net salary, take home pay, nettolohn, auszahlungsbetrag, auszahlung, salaire net, net a percevoir, salario neto, liquido a percibir, netto in busta, nettoloon, wynagrodzenie netto
social_security_number: social security number, ssn, social security no, sozialversicherungsnummer, sv nummer, numero de securite sociale, numero seguridad social, burgerservicenummer, bsn, pesel
opening_balance: opening balance, previous balance, beginning balance, starting balance, anfangssaldo, alter kontostand, alter saldo, ancien solde, solde initial, saldo anterior, saldo inicial, saldo iniziale, beginsaldo, saldo poczatkowe
closing_balance: closing balance, ending balance, new balance, endsaldo, neuer kontostand, neuer saldo, nouveau solde, solde final, saldo final, saldo finale, eindsaldo, saldo koncowe
statement_date: statement date, auszugsdatum, date du releve, fecha del extracto, data estratto conto
effective_date: effective date, start date, valid from, beginning, gultig ab, vertragsbeginn, beginn, date d'effet, date de debut, fecha de inicio, fecha de entrada en vigor, data di inizio, decorrenza, data de inicio, ingangsdatum, startdatum, data rozpoczecia
expiry_date: expiry date, expiration date, date of expiry, end date, valid until, expires, gultig bis, vertragsende, ablaufdatum, date d'expiration, date de fin, fecha de caducidad, fecha de fin, data di scadenza documento, validade, data de validade, einddatum, geldig tot, data waznosci
passport_number: passport number, passport no, passnummer, reisepassnummer, numero de passeport, numero de pasaporte, numero passaporto
document_number: document number, document no, doc no, belegnr, beleg nr, dokumentnummer, numero de document, numero de documento, numero documento, documentnummer
serial_number: serial number, serial no, seriennummer, numero de serie, numero di serie, serienummer, numer seryjny
tracking_number: tracking number, tracking no, sendungsnummer, numero de suivi, numero de seguimiento
patient_name*: patient, patient name, paciente, paziente, pacjent
project*: project, project name, projekt, projet, proyecto, progetto, projeto, project no, projektnummer
subject*: subject, betreff, objet, asunto, oggetto, assunto, betreft, dotyczy
status*: status, statut, estado del pedido, stato
description*: description, beschreibung, designation, descripcion, descrizione, descricao, omschrijving, opis
notes*: notes, note, remarks, comments, bemerkung, bemerkungen, anmerkung, hinweis, remarque, remarques, observaciones, notas, osservazioni, observacoes, opmerkingen, uwagi
quantity: quantity, qty, menge, anzahl, quantite, cantidad, quantita, quantidade, aantal, ilosc
`

// columnNames is the same for the heads of columns.
const columnNames = `
position: pos, position, no, nr, line, lp, item no in list, ligne, zeile, riga, linha, regel, l p
item_number: item no, item number, item code, article no, article number, article, art nr, artikelnummer, artikelnr, artikel nr, artnr, sku, product code, product no, part no, part number, code, code article, reference, ref, referencia, codigo, codice, codice articolo, artikelcode, indeks
description: description, item, items, item description, product, product name, service, services, details, particulars, bezeichnung, beschreibung, artikel, artikelbezeichnung, leistung, produkt, text, designation, libelle, produit, descripcion, concepto, producto, articulo, descrizione, prodotto, articolo, descricao, designacao, produto, omschrijving, opis, nazwa, nazwa towaru, nazwa towaru lub uslugi, towar
quantity: quantity, qty, units, hours, hrs, menge, anzahl, stuck, std, stunden, quantite, qte, cantidad, cant, quantita, qta, quantidade, qtd, aantal, ilosc
unit: unit, uom, einheit, eh, me, unite, unidad, unita, u m, um, eenheid, jm, jednostka
unit_price: unit price, price, price each, rate, cost, unit cost, net price, einzelpreis, e preis, ep, preis, stuckpreis, prix unitaire, pu, p u, prix, pu ht, prix unitaire ht, precio, precio unitario, prezzo, prezzo unitario, preco, preco unitario, prijs, stukprijs, cena, cena jednostkowa, cena netto
discount: discount, disc, rabatt, remise, descuento, dto, sconto, desconto, korting, rabat
tax_rate: tax rate, vat rate, vat, tax, mwst, ust, mwst satz, tva, taux tva, iva, btw, stawka vat, gst
tax_amount: vat amount, tax amount, mwst betrag, montant tva, kwota vat
amount: amount, total, line total, total price, net amount, net, extended price, sum, gesamt, gesamtpreis, betrag, summe, netto, nettobetrag, gp, montant, montant ht, total ht, importe, importo, totale, valor, valor total, bedrag, totaal, wartosc, wartosc netto, kwota
gross_amount: gross, gross amount, brutto, wartosc brutto, montant ttc, total ttc
date: date, datum, fecha, data, buchungstag, buchungsdatum, booking date, transaction date, posting date, date operation
value_date: value date, wertstellung, valuta, date de valeur, date valeur, fecha valor, data valuta
debit: debit, withdrawal, withdrawals, money out, paid out, soll, belastung, cargo, cargos, debe, dare, uscite, debito, af, obciazenie
credit: credit, deposit, deposits, money in, paid in, haben, gutschrift, abono, abonos, haber, avere, entrate, credito, bij, uznanie
balance: balance, saldo, kontostand, solde
type: type, typ, art, tipo, soort
status: status, statut, stato
name: name, nom, nombre, nome, naam
reference: transaction reference, verwendungszweck
`

// partyNames has the titles of blocks that belong to a party.
const partyNames = `
customer: bill to, billed to, sold to, invoice to, customer, client, buyer, purchaser, kunde, kaufer, rechnungsempfanger, empfanger, acheteur, facture a, cliente, comprador, acquirente, destinatario, klant, afnemer, nabywca, recipient
vendor: vendor, seller, supplier, from, lieferant, verkaufer, rechnungssteller, vendeur, fournisseur, vendedor, proveedor, venditore, fornitore, fornecedor, leverancier, verkoper, sprzedawca, payer
ship_to: ship to, shipped to, deliver to, lieferadresse, lieferanschrift, livrer a, adresse de livraison, enviar a, spedire a, leveradres, consignee
employee: employee, mitarbeiter, arbeitnehmer, salarie, empleado, dipendente, werknemer, pracownik
employer: employer, arbeitgeber, employeur, empleador, datore di lavoro, werkgever, pracodawca
`

// lexicon knows what printed labels are called.
type lexicon struct {
	fields, columns, parties map[string]string // by label, folded
	text                     map[string]bool   // names of fields whose values are words
	titles                   []title
}

func newLexicon() *lexicon {
	x := &lexicon{text: map[string]bool{}, titles: readTitles()}
	x.fields = x.read(fieldNames)
	x.columns = x.read(columnNames)
	x.parties = x.read(partyNames)
	return x
}

func (x *lexicon) read(list string) map[string]string {
	names := map[string]string{}
	for l := range strings.Lines(strings.TrimSpace(list)) {
		name, labels, _ := strings.Cut(strings.TrimSpace(l), ":")
		name, isText := strings.CutSuffix(name, "*")
		if isText {
			x.text[name] = true
		}
		for label := range strings.SplitSeq(labels, ",") {
			if key := plain(label); names[key] == "" {
				names[key] = name
			}
		}
	}
	return names
}

// find gives the name of a field by its label. What stands in parentheses or
// after a slash, often a second language, may be left out.
func (x *lexicon) find(label string) (string, bool) { return lookUp(x.fields, label) }

// column gives the name of a column by its head.
func (x *lexicon) column(head string) (string, bool) { return lookUp(x.columns, head) }

// party gives the party that a title announces.
func (x *lexicon) party(title string) (string, bool) { return lookUp(x.parties, title) }

// isText tells labels of fields whose values are words.
func (x *lexicon) isText(label string) bool {
	name, _ := x.find(label)
	return x.text[name]
}

func lookUp(names map[string]string, label string) (string, bool) {
	if len(label) > 80 {
		return "", false
	}
	for _, form := range []string{label, beforeAny(label, "("), beforeAny(label, "/")} {
		if name, ok := names[plain(form)]; ok {
			return name, true
		}
	}
	return "", false
}

func beforeAny(text, marks string) string {
	if i := strings.IndexAny(text, marks); i > 0 {
		return text[:i]
	}
	return text
}

// longestName is how long the name of a field becomes, in characters.
const longestName = 48

// snake makes a name of a label: "Net weight (kg)" becomes net_weight_kg.
func snake(label string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ReplaceAll(value.Fold(label), "#", " number ") {
		switch {
		case r == '\'' || r == '’':
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			b.WriteRune(r)
			gap = false
		default:
			gap = true
		}
	}
	name := b.String()
	for utf8.RuneCountInString(name) > longestName {
		i := strings.LastIndexByte(name, '_')
		if i < 0 {
			return string([]rune(name)[:longestName])
		}
		name = name[:i]
	}
	if name != "" && unicode.IsDigit([]rune(name)[0]) {
		name = "field_" + name
	}
	return name
}

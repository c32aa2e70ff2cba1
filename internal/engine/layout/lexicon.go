package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift/internal/value"
)

// concepts has on each line a concept and the words and phrases that business
// documents print for it, folded, in eight languages. What a field is called
// and what is printed are both brought to concepts before they are compared.
const concepts = `
number: no, nr, num, nbr, nummer, numero, numer, number, id, identifier, identification, code, ref, reference, referenz, kennung, identificador, identificatore
date: date, datum, fecha, data, dated, day, tag, jour, dia, giorno, dzien
amount: amount, amt, betrag, montant, importe, importo, valor, bedrag, kwota, sum, value, wert
name: name, nom, nombre, nome, naam, nazwa, names
invoice: invoice, inv, rechnung, rechnungs, rg, facture, factura, fattura, fatura, factuur, faktura, faktury
receipt: receipt, quittung, beleg, recu, recibo, ricevuta, bon, kvittung, paragon
order: order, auftrag, auftrags, bestellung, bestell, bestellungs, commande, pedido, ordine, encomenda, zamowienie, zamowienia
purchase order: po, purchase order
quote: quote, quotation, estimate, angebot, angebots, devis, presupuesto, preventivo, orcamento, offerte, oferta
delivery: delivery, liefer, lieferung, livraison, entrega, consegna, levering, lever, dostawa, dostawy
contract: contract, agreement, vertrag, vertrags, contrat, contrato, contratto, umowa, umowy
due: due, fallig, falligkeit, falligkeits, fallige, echeance, vencimiento, scadenza, vencimento, verval, platnosci, payable by, pay by, zahlbar bis, zahlungsziel, due by, payment due
total: total, gesamt, gesamtsumme, summe, totale, totaal, razem, suma, grand total, amount due, balance due, total due, endbetrag, endsumme, rechnungsbetrag, zahlbetrag, zu zahlen, zu zahlender betrag, total a payer, net a payer, total a pagar, totale da pagare, te betalen, do zaplaty, gesamtbetrag, bruttobetrag, total ttc
subtotal: subtotal, sub total, zwischensumme, nettobetrag, nettosumme, summe netto, sous total, total ht, base imponible, imponibile, totale imponibile, subtotaal, net amount, net total, total net, total excl
tax: tax, vat, gst, hst, mwst, ust, umsatzsteuer, mehrwertsteuer, steuer, tva, iva, btw, taxe, taxes, impuesto, imposto, imposta, ptu, nip
rate: rate, satz, taux, tasa, tipo, aliquota, taxa, tarief, stawka
net: net, netto, neto
gross: gross, brutto, bruto, brut
discount: discount, rabatt, skonto, remise, descuento, sconto, desconto, korting, rabat
shipping: shipping, freight, versand, versandkosten, porto, frais de port, envio, spedizione, verzendkosten, wysylka
customer: customer, client, kunde, kunden, cliente, klant, klanten, klient, klienta, nabywca, buyer, purchaser, kaufer, acheteur, comprador, acquirente, bill to, billed to, sold to, invoice to, bill, rechnungsempfanger, empfanger, recipient, destinatario, facture a, facturar a
vendor: vendor, seller, supplier, merchant, lieferant, verkaufer, anbieter, vendeur, fournisseur, vendedor, proveedor, venditore, fornitore, fornecedor, leverancier, sprzedawca, issuer, aussteller, remit to
consignee: ship to, shipped to, deliver to, consignee, lieferadresse, lieferanschrift
company: company, firma, business, organisation, organization, societe, empresa, azienda, ditta, bedrijf
employee: employee, mitarbeiter, arbeitnehmer, employe, salarie, empleado, dipendente, empregado, werknemer, pracownik
employer: employer, arbeitgeber, employeur, empleador, datore, empregador, werkgever, pracodawca
patient: patient, paciente, paziente, pacjent
address: address, addr, adresse, anschrift, direccion, indirizzo, endereco, morada, adres
street: street, strasse, rue, calle, via, rua, straat, ulica
city: city, town, ort, stadt, ville, ciudad, citta, cidade, plaats, miasto
zip: zip, postcode, postal code, zip code, plz, postleitzahl, code postal, codigo postal, cap, kod pocztowy
country: country, land, pays, pais, paese, kraj
state: state, province, bundesland, provincia, estado
phone: phone, telephone, tel, telefon, telefono, telefone, telefoon, mobile, mobil, handy, cell
fax: fax, telefax
email: email, mail, e mail, courriel, correo
website: website, web, homepage, url, site, www
iban: iban
bic: bic, swift
bank: bank, banque, banco, banca
account: account, acct, konto, compte, cuenta, conto, conta, rekening
holder: holder, inhaber, titulaire, titular, intestatario, titolare
description: description, desc, bezeichnung, beschreibung, artikelbezeichnung, leistung, designation, libelle, descripcion, concepto, descrizione, descricao, designacao, omschrijving, opis, nazwa towaru, details, particulars, text
item: item, items, artikel, article, articulo, articolo, artigo, product, produkt, produit, producto, prodotto, produto, towar, material
position: position, pos, line, lp, zeile, ligne, linea, riga, linha, regel
quantity: quantity, qty, menge, anzahl, quantite, qte, cantidad, cant, quantita, qta, quantidade, qtd, aantal, ilosc, units, stuck, hours, hrs, stunden
unit: unit, einheit, unite, unidad, unita, unidade, eenheid, jednostka, jm, uom, each
price: price, preis, prix, precio, prezzo, preco, prijs, cena, cost, kosten
unit price: einzelpreis, stuckpreis, unit cost, e preis, ep, pu, precio unitario, prix unitaire, prezzo unitario, preco unitario, stukprijs, cena jednostkowa, unitprice
line total: gesamtpreis, line total, extended, extension
currency: currency, wahrung, devise, moneda, moeda, valuta, waluta, ccy
payment: payment, zahlung, zahlungs, paiement, reglement, pago, pagamento, betaling, betalings, zahlart, bezahlung
terms: terms, bedingungen, conditions, condiciones, condizioni, condicoes, voorwaarden, warunki
method: method, art, mode, metodo, forma, modo, wijze, sposob, zahlungsart
balance: balance, saldo, kontostand, solde
opening: opening, beginning, previous, anfangs, alter, ancien, inicial, iniziale
closing: closing, ending, end, new, neuer, final
debit: debit, withdrawal, withdrawals, soll, paid out, cargo, addebito
credit: credit, deposit, deposits, haben, paid in, abono, accredito
birth: birth, geburts, geburt, dob, naissance, nacimiento, nascita, nascimento, geboorte, urodzenia
period: period, zeitraum, periode, periodo, okres
start: start, from, begin, beginn, von, effective
salary: salary, wage, wages, gehalt, lohn, salaire, salario, stipendio, salaris, pay
title: title, titel, titre, titulo, titolo, betreff, subject, re
issue: issue, issued, ausgestellt, ausstellungs, emission, emision, emissione, wystawienia, uitgifte
signature: signature, unterschrift, firmado, assinatura, handtekening, podpis
gender: gender, sex, geschlecht, sexe, sexo, sesso
weight: weight, gewicht, poids, peso, waga
`

// generic concepts say what a value is more than which one: they weigh less.
const generic = " number date amount name rate unit item description position "

// ignored words carry no meaning in a label.
const ignored = " the a an of for and or to in on at by your our this that is as it its if any with per incl including inc excl der die das des den dem und fur von zu im am ihr ihre unser le la les l de du des d et un une votre notre el los las y su del il lo gli e della di vs o os da do dos das seu van het en uw w z i printed shown document value field found full text "

// lexicon maps folded words and phrases to the concepts they stand for.
type lexicon struct {
	words     map[string][]string // a word or a phrase → concepts
	inPhrases map[string]bool     // words that are part of a phrase
	phrases   int                 // most words that a phrase has
}

func newLexicon() *lexicon {
	x := &lexicon{words: map[string][]string{}, inPhrases: map[string]bool{}}
	for line := range strings.Lines(concepts) {
		concept, words, found := strings.Cut(strings.TrimSpace(line), ":")
		if !found {
			continue
		}
		for word := range strings.SplitSeq(words, ",") {
			word = strings.TrimSpace(word)
			if _, taken := x.words[word]; taken {
				continue // the first line that has it counts
			}
			x.words[word] = strings.Fields(concept)
			if parts := strings.Fields(word); len(parts) > 1 {
				x.phrases = max(x.phrases, len(parts))
				for _, part := range parts {
					x.inPhrases[part] = true
				}
			}
		}
	}
	return x
}

// concepts brings a label or a name to concepts, in order; a word that is in
// no concept stands for itself.
func (x *lexicon) concepts(text string) []string {
	words := split(text)
	var found []string
	for i := 0; i < len(words); {
		n := min(x.phrases, len(words)-i)
		for ; n > 1; n-- {
			if known, ok := x.words[strings.Join(words[i:i+n], " ")]; ok {
				found = append(found, known...)
				break
			}
		}
		if n <= 1 {
			found = append(found, x.word(words[i])...)
			n = 1
		}
		i += n
	}
	return found
}

// word brings one word to concepts. Compounds that Germanic languages write as
// one word are taken apart when both halves are known.
func (x *lexicon) word(word string) []string {
	if strings.Contains(ignored, " "+word+" ") {
		return nil
	}
	if known, ok := x.words[word]; ok {
		return known
	}
	if len(word) >= 8 && len(word) <= 40 {
		for i := 4; i <= len(word)-4; i++ {
			if !utf8.RuneStart(word[i]) {
				continue
			}
			first, ok := x.words[word[:i]]
			if !ok {
				first, ok = x.words[strings.TrimSuffix(word[:i], "s")]
			}
			if second, both := x.words[word[i:]]; ok && both {
				return append(append([]string(nil), first...), second...)
			}
		}
	}
	if singular, plural := strings.CutSuffix(word, "s"); plural {
		if known, ok := x.words[singular]; ok {
			return known
		}
	}
	if len(word) == 1 && (word[0] < '0' || word[0] > '9') {
		return nil
	}
	return []string{word}
}

// split takes text apart into folded words: at marks and spaces, and where
// camelCase and digits begin.
func split(text string) []string {
	var words []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, value.Fold(b.String()))
			b.Reset()
		}
	}
	var previous rune
	for _, r := range text {
		switch {
		case r == '#' || r == '№':
			flush()
			words = append(words, "number")
		case (r == '°' || r == 'º') && (b.String() == "n" || b.String() == "N"):
			b.Reset()
			words = append(words, "number")
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if unicode.IsUpper(r) && unicode.IsLower(previous) || unicode.IsDigit(r) != unicode.IsDigit(previous) && b.Len() > 0 {
				flush()
			}
			b.WriteRune(r)
		default:
			flush()
		}
		previous = r
	}
	flush()
	return words
}

// knows reports whether a folded word stands for a concept, alone or in a
// compound.
func (x *lexicon) knows(word string) bool {
	found := x.word(word)
	return len(found) == 0 || len(found) > 1 || found[0] != word || x.words[word] != nil
}

package value

import "strings"

// currencySigns are signs and local abbreviations, longest first, with what
// they stand for: an ISO code, or the sign itself where countries share it.
var currencySigns = []struct{ sign, currency string }{
	{"US$", "USD"}, {"CA$", "CAD"}, {"AU$", "AUD"}, {"NZ$", "NZD"}, {"HK$", "HKD"}, {"MX$", "MXN"},
	{"A$", "AUD"}, {"C$", "CAD"}, {"S$", "SGD"}, {"R$", "BRL"}, {"NT$", "TWD"},
	{"Euro", "EUR"}, {"euro", "EUR"}, {"EURO", "EUR"}, {"SFr.", "CHF"}, {"Fr.", "CHF"},
	{"zł", "PLN"}, {"Kč", "CZK"}, {"Ft", "HUF"}, {"RM", "MYR"}, {"Rs.", "INR"}, {"Rs", "INR"}, {"Rp.", "IDR"}, {"Rp", "IDR"}, {"kr.", "kr"}, {"kr", "kr"},
	{"€", "EUR"}, {"£", "GBP"}, {"₹", "INR"}, {"₽", "RUB"}, {"₺", "TRY"}, {"₴", "UAH"}, {"₩", "KRW"}, {"₪", "ILS"}, {"฿", "THB"}, {"₫", "VND"}, {"₱", "PHP"}, {"₦", "NGN"},
	{"$", "$"}, {"¥", "¥"}, {"￥", "¥"},
}

// currencyCodes are the ISO 4217 codes that documents print.
const currencyCodes = " AED ARS AUD BGN BHD BRL CAD CHF CLP CNY COP CRC CZK DKK DOP EGP EUR GBP GEL GHS HKD HRK HUF IDR ILS INR ISK JOD JPY KES KRW KWD " +
	"KZT LBP LKR MAD MDL MKD MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD TZS UAH UGX USD UYU VND XAF XOF ZAR "

// Currency reads a currency sign or code that stands alone: an ISO code, or
// the sign where several countries share it ($, ¥, kr).
func Currency(text string) (string, bool) {
	text = strings.Trim(text, " ()[].,:;")
	if len(text) == 3 && strings.Contains(currencyCodes, " "+text+" ") {
		return text, true
	}
	currency, ok := currencies[text]
	return currency, ok
}

// currencies are what currencySigns stand for, with and without a full stop.
var currencies = func() map[string]string {
	found := map[string]string{}
	for _, c := range currencySigns {
		found[c.sign], found[strings.TrimSuffix(c.sign, ".")] = c.currency, c.currency
	}
	return found
}()

// cutCurrency takes a currency off either end.
func cutCurrency(text string) (rest, currency string) {
	for _, c := range currencySigns {
		if rest, found := strings.CutPrefix(text, c.sign); found && !startsWithLetter(rest) {
			return strings.TrimSpace(rest), c.currency
		}
		if rest, found := strings.CutSuffix(text, c.sign); found {
			return strings.TrimSpace(rest), c.currency
		}
	}
	if len(text) > 3 {
		if code := text[:3]; strings.Contains(currencyCodes, " "+code+" ") && !startsWithLetter(text[3:]) {
			return strings.TrimSpace(text[3:]), code
		}
		if code := text[len(text)-3:]; strings.Contains(currencyCodes, " "+code+" ") {
			return strings.TrimSpace(text[:len(text)-3]), code
		}
	}
	return text, ""
}

func startsWithLetter(s string) bool {
	return s != "" && (s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] >= 0xC3 && s[0] <= 0xC9)
}

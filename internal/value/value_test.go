package value

import (
	"encoding/json"
	"testing"
)

var (
	english  = Locale{DayFirst: true}
	american = Locale{}
	german   = Locale{DayFirst: true, DecimalComma: true}
)

func TestDate(t *testing.T) {
	for _, c := range []struct {
		text   string
		locale Locale
		want   string // "" when it is no date
	}{
		{"2026-05-03", american, "2026-05-03"},
		{"2026/5/3", american, "2026-05-03"},
		{"20260503", american, "2026-05-03"},
		{"2026-05-03T14:33:05Z", american, "2026-05-03"},
		{"2026-05-03 14:33", american, "2026-05-03"},
		{"03.05.2026", american, "2026-05-03"},
		{"3.5.26", german, "2026-05-03"},
		{"03. 05. 2026", german, "2026-05-03"},
		{"05/03/2026", american, "2026-05-03"},
		{"05/03/2026", english, "2026-03-05"},
		{"13/05/2026", american, "2026-05-13"},
		{"05/13/2026", english, "2026-05-13"},
		{"5/3/26 2:33 PM", american, "2026-05-03"},
		{"03-05-1999", english, "1999-05-03"},
		{"3 May 2026", american, "2026-05-03"},
		{"May 3, 2026", english, "2026-05-03"},
		{"May 3rd, 2026", english, "2026-05-03"},
		{"the 3rd of May 2026", english, "2026-05-03"},
		{"MAY 3 2026", english, "2026-05-03"},
		{"3-May-26", english, "2026-05-03"},
		{"2026 May 3", english, "2026-05-03"},
		{"Sunday, 3 May 2026", english, "2026-05-03"},
		{"Sept. 9, 2025", american, "2025-09-09"},
		{"3. März 2026", german, "2026-03-03"},
		{"Montag, den 3. Januar 2026", german, "2026-01-03"},
		{"1er février 2026", german, "2026-02-01"},
		{"15 août 2026", german, "2026-08-15"},
		{"3 de mayo de 2026", german, "2026-05-03"},
		{"7 setiembre 2026", german, ""},
		{"7 septiembre 2026", german, "2026-09-07"},
		{"3 maggio 2026", german, "2026-05-03"},
		{"1º de março de 2026", german, "2026-03-01"},
		{"3 mei 2026", german, "2026-05-03"},
		{"12 maart 2026", german, "2026-03-12"},
		{"3 października 2026 r.", german, "2026-10-03"},
		{"30.02.2026", german, ""},
		{"31/04/2026", english, ""},
		{"03.13.2026", german, ""},
		{"May 2026", english, ""},
		{"03.05.", german, ""},
		{"1,234.56", american, ""},
		{"3 May 2026 net", english, ""},
		{"", english, ""},
	} {
		got, ok := Date(c.text, c.locale)
		if !ok {
			got = ""
		}
		if got != c.want {
			t.Errorf("Date(%q, %+v) = %q, want %q", c.text, c.locale, got, c.want)
		}
	}
}

func TestMoney(t *testing.T) {
	for _, c := range []struct {
		text           string
		locale         Locale
		want, currency string
	}{
		{"1,234.56", american, "1234.56", ""},
		{"1.234,56", american, "1234.56", ""},
		{"1 234,56", american, "1234.56", ""},
		{"1\u00a0234,56 €", german, "1234.56", "EUR"},
		{"1'234.50", german, "1234.50", ""},
		{"1’234’567.50 CHF", german, "1234567.50", "CHF"},
		{"12,34,567.89", american, "1234567.89", ""},
		{"1,234", american, "1234", ""},
		{"1,234", german, "1.234", ""},
		{"1.234", american, "1.234", ""},
		{"1.234", german, "1234", ""},
		{"0,125", american, "0.125", ""},
		{"1,234,567", german, "1234567", ""},
		{"12,5", american, "12.5", ""},
		{"(12.00)", american, "-12.00", ""},
		{"12.00-", american, "-12.00", ""},
		{"−12.00", american, "-12.00", ""},
		{"12.00 CR", american, "-12.00", ""},
		{"12.00DR", american, "12.00", ""},
		{"$12.00", american, "12.00", "$"},
		{"-$12.00", american, "-12.00", "$"},
		{"($1,012.00)", american, "-1012.00", "$"},
		{"$(1,012.00)", american, "-1012.00", "$"},
		{"US$ 5", american, "5", "USD"},
		{"EUR 1.000,00", german, "1000.00", "EUR"},
		{"12.00 USD", american, "12.00", "USD"},
		{"12,- €", german, "12", "EUR"},
		{"99,00 zł", german, "99.00", "PLN"},
		{"RM 8.20", english, "8.20", "MYR"},
		{".50", american, "0.50", ""},
		{"007", american, "7", ""},
		{"-0.00", american, "0.00", ""},
		{"+5", american, "5", ""},
		{"12345678901234567890.123456789", american, "12345678901234567890.123456789", ""},
		{"1,23.45", american, "", ""},
		{"03.05.2026", german, "", ""},
		{"2026-05-03", german, "", ""},
		{"030 123 456", german, "", ""},
		{"12 pieces", american, "", ""},
		{"INV-12", american, "", ""},
		{"$", american, "", ""},
		{"", american, "", ""},
	} {
		got, ok := Money(c.text, c.locale)
		if !ok {
			got = Amount{}
		}
		if got != (Amount{json.Number(c.want), c.currency}) {
			t.Errorf("Money(%q, %+v) = %v, want %s %s", c.text, c.locale, got, c.want, c.currency)
		}
	}
}

func TestPercent(t *testing.T) {
	for text, want := range map[string]json.Number{"19%": "19", "19 %": "19", "7,5 %": "7.5", "5 Prozent": "5", "-2.5%": "-2.5", "19": "", "% ": "", "$5%": ""} {
		if got, ok := Percent(text, german); got != want || ok != (want != "") {
			t.Errorf("Percent(%q) = %q, %v, want %q", text, got, ok, want)
		}
	}
}

func TestBoolean(t *testing.T) {
	for _, text := range []string{"yes", "YES", "True", "x", "X", "☒", "☑", "[x]", "Ja", "oui", "Sí", "sì", "sim", "tak", "prawda", "wahr."} {
		if got, ok := Boolean(text); !got || !ok {
			t.Errorf("Boolean(%q) = %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"no", "False", "☐", "[ ]", "Nein", "non", "não", "nee", "nie", "fałsz"} {
		if got, ok := Boolean(text); got || !ok {
			t.Errorf("Boolean(%q) = %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "maybe", "yes no", "12", "()"} {
		if _, ok := Boolean(text); ok {
			t.Errorf("Boolean(%q) is one", text)
		}
	}
}

func TestCurrency(t *testing.T) {
	for text, want := range map[string]string{"EUR": "EUR", "€": "EUR", "(USD)": "USD", "$": "$", "Rs": "INR", "eur": "", "ABC": "", "": ""} {
		if got, ok := Currency(text); got != want || ok != (want != "") {
			t.Errorf("Currency(%q) = %q, %v", text, got, ok)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	for name, c := range map[string]struct {
		read      func(string) (string, bool)
		good, bad []string
		want      string
	}{
		"IBAN":  {IBAN, []string{"DE89 3704 0044 0532 0130 00", "IBAN: de89370400440532013000"}, []string{"DE89 3704 0044 0532 0130 01", "DE89", "", "8937040044053201300000"}, "DE89370400440532013000"},
		"VAT":   {VAT, []string{"DE123456789", "DE 123 456 789", "de123.456.789"}, []string{"DE12345678", "XX123456789", "123456789"}, "DE123456789"},
		"Luhn":  {Luhn, []string{"4111 1111 1111 1111", "4111-1111-1111-1111"}, []string{"4111 1111 1111 1112", "18", "4111x11111111111"}, "4111111111111111"},
		"Email": {Email, []string{"jo.doe@mail.example.com", "<jo.doe@mail.example.com>,", "mailto:jo.doe@mail.example.com"}, []string{"jo@", "@example.com", "jo@example", "a b@example.com", "a..b@example.com"}, "jo.doe@mail.example.com"},
		"URL":   {URL, []string{"https://example.com/a?b=c", "(https://example.com/a?b=c)."}, []string{"example", "1.25", "file.pdf", "http://", "jo@example.com", "ftp://example.com"}, "https://example.com/a?b=c"},
		"Phone": {Phone, []string{"+49 (0)30 123456-78", "+49 30 1234 5678", "+493012345678 ext. 12"}, []string{"12345", "1234567890123456", "+49 call 12345678", "++493012345678"}, "+493012345678"},
	} {
		for _, text := range c.good {
			if got, ok := c.read(text); got != c.want || !ok {
				t.Errorf("%s(%q) = %q, %v, want %q", name, text, got, ok, c.want)
			}
		}
		for _, text := range c.bad {
			if got, ok := c.read(text); ok {
				t.Errorf("%s(%q) = %q, should be refused", name, text, got)
			}
		}
	}
}

func TestDecideLocale(t *testing.T) {
	for name, c := range map[string]struct {
		texts []string
		want  Locale
	}{
		"nothing to go by":             {nil, Locale{DayFirst: true}},
		"German amounts":               {[]string{"Summe 1.234,56 €", "03/04/2026", "1.000"}, Locale{DayFirst: true, DecimalComma: true}},
		"a day past twelve first":      {[]string{"13/05/2026", "$5.00"}, Locale{DayFirst: true}},
		"a day past twelve second":     {[]string{"05/13/2026,", "5.00"}, Locale{}},
		"dollars":                      {[]string{"$1,234.50", "05/03/2026"}, Locale{}},
		"pounds":                       {[]string{"£1,234.50", "05/03/2026"}, Locale{DayFirst: true}},
		"dates with points are no sum": {[]string{"03.05.2026", "12.5.26"}, Locale{DayFirst: true}},
		"the many decide":              {[]string{"1,50", "2,50", "3.50"}, Locale{DayFirst: true, DecimalComma: true}},
	} {
		if got := DecideLocale(c.texts); got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestSameNumber(t *testing.T) {
	for _, c := range []struct {
		a, b json.Number
		same bool
	}{
		{"12", "12.00", true}, {"1.2e1", "12", true}, {"120", "12", false}, {"0", "-0.0", true}, {"-1", "1", false}, {"100", "1E2", true}, {"1e999999999999999999", "1", false},
	} {
		if SameNumber(c.a, c.b) != c.same {
			t.Errorf("SameNumber(%s, %s) is not %v", c.a, c.b, c.same)
		}
	}
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{"Février": "fevrier", "FEVRIER": "fevrier", "Größe": "grosse", "październik": "pazdziernik", "ŻÓŁĆ": "zolc", "e\u0301t": "et", "ůűýÿžźż": "uuyyzzz", "日本": "日本"} {
		if got := Fold(text); got != want {
			t.Errorf("Fold(%q) = %q", text, got)
		}
	}
}

func TestNotAfter(t *testing.T) {
	for _, c := range [][3]string{ // a date, as printed, and as it can be in November 2026
		{"2061-11-05", "05-Nov-61", "1961-11-05"},
		{"2026-11-16", "16.11.26", "1926-11-16"},
		{"2026-11-15", "15.11.26", "2026-11-15"},
		{"1971-11-05", "05-Nov-71", "1971-11-05"},
		{"2061-11-05", "05-Nov-2061", "2061-11-05"},
		{"2064-02-29", "29/02/64", "1964-02-29"},
		{"", "", ""},
	} {
		if got := NotAfter("2026-11-15", c[0], c[1]); got != c[2] {
			t.Errorf("%s: %s, want %s", c[1], got, c[2])
		}
	}
}

package value

import (
	"encoding/json"
	"math/big"
	"regexp"
	"strings"
	"testing"
	"time"
)

func FuzzDate(f *testing.F) {
	for _, text := range []string{"2026-05-03", "03.05.2026", "5/3/26", "3 de mayo de 2026", "Montag, den 3. Januar 2026 14:33 Uhr"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, dayFirst bool) {
		if got, ok := Date(text, Locale{DayFirst: dayFirst}); ok {
			if _, err := time.Parse(time.DateOnly, got); err != nil {
				t.Errorf("Date(%q) = %q: %v", text, got, err)
			}
		}
	})
}

func FuzzMoney(f *testing.F) {
	for _, text := range []string{"1,234.56", "(1.234,56 €)", "12,- CHF", "1'000 CR", "-$.5"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, comma bool) {
		l := Locale{DecimalComma: comma}
		if got, ok := Money(text, l); ok {
			checkNumber(t, text, got.Number)
			if _, known := Currency(got.Currency); got.Currency != "" && !known {
				t.Errorf("Money(%q) is in %q", text, got.Currency)
			}
		}
		if got, ok := Percent(text, l); ok {
			checkNumber(t, text, got)
		}
	})
}

func checkNumber(t *testing.T, text string, n json.Number) {
	t.Helper()
	if out, err := json.Marshal(n); err != nil || string(out) != string(n) {
		t.Errorf("%q gives %q, which is no JSON number: %v", text, n, err)
	}
	if !SameNumber(n, n) {
		t.Errorf("%s differs from itself", n)
	}
}

func FuzzBoolean(f *testing.F) {
	f.Add("[x]")
	f.Fuzz(func(t *testing.T, text string) {
		ticked, isTick := Tick(text)
		if yes, ok := Boolean(text); ok && isTick && yes != ticked {
			t.Errorf("%q is %v as a word and %v as a tick", text, yes, ticked)
		}
	})
}

func FuzzIdentifiers(f *testing.F) {
	for _, text := range []string{"DE89 3704 0044 0532 0130 00", "CHE-123.456.789 MWST", "4111 1111 1111 1111", "a.b@example.com", "www.example.com/x", "+49 (0)30 1234567 x9"} {
		f.Add(text)
	}
	shapes := map[string]*regexp.Regexp{
		"IBAN": regexp.MustCompile(`^[A-Z]{2}\d\d[A-Z0-9]{11,30}$`), "VAT": regexp.MustCompile(`^[A-Z]{2}[A-Z0-9+*]+$`), "Luhn": regexp.MustCompile(`^\d{12,19}$`),
		"Email": regexp.MustCompile(`^[^@\s]+@[^@\s]+\.[A-Za-z]+$`), "URL": regexp.MustCompile(`^[^\s@]+$`), "Phone": regexp.MustCompile(`^\+?\d{7,15}$`),
	}
	readers := map[string]func(string) (string, bool){"IBAN": IBAN, "VAT": VAT, "Luhn": Luhn, "Email": Email, "URL": URL, "Phone": Phone}
	f.Fuzz(func(t *testing.T, text string) {
		for name, read := range readers {
			if got, ok := read(text); ok && !shapes[name].MatchString(got) {
				t.Errorf("%s(%q) = %q", name, text, got)
			}
		}
	})
}

func FuzzDecideLocale(f *testing.F) {
	f.Add("13/05/2026 1.234,56 $")
	f.Fuzz(func(_ *testing.T, text string) {
		DecideLocale([]string{text})
		DecideLocale(strings.Fields(text))
		Fold(text)
	})
}

func FuzzCurrency(f *testing.F) {
	for _, text := range []string{"EUR", "US$", "(kr.)", "¥", "Fr.", "Euro"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		currency, ok := Currency(text)
		if again, known := Currency(currency); ok && (!known || again != currency) {
			t.Errorf("%q is %q, which is %q", text, currency, again)
		}
	})
}

// FuzzSameNumber compares what JSON numbers say with what they are.
func FuzzSameNumber(f *testing.F) {
	for _, pair := range [][2]string{{"12", "12.00"}, {"1.2e1", "12"}, {"-0", "0"}, {"100", "1E+2"}, {"0.10", "0.1"}, {"1", "-1"}} {
		f.Add(pair[0], pair[1])
	}
	isNumber := regexp.MustCompile(`^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,2})?$`)
	f.Fuzz(func(t *testing.T, a, b string) {
		same := SameNumber(json.Number(a), json.Number(b))
		if same != SameNumber(json.Number(b), json.Number(a)) {
			t.Errorf("%q and %q depend on their order", a, b)
		}
		if !isNumber.MatchString(a) || !isNumber.MatchString(b) {
			return
		}
		x, okX := new(big.Rat).SetString(a)
		y, okY := new(big.Rat).SetString(b)
		if !okX || !okY || same != (x.Cmp(y) == 0) {
			t.Errorf("%q and %q: %v", a, b, same)
		}
	})
}

func FuzzFold(f *testing.F) {
	for _, text := range []string{"Février", "STRAẞE", "Œuvre", "e\u0301", "Łódź", "Mon,", "sept."} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		folded := Fold(text)
		if again := Fold(folded); again != folded {
			t.Errorf("%q becomes %q, then %q", text, folded, again)
		}
		if IsMonth(text) != IsMonth(folded) || IsWeekday(text) != IsWeekday(folded) {
			t.Errorf("%q is another word than %q", text, folded)
		}
	})
}

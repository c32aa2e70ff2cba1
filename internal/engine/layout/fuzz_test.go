package layout

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// checkAnswer holds an answer to what every engine promises.
func checkAnswer(t testing.TB, fields []fieldlift.Field, a engine.Answer) {
	t.Helper()
	if got, want := keys(t, a.Data), names(fields); !slices.Equal(got, want) {
		t.Fatalf("keys %q, want %q", got, want)
	}
	d := json.NewDecoder(bytes.NewReader(a.Data))
	d.UseNumber()
	var data any
	if err := d.Decode(&data); err != nil {
		t.Fatal(err)
	}
	for pointer, m := range a.Metadata {
		switch v := resolve(data, pointer).(type) {
		case nil, map[string]any, []any:
			t.Errorf("%s leads to %v", pointer, v)
		}
		if m.Confidence <= 0 || m.Confidence > mostConfidence || len(m.Boxes) == 0 || m.Text == "" || m.Page < 1 {
			t.Errorf("%s has %+v", pointer, m)
		}
	}
	if scalars := countScalars(data); scalars != len(a.Metadata) {
		t.Errorf("%d values, %d places", scalars, len(a.Metadata))
	}
	if _, err := json.Marshal(a.Metadata); err != nil {
		t.Error(err)
	}
	for _, v := range engine.Validate(fields, a.Data) {
		if v.Severity == fieldlift.SeverityError && v.Rule != "required" {
			t.Errorf("%+v in %s", v, a.Data)
		}
	}
}

func names(fields []fieldlift.Field) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return names
}

// keys gives the top-level keys in order.
func keys(t testing.TB, data json.RawMessage) []string {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		t.Fatalf("%s: %v", data, err)
	}
	var keys []string
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var skipped json.RawMessage
		if err := d.Decode(&skipped); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

func resolve(at any, pointer string) any {
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch inner := at.(type) {
		case map[string]any:
			at = inner[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(inner) {
				return nil
			}
			at = inner[i]
		default:
			return nil
		}
	}
	return at
}

// countScalars counts the scalars that are not null.
func countScalars(v any) int {
	n := 0
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for _, inner := range v {
			n += countScalars(inner)
		}
	case []any:
		for _, inner := range v {
			n += countScalars(inner)
		}
	default:
		n = 1
	}
	return n
}

// someWords are what the random pages and schemas are made of.
var someWords = strings.Fields(`Invoice No: number date Date: Total total: amount qty Description price unit customer Bill to: name address tax
	03.05.2026 2026-05-03 12.00 1.234,56 $5 19 % A-17 x ☒ ☐ yes nein EUR , ; : a, b; Köln ~ / e-mail jo@example.com Rechnungsnummer Gesamt` + " \xff\xfe a:b:c ::")

func FuzzExtract(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, "Invoice No: A-17", `{"type":"object","properties":{"invoice_no":{},"a/b~":{"type":"array","items":{"type":"object","properties":{"qty":{"type":"number"},"date":{"format":"date"}}}}}}`)
	}
	e := New()
	f.Fuzz(func(t *testing.T, seed uint64, text, schema string) {
		random := rand.New(rand.NewPCG(seed, 1))
		fields := randomFields(random, 0)
		if s, found := fieldlift.ParseSchema([]byte(schema)); found == nil && random.IntN(2) == 0 {
			fields = s.Fields()
		}
		words := append(strings.Fields(text), someWords...)
		var pages []page.Page
		for n := range random.IntN(3) + 1 {
			pages = append(pages, randomPage(random, n+1, words))
		}
		answer, err := e.Extract(t.Context(), engine.Request{Pages: pages, Fields: fields, DocumentType: words[random.IntN(len(words))]})
		if err != nil {
			t.Fatal(err)
		}
		checkAnswer(t, fields, answer)
	})
}

// FuzzTables has pages with heads and rows that may be out of place, cut off or
// ruled at random: whatever they are, answers keep their promises in little time.
func FuzzTables(f *testing.F) {
	for seed := range uint64(20) {
		f.Add(seed, "Description|Qty|Unit price|Amount", "Rope|2|45.00|90.00\nwith chain|||\nTotal|||90.00")
	}
	e := New()
	fields, _ := fieldlift.ParseFields([]byte(lineFields))
	f.Fuzz(func(t *testing.T, seed uint64, heads, rows string) {
		random := rand.New(rand.NewPCG(seed, 2))
		var pages []page.Page
		for n := range random.IntN(3) + 1 {
			p := randomPage(random, n+1, someWords)
			p.Words = p.Words[:min(len(p.Words), random.IntN(20))]
			y := random.Float64() / 2
			for i, line := range strings.Split(heads+strings.Repeat("\n"+rows, random.IntN(4)), "\n") {
				for c, cell := range strings.Split(line, "|") {
					x := float64(c)*0.2 + random.Float64()/50
					for _, word := range strings.Fields(cell) {
						top := y + float64(i)*0.02 + random.Float64()/200
						p.Words = append(p.Words, page.Word{Text: word, Confidence: 1, Source: fieldlift.SourceText, Box: page.Box{X0: x, Y0: top, X1: x + 0.01*float64(len(word)), Y1: top + 0.012}})
						x += 0.01*float64(len(word)) + 0.005
					}
				}
			}
			pages = append(pages, p)
		}
		start := time.Now()
		answer, err := e.Extract(t.Context(), engine.Request{Pages: pages, Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 20*time.Second {
			t.Errorf("took %v", took)
		}
		checkAnswer(t, fields, answer)
	})
}

func randomPage(random *rand.Rand, number int, words []string) page.Page {
	p := page.Page{Number: number, Width: float64(random.IntN(600)), Height: float64(random.IntN(800))}
	tidy := random.IntN(2) == 0
	for range random.IntN(150) {
		x, y := random.Float64(), random.Float64()
		if tidy {
			x, y = float64(random.IntN(8))/8, float64(random.IntN(40))/40
		}
		p.Words = append(p.Words, page.Word{
			Text: words[random.IntN(len(words))], Confidence: 1 - random.Float64()/4, Source: fieldlift.SourceOCR,
			Box: page.Box{X0: x, Y0: y, X1: x + random.Float64()/8, Y1: y + 0.01 + random.Float64()/60},
		})
	}
	for range random.IntN(40) {
		r := page.Rule{Vertical: random.IntN(2) == 0}
		x, y, long := random.Float64(), random.Float64(), random.Float64()/2
		if tidy {
			x, y = float64(random.IntN(9))/8, float64(random.IntN(41))/40
		}
		r.Box = page.Box{X0: x, Y0: y, X1: x + long, Y1: y}
		if r.Vertical {
			r.Box.X1, r.Box.Y1 = x, y+long
		}
		p.Rules = append(p.Rules, r)
	}
	return p
}

func randomFields(random *rand.Rand, depth int) []fieldlift.Field {
	var fields []fieldlift.Field
	used := map[string]bool{}
	for range random.IntN(6) + 1 {
		name := strings.ToValidUTF8(someWords[random.IntN(len(someWords))]+"_"+someWords[random.IntN(len(someWords))], "?")
		if used[name] {
			continue
		}
		used[name] = true
		field := randomField(random, depth)
		field.Name = name
		fields = append(fields, field)
	}
	return fields
}

func randomField(random *rand.Rand, depth int) fieldlift.Field {
	types := []fieldlift.FieldType{fieldlift.StringField, fieldlift.NumberField, fieldlift.DateField, fieldlift.BooleanField, fieldlift.ArrayField, fieldlift.ObjectField}
	f := fieldlift.Field{Type: types[random.IntN(len(types))], Description: someWords[random.IntN(len(someWords))]}
	switch {
	case f.Type == fieldlift.ObjectField && depth < 3:
		f.Fields = randomFields(random, depth+1)
	case f.Type == fieldlift.ArrayField && depth < 3 && random.IntN(4) > 0:
		element := randomField(random, depth+1)
		f.Items = &element
	case f.Type == fieldlift.StringField && random.IntN(5) == 0:
		f.Enum = []any{"yes", "A-17", "customer"}
	case f.Type == fieldlift.NumberField && random.IntN(5) == 0:
		f.Enum = []any{json.Number("12"), json.Number("5")}
	}
	return f
}

// FuzzReadings reads lines of text in every way that targets ask for: what is
// found stands within the line, and in it nothing twice.
func FuzzReadings(f *testing.F) {
	for _, text := range []string{
		"Invoice date: 3 May 2026 - 2 June 2026", "03.05.2026–02.06.2026 1.234,56 EUR 19 % (12.00)", "FV 12/2026, A-17 #4",
		"DE89 3704 0044 0532 0130 00 BIC DEUTDEFF500 jo@example.com www.example.com +49 30 1234567", "☒ Yes ☐ No [x] [ ]",
		"Jane Doe, Director (retired)", "12 Quay Street, Springfield, IL 62701, USA", "Partner January 2020 – present | 2015-2019", "• , ; – : \xff",
	} {
		f.Add(text)
	}
	e := New()
	fields, _ := fieldlift.ParseFields([]byte(`[{"name":"total","type":"number"},{"name":"date","type":"date"},{"name":"paid","type":"boolean"},{"name":"answer","enum":["yes","no"]},
		{"name":"tax_rate"},{"name":"currency"},{"name":"invoice_number"},{"name":"email"},{"name":"website"},{"name":"iban"},{"name":"bic"},{"name":"phone"},
		{"name":"signer_name"},{"name":"signer_title"},{"name":"note"},{"name":"tags","type":"array","items":{"type":"string"}}]`))
	f.Fuzz(func(t *testing.T, text string) {
		x, _, err := e.prepare(t.Context(), engine.Request{Pages: []page.Page{sheet(1, text)}, Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range x.segments {
			for i := range x.targets {
				for _, r := range x.readings(&x.targets[i], s.span) {
					checkSpans(t, x, s.span, r.spans)
				}
				if c, ok := x.readList(&x.targets[i], s.span); ok {
					checkSpans(t, x, s.span, c.spans)
				}
			}
			for _, found := range [][]typedSpan{x.datesIn(s.span), x.amountsIn(s.span)} {
				for i, v := range found {
					checkSpans(t, x, s.span, []span{v.span})
					if i > 0 && v.from < found[i-1].to && v.span != found[i-1].span || v.order != i || v.of != len(found) {
						t.Errorf("%q has %+v", x.text(s.span), found)
					}
				}
			}
			if p, ok := x.periodIn(s.span); ok {
				checkSpans(t, x, s.span, slices.DeleteFunc([]span{p.start, p.end}, span.empty))
			}
			if p := x.partsOf([]span{s.span}); p != nil {
				checkSpans(t, x, s.span, slices.DeleteFunc([]span{p.street, p.city, p.zip, p.state, p.country}, span.empty))
			}
		}
	})
}

func checkSpans(t *testing.T, x *extraction, within span, found []span) {
	t.Helper()
	if len(found) == 0 {
		t.Errorf("a reading of %q stands nowhere", x.text(within))
	}
	for _, s := range found {
		if s.empty() || s.from < within.from || s.to > within.to {
			t.Errorf("%v is not within %v, %q", s, within, x.text(within))
		}
	}
}

// FuzzDescriptions has what clients write about their fields: names that are
// taken from it are bounded and are words.
func FuzzDescriptions(f *testing.F) {
	for _, text := range []string{`Printed as "Inv. No." or 'Our ref'`, "contract, order or invoice number (as printed)", "„Rechnung“ «total» ''", "a/b;c, d", "it's 'so"} {
		f.Add(text)
	}
	l := newLabels(newLexicon(), "invoice")
	f.Fuzz(func(t *testing.T, text string) {
		quoted := quotations(text)
		if len(quoted) > 8 {
			t.Errorf("%q quotes %q", text, quoted)
		}
		for _, q := range quoted {
			if q == "" || !strings.Contains(text, q) {
				t.Errorf("%q quotes %q", text, q)
			}
		}
		for _, concepts := range l.alternatives(text) {
			if len(concepts) == 0 || len(concepts) > 5 || slices.Contains(concepts, "") {
				t.Errorf("%q may be called %q", text, concepts)
			}
		}
	})
}

// FuzzWords takes printed words apart and together again.
func FuzzWords(f *testing.F) {
	for _, pair := range [][2]string{{"No.:4711", "x"}, {"https://example.com", "a=b"}, {"Versiche-", "rung"}, {"12 Quay Street", "D-10115"}, {"mailto:jo", "state-of-the-\u00ad"}} {
		f.Add(pair[0], pair[1])
	}
	f.Fuzz(func(t *testing.T, text, next string) {
		if parts := sides(text); len(parts[0])+len(parts[1]) != len(text) || !strings.HasSuffix(text, parts[1]) {
			t.Errorf("%q has the sides %q", text, parts)
		}
		if joined := goOn(text, next); !strings.HasSuffix(joined, next) || len(joined) > len(text)+1+len(next) {
			t.Errorf("%q and %q are %q", text, next, joined)
		}
		if isAddressLine(text) && !hasLetter(text) {
			t.Errorf("%q is an address", text)
		}
		if (isPostcode(text) || looksLikeFigure(text)) && !strings.ContainsFunc(text, unicode.IsDigit) {
			t.Errorf("%q has no figures", text)
		}
		for _, kind := range []string{"email", "website", "iban", "phone", "vat", "bic"} {
			if v, ok := readPattern(kind, text); ok && v == "" {
				t.Errorf("%q is an empty %s", text, kind)
			}
		}
	})
}

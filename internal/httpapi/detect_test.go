package httpapi_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
)

// bill is a sample of two pages.
var bill = apptest.Typed(`
ACME Tools Ltd

INVOICE

Invoice Number: A-4711              Bill to:
Invoice Date: 3 May 2026            Umbrella Industries
Due Date: 2 June 2026               12 Station Road

Description              Qty      Unit Price        Amount
Hammer, large              2           12.50         25.00
Nails, 1000 pieces         1            9.90          9.90
Saw                        3           20.00         60.00

Subtotal                                              94.90
VAT                                                   18.03
Total                                             EUR 112.93`, "Terms and conditions apply.")

// detectForm writes the form of a sample.
func detectForm(content []byte, fields ...string) string {
	var b strings.Builder
	for i := 0; i+1 < len(fields); i += 2 {
		b.WriteString(textPart(fields[i], fields[i+1]))
	}
	if content != nil {
		b.WriteString("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"bill.pdf\"\r\n\r\n" + string(content) + "\r\n")
	}
	return b.String() + formEnd
}

// detect sends a form, or anything else as JSON.
func detect(t *testing.T, a *apptest.App, parser string, body any, header ...string) apptest.Answer {
	t.Helper()
	if text, ok := body.(string); ok && strings.HasSuffix(text, formEnd) {
		header = append([]string{"Content-Type", formType}, header...)
	}
	return a.Send(t, "POST", "/v1/parsers/"+parser+"/detect-fields", body, header...)
}

func detected(t *testing.T, answer apptest.Answer) api.Detected {
	t.Helper()
	return apptest.Into[api.Detected](t, answer.WantStatus(t, 200))
}

func used(t *testing.T, a *apptest.App) int64 {
	t.Helper()
	credits, err := a.Client().Credits(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return credits.Used
}

func properties(t *testing.T, schema json.RawMessage) map[string]struct{ Type, Format, Description string } {
	t.Helper()
	var s struct {
		Properties map[string]struct{ Type, Format, Description string }
	}
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatal(err)
	}
	return s.Properties
}

func TestDetectFields(t *testing.T) {
	onEachWithFiles(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		parser := a.NewParser(t, "Bills")
		var first api.Detected

		t.Run("200 with parser_id, sample_file_id, schema, credits_used", func(t *testing.T) {
			first = detected(t, detect(t, a, parser, detectForm(bill)))
			if first.ParserID != parser || !strings.HasPrefix(first.SampleFileID, "smp_") || first.CreditsUsed != 2 || *first.DocumentType != "invoice" {
				t.Errorf("%+v", first)
			}
			fields := properties(t, first.Schema)
			for name, want := range map[string][2]string{
				"invoice_number": {"string", ""}, "invoice_date": {"string", "date"}, "due_date": {"string", "date"}, "total_amount": {"number", ""}, "line_items": {"array", ""},
			} {
				if f := fields[name]; f.Type != want[0] || f.Format != want[1] || f.Description == "" {
					t.Errorf("%s is %+v", name, f)
				}
			}
		})
		t.Run("It charges 1 credit per page of the sample.", func(t *testing.T) {
			if n := used(t, a); n != 2 {
				t.Errorf("%d credits were used", n)
			}
		})
		t.Run("has_sample_file: true when a sample has been uploaded; the schema is the parser's", func(t *testing.T) {
			p, err := a.Client().Parser(t.Context(), parser)
			if err != nil || !p.HasSampleFile || *p.SampleFileID != first.SampleFileID || !bytes.Equal(p.Schema, first.Schema) || *p.DocumentType != "invoice" || !p.UpdatedAt.After(p.CreatedAt.Time) {
				t.Errorf("%+v, %v", p, err)
			}
		})
		t.Run("the proposed schema finds its values on its own sample", func(t *testing.T) {
			x := a.Accepted(t, parser, apptest.File{Name: "bill.pdf", Content: bill})
			d := a.Finished(t, x.ExtractionID).Documents[0]
			data := apptest.Into[map[string]json.RawMessage](t, apptest.Answer{Text: string(d.ExtractedData)})
			for name := range properties(t, first.Schema) {
				if v := data[name]; string(v) == "null" || len(v) == 0 {
					t.Errorf("%s is not found in %s", name, d.ExtractedData)
				}
			}
			if string(data["total_amount"]) != "112.93" || string(data["invoice_number"]) != `"A-4711"` {
				t.Errorf("%s", d.ExtractedData)
			}
		})
		t.Run("When the parser already has a schema and replace_existing_schema is not true, the result is 400 SCHEMA_ALREADY_EXISTS.", func(t *testing.T) {
			before := used(t, a)
			detect(t, a, parser, detectForm(bill)).WantError(t, 400, "SCHEMA_ALREADY_EXISTS")
			detect(t, a, parser, detectForm(bill, "replace_existing_schema", "false")).WantError(t, 400, "SCHEMA_ALREADY_EXISTS")
			detect(t, a, parser, map[string]any{"sample_file_id": first.SampleFileID}).WantError(t, 400, "SCHEMA_ALREADY_EXISTS")
			if n := used(t, a); n != before {
				t.Errorf("%d credits were used", n-before)
			}
		})
		t.Run("A successful Mode A call stores the sample, so Mode B can re-run detection on it.", func(t *testing.T) {
			before := used(t, a)
			again := detected(t, detect(t, a, parser, map[string]any{"sample_file_id": first.SampleFileID, "prompt": "Only the totals", "replace_existing_schema": true}))
			fields := properties(t, again.Schema)
			if again.SampleFileID != first.SampleFileID || again.CreditsUsed != 2 || used(t, a) != before+2 || len(fields) == 0 || fields["total_amount"].Type != "number" || fields["invoice_number"].Type != "" {
				t.Errorf("%+v %s", again, again.Schema)
			}
		})
		t.Run("another parser can have the sample too", func(t *testing.T) {
			other := a.NewParser(t, "Other bills")
			d := detected(t, detect(t, a, other, map[string]any{"sample_file_id": first.SampleFileID}))
			if d.SampleFileID != first.SampleFileID || !bytes.Equal(d.Schema, first.Schema) {
				t.Errorf("%+v", d)
			}
			detected(t, detect(t, a, other, detectForm(bill, "replace_existing_schema", "true")))
			detected(t, detect(t, a, parser, detectForm(nil, "sample_file_id", first.SampleFileID, "replace_existing_schema", "true")))
		})
		t.Run("a new sample takes the place of the one before", func(t *testing.T) {
			second := detected(t, detect(t, a, parser, detectForm(bill, "replace_existing_schema", "true", "prompt", "without line items")))
			if second.SampleFileID == first.SampleFileID || properties(t, second.Schema)["line_items"].Type != "" {
				t.Errorf("%s", second.Schema)
			}
			detect(t, a, parser, map[string]any{"sample_file_id": first.SampleFileID, "replace_existing_schema": true}).WantError(t, 404, "RESOURCE_NOT_FOUND")
			if on := filepath.Join(a.Config.DataDir, blob.FolderName); a.Config.BlobURL == "" {
				for _, file := range filesBelow(t, on) {
					if strings.Contains(file, first.SampleFileID) {
						t.Errorf("%s is still there", file)
					}
				}
			}
		})
		t.Run("Later manual schema edits are free.", func(t *testing.T) {
			before := used(t, a)
			a.Send(t, "PATCH", "/v1/parsers/"+parser, map[string]any{"fields": []api.Field{{Name: "total"}}}).WantStatus(t, 200)
			if n := used(t, a); n != before {
				t.Errorf("%d credits were used", n-before)
			}
		})
		t.Run("one of two that race configures the parser, and one is charged", func(t *testing.T) {
			before := used(t, a)
			contested := a.NewParser(t, "Contested")
			answers := make([]apptest.Answer, 4)
			var racing sync.WaitGroup
			for i := range answers {
				racing.Go(func() { answers[i] = detect(t, a, contested, detectForm(bill)) })
			}
			racing.Wait()
			won := 0
			for _, answer := range answers {
				if answer.Status == 200 {
					won++
					continue
				}
				answer.WantError(t, 400, "SCHEMA_ALREADY_EXISTS")
			}
			if won != 1 || used(t, a) != before+2 {
				t.Errorf("%d won, %d credits", won, used(t, a)-before)
			}
		})
	})
}

func TestDetectFieldsRefuses(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.MaxFileBytes, c.MaxPages = 100_000, 5 }))
	parser := a.NewParser(t, "Bills")
	const nobody = "smp_00000000000000000000000000"

	t.Run("Missing file and sample_file_id, or a malformed body, gives 400 INVALID_PAYLOAD.", func(t *testing.T) {
		for name, body := range map[string]any{
			"an empty form":                formEnd,
			"a form without a file":        detectForm(nil, "prompt", "x"),
			"a file that is text":          textPart("file", "x") + formEnd,
			"two files":                    strings.Replace(detectForm(bill), formEnd, "", 1) + detectForm(bill),
			"a file and a sample":          detectForm(bill, "sample_file_id", nobody),
			"a switch that is no switch":   detectForm(bill, "replace_existing_schema", "yes"),
			"a prompt without end":         detectForm(bill, "prompt", strings.Repeat("x", 2001)),
			"a prompt that comes twice":    detectForm(bill, "prompt", "a", "prompt", "b"),
			"no sample":                    map[string]any{},
			"an empty sample":              map[string]any{"sample_file_id": ""},
			"a sample that is a number":    map[string]any{"sample_file_id": 7},
			"a switch that is a string":    map[string]any{"sample_file_id": nobody, "replace_existing_schema": "true"},
			"a long prompt":                map[string]any{"sample_file_id": nobody, "prompt": strings.Repeat("x", 2001)},
			"no JSON":                      "{",
			"no body":                      nil,
			"a form that breaks off":       strings.TrimSuffix(detectForm(bill), formEnd) + "--b\r\n" + formEnd[:1],
			"an object in a list":          "[{}]",
			"nothing to detect":            detectForm(apptest.PDF("")),
			"prose without anything to it": detectForm(apptest.PDF("This is a page of some words\nand none of them has a value")),
		} {
			header := []string{}
			if name == "a form that breaks off" {
				header = []string{"Content-Type", formType}
			}
			if e := detect(t, a, parser, body, header...).WantError(t, 400, "INVALID_PAYLOAD"); e.Message == "" {
				t.Errorf("%s: %+v", name, e)
			}
		}
	})
	t.Run("An unknown sample gives 404 RESOURCE_NOT_FOUND; an unknown parser gives 404 PARSER_NOT_FOUND.", func(t *testing.T) {
		for _, id := range []string{nobody, "smp_x", "x", "../x"} {
			detect(t, a, parser, map[string]any{"sample_file_id": id}).WantError(t, 404, "RESOURCE_NOT_FOUND")
		}
		for _, id := range []string{"par_00000000000000000000000000", "x"} {
			detect(t, a, id, detectForm(bill)).WantError(t, 404, "PARSER_NOT_FOUND")
			detect(t, a, id, map[string]any{"sample_file_id": nobody}).WantError(t, 404, "PARSER_NOT_FOUND")
		}
	})
	t.Run("files that cannot be read", func(t *testing.T) {
		e := detect(t, a, parser, detectForm([]byte("no file at all"))).WantError(t, 400, "UNSUPPORTED_FILE_TYPE")
		if len(e.Details) != 1 || e.Details[0].Field != "file" || !strings.HasPrefix(e.Message, "bill.pdf: ") {
			t.Errorf("%+v", e)
		}
		detect(t, a, parser, detectForm([]byte("%PDF-1.7 torn"))).WantError(t, 400, "PAGE_COUNT_FAILED")
		detect(t, a, parser, detectForm(apptest.PDF("1", "2", "3", "4", "5", "6"))).WantError(t, 400, "INVALID_PAYLOAD")
		detect(t, a, parser, detectForm(append(bytes.Clone(bill), make([]byte, 100_000)...))).WantError(t, 413, "INVALID_PAYLOAD")
	})
	wantUntouched(t, a)

	t.Run("Too few credits gives 402 INSUFFICIENT_CREDITS.", func(t *testing.T) {
		poor := a.NewAccount(t, "poor@example.com", 1)
		key := a.NewKey(t, poor, "first")
		own, err := a.ClientFor(key).CreateParser(t.Context(), api.ParserCreate{Name: "Bills"})
		if err != nil {
			t.Fatal(err)
		}
		e := detect(t, a, own.ParserID, detectForm(bill), "X-API-Key", key).WantError(t, 402, "INSUFFICIENT_CREDITS")
		if len(e.Details) != 2 || e.Details[0].Issue != "2" || e.Details[1].Issue != "1" {
			t.Errorf("%+v", e)
		}
		p, err := a.ClientFor(key).Parser(t.Context(), own.ParserID)
		if err != nil || p.HasSampleFile || string(p.Schema) != "null" {
			t.Errorf("%+v, %v", p, err)
		}
		wantUntouched(t, a)
	})
	t.Run("A resource of another account is reported as not found.", func(t *testing.T) {
		mine := detected(t, detect(t, a, parser, detectForm(bill)))
		stranger := a.NewKey(t, a.NewAccount(t, "eve@example.com", 10), "first")
		own, err := a.ClientFor(stranger).CreateParser(t.Context(), api.ParserCreate{Name: "Bills"})
		if err != nil {
			t.Fatal(err)
		}
		detect(t, a, parser, detectForm(bill, "replace_existing_schema", "true"), "X-API-Key", stranger).WantError(t, 404, "PARSER_NOT_FOUND")
		detect(t, a, own.ParserID, map[string]any{"sample_file_id": mine.SampleFileID}, "X-API-Key", stranger).WantError(t, 404, "RESOURCE_NOT_FOUND")
	})
	t.Run("a document type that is set stays", func(t *testing.T) {
		set, err := a.Client().CreateParser(t.Context(), api.ParserCreate{Name: "Typed", DocumentType: new("utility_bill")})
		if err != nil {
			t.Fatal(err)
		}
		if d := detected(t, detect(t, a, set.ParserID, detectForm(bill))); *d.DocumentType != "utility_bill" {
			t.Errorf("%+v", d)
		}
	})
}

func TestSamplesGoWithTheirParsers(t *testing.T) {
	onEach := func(t *testing.T, on apptest.Option) {
		var mu sync.Mutex
		var ahead time.Duration
		a := apptest.Start(t, on, apptest.With(func(c *app.Config) {
			c.Now = func() time.Time {
				mu.Lock()
				defer mu.Unlock()
				return time.Now().Add(ahead)
			}
		}))
		later := func(d time.Duration) {
			mu.Lock()
			ahead += d
			mu.Unlock()
			if err := a.Upkeep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		files := func() int { return len(filesBelow(t, filepath.Join(a.Config.DataDir, blob.FolderName))) }
		one, other := a.NewParser(t, "One"), a.NewParser(t, "Other")
		sample := detected(t, detect(t, a, one, detectForm(bill))).SampleFileID
		detected(t, detect(t, a, other, map[string]any{"sample_file_id": sample}))
		remove := func(parser string) { a.Send(t, "DELETE", "/v1/parsers/"+parser, nil).WantStatus(t, 204) }

		remove(one)
		later(25 * time.Hour)
		if files() != 1 {
			t.Fatalf("%d files, though a parser has the sample", files())
		}
		detected(t, detect(t, a, other, map[string]any{"sample_file_id": sample, "replace_existing_schema": true}))
		remove(other)
		third := a.NewParser(t, "Third")
		detect(t, a, third, map[string]any{"sample_file_id": sample}).WantError(t, 404, "RESOURCE_NOT_FOUND")
		later(time.Hour)
		if files() != 1 {
			t.Errorf("%d files an hour later", files())
		}
		later(24 * time.Hour)
		if files() != 0 {
			t.Errorf("%d files a day later", files())
		}

		kept := detected(t, detect(t, a, third, detectForm(bill))).SampleFileID
		orphan := filepath.Join(a.Config.DataDir, blob.FolderName, "smp_00000000000000000000000000")
		if err := os.WriteFile(orphan, []byte("what a crash left"), 0o600); err != nil {
			t.Fatal(err)
		}
		later(25 * time.Hour)
		if left := filesBelow(t, filepath.Dir(orphan)); len(left) != 1 || !strings.HasSuffix(left[0], kept) {
			t.Errorf("%v is left, want %s alone", left, kept)
		}
	}
	apptest.OnEach(t, onEach)
}

func TestClientDetectsFields(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	client := a.Client()
	parser := a.NewParser(t, "Bills")
	first, err := client.DetectFields(t.Context(), parser, api.Detection{File: api.Upload{Name: "bill.pdf", Content: bytes.NewReader(bill)}, Prompt: "only invoice number"})
	if err != nil || first.CreditsUsed != 2 || !strings.Contains(string(first.Schema), "invoice_number") {
		t.Fatalf("%+v, %v", first, err)
	}
	_, err = client.DetectFields(t.Context(), parser, api.Detection{SampleFileID: first.SampleFileID})
	wantRefusal(t, err, 400, "SCHEMA_ALREADY_EXISTS")
	again, err := client.DetectFields(t.Context(), parser, api.Detection{SampleFileID: first.SampleFileID, ReplaceExistingSchema: true})
	if err != nil || again.SampleFileID != first.SampleFileID || len(again.Schema) <= len(first.Schema) {
		t.Errorf("%+v, %v", again, err)
	}
}

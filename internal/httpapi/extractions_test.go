package httpapi_test

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

var invoiceFields = []api.Field{
	{Name: "invoice_number", Required: true}, {Name: "invoice_date", Type: "date"}, {Name: "total", Type: "number"}, {Name: "colour"},
}

// onEachWithFiles runs a test on SQLite with files in a folder, and on
// PostgreSQL with files on S3.
func onEachWithFiles(t *testing.T, test func(t *testing.T, on apptest.Option)) {
	t.Helper()
	t.Run("SQLite", func(t *testing.T) { test(t, apptest.OnSQLite(t)) })
	t.Run("PostgreSQL and S3", func(t *testing.T) {
		postgres, s3 := apptest.OnPostgres(t), apptest.NewS3(t)
		test(t, func(c *app.Config) {
			postgres(c)
			c.BlobURL = s3
		})
	})
}

func invoice(number string) apptest.File {
	return apptest.File{Name: number + ".pdf", Content: apptest.Invoice(number)}
}

func TestSubmitToResults(t *testing.T) {
	onEachWithFiles(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		parser := a.NewParser(t, "Invoices", invoiceFields...)

		t.Run("202 { extraction } with extraction_id, name, parser_id, status, file_count, page_count, credits_used, credits_remaining, and documents", func(t *testing.T) {
			before := time.Now().UTC()
			x := a.Accepted(t, parser, invoice("A-1"), apptest.File{Name: "two pages.pdf", Content: apptest.PDF("one", "two")})
			if x.ParserID != parser || x.Status != "queued" || x.FileCount != 2 || x.PageCount != 3 || x.CreditsUsed != 3 || x.CreditsRemaining != 997 {
				t.Errorf("%+v", x)
			}
			if len(x.Documents) != 2 || x.Documents[1].Filename != "two pages.pdf" || x.Documents[1].PageCount != 2 || x.Documents[1].CreditsUsed != 2 || x.Documents[1].Status != "queued" {
				t.Errorf("%+v", x.Documents)
			}
			if at, err := time.Parse("Invoices_20060102_150405", x.Name); err != nil || at.Before(before.Truncate(time.Second)) {
				t.Errorf("When name is omitted on submit, the default is {parser_name}_{YYYYMMDD}_{HHMMSS}, not %q", x.Name)
			}
		})
		t.Run("results include confidence, processing_time_ms, extracted_data, error_message; extraction also has completed_at", func(t *testing.T) {
			x := a.Accepted(t, parser, invoice("B-7"))
			results := a.Finished(t, x.ExtractionID)
			if results.Status != "completed" || results.CompletedAt.IsZero() || results.ParserName != "Invoices" || len(results.Documents) != 1 {
				t.Fatalf("%+v", results)
			}
			d := results.Documents[0]
			if string(d.ExtractedData) != `{"invoice_number":"B-7","invoice_date":"2026-05-03","total":1234.50,"colour":null}` {
				t.Errorf("%s", d.ExtractedData)
			}
			if d.ErrorMessage != nil || d.Confidence <= 0 || d.Status != "completed" {
				t.Errorf("%+v", d)
			}
			place := d.FieldMetadata["/total"]
			if place.Page != 1 || len(place.Boxes) != 1 || place.Text != "1,234.50" || place.Source != "text" {
				t.Errorf("%+v", place)
			}
			// The line stands 790 - 3*18 points above the bottom of an A4 page.
			if y := place.Boxes[0][1] * 842; y < 90 || y > 110 {
				t.Errorf("it stands at %v", place.Boxes[0])
			}
		})
		t.Run("GET /v1/extractions/{extraction_id}: 200 { extraction } with status and document summaries.", func(t *testing.T) {
			x := a.Accepted(t, parser, invoice("C-1"))
			a.Finished(t, x.ExtractionID)
			answer := a.Send(t, "GET", "/v1/extractions/"+x.ExtractionID, nil).WantStatus(t, 200)
			e := apptest.Into[api.ExtractionEnvelope](t, answer).Extraction
			if e.Status != "completed" || len(e.Documents) != 1 || e.Documents[0].Status != "completed" || e.ParserName != "Invoices" || strings.Contains(answer.Text, "credits_remaining") {
				t.Errorf("%s", answer.Text)
			}
		})
		t.Run("GET …/documents/{document_id}: used to recover a missed webhook delivery.", func(t *testing.T) {
			x := a.Accepted(t, parser, invoice("D-1"))
			a.Finished(t, x.ExtractionID)
			answer := a.Send(t, "GET", "/v1/extractions/"+x.ExtractionID+"/documents/"+x.Documents[0].DocumentID, nil).WantStatus(t, 200)
			d := apptest.Into[api.DocumentEnvelope](t, answer).Document
			if d.ExtractionID != x.ExtractionID || d.ContentType != "application/pdf" || d.SizeBytes == 0 || len(d.SHA256) != 64 || !strings.Contains(string(d.ExtractedData), "D-1") {
				t.Errorf("%s", answer.Text)
			}
		})
		t.Run("one_per_page: an object with pages", func(t *testing.T) {
			var p api.ParserEnvelope
			body := `{"name":"Pages","result_mode":"one_per_page","fields":[{"name":"invoice_number","required":true}]}`
			if err := json.Unmarshal([]byte(a.Send(t, "POST", "/v1/parsers", body).WantStatus(t, 201).Text), &p); err != nil {
				t.Fatal(err)
			}
			x := a.Accepted(t, p.Parser.ParserID, apptest.File{Name: "b.pdf", Content: apptest.PDF("Invoice Number: X-1", "nothing here", "Invoice Number: X-3")})
			d := a.Finished(t, x.ExtractionID).Documents[0]
			if string(d.ExtractedData) != `{"pages":[{"page":1,"invoice_number":"X-1"},{"page":2,"invoice_number":null},{"page":3,"invoice_number":"X-3"}]}` {
				t.Errorf("%s", d.ExtractedData)
			}
			own := a.NewParser(t, "Own page")
			a.Send(t, "PATCH", "/v1/parsers/"+own, `{"result_mode":"one_per_page","fields":[{"name":"page","type":"number"}]}`).WantStatus(t, 200)
			y := a.Finished(t, a.Accepted(t, own, apptest.File{Name: "c.pdf", Content: apptest.PDF("Page: 7")}).ExtractionID)
			if data := string(y.Documents[0].ExtractedData); strings.Count(data, `"page"`) != 1 {
				t.Errorf("a key stands twice: %s", data)
			}
			if m := d.FieldMetadata["/pages/2/invoice_number"]; m.Page != 3 || m.Text != "X-3" {
				t.Errorf("%+v", d.FieldMetadata)
			}
			if len(d.Validation) != 1 || d.Validation[0].Path != "/pages/1/invoice_number" || d.Validation[0].Rule != "required" {
				t.Errorf("%+v", d.Validation)
			}
		})
		t.Run("a deleted parser's extractions stay readable", func(t *testing.T) {
			gone := a.NewParser(t, "Gone", invoiceFields...)
			x := a.Accepted(t, gone, invoice("E-1"))
			a.Send(t, "DELETE", "/v1/parsers/"+gone, nil).WantStatus(t, 204)
			if results := a.Finished(t, x.ExtractionID); results.Status != "completed" || results.ParserName != "Gone" {
				t.Errorf("%+v", results)
			}
			a.Submit(t, []string{"parser_id", gone}, []apptest.File{invoice("E-2")}).WantError(t, 404, "PARSER_NOT_FOUND")
		})
		t.Run("Unknown extraction or document on GET and export gives 404 RESOURCE_NOT_FOUND.", func(t *testing.T) {
			x := a.Accepted(t, parser, invoice("F-1"))
			other := a.NewKey(t, a.NewAccount(t, "eve@example.com", 0), "k")
			mine := "/v1/extractions/" + x.ExtractionID
			for _, path := range []string{mine, mine + "/results", mine + "/export", mine + "/documents/" + x.Documents[0].DocumentID, mine + "/documents/" + x.Documents[0].DocumentID + "/export"} {
				a.Send(t, "GET", path, nil, "X-API-Key", other).WantError(t, 404, "RESOURCE_NOT_FOUND")
			}
			a.Send(t, "DELETE", mine, nil, "X-API-Key", other).WantError(t, 404, "RESOURCE_NOT_FOUND")
			for _, path := range []string{"/v1/extractions/ext_x", "/v1/extractions/ext_x/results", "/v1/extractions/ext_x/export", mine + "/documents/doc_x", mine + "/documents/doc_x/export", mine + "/documents/%00"} {
				a.Send(t, "GET", path, nil).WantError(t, 404, "RESOURCE_NOT_FOUND")
			}
		})
		t.Run("a finished extraction can be deleted for good", func(t *testing.T) {
			x := a.Accepted(t, parser, invoice("G-1"))
			a.Finished(t, x.ExtractionID)
			a.Send(t, "DELETE", "/v1/extractions/"+x.ExtractionID, nil).WantStatus(t, 204)
			a.Send(t, "GET", "/v1/extractions/"+x.ExtractionID, nil).WantError(t, 404, "RESOURCE_NOT_FOUND")
			a.Send(t, "DELETE", "/v1/extractions/"+x.ExtractionID, nil).WantError(t, 404, "RESOURCE_NOT_FOUND")
		})
	})
}

func scan(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 60, 40))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRefusedSubmissions(t *testing.T) {
	onEachWithFiles(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on, apptest.With(func(c *app.Config) { c.MaxFileBytes, c.MaxRequestBytes, c.MaxPages = 100_000, 400_000, 5 }))
		parser := a.NewParser(t, "Invoices", invoiceFields...)
		empty := a.NewParser(t, "Empty")
		good := invoice("A")
		fields := []string{"parser_id", parser}
		fifty := make([]apptest.File, 51)
		for i := range fifty {
			fifty[i] = good
		}
		long := strings.Repeat("x", 201)
		for name, test := range map[string]struct {
			fields []string
			files  []apptest.File
			status int
			code   string
			says   string
		}{
			"missing parser_id gives 400 INVALID_PAYLOAD": {nil, []apptest.File{good}, 400, "INVALID_PAYLOAD", "parser_id"},
			"missing files gives 400 INVALID_PAYLOAD":     {fields, nil, 400, "INVALID_PAYLOAD", "files"},
			"up to 50 files": {fields, fifty, 400, "INVALID_PAYLOAD", "50 files"},
			"name max 200":   {[]string{"parser_id", parser, "name", long}, []apptest.File{good}, 400, "INVALID_PAYLOAD", "200"},
			"Unknown parser gives 404 PARSER_NOT_FOUND.":                         {[]string{"parser_id", "par_x"}, []apptest.File{good}, 404, "PARSER_NOT_FOUND", "par_x"},
			"The parser must have a schema; otherwise 400 PARSER_NOT_CONFIGURED": {[]string{"parser_id", empty}, []apptest.File{good}, 400, "PARSER_NOT_CONFIGURED", "Empty"},
			"Unsupported file gives 400 UNSUPPORTED_FILE_TYPE":                   {fields, []apptest.File{good, {Name: "notes.pdf", Content: []byte("just text")}}, 400, "UNSUPPORTED_FILE_TYPE", "notes.pdf"},
			"failed file analysis gives 400 PAGE_COUNT_FAILED":                   {fields, []apptest.File{good, {Name: "torn.pdf", Content: good.Content[:120]}}, 400, "PAGE_COUNT_FAILED", "torn.pdf"},
			"an empty file":             {fields, []apptest.File{{Name: "empty.pdf"}}, 400, "UNSUPPORTED_FILE_TYPE", "empty.pdf"},
			"a file over the limit":     {fields, []apptest.File{{Name: "big.pdf", Content: make([]byte, 100_001)}}, 413, "INVALID_PAYLOAD", "big.pdf"},
			"a request over the limit":  {fields, []apptest.File{{Name: "a", Content: make([]byte, 99_000)}, {Name: "b", Content: make([]byte, 99_000)}, {Name: "c", Content: make([]byte, 99_000)}, {Name: "d", Content: make([]byte, 99_000)}, {Name: "e", Content: make([]byte, 99_000)}}, 413, "INVALID_PAYLOAD", "limit"},
			"more pages than the limit": {fields, []apptest.File{{Name: "long.pdf", Content: apptest.PDF("1", "2", "3", "4", "5", "6")}}, 400, "INVALID_PAYLOAD", "long.pdf"},
		} {
			t.Run(name, func(t *testing.T) {
				body := a.Submit(t, test.fields, test.files).WantError(t, test.status, test.code)
				if !strings.Contains(body.Message, test.says) {
					t.Errorf("%q does not tell of %s", body.Message, test.says)
				}
			})
		}
		t.Run("Insufficient credits gives 402 INSUFFICIENT_CREDITS before any processing starts.", func(t *testing.T) {
			poor := a.NewAccount(t, "poor@example.com", 1)
			key := a.NewKey(t, poor, "k")
			p, err := a.ClientFor(key).CreateParser(t.Context(), api.ParserCreate{Name: "P", Fields: invoiceFields})
			if err != nil {
				t.Fatal(err)
			}
			body := a.Submit(t, []string{"parser_id", p.ParserID}, []apptest.File{good, good}, "X-API-Key", key).WantError(t, 402, "INSUFFICIENT_CREDITS")
			if len(body.Details) != 2 || body.Details[0].Field != "required" || body.Details[0].Issue != "2" || body.Details[1].Field != "available" || body.Details[1].Issue != "1" {
				t.Errorf("%+v", body.Details)
			}
		})
		t.Run("a body that is no form", func(t *testing.T) {
			a.Send(t, "POST", "/v1/extractions", `{"parser_id":"x"}`).WantError(t, 400, "INVALID_PAYLOAD")
			a.Send(t, "POST", "/v1/extractions", "--b\r\nbroken", "Content-Type", "multipart/form-data; boundary=b").WantError(t, 400, "INVALID_PAYLOAD")
		})
		t.Run("nothing was stored or charged by any of it", func(t *testing.T) {
			list := apptest.Into[api.ExtractionList](t, a.Send(t, "GET", "/v1/extractions", nil).WantStatus(t, 200))
			credits, err := a.Client().Credits(t.Context())
			if err != nil || len(list.Extractions) != 0 || credits.Used != 0 || credits.Available != 1000 {
				t.Errorf("%d extractions, %+v, %v", len(list.Extractions), credits, err)
			}
		})
	})
}

func TestIdempotency(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		clock := newClock()
		a := apptest.Start(t, on, apptest.With(func(c *app.Config) { c.Now = clock.now }))
		parser := a.NewParser(t, "Invoices", invoiceFields...)
		fields := []string{"parser_id", parser}
		submit := func(t *testing.T, key string, files ...apptest.File) apptest.Answer {
			t.Helper()
			return a.Submit(t, fields, files, "Idempotency-Key", key).WantStatus(t, 202)
		}
		used := func(t *testing.T) int64 {
			t.Helper()
			credits, err := a.Client().Credits(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return credits.Used
		}
		first := submit(t, "one", invoice("A"))
		t.Run("Reusing an Idempotency-Key within 24 hours returns the original job, with no second charge, and the response header Idempotent-Replayed: true.", func(t *testing.T) {
			clock.advance(23 * time.Hour)
			again := submit(t, "one", invoice("A"))
			if again.Text != first.Text || again.Header.Get("Idempotent-Replayed") != "true" || again.Header.Get("Idempotency-Mismatch") != "" || used(t) != 1 {
				t.Errorf("%v\n%s\n%s", again.Header, first.Text, again.Text)
			}
			if first.Header.Get("Idempotent-Replayed") != "" {
				t.Error("the first one is called a replay")
			}
		})
		t.Run("another request with the same key", func(t *testing.T) {
			other := submit(t, "one", invoice("B"))
			if other.Text != first.Text || other.Header.Get("Idempotency-Mismatch") != "true" || used(t) != 1 {
				t.Errorf("%v %s", other.Header, other.Text)
			}
		})
		t.Run("whatever comes with the key", func(t *testing.T) {
			for _, answer := range []apptest.Answer{
				a.Submit(t, nil, nil, "Idempotency-Key", "one"),
				a.Submit(t, []string{"parser_id", "par_x", "name", strings.Repeat("x", 300)}, []apptest.File{{Name: "x"}}, "Idempotency-Key", "one"),
				a.Send(t, "POST", "/v1/extractions", `{"no":"form"}`, "Idempotency-Key", "one"),
			} {
				if answer.WantStatus(t, 202).Text != first.Text || answer.Header.Get("Idempotent-Replayed") != "true" || answer.Header.Get("Idempotency-Mismatch") != "true" {
					t.Errorf("%v %s", answer.Header, answer.Text)
				}
			}
		})
		t.Run("after the window the key is new", func(t *testing.T) {
			clock.advance(time.Hour)
			if later := submit(t, "one", invoice("A")); later.Text == first.Text || later.Header.Get("Idempotent-Replayed") != "" || used(t) != 2 {
				t.Errorf("%v", later.Header)
			}
		})
		t.Run("a refused request does not use the key up", func(t *testing.T) {
			a.Submit(t, fields, nil, "Idempotency-Key", "two").WantError(t, 400, "INVALID_PAYLOAD")
			if answer := submit(t, "two", invoice("A")); answer.Header.Get("Idempotent-Replayed") != "" {
				t.Error("it is called a replay")
			}
		})
		t.Run("keys that are none", func(t *testing.T) {
			for _, key := range []string{strings.Repeat("k", 256), "a\tb", "ü"} {
				a.Submit(t, fields, []apptest.File{invoice("A")}, "Idempotency-Key", key).WantError(t, 400, "INVALID_PAYLOAD")
			}
		})
		t.Run("Racing requests with one key make one extraction and one charge, and all get it.", func(t *testing.T) {
			before := used(t)
			answers := make(chan apptest.Answer, 8)
			// With credits for one of them only.
			if err := a.Store.Charge(t.Context(), a.Account.ID, "rest", 1000-before-1); err != nil {
				t.Fatal(err)
			}
			before = 999
			var racers sync.WaitGroup
			for range cap(answers) {
				racers.Go(func() {
					answers <- a.Submit(t, fields, []apptest.File{invoice("R")}, "Idempotency-Key", "race")
				})
			}
			racers.Wait()
			close(answers)
			bodies := map[string]int{}
			for answer := range answers {
				bodies[answer.Text]++
			}
			if len(bodies) != 1 || used(t) != before+1 {
				t.Errorf("%d different answers, %d charged: %v", len(bodies), used(t)-before, bodies)
			}
		})
	})
}

func TestSubmitRateLimit(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		clock := newClock()
		usual := app.Default()
		a := apptest.Start(t, on, apptest.With(func(c *app.Config) { c.Now, c.RateLimit, c.SubmitLimit = clock.now, usual.RateLimit, usual.SubmitLimit }))
		t.Run("A request is counted toward the 20 per minute cap of this endpoint.", func(t *testing.T) {
			for i := range 20 {
				answer := a.Submit(t, nil, nil) // refused, and counted all the same
				answer.WantStatus(t, 400)
				if header(t, answer, "X-RateLimit-Limit") != 20 || header(t, answer, "X-RateLimit-Remaining") != 19-i {
					t.Fatalf("%v", answer.Header)
				}
			}
			answer := a.Submit(t, nil, nil)
			answer.WantError(t, 429, "RATE_LIMITED")
			if header(t, answer, "X-RateLimit-Limit") != 20 || header(t, answer, "Retry-After") != 60 {
				t.Errorf("%v", answer.Header)
			}
			me := a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
			if header(t, me, "X-RateLimit-Limit") != 150 || header(t, me, "X-RateLimit-Remaining") != 128 {
				t.Errorf("submissions do not count as requests: %v", me.Header)
			}
			clock.advance(time.Minute)
			a.Submit(t, nil, nil).WantStatus(t, 400)
		})
	})
}

func TestListExtractions(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		parsers := []string{a.NewParser(t, "One", invoiceFields...), a.NewParser(t, "Two", invoiceFields...)}
		var newestFirst []string
		for i := range 7 {
			x := a.Accepted(t, parsers[i%2], invoice(fmt.Sprint(i)))
			a.Finished(t, x.ExtractionID)
			newestFirst = append([]string{x.ExtractionID}, newestFirst...)
		}
		list := func(t *testing.T, query string) ([]string, api.ExtractionList) {
			t.Helper()
			l := apptest.Into[api.ExtractionList](t, a.Send(t, "GET", "/v1/extractions"+query, nil).WantStatus(t, 200))
			var ids []string
			for _, e := range l.Extractions {
				ids = append(ids, e.ExtractionID)
			}
			return ids, l
		}
		all, page := list(t, "")
		if fmt.Sprint(all) != fmt.Sprint(newestFirst) || page.Pagination.Limit != 50 {
			t.Errorf("%v\n%v", newestFirst, all)
		}
		t.Run("pages", func(t *testing.T) {
			first, l := list(t, "?limit=4&status=completed")
			second, m := list(t, "?limit=4&status=completed&cursor="+*l.Pagination.NextCursor)
			if fmt.Sprint(append(first, second...)) != fmt.Sprint(newestFirst) || m.Pagination.HasNextPage {
				t.Errorf("%v %v", first, second)
			}
			a.Send(t, "GET", "/v1/extractions?limit=4&cursor="+*l.Pagination.NextCursor, nil).WantError(t, 400, "INVALID_PAYLOAD") // other filters
		})
		t.Run("parser_id, status", func(t *testing.T) {
			if ids, _ := list(t, "?parser_id="+parsers[1]); len(ids) != 3 {
				t.Errorf("%v", ids)
			}
			if ids, _ := list(t, "?status=failed"); len(ids) != 0 {
				t.Errorf("%v", ids)
			}
			if ids, _ := list(t, "?parser_id=par_x"); len(ids) != 0 {
				t.Errorf("%v", ids)
			}
		})
		t.Run("since (date-time; only extractions updated after it)", func(t *testing.T) {
			at := page.Extractions[3].UpdatedAt
			if ids, _ := list(t, "?since="+url.QueryEscape(at.Format(api.TimeLayout))); fmt.Sprint(ids) != fmt.Sprint(newestFirst[:3]) {
				t.Errorf("%v", ids)
			}
			if ids, _ := list(t, "?since="+url.QueryEscape(at.Add(-time.Microsecond).Format(api.TimeLayout))); len(ids) != 4 {
				t.Errorf("%v", ids)
			}
		})
		t.Run("an unknown status value returns 400", func(t *testing.T) {
			for _, query := range []string{"status=done", "status=", "since=yesterday", "since=", "limit=101", "cursor=x"} {
				a.Send(t, "GET", "/v1/extractions?"+query, nil).WantError(t, 400, "INVALID_PAYLOAD")
			}
		})
	})
}

func TestExports(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser := a.NewParser(t, "Invoices", invoiceFields...)
	answer := a.Submit(t, []string{"parser_id", parser, "name", "März €"}, []apptest.File{invoice("A-1"), invoice("A-2")}).WantStatus(t, 202)
	x := apptest.Into[api.AcceptedEnvelope](t, answer).Extraction
	a.Finished(t, x.ExtractionID)
	path := "/v1/extractions/" + x.ExtractionID + "/export"
	t.Run("format (json default, csv, xlsx): 200 file stream with Content-Disposition and Content-Type for the format.", func(t *testing.T) {
		for query, want := range map[string]string{
			"": "application/json", "?format=json": "application/json", "?format=csv": "text/csv; charset=utf-8",
			"?format=xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		} {
			answer := a.Send(t, "GET", path+query, nil).WantStatus(t, 200)
			if answer.Header.Get("Content-Type") != want || !strings.Contains(answer.Header.Get("Content-Disposition"), "filename*=UTF-8''M%C3%A4rz%20%E2%82%AC.") {
				t.Errorf("%s: %v", query, answer.Header)
			}
		}
	})
	t.Run("CSV", func(t *testing.T) {
		lines := strings.Split(a.Send(t, "GET", path+"?format=csv", nil).Text, "\r\n")
		if len(lines) != 4 || !strings.HasSuffix(lines[0], "confidence,invoice_number,invoice_date,total,colour") || !strings.Contains(lines[2], ",A-2,2026-05-03,1234.50,") {
			t.Errorf("%q", lines)
		}
	})
	t.Run("XLSX", func(t *testing.T) {
		text := a.Send(t, "GET", path+"?format=xlsx", nil).Text
		if _, err := zip.NewReader(strings.NewReader(text), int64(len(text))); err != nil {
			t.Error(err)
		}
	})
	t.Run("one document", func(t *testing.T) {
		answer := a.Send(t, "GET", "/v1/extractions/"+x.ExtractionID+"/documents/"+x.Documents[1].DocumentID+"/export", nil).WantStatus(t, 200)
		if !strings.Contains(answer.Text, "A-2") || strings.Contains(answer.Text, "A-1") || !strings.Contains(answer.Header.Get("Content-Disposition"), "A-2.pdf.json") {
			t.Errorf("%v %s", answer.Header, answer.Text)
		}
	})
	t.Run("what cannot be exported", func(t *testing.T) {
		a.Send(t, "GET", path+"?format=pdf", nil).WantError(t, 400, "INVALID_PAYLOAD")
		a.Send(t, "GET", path+"?format=csv&explode=nothing", nil).WantError(t, 400, "INVALID_PAYLOAD")
	})
}

func TestScansWithoutTextYieldNulls(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser := a.NewParser(t, "Invoices", invoiceFields...)
	x := a.Accepted(t, parser, apptest.File{Name: "scan.png", Content: scan(t)})
	results := a.Finished(t, x.ExtractionID)
	if d := results.Documents[0]; string(d.ExtractedData) != `{"invoice_number":null,"invoice_date":null,"total":null,"colour":null}` || d.Validation[0].Path != "/invoice_number" {
		t.Errorf("%+v", d)
	}
}

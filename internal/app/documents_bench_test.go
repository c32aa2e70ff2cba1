package app_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// databases are what the benchmarks of documents run on.
var databases = []struct {
	name string
	on   func(testing.TB) apptest.Option
}{{"SQLite", apptest.OnSQLite}, {"PostgreSQL", apptest.OnPostgres}}

// BenchmarkSubmit measures submissions of small files up to the answer, with
// nothing else going on: no worker takes part on PostgreSQL, and on SQLite the
// documents are worked on meanwhile, as there is no other way.
func BenchmarkSubmit(b *testing.B) {
	for _, database := range databases {
		for _, files := range []int{1, 50} {
			b.Run(fmt.Sprintf("%s/%d", database.name, files), func(b *testing.B) {
				on := database.on(b)
				a := startForDocuments(b, on, apptest.With(func(c *app.Config) {
					if c.DatabaseURL != "" {
						c.Role = app.API
					}
				}))
				body, contentType := documentForm(b, a, files)
				send(b, a, body, contentType) // the reader is warm now
				var times []time.Duration
				for b.Loop() {
					began := time.Now()
					send(b, a, body, contentType)
					times = append(times, time.Since(began))
				}
				slices.Sort(times)
				b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
				b.ReportMetric(float64(b.N*files)/b.Elapsed().Seconds(), "files/s")
				b.ReportMetric(milliseconds(times[len(times)/2]), "p50-ms")
				b.ReportMetric(milliseconds(times[len(times)*99/100]), "p99-ms")
			})
		}
	}
}

// BenchmarkDocuments measures one-page documents with a text layer from
// submission to result, 50 to a submission, through the whole service.
func BenchmarkDocuments(b *testing.B) {
	for _, database := range databases {
		b.Run(database.name, func(b *testing.B) {
			a := startForDocuments(b, database.on(b))
			body, contentType := documentForm(b, a, 50)
			waitDone(b, a, send(b, a, body, contentType))
			for b.Loop() {
				waitDone(b, a, send(b, a, body, contentType))
			}
			b.ReportMetric(float64(b.N*50)/b.Elapsed().Seconds(), "documents/s")
		})
	}
}

func startForDocuments(b *testing.B, options ...apptest.Option) *apptest.App {
	b.Helper()
	a := apptest.Start(b, options...)
	if _, err := a.Store.AddPurchase(b.Context(), fieldlift.Purchase{AccountID: a.Account.ID, Source: fieldlift.SourceGrant, Credits: 1_000_000_000}); err != nil {
		b.Fatal(err)
	}
	return a
}

func documentForm(b *testing.B, a *apptest.App, files int) (body, contentType string) {
	b.Helper()
	parser := a.NewParser(b, "Invoices", api.Field{Name: "invoice_number"}, api.Field{Name: "invoice_date", Type: "date"}, api.Field{Name: "total", Type: "number"})
	var list []apptest.File
	for i := range files {
		list = append(list, apptest.File{Name: fmt.Sprint(i, ".pdf"), Content: apptest.Invoice(fmt.Sprint("A-", i))})
	}
	return apptest.Form(b, []string{"parser_id", parser}, list...)
}

// send submits through a plain client: checking answers is not what is measured.
func send(b *testing.B, a *apptest.App, body, contentType string) (extractionID string) {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, a.URL()+"/v1/extractions", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("X-API-Key", a.Key)
	request.Header.Set("Content-Type", contentType)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusAccepted {
		b.Fatalf("%d %s %v", response.StatusCode, answer, err)
	}
	_, after, _ := bytes.Cut(answer, []byte(`"extraction_id":"`))
	id, _, _ := bytes.Cut(after, []byte(`"`))
	return string(id)
}

func waitDone(b *testing.B, a *apptest.App, id string) {
	b.Helper()
	for {
		e, err := a.Store.ExtractionAlone(b.Context(), a.Account.ID, id)
		if err != nil {
			b.Fatal(err)
		}
		if e.Status.Terminal() {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

package app_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/telemetry"
)

// BenchmarkRequests compares requests through the whole service, with key
// check and rate window, to a bare net/http handler that answers the same
// bytes. The client is on the same cores and the same for all.
func BenchmarkRequests(b *testing.B) {
	for _, path := range []string{"/v1/me", "/v1/parsers"} {
		var answer apptest.Answer
		for _, database := range databases {
			b.Run("GET "+path+"/"+database.name, func(b *testing.B) {
				a := startFilled(b, database.on(b))
				answer = a.Send(b, "GET", path, nil).WantStatus(b, 200)
				measure(b, a.URL(), path, a.Key, len(answer.Text))
			})
		}
		b.Run("GET "+path+"/bare", func(b *testing.B) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				b.Fatal(err)
			}
			server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", strconv.Itoa(len(answer.Text)))
				_, _ = io.WriteString(w, answer.Text)
			})}
			go func() { _ = server.Serve(listener) }()
			defer server.Close()
			measure(b, "http://"+listener.Addr().String(), path, "", len(answer.Text))
		})
	}
}

// startFilled starts a service with a page of parsers.
func startFilled(b *testing.B, on apptest.Option) *apptest.App {
	b.Helper()
	log, err := telemetry.NewLogger(io.Discard, "json", slog.LevelInfo) // written, as in earnest, and dropped
	if err != nil {
		b.Fatal(err)
	}
	a := apptest.Start(b, on, apptest.With(func(c *app.Config) { c.RateLimit, c.Log = 1<<40, log }))
	for i := range 20 {
		if _, err := a.Client().CreateParser(b.Context(), api.ParserCreate{
			Name: fmt.Sprint("Invoices ", i), Fields: []api.Field{
				{Name: "invoice_number", Required: true, Description: "The number the vendor gave the invoice"},
				{Name: "invoice_date", Type: "date", Description: "The day the invoice was written"},
				{Name: "vendor_name", Description: "Who sends the invoice"},
				{Name: "total", Type: "number", Description: "The amount to pay, tax included"},
				{Name: "line_items", Type: "array", Fields: []api.Field{{Name: "description"}, {Name: "amount", Type: "number"}}},
			},
		}); err != nil {
			b.Fatal(err)
		}
	}
	return a
}

// clients is how many connections are busy at once.
const clients = 16

// measure sends b.N requests over a few kept connections and reports the rate
// and the time that 99 of 100 requests stay under.
func measure(b *testing.B, url, path, key string, size int) {
	b.Helper()
	address := strings.TrimPrefix(url, "http://")
	request := fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\nX-API-Key: %s\r\n\r\n", path, address, key)
	var mu sync.Mutex
	var times []time.Duration
	var left sync.WaitGroup
	work := make(chan struct{}, clients)
	for range clients {
		connection, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		defer connection.Close()
		left.Go(func() {
			reader := bufio.NewReaderSize(connection, 64<<10)
			var own []time.Duration
			for range work {
				began := time.Now()
				if err := exchange(connection, reader, request, size); err != nil {
					b.Error(err)
				}
				own = append(own, time.Since(began))
			}
			mu.Lock()
			defer mu.Unlock()
			times = append(times, own...)
		})
	}
	for b.Loop() {
		work <- struct{}{}
	}
	close(work)
	left.Wait()
	slices.Sort(times)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "requests/s")
	b.ReportMetric(float64(times[len(times)*99/100].Microseconds())/1000, "p99-ms")
}

// exchange sends a request and reads the answer with as little work as can be.
func exchange(connection net.Conn, reader *bufio.Reader, request []byte, size int) error {
	if _, err := connection.Write(request); err != nil {
		return err
	}
	status, err := reader.ReadSlice('\n')
	if err != nil || !bytes.HasPrefix(status, []byte("HTTP/1.1 200")) {
		return fmt.Errorf("%q: %w", status, err)
	}
	for line := status; len(line) > 2; {
		if line, err = reader.ReadSlice('\n'); err != nil {
			return err
		}
	}
	_, err = reader.Discard(size)
	return err
}

// BenchmarkStart measures from nothing to the first answer of /readyz, on a
// store that is there already.
func BenchmarkStart(b *testing.B) {
	for name, on := range map[string]func(testing.TB) apptest.Option{"SQLite": apptest.OnSQLite, "PostgreSQL": apptest.OnPostgres} {
		b.Run(name, func(b *testing.B) {
			a := startFilled(b, on(b))
			config := a.Config
			a.Stop()
			for b.Loop() {
				service, err := app.New(b.Context(), config)
				if err != nil {
					b.Fatal(err)
				}
				ctx, cancel := context.WithCancel(b.Context())
				ended := make(chan error, 1)
				go func() { ended <- service.Run(ctx) }()
				response, err := http.Get(service.URL() + "/readyz")
				if err != nil || response.StatusCode != 200 {
					b.Fatal(response, err)
				}
				_ = response.Body.Close()
				cancel()
				if err := <-ended; err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

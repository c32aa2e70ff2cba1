package httpapi_test

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"fieldlift/internal/apptest"
)

// BenchmarkSubmitLarge submits 50 files of 10 MB at once, and tells by how
// much the memory of the service grows. The client streams, since it shares
// the process; the readers' memory is their own.
func BenchmarkSubmitLarge(b *testing.B) {
	const files, size = 50, 10_000_000
	a := apptest.Start(b, apptest.OnSQLite(b))
	parser := a.NewParser(b, "Invoices", invoiceFields...)
	file := onePage(a4, "", "BT /F1 11 Tf 50 700 Td (Invoice Number: A-1) Tj ET", stream("", string(bytes.Repeat([]byte{'x'}, size))))
	a.Finished(b, a.Accepted(b, parser, invoice("warm")).ExtractionID)
	debug.FreeOSMemory()
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	memory := memoryOf(b, os.Getpid())
	var peak, heap atomic.Int64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		var now runtime.MemStats
		for {
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
				runtime.ReadMemStats(&now)
				heap.Store(max(heap.Load(), int64(now.HeapInuse)))
				peak.Store(max(peak.Load(), memoryOf(b, os.Getpid())))
			}
		}
	}()
	b.SetBytes(files * size)
	for b.Loop() {
		submitStreaming(b, a, parser, files, file)
	}
	close(stop)
	<-stopped
	b.ReportMetric(float64(peak.Load()-memory)/1e6, "MB-grown")
	b.ReportMetric(float64(heap.Load()-int64(before.HeapInuse))/1e6, "MB-heap-grown")
}

func submitStreaming(b *testing.B, a *apptest.App, parser string, files int, content []byte) {
	b.Helper()
	from, to := io.Pipe()
	form := multipart.NewWriter(to)
	go func() {
		err := form.WriteField("parser_id", parser)
		for i := range files {
			part, e := form.CreateFormFile("files", strconv.Itoa(i)+".pdf")
			if e == nil {
				_, e = part.Write(content)
			}
			err = errors.Join(err, e)
		}
		_ = to.CloseWithError(errors.Join(err, form.Close()))
	}()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodPost, a.URL()+"/v1/extractions", from)
	if err != nil {
		b.Fatal(err)
	}
	request.Header.Set("X-API-Key", a.Key)
	request.Header.Set("Content-Type", form.FormDataContentType())
	response, err := a.HTTP().Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusAccepted {
		b.Fatalf("%d %s", response.StatusCode, text)
	}
}

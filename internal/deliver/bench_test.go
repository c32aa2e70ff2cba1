package deliver_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/store"
)

// BenchmarkDeliveries measures how many events a second come to nine local
// receivers, in turns while a tenth answers as they do and while it never
// answers. All that is delivered waits when the clock starts; receivers are on
// the same cores.
func BenchmarkDeliveries(b *testing.B) {
	for _, database := range []struct {
		name string
		open func(testing.TB) store.Options
	}{
		{"SQLite", func(t testing.TB) store.Options { return store.Options{DataDir: t.TempDir()} }},
		{"PostgreSQL", func(t testing.TB) store.Options { return store.Options{DatabaseURL: apptest.NewDatabase(t)} }},
	} {
		b.Run(database.name, func(b *testing.B) {
			var took [2]time.Duration
			runs := 0
			for b.Loop() {
				runs++
				for i, hangs := range []bool{false, true} {
					took[i] += measure(b, newRig(b, database.open(b)), hangs)
				}
			}
			rate := func(took time.Duration) float64 { return float64(runs*events*others) / took.Seconds() }
			b.ReportMetric(rate(took[0]), "deliveries/s")
			b.ReportMetric(rate(took[1]), "deliveries/s-one-hangs")
			b.ReportMetric(100*(1-rate(took[1])/rate(took[0])), "%-fewer")
		})
	}
}

const events, others = 300, 9

// measure tells how long it takes until some thousand events have come to the
// nine that answer in any case.
func measure(b *testing.B, r *rig, hangs bool) time.Duration {
	b.Helper()
	var left atomic.Int64
	left.Store(events * others)
	done := make(chan struct{})
	quick := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, request *http.Request) {
		_, _ = io.Copy(io.Discard, request.Body)
		if request.URL.Path != "/tenth" && left.Add(-1) == 0 {
			close(done)
		}
	}))
	defer quick.Close()
	release := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	defer hanging.Close()
	letGo := sync.OnceFunc(func() { close(release) })
	defer letGo()
	for range others {
		r.newWebhook(b, quick.URL, "", fieldlift.EventJobCompleted)
	}
	tenth := quick.URL + "/tenth"
	if hangs {
		tenth = hanging.URL
	}
	r.newWebhook(b, tenth, "", fieldlift.EventJobCompleted)
	for range events {
		r.once(b)
	}
	began := time.Now()
	stop := r.deliver(b)
	select {
	case <-done:
	case <-time.After(time.Minute):
		b.Fatalf("%d deliveries did not come", left.Load())
	}
	took := time.Since(began)
	letGo()
	stop()
	return took
}

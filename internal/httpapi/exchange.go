package httpapi

import (
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"fieldlift"
	"fieldlift/internal/telemetry"
)

// exchange is one request and its answer: what the log line and the metrics
// will tell when it is over.
type exchange struct {
	http.ResponseWriter
	id      string
	started time.Time
	route   string // the pattern that matched; "" when none did
	caller  fieldlift.Caller
	upload  *upload // the request's body, where it is one that may take its time
	status  int     // 0 until the answer begins
	bytes   int64
}

func (x *exchange) WriteHeader(status int) {
	x.begin(status)
	x.ResponseWriter.WriteHeader(status)
}

func (x *exchange) Write(b []byte) (int, error) {
	x.begin(http.StatusOK)
	n, err := x.ResponseWriter.Write(b)
	x.bytes += int64(n)
	return n, err
}

// begin notes that the answer begins.
func (x *exchange) begin(status int) {
	if x.status != 0 {
		return
	}
	x.status = status
	if x.upload != nil {
		x.upload.answered()
	}
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// begin gives a request its id, which every answer and log line carries.
func (s *Server) begin(w http.ResponseWriter, r *http.Request) (*exchange, *http.Request) {
	x := &exchange{ResponseWriter: w, id: fieldlift.NewID(fieldlift.RequestPrefix), started: time.Now()}
	header := w.Header()
	header.Set("X-Request-Id", x.id)
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	s.metrics.inFlight.Inc()
	return x, r.WithContext(telemetry.With(r.Context(), slog.String("request_id", x.id)))
}

// conclude catches a panic, then logs and measures the exchange.
func (s *Server) conclude(x *exchange, r *http.Request) {
	if fault := recover(); fault != nil {
		if fault == http.ErrAbortHandler { //nolint:errorlint // a sentinel that is only ever thrown as itself
			s.metrics.inFlight.Dec()
			panic(fault)
		}
		s.Log.ErrorContext(r.Context(), "panic", "fault", fault, "stack", string(debug.Stack()))
		if x.status == 0 {
			s.refuse(x, r, fieldlift.Errorf(fieldlift.InternalError, "Something went wrong here. The request id helps the operator to find out what."))
		}
	}
	s.metrics.inFlight.Dec()
	took := time.Since(x.started)
	route := strings.TrimPrefix(x.route, r.Method+" ")
	if x.route == "" {
		route = "unmatched"
	}
	s.metrics.requests.WithLabelValues(method(r.Method), route, strconv.Itoa(x.status)).Inc()
	s.metrics.seconds.WithLabelValues(route).Observe(took.Seconds())
	attributes := []slog.Attr{
		slog.String("method", r.Method), slog.String("path", r.URL.Path), slog.Int("status", x.status),
		slog.Duration("took", took), slog.Int64("bytes", x.bytes), slog.String("from", r.RemoteAddr),
	}
	if x.caller.Key.ID != "" {
		attributes = append(attributes, slog.String("account_id", x.caller.Account.ID), slog.String("key_id", x.caller.Key.ID))
	}
	level := slog.LevelInfo
	if x.status >= 500 {
		level = slog.LevelError
	}
	s.Log.LogAttrs(r.Context(), level, "request", attributes...)
}

// metrics answer whether the interface keeps up, and who is refused.
type metrics struct {
	requests    *prometheus.CounterVec
	seconds     *prometheus.HistogramVec
	inFlight    prometheus.Gauge
	rateLimited *prometheus.CounterVec
	handler     http.Handler
}

func newMetrics(registry *prometheus.Registry) metrics {
	m := metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_http_requests_total", Help: "Requests answered.",
		}, []string{"method", "route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "fieldlift_http_request_seconds", Help: "How long requests took.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60},
		}, []string{"route"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fieldlift_http_requests_in_flight", Help: "Requests being answered right now.",
		}),
		rateLimited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_rate_limited_total", Help: "Requests refused by a rate limit, by what was counted: a key or an address.",
		}, []string{"by"}),
		handler: promhttp.HandlerFor(registry, promhttp.HandlerOpts{}),
	}
	registry.MustRegister(m.requests, m.seconds, m.inFlight, m.rateLimited)
	return m
}

// method keeps clients from making up metrics: what net/http lets through is
// any word.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS":
		return m
	}
	return "other"
}

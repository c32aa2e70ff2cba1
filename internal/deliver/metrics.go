package deliver

import (
	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
)

// Metrics tell whether receivers are reached.
type Metrics struct {
	attempts *prometheus.CounterVec
	seconds  prometheus.Histogram
	inFlight prometheus.Gauge
}

// NewMetrics makes and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		attempts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_delivery_attempts_total", Help: "Attempts to deliver, by what came of them: success, pending_retry, failed.",
		}, []string{"status"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fieldlift_delivery_seconds", Help: "How long receivers took to answer, or not to.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "fieldlift_deliveries_in_flight", Help: "Attempts to deliver that are under way on this node.",
		}),
	}
	registry.MustRegister(m.attempts, m.seconds, m.inFlight)
	return m
}

func (m *Metrics) ended(a fieldlift.Attempt) {
	m.attempts.WithLabelValues(string(a.Status)).Inc()
	m.seconds.Observe(a.Took.Seconds())
}

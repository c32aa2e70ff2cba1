package transcribe

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics tell how much is recognised.
type Metrics struct {
	pages   prometheus.Counter
	seconds prometheus.Histogram
}

// NewMetrics makes and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		pages: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "fieldlift_ocr_pages_total", Help: "Pages whose text was recognised.",
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fieldlift_ocr_page_seconds", Help: "How long the text of a page took to be recognised, waiting included.",
			Buckets: []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
		}),
	}
	registry.MustRegister(m.pages, m.seconds)
	return m
}

// recognised counts a page; nobody counts where there is no service.
func (m *Metrics) recognised(took time.Duration) {
	if m != nil {
		m.pages.Inc()
		m.seconds.Observe(took.Seconds())
	}
}

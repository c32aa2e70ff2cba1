package llm

import (
	"errors"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Metrics tell how a model answers and what it takes.
type Metrics struct {
	calls    *prometheus.CounterVec
	tokens   *prometheus.CounterVec
	seconds  prometheus.Histogram
	fields   *prometheus.CounterVec
	answered *prometheus.CounterVec
	away     prometheus.Gauge
}

// NewMetrics makes and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		calls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_model_calls_total", Help: "Calls of the connected model, by outcome: answered, cut, refused, slow, strange (no answer of the protocol, or one without an end), unreachable, or the status of HTTP.",
		}, []string{"outcome"}),
		tokens: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_model_tokens_total", Help: "Tokens that the model's provider counted, by direction: input, output.",
		}, []string{"direction"}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fieldlift_model_call_seconds", Help: "How long calls of the model took.",
			Buckets: []float64{.25, .5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300},
		}),
		fields: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_model_fields_total", Help: "Fields of documents where a model took part, by who gave the value: model, layout, both, nobody.",
		}, []string{"engine"}),
		answered: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_model_questions_total", Help: "Questions to the model, by how they ended: answered, cached, failed, budget, away.",
		}, []string{"outcome"}),
	}
	m.away = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "fieldlift_model_away", Help: "1 while nobody asks the connected model, because it failed again and again or refuses our key, else 0.",
	})
	registry.MustRegister(m.calls, m.tokens, m.seconds, m.fields, m.answered, m.away)
	return m
}

func (m *Metrics) called(r reply, err error, took time.Duration) {
	if m == nil {
		return
	}
	outcome := "answered"
	f, isFault := errors.AsType[*fault](err)
	switch {
	case isFault && f.status != 0:
		outcome = strconv.Itoa(f.status)
	case errors.Is(err, errSlow):
		outcome = "slow"
	case isFault && f.useless():
		outcome = "strange"
	case err != nil:
		outcome = "unreachable"
	case r.refusal != "":
		outcome = "refused"
	case r.cut:
		outcome = "cut"
	}
	m.calls.WithLabelValues(outcome).Inc()
	m.seconds.Observe(took.Seconds())
	m.tokens.WithLabelValues("input").Add(float64(r.tokens.Input))
	m.tokens.WithLabelValues("output").Add(float64(r.tokens.Output))
}

func (m *Metrics) ended(outcome string) {
	if m != nil {
		m.answered.WithLabelValues(outcome).Inc()
	}
}

func (m *Metrics) gave(engine string) {
	if m != nil {
		m.fields.WithLabelValues(engine).Inc()
	}
}

func (m *Metrics) isAway(yes bool) {
	if m != nil {
		m.away.Set(pick(yes, 1.0, 0.0))
	}
}

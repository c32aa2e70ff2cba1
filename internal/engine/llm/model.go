package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"fieldlift"
)

// The protocols.
const (
	OpenAI    = "openai"    // chat completions, of OpenAI and all who speak as it does
	Anthropic = "anthropic" // messages
)

// Options say which model is asked, and how.
type Options struct {
	Provider    string // OpenAI or Anthropic
	URL         string // "": the provider's own
	Model       string
	Key         string        // "": none is sent
	Vision      bool          // the model sees pictures
	Timeout     time.Duration // of one call
	Concurrency int           // calls at once
	Window      int           // tokens of a document that are sent at once
	MostOutput  int           // tokens of an answer
	Patience    time.Duration // how long a provider that is away is waited for before Away is told
	Prices      fieldlift.ModelPrices

	Transport http.RoundTripper // nil: the usual one
	Metrics   *Metrics          // nil: nothing is counted
	Log       *slog.Logger      // nil: nobody is told when the provider goes away
}

// Defaults of what need not be said.
const (
	DefaultTimeout     = 2 * time.Minute
	DefaultConcurrency = 4
	DefaultWindow      = 12_000
	DefaultMostOutput  = 8_192
)

// Model is a connected model. It is safe for concurrent use.
type Model struct {
	options  Options
	provider provider
	places   chan struct{}

	breaker breaker

	mu        sync.Mutex
	manners   manners   // that the provider has answered to
	learned   time.Time // when it first did
	miscounts bool      // its count of tokens means nothing
}

// New connects a model. Nothing is sent before it is asked.
func New(o Options) *Model {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	if o.Window <= 0 {
		o.Window = DefaultWindow
	}
	if o.MostOutput <= 0 {
		o.MostOutput = DefaultMostOutput
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	m := &Model{options: o, places: make(chan struct{}, o.Concurrency), breaker: breaker{log: o.Log, metrics: o.Metrics}}
	if o.Provider == Anthropic {
		m.provider = newAnthropic(o)
	} else {
		m.provider = newOpenAI(o)
	}
	return m
}

// Name is the model's, as its provider calls it.
func (m *Model) Name() string { return m.options.Model }

// Prices are what its tokens cost.
func (m *Model) Prices() fieldlift.ModelPrices { return m.options.Prices }

// Check finds out whether the model can be asked, without sending a document.
func (m *Model) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, min(m.options.Timeout, checkTimeout))
	defer cancel()
	return m.provider.check(ctx)
}

// Trouble says why nobody asks the model at the moment; nil: they may.
func (m *Model) Trouble() error { return m.breaker.trouble() }

const checkTimeout = 10 * time.Second

var errUnknownModel = errors.New("the provider does not know a model of this name")

// Away says that the model's provider cannot be asked for now. It is told with
// SERVICE_UNAVAILABLE: nothing is wrong with the document.
type Away struct {
	RetryAfter time.Duration // as the provider asks; 0: it does not
	Err        error
}

func (a *Away) Error() string { return "the model is away: " + a.Err.Error() }

func (a *Away) Unwrap() error { return a.Err }

func awayFor(cause error, wait time.Duration) error {
	return &fieldlift.Error{
		Code: fieldlift.ServiceUnavailable, Message: "The connected model cannot be asked at the moment: " + cause.Error() + ".",
		Err: &Away{RetryAfter: wait, Err: cause},
	}
}

// errTooLong says that less must be sent at once.
var errTooLong = errors.New("more was sent than the model can read")

// ask asks once, gives way to what the provider does not understand, and tries
// again for as long as our patience lasts when it is away. What was taken and
// not answered is not asked again here: it may have been paid for.
func (m *Model) ask(ctx context.Context, c call) (reply, error) {
	deadline := m.breaker.deadline(m.options.Patience)
	c.longest = int64(m.options.MostOutput)
	c.manners = m.known()
	for tries := 0; ; {
		r, err := m.once(ctx, c, deadline)
		f, isFault := errors.AsType[*fault](err)
		_, resting := errors.AsType[*Away](err)
		switch {
		case err == nil:
			m.learn(c.manners) // a refusal for another reason must not spoil them
			if m.readLess(c, r) {
				return r, errTooLong
			}
			return r, nil
		case !isFault || resting || f.useless():
			return r, err
		case f.tooLong():
			return r, errTooLong
		case f.refusesUs():
			return r, awayFor(err, 0)
		case c.giveWay(f):
			continue // bounded: each time there is less to give way to
		case !f.away():
			return r, err
		}
		wait := max(firstPause<<min(tries, 6), f.retryAfter)
		if tries++; time.Now().Add(wait).After(deadline) {
			return r, awayFor(err, f.retryAfter)
		}
		if err := pause(ctx, wait); err != nil {
			return r, err
		}
	}
}

const firstPause = 500 * time.Millisecond

// relearn is how long manners hold: providers learn too, and a model that was
// changed behind the same name may keep to a form.
const relearn = time.Hour

// known gives the manners that the provider has answered to of late.
func (m *Model) known() manners {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.manners != (manners{}) && time.Since(m.learned) > relearn {
		m.manners = manners{}
	}
	return m.manners
}

func (m *Model) learn(these manners) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.manners != these {
		m.manners, m.learned = these, time.Now()
	}
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// once asks when a place is free and the provider may be asked, within the
// time of one call.
func (m *Model) once(ctx context.Context, c call, deadline time.Time) (r reply, err error) {
	select {
	case m.places <- struct{}{}:
		defer func() { <-m.places }()
	case <-ctx.Done():
		return reply{}, ctx.Err()
	}
	if ctx.Err() != nil { // a place was free as well
		return reply{}, ctx.Err()
	}
	probe, err := m.breaker.enter(ctx, deadline)
	if err != nil {
		return reply{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, m.options.Timeout)
	defer cancel()
	began := time.Now()
	defer func() { m.breaker.leave(probe, c.turns[0].text, err) }() // also when what is strange breaks us
	r, err = m.provider.ask(bounded, c)
	r.tokens = c.believed(r.tokens, r.text)
	f, isFault := errors.AsType[*fault](err)
	if err != nil && ctx.Err() != nil || isFault && f.useless() {
		r.tokens.Calls = 1 // whoever took it wants to be paid
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // it is we who end
	}
	m.options.Metrics.called(r, err, time.Since(began))
	return r, err
}

const (
	// leastPerToken is how many letters a token holds at most. A provider that
	// counts fewer tokens than that has cut off what it was sent, as some do
	// without a word, or counts wrongly.
	leastPerToken = 12
	// leastContext is the least that any model can read, in tokens: who counts
	// fewer counts wrongly.
	leastContext = 256
	// shortest is how many letters fit whole into any model's context. To part
	// less would not help.
	shortest = 6000
)

func (m *Model) readLess(c call, r reply) bool {
	if r.tokens.Input == 0 {
		return false // it does not count
	}
	n := len(c.system)
	for _, t := range c.turns {
		for i := range len(t.text) {
			if t.text[i] > ' ' && t.text[i] < 0x80 {
				n++
			}
		}
	}
	if r.tokens.Input*leastPerToken >= int64(n) {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.miscounts = m.miscounts || r.tokens.Input < leastContext || n <= shortest
	return !m.miscounts
}

func (p picture) title() string { return "Page " + strconv.Itoa(p.page) + " as it looks:" }

// CheckURL reports what is wrong with a provider's address. Any host will do:
// it is the operator who chooses.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" {
		return fmt.Errorf("an address such as http://127.0.0.1:11434/v1 is needed")
	}
	if u.User != nil {
		return errors.New("the key goes into --model-key, not into the address")
	}
	return nil
}

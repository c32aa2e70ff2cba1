// Package deliver brings events to webhooks: it claims deliveries that are due,
// signs and sends them, and has kept what came of each attempt.
//
// The rows of the store hold the truth; this package only remembers how well
// receivers answer, so that one that is slow or dead holds up no other. Which
// addresses may be called at all is for its Client to say.
package deliver

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"fieldlift"
	"fieldlift/internal/outbound"
)

// Store is what this package asks of the store.
type Store interface {
	DeliveryBell() <-chan struct{}
	DueWebhooks(ctx context.Context) ([]string, error)
	BeginDeliveries(ctx context.Context, room map[string]int) ([]fieldlift.DeliveryClaim, error)
	EndAttempts(ctx context.Context, ends []fieldlift.AttemptEnd) error
	ReleaseDeliveries(ctx context.Context, claims []fieldlift.DeliveryClaim) error
	ResultData(ctx context.Context, documentID string) (string, error)

	TestWebhook(ctx context.Context, accountID string, kind fieldlift.WebhookKind, id string) (fieldlift.DeliveryClaim, error)
	KeepTest(ctx context.Context, e fieldlift.Event, end fieldlift.AttemptEnd) error
}

// Client calls receivers.
type Client interface {
	Post(ctx context.Context, url string, header http.Header, length int64, body outbound.Body) (outbound.Answer, error)
}

// Deliverer delivers events.
type Deliverer struct {
	Store    Store
	Client   Client
	Schedule fieldlift.Schedule
	SpoolDir string // where large bodies wait; made when it is needed
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time
}

const (
	// lookInterval is how often is looked for deliveries that no bell told of:
	// retries, and what other processes made.
	lookInterval = time.Second
	// grace is how long attempts may still take when the process is to stop.
	grace = 3 * time.Second
	// lastWords bounds the keeping of what came of them.
	lastWords = 5 * time.Second
)

// Run delivers until ctx ends. Attempts under way may finish within the time of
// grace; others are given back.
func (d *Deliverer) Run(ctx context.Context) {
	sending, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	r := &run{Deliverer: d, ctx: sending, pace: newPace(), ended: make(chan outcome)}
	look := time.NewTicker(lookInterval)
	defer look.Stop()
	for {
		r.gather()
		r.keep(ctx)
		r.begin(ctx)
		select {
		case <-ctx.Done():
			r.stop(cancel) //nolint:contextcheck // what is under way outlives the context that ended it
			return
		case o := <-r.ended:
			r.note(o)
		case <-look.C:
		case <-d.Store.DeliveryBell():
		}
	}
}

// run is the state of Run, which one goroutine alone has in hand.
type run struct {
	*Deliverer
	ctx       context.Context // of the attempts, which outlive the one of Run
	pace      *pace
	ended     chan outcome
	ends      []fieldlift.AttemptEnd    // not kept yet
	abandoned []fieldlift.DeliveryClaim // cut off by our own end
}

// outcome is what an attempt came to.
type outcome struct {
	claim   fieldlift.DeliveryClaim
	end     *fieldlift.AttemptEnd // nil when nothing was sent, or it was cut off
	trouble bool                  // the receiver gave no answer, or held its place for long
}

func (r *run) note(o outcome) {
	r.pace.ended(o.claim.Delivery.WebhookID, o.trouble)
	r.Metrics.inFlight.Dec()
	switch {
	case o.end != nil:
		r.ends = append(r.ends, *o.end)
	case r.ctx.Err() != nil:
		r.abandoned = append(r.abandoned, o.claim)
	}
	// Else its claim runs out, and it is tried then.
}

// gather takes what has ended meanwhile, to be kept together: a transaction
// costs the same for one as for many.
func (r *run) gather() {
	for {
		select {
		case o := <-r.ended:
			r.note(o)
		default:
			return
		}
	}
}

// keep has the outcomes kept. While the database is away they wait here.
func (r *run) keep(ctx context.Context) {
	if len(r.ends) > 0 {
		err := r.Store.EndAttempts(ctx, r.ends)
		if err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "what came of attempts could not be kept", "attempts", len(r.ends), "error", err)
		}
		switch {
		case err == nil:
			r.ends = nil
		case fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable && ctx.Err() == nil:
			r.keepEach(ctx)
		}
	}
	if len(r.abandoned) > 0 && r.Store.ReleaseDeliveries(ctx, r.abandoned) == nil {
		r.abandoned = nil
	}
}

// keepEach keeps outcomes one by one, so that one that cannot be kept takes no
// other with it. Its claim runs out, and it is tried again.
func (r *run) keepEach(ctx context.Context) {
	for _, end := range r.ends {
		if err := r.Store.EndAttempts(ctx, []fieldlift.AttemptEnd{end}); err != nil {
			r.Log.ErrorContext(ctx, "what came of an attempt is lost", "delivery_id", end.Attempt.DeliveryID, "error", err)
		}
	}
	r.ends = nil
}

// begin claims as many due deliveries as there is room for and sends them.
func (r *run) begin(ctx context.Context) {
	if len(r.ends) > 0 || ctx.Err() != nil || r.pace.full() {
		return
	}
	due, err := r.Store.DueWebhooks(ctx)
	var claims []fieldlift.DeliveryClaim
	if room := r.pace.room(due); err == nil && len(room) > 0 {
		claims, err = r.Store.BeginDeliveries(ctx, room)
	}
	if err != nil && ctx.Err() == nil {
		r.Log.ErrorContext(ctx, "no deliveries could be begun", "error", err)
	}
	for _, c := range claims {
		r.pace.began(c.Delivery.WebhookID)
		r.Metrics.inFlight.Inc()
		go func() { r.ended <- r.attempt(r.ctx, c) }()
	}
}

// stop waits for what is under way, cuts off what takes longer than the time
// of grace, and keeps what came of it.
func (r *run) stop(cancel func()) {
	late := time.AfterFunc(grace, cancel)
	defer late.Stop()
	for r.pace.inFlight > 0 {
		r.note(<-r.ended)
	}
	ctx, done := context.WithTimeout(context.Background(), lastWords)
	defer done()
	r.keep(ctx)
}

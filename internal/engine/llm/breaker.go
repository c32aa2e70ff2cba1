package llm

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// breaker keeps us from asking a provider that fails again and again, or that
// wants to be left alone. When its time is over one question is let through to
// see, and the others follow when that is answered.
type breaker struct {
	log     *slog.Logger
	metrics *Metrics

	mu       sync.Mutex
	failures int           // in a row
	since    time.Time     // the first of them
	cause    error         // the last of them
	until    time.Time     // nobody asks before
	probing  bool          // one asks, to see
	changed  chan struct{} // closed when a probe has ended; nil while nobody waits for that
	told     bool          // that it is away
	refused  [32]byte      // the question that was refused last, in a way that may be its own fault
}

const (
	mostFailures = 5               // in a row, before nobody asks for a while
	firstRest    = 2 * time.Second // doubled with each failure more
	longestRest  = time.Minute
)

// deadline is until when a question that is begun now waits for a provider that
// is away: our patience begins with the first failure, not with each question.
func (b *breaker) deadline(patience time.Duration) time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures > 0 {
		return b.since.Add(patience)
	}
	return time.Now().Add(patience)
}

// enter waits until a question may be asked, or reports Away when that is not
// before a deadline. Who has entered must leave, and say whether it was to see.
func (b *breaker) enter(ctx context.Context, deadline time.Time) (probe bool, err error) {
	for {
		b.mu.Lock()
		wait := time.Until(b.until)
		switch {
		case wait <= 0 && b.failures < mostFailures:
			b.mu.Unlock()
			return false, nil
		case wait <= 0 && !b.probing:
			b.probing = true
			b.mu.Unlock()
			return true, nil
		case wait > 0 && (b.until.After(deadline) || b.refusesUs()):
			err := awayFor(b.cause, wait)
			b.mu.Unlock()
			return false, err
		}
		var probed chan struct{}
		if wait <= 0 {
			if b.changed == nil {
				b.changed = make(chan struct{})
			}
			probed, wait = b.changed, time.Until(deadline)
		}
		cause := b.cause
		b.mu.Unlock()
		if wait <= 0 {
			return false, awayFor(cause, firstRest)
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false, ctx.Err()
		case <-probed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// leave notes how a question ended: whether the provider is there, and if not,
// for how long it wants to be left alone.
func (b *breaker) leave(probe bool, question string, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if probe {
		b.probing = false
		if b.changed != nil {
			close(b.changed)
			b.changed = nil
		}
	}
	f, isFault := errors.AsType[*fault](err)
	switch {
	case err != nil && !isFault: // it is we who ended
		return
	case !isFault || !f.counts():
		b.failures, b.cause, b.until, b.refused = 0, nil, time.Time{}, [32]byte{}
		if b.told {
			b.told = false
			b.metrics.isAway(false)
			b.log.Info("the model answers again")
		}
		return
	}
	convinced := f.refusesUs() && (b.told || b.isRefusal(f, question))
	if f.refusesUs() && !convinced && b.failures == 0 {
		return // the others may ask: one question says little of the key
	}
	if b.failures == 0 {
		b.since = time.Now()
	}
	b.failures++
	b.cause = err
	rest := f.retryAfter
	switch {
	case convinced:
		rest = max(rest, refusedPause)
	case b.failures >= mostFailures:
		rest = max(rest, min(longestRest, firstRest<<min(b.failures-mostFailures, 10)))
	}
	if until := time.Now().Add(rest); rest > 0 && until.After(b.until) {
		b.until = until
	}
	if !b.told && (b.failures >= mostFailures || convinced) {
		b.told = true
		b.metrics.isAway(true)
		b.log.Warn("the model is left alone for a while; documents for it wait, or get the embedded engine's values", "rest", rest, "error", err)
	}
}

// isRefusal tells a refusal of ours from one of a question. Where it may be
// either, two questions must be refused in a row.
func (b *breaker) isRefusal(f *fault, question string) bool {
	if !f.mayBeTheQuestions() {
		return true
	}
	before, now := b.refused, sha256.Sum256([]byte(question))
	b.refused = now
	return before != [32]byte{} && before != now
}

// refusesUs reports whether it is a refusal that we rest for: to wait for that
// helps nobody.
func (b *breaker) refusesUs() bool {
	f, ok := errors.AsType[*fault](b.cause)
	return ok && f.refusesUs()
}

// refusedPause is how long nobody asks after a refusal of ours: a wrong key does
// not become right by asking.
const refusedPause = 30 * time.Second

// trouble says why nobody asks at the moment; nil: they may.
func (b *breaker) trouble() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.told {
		return b.cause
	}
	return nil
}

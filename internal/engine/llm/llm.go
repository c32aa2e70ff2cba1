// Package llm is the engine that asks a connected model: one's own, or a
// vendor's. The embedded engine reads every document first; the model is then
// asked for what that is unsure of, or for everything, and its values are held
// to what is printed: each is looked for on the page, typed by our own parsers,
// and has no place and little confidence when it cannot be found.
//
// It keeps no answers and no accounts itself, and decides nothing about who may
// send what: that is its callers' affair.
package llm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// Engine finds the values of one document with a model's help, of all its pages
// or of one after the other. Many of them share a Model.
type Engine struct {
	Model    *Model
	Embedded engine.Engine
	// Choice is fieldlift.ModelEngine or AutoEngine, which asks for what the
	// embedded engine finds with a lower confidence than Threshold.
	Choice    fieldlift.EngineChoice
	Threshold float64
	Ledger    Ledger // nil: nothing is kept, and everything is allowed
	// Picture draws a page, by its number from 1, as a PNG; nil: it cannot be had.
	Picture func(ctx context.Context, number int) ([]byte, error)
	// Time is how long the model may be asked, from the first question on; 0: for as
	// long as it takes.
	Time time.Duration
	// Settle ends the document with what there is. Without it a model that is away
	// is told as an error, so that the document can wait for it.
	Settle bool
	// Insist has what keeps us from the model be told as an error, for those who
	// measure it: without it AutoEngine is content with the embedded engine's values
	// where the key is wrong.
	Insist bool
	// Frank tells in warnings what keeps us from the model, with addresses and
	// flags: for operators. Others read that it could not be reached.
	Frank bool

	shown atomic.Int32 // pictures, of all pages
	begun sync.Once
	until time.Time // when Time is over
}

// errNoTime says that Time is over.
var errNoTime = errors.New("there was no time left to ask the model")

// DefaultThreshold is the confidence below which AutoEngine asks.
const DefaultThreshold = 0.8

// Ledger keeps what was asked about one document, and for whom.
type Ledger interface {
	// Recall gives an answer that was kept; own tells whether this document asked
	// for it. One that is not Good is kept for the document that asked alone.
	Recall(ctx context.Context, key string) (k Kept, own, ok bool, err error)
	Remember(ctx context.Context, key string, k Kept) error
	// Begin waits while another asks a question for the same account, whose answer
	// can then be recalled; end lets the next one.
	Begin(ctx context.Context, key string) (end func(), err error)
	// Reserve sets aside what a call may take at the most, or reports ErrBudget, in
	// a sentence for people, when nothing is left. What it took in truth is told to
	// settle, which is always called.
	Reserve(ctx context.Context, most fieldlift.ModelTokens) (settle func(context.Context, fieldlift.ModelTokens) error, err error)
}

// ErrBudget says that a budget is spent.
var ErrBudget = errors.New("the budget for models is spent")

// BudgetSpent is ErrBudget with a sentence that says which.
func BudgetSpent(whose string) error {
	return &fieldlift.Error{Code: fieldlift.InsufficientCredits, Message: whose + " for models is spent for today", Err: ErrBudget}
}

// BudgetSetAside says that calls under way may take what is left of a budget:
// the document can wait for what they leave.
func BudgetSetAside(whose string) error {
	return awayFor(&setAside{whose}, 0)
}

type setAside struct{ whose string }

func (s *setAside) Error() string {
	return "what is left of " + s.whose + " for models is set aside for other calls"
}

func sentence(err error) string {
	if told, ok := errors.AsType[*fieldlift.Error](err); ok {
		return told.Message
	}
	return err.Error()
}

// Extract has the embedded engine read the pages, asks the model, and joins
// what both found.
func (e *Engine) Extract(ctx context.Context, r engine.Request) (engine.Answer, error) {
	embedded, err := e.Embedded.Extract(ctx, r)
	if err != nil {
		return engine.Answer{}, err
	}
	found, err := engine.Take(r.Fields, embedded)
	if err != nil {
		return engine.Answer{}, err
	}
	items := itemsOf(r.Fields)
	asked := e.asked(items, found)
	i := &inquiry{Engine: e, transcript: newTranscript(r.Pages)}
	if len(i.lines) == 0 {
		asked = nil // there is nothing to show
	}
	if err := i.pursue(ctx, r, asked, items, found); err != nil {
		return engine.Answer{}, err
	}
	j := joiner{inquiry: i, embedded: found}
	joined := j.join(items, asked)
	for _, number := range i.undrawn {
		j.warn("", "Page %d could not be drawn: the model had its recognised text alone", number)
	}
	answer := engine.Build(r.Fields, joined)
	answer.Warnings = j.warnings
	answer.Model = i.use.report(e, len(items), len(asked))
	return answer, nil
}

// asked chooses what the model is asked for.
func (e *Engine) asked(items []item, found []engine.Found) []item {
	if e.Choice == fieldlift.ModelEngine {
		return items
	}
	return slices.DeleteFunc(slices.Clone(items), func(one item) bool {
		sure, there := confidence(*at(found, one.path))
		return there && sure >= e.Threshold
	})
}

// confidence is the mean of what was found; there tells whether something was.
func confidence(f engine.Found) (mean float64, there bool) {
	var sum, count float64
	var walk func(engine.Found)
	walk = func(f engine.Found) {
		if f.Value != nil {
			sum, count = sum+f.Place.Confidence, count+1
		}
		for _, inner := range slices.Concat(f.Members, f.Elements) {
			walk(inner)
		}
	}
	walk(f)
	if count == 0 {
		return 0, false
	}
	return sum / count, true
}

// atOnce is how many questions of one document are under way: the model's own
// bound holds for all documents together.
const atOnce = 4

// pursue asks all questions. One that fails does not keep the others from
// being asked, and from being kept for the next try.
func (i *inquiry) pursue(ctx context.Context, r engine.Request, asked, items []item, found []engine.Found) error {
	if len(asked) == 0 {
		return nil
	}
	known := ""
	if i.Choice == fieldlift.AutoEngine {
		known = i.known(asked, items, found)
	}
	pictures, err := i.pictures(ctx, r.Pages)
	if err != nil {
		return err
	}
	if i.Time > 0 {
		i.begun.Do(func() { i.until = time.Now().Add(i.Time) })
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadlineCause(ctx, i.until, errNoTime)
		defer cancel()
	}
	var group errgroup.Group
	group.SetLimit(atOnce)
	for _, q := range i.plan(i.transcript, asked) {
		q.known, q.documentType, q.halving = known, r.DocumentType, &halving{}
		q.pictures = i.of(pictures, q)
		group.Go(func() error { return i.try(ctx, q) })
	}
	return group.Wait()
}

// try puts a question. When that breaks us the question has failed, and the
// others go on.
func (i *inquiry) try(ctx context.Context, q question) error {
	err := fieldlift.Guard(func() error { return i.put(ctx, q) })
	broke, isPanic := errors.AsType[*fieldlift.Panic](err)
	if !isPanic {
		return err
	}
	i.Model.options.Log.ErrorContext(ctx, "a question to the model broke us", "error", broke, "stack", string(broke.Stack))
	i.Model.options.Metrics.ended("failed")
	i.add(q, failed(q.items, "a fault in the service kept the model's answer from being used"))
	return nil
}

// mostKnown bounds what is told of the rest, in bytes.
const mostKnown = 4000

// known tells the model what the embedded engine is sure of.
func (i *inquiry) known(asked, items []item, found []engine.Found) string {
	var b strings.Builder
	for _, one := range items {
		f := at(found, one.path)
		if f.Value == nil || slices.ContainsFunc(asked, func(a item) bool { return a.key == one.key }) {
			continue
		}
		text := "- " + one.key + ": " + clean(plainText(f.Value)) + "\n"
		if b.Len()+len(text) > mostKnown {
			break
		}
		b.WriteString(text)
	}
	return b.String()
}

const (
	weakReading  = 0.85 // the confidence of recognised text below which the page itself is shown
	mostPictures = 6    // of a document
)

// pictures draws the pages whose text is weak, for a model that sees. Of a page
// that cannot be drawn it gets the text alone.
func (i *inquiry) pictures(ctx context.Context, pages []page.Page) ([]picture, error) {
	if !i.Model.options.Vision || i.Picture == nil {
		return nil, nil
	}
	var list []picture
	for _, p := range pages {
		if p.Reading.Source != page.FromOCR && p.Reading.Source != page.FromBoth || p.Reading.Confidence >= weakReading {
			continue
		}
		if i.shown.Add(1) > mostPictures {
			break
		}
		png, err := i.Picture(ctx, p.Number)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case fieldlift.CodeOf(err) == fieldlift.ServiceUnavailable && err != nil:
			return nil, fmt.Errorf("draw page %d for the model: %w", p.Number, err)
		case err != nil:
			i.undrawn = append(i.undrawn, p.Number)
		default:
			list = append(list, picture{p.Number, png})
		}
	}
	return list, nil
}

func (e *Engine) recall(ctx context.Context, key string) (k Kept, own, ok bool, err error) {
	if e.Ledger == nil {
		return k, false, false, nil
	}
	return e.Ledger.Recall(context.WithoutCancel(ctx), key) // what was answered counts, even when time is over
}

func (e *Engine) remember(ctx context.Context, key string, k Kept) error {
	if e.Ledger == nil {
		return nil
	}
	return e.Ledger.Remember(context.WithoutCancel(ctx), key, k) // we may be about to stop
}

func (e *Engine) begin(ctx context.Context, key string) (end func(), err error) {
	if e.Ledger == nil {
		return func() {}, nil
	}
	return e.Ledger.Begin(ctx, key)
}

func (e *Engine) reserve(ctx context.Context, most fieldlift.ModelTokens) (settle func(context.Context, fieldlift.ModelTokens) error, err error) {
	if e.Ledger == nil {
		return func(context.Context, fieldlift.ModelTokens) error { return nil }, nil
	}
	return e.Ledger.Reserve(ctx, most)
}

// counter counts what a document took.
type counter struct {
	mu        sync.Mutex
	tokens    fieldlift.ModelTokens
	cached    int64
	questions int
}

func (c *counter) spent(t fieldlift.ModelTokens) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens.Add(t)
}

func (c *counter) recalled(t fieldlift.ModelTokens, own bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if own {
		c.tokens.Add(t) // an earlier try of ours paid for it
		return
	}
	c.cached++
}

func (c *counter) parts(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.questions += n
	return c.questions
}

func (c *counter) report(e *Engine, fields, asked int) *fieldlift.ModelUse {
	c.mu.Lock()
	defer c.mu.Unlock()
	use := &fieldlift.ModelUse{
		Name: e.Model.Name(), Engine: e.Choice, Fields: fields, Asked: asked, CachedAnswers: c.cached,
		Calls: c.tokens.Calls, InputTokens: c.tokens.Input, OutputTokens: c.tokens.Output,
	}
	if prices := e.Model.Prices(); prices.Known() {
		use.Cost = new(math.Round(prices.Cost(c.tokens)*1e6) / 1e6)
	}
	return use
}

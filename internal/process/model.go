package process

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/engine/llm"
)

// ModelStore is what asking a model needs of the store: answers, so that no
// page is asked about twice, and what was spent.
type ModelStore interface {
	ModelAnswer(ctx context.Context, accountID, key string) (answer, documentID string, ok bool, err error)
	KeepModelAnswer(ctx context.Context, d fieldlift.Document, key, answer string) error
	ReserveForModel(ctx context.Context, accountID, model string, most fieldlift.ModelSpending, budgets fieldlift.ModelBudgets) (fieldlift.ModelReservation, fieldlift.FullBudget, error)
	SpendOnModel(ctx context.Context, accountID, model string, r fieldlift.ModelReservation, took fieldlift.ModelSpending) error
}

// Renderer draws a page of a file, by its number from 1, as a PNG.
type Renderer interface {
	Render(ctx context.Context, path string, number, dpi int) ([]byte, error)
}

// ModelSettings say whether and how a model takes part.
type ModelSettings struct {
	Model     *llm.Model             // nil: none is connected
	Choice    fieldlift.EngineChoice // of parsers that leave it to the server; zero: the embedded engine
	Threshold float64
	Budgets   fieldlift.ModelBudgets
	Renderer  Renderer
	Places    chan struct{} // for documents that a model takes part in: as many as it holds, at once
}

// choice is the engine of a parser that asks for one, if it can be had.
func (s ModelSettings) choice(asked fieldlift.EngineChoice) fieldlift.EngineChoice {
	if s.Model == nil {
		return fieldlift.LayoutEngine
	}
	return cmp.Or(asked, s.Choice, fieldlift.LayoutEngine)
}

// asking lists what parsers may ask for that a model takes part in.
func (s ModelSettings) asking() []fieldlift.EngineChoice {
	return slices.DeleteFunc(append(slices.Clone(fieldlift.EngineChoices), ""), func(c fieldlift.EngineChoice) bool {
		return s.choice(c) == fieldlift.LayoutEngine
	})
}

// enter takes a place for a document that a model takes part in, if there is
// room.
func (s ModelSettings) enter() (leave func(), room bool) {
	if s.Model == nil {
		return func() {}, true
	}
	select {
	case s.Places <- struct{}{}:
		return func() { <-s.Places }, true
	default:
		return func() {}, false
	}
}

const (
	// extractTimeout bounds the embedded engine's work on one document: it takes
	// milliseconds a page.
	extractTimeout = 2 * time.Minute
	// modelTimeout bounds one try with a model. The next goes on from what was
	// answered.
	modelTimeout = 30 * time.Minute
	// mostWaits is how often a document waits for a model that is away before it
	// ends with what was answered until then, and the embedded engine's values for
	// the rest: after some three hours, with the growing delay.
	mostWaits = 40
	// modelDPI is the resolution of pages that a model looks at.
	modelDPI = 110
)

// chosen is the engine for a document.
type chosen struct {
	engine.Engine
	timeout  time.Duration
	late     fieldlift.Code // what it means when it takes longer
	warnings []fieldlift.Violation
}

// embedded is the engine that needs nobody.
func (p *Processor) embedded() chosen {
	return chosen{Engine: p.Engine, timeout: extractTimeout, late: fieldlift.InvalidPayload}
}

// engineFor chooses the engine that a document's parser asks for, if it can be
// had.
func (p *Processor) engineFor(c fieldlift.Claim) chosen {
	embedded := p.embedded()
	choice := p.Model.choice(c.Extraction.Engine)
	switch {
	case p.Model.Model == nil && cmp.Or(c.Extraction.Engine, p.Model.Choice, choice) != fieldlift.LayoutEngine:
		return embedded.warning("The parser asks for a model, but none is connected to this server; the embedded engine answered alone.")
	case choice == fieldlift.LayoutEngine:
		return embedded
	}
	asking := &llm.Engine{
		Model: p.Model.Model, Embedded: p.Engine, Choice: choice, Threshold: p.Model.Threshold,
		Ledger: p.ledger(c.Document), Time: modelTimeout, Settle: c.Postponements >= mostWaits,
	}
	if p.Model.Renderer != nil {
		asking.Picture = func(ctx context.Context, number int) ([]byte, error) { return p.picture(ctx, c.Document, number) }
	}
	return chosen{Engine: asking, timeout: modelTimeout + extractTimeout, late: fieldlift.ServiceUnavailable}
}

func (p *Processor) ledger(d fieldlift.Document) *ledger {
	return &ledger{Store: p.Store, document: d, settings: p.Model, questions: &p.questions}
}

// Adviser gives the model that a parser wants its fields detected with; false
// when that is none.
func (p *Processor) Adviser(parser fieldlift.Parser) (*llm.Engine, bool) {
	choice := p.Model.choice(parser.Engine)
	if choice == fieldlift.LayoutEngine {
		return nil, false
	}
	// It belongs to no document yet, and keeps nothing.
	return &llm.Engine{
		Model: p.Model.Model, Embedded: p.Engine, Choice: choice,
		Ledger: p.ledger(fieldlift.Document{AccountID: parser.AccountID}),
	}, true
}

func (c chosen) warning(message string) chosen {
	c.warnings = []fieldlift.Violation{{Rule: fieldlift.RuleModel, Severity: fieldlift.SeverityWarning, Message: message}}
	return c
}

// picture draws a page of the document's file.
func (p *Processor) picture(ctx context.Context, d fieldlift.Document, number int) ([]byte, error) {
	path, err := p.fetch(ctx, d)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	return p.Model.Renderer.Render(ctx, path, number, modelDPI)
}

// retryAfter is how long a model's provider wants to be left alone.
func retryAfter(err error) time.Duration {
	if away, ok := errors.AsType[*llm.Away](err); ok {
		return away.RetryAfter
	}
	return 0
}

// ledger keeps a document's answers and costs in the store.
type ledger struct {
	Store     ModelStore
	document  fieldlift.Document
	settings  ModelSettings
	questions *questions
}

// Recall finds an answer to the same question by any document of the account,
// or what became of it when this one asked.
func (l *ledger) Recall(ctx context.Context, key string) (k llm.Kept, own, ok bool, err error) {
	text, documentID, ok, err := l.Store.ModelAnswer(ctx, l.document.AccountID, key)
	if err == nil && !ok {
		text, documentID, ok, err = l.Store.ModelAnswer(ctx, l.document.AccountID, l.ownKey(key))
	}
	if err != nil || !ok {
		return k, false, false, err
	}
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, false, false, fmt.Errorf("read what a model answered: %w", err)
	}
	return k, documentID == l.document.ID, true, nil
}

// Remember keeps an answer beyond a crash: for the account if it is good, else
// for this document.
func (l *ledger) Remember(ctx context.Context, key string, k llm.Kept) error {
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if !k.Good() {
		key = l.ownKey(key)
	}
	return l.Store.KeepModelAnswer(ctx, l.document, key, string(text))
}

func (l *ledger) ownKey(key string) string { return key + "/" + l.document.ID }

// Begin waits while another document of the account has this process ask the
// same.
func (l *ledger) Begin(ctx context.Context, key string) (end func(), err error) {
	return l.questions.begin(ctx, l.document.AccountID+"/"+key)
}

// Reserve holds the budgets against what was spent today and what calls under
// way may take: with this one a budget is passed by no more than it. While it is
// others' calls that fill a budget it waits for what they leave of it.
func (l *ledger) Reserve(ctx context.Context, most fieldlift.ModelTokens) (settle func(context.Context, fieldlift.ModelTokens) error, err error) {
	var r fieldlift.ModelReservation
	if len(l.settings.Budgets.Set()) > 0 {
		if r, err = l.setAside(ctx, l.spending(most)); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context, took fieldlift.ModelTokens) error {
		if took == r.Most.Tokens && r.Day == "" {
			return nil
		}
		return l.Store.SpendOnModel(ctx, l.document.AccountID, l.settings.Model.Name(), r, l.spending(took))
	}, nil
}

func (l *ledger) spending(t fieldlift.ModelTokens) fieldlift.ModelSpending {
	return fieldlift.ModelSpending{Tokens: t, Cost: l.settings.Model.Prices().Cost(t)}
}

// How long what others have set aside is waited for before the document is put
// off, and how often it is looked at.
const (
	settlePatience = time.Minute
	settlePause    = 500 * time.Millisecond
)

func (l *ledger) setAside(ctx context.Context, most fieldlift.ModelSpending) (fieldlift.ModelReservation, error) {
	for deadline := time.Now().Add(settlePatience); ; {
		r, full, err := l.Store.ReserveForModel(ctx, l.document.AccountID, l.settings.Model.Name(), most, l.settings.Budgets)
		whose := "the " + string(full.Owner) + "'s budget"
		switch {
		case err != nil || full.Owner == "":
			return r, err
		case full.Spent:
			return r, llm.BudgetSpent(whose)
		case time.Now().After(deadline):
			return r, llm.BudgetSetAside(whose)
		}
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-time.After(settlePause):
		}
	}
}

// questions are those under way in this process, by key.
type questions struct {
	mu    sync.Mutex
	under map[string]chan struct{} // closed at the end
}

// begin waits until nobody asks the question, and has others wait until end.
func (q *questions) begin(ctx context.Context, key string) (end func(), err error) {
	for {
		q.mu.Lock()
		asked, busy := q.under[key]
		if !busy {
			if q.under == nil {
				q.under = map[string]chan struct{}{}
			}
			done := make(chan struct{})
			q.under[key] = done
			q.mu.Unlock()
			return func() {
				q.mu.Lock()
				defer q.mu.Unlock()
				delete(q.under, key)
				close(done)
			}, nil
		}
		q.mu.Unlock()
		select {
		case <-asked:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

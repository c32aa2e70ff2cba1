package process

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
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
	SpendOnModel(ctx context.Context, accountID, model string, t fieldlift.ModelTokens, cost float64) error
	ModelSpending(ctx context.Context, accountID string) (fieldlift.ModelTokens, float64, error)
}

// Renderer draws a page of a file, by its number from 1, as a PNG.
type Renderer interface {
	Render(ctx context.Context, path string, number, dpi int) ([]byte, error)
}

// ModelSettings say whether and how a model takes part.
type ModelSettings struct {
	Model         *llm.Model             // nil: none is connected
	Choice        fieldlift.EngineChoice // of parsers that leave it to the server; zero: the embedded engine
	Threshold     float64
	Budget        fieldlift.ModelBudget // of all accounts together
	AccountBudget fieldlift.ModelBudget // of each
	Renderer      Renderer
}

const (
	// extractTimeout bounds the embedded engine's work on one document: it takes
	// milliseconds a page.
	extractTimeout = 2 * time.Minute
	// modelTimeout bounds one try with a model. The next goes on from what was
	// answered.
	modelTimeout = 30 * time.Minute
	// mostWaits is how often a document waits for a model that is away before the
	// embedded engine answers alone: some three hours, with the growing delay.
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
	choice := cmp.Or(c.Extraction.Engine, p.Model.Choice, fieldlift.LayoutEngine)
	switch {
	case choice == fieldlift.LayoutEngine:
		return embedded
	case p.Model.Model == nil:
		return embedded.warning("The parser asks for a model, but none is connected to this server; the embedded engine answered alone.")
	case c.Postponements >= mostWaits:
		return embedded.warning("The model could not be asked for hours; the embedded engine answered alone.")
	}
	asking := &llm.Engine{
		Model: p.Model.Model, Embedded: p.Engine, Choice: choice, Threshold: p.Model.Threshold,
		Ledger: &ledger{Store: p.Store, document: c.Document, settings: p.Model},
	}
	if p.Model.Renderer != nil {
		asking.Picture = func(ctx context.Context, number int) ([]byte, error) { return p.picture(ctx, c.Document, number) }
	}
	return chosen{Engine: asking, timeout: modelTimeout, late: fieldlift.ServiceUnavailable}
}

// Adviser gives the model that a parser wants its fields detected with; false
// when that is none.
func (p *Processor) Adviser(parser fieldlift.Parser) (*llm.Engine, bool) {
	choice := cmp.Or(parser.Engine, p.Model.Choice, fieldlift.LayoutEngine)
	if choice == fieldlift.LayoutEngine || p.Model.Model == nil {
		return nil, false
	}
	// It belongs to no document yet, and keeps nothing.
	return &llm.Engine{
		Model: p.Model.Model, Embedded: p.Engine, Choice: choice,
		Ledger: &ledger{Store: p.Store, document: fieldlift.Document{AccountID: parser.AccountID}, settings: p.Model},
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
	Store    ModelStore
	document fieldlift.Document
	settings ModelSettings
}

// Recall finds an answer to the same question by any document of the account.
func (l *ledger) Recall(ctx context.Context, key string) (k llm.Kept, own, ok bool, err error) {
	text, documentID, ok, err := l.Store.ModelAnswer(ctx, l.document.AccountID, key)
	if err != nil || !ok {
		return k, false, false, err
	}
	if err := json.Unmarshal([]byte(text), &k); err != nil {
		return k, false, false, fmt.Errorf("read what a model answered: %w", err)
	}
	return k, documentID == l.document.ID, true, nil
}

// Remember keeps an answer beyond a crash.
func (l *ledger) Remember(ctx context.Context, key string, k llm.Kept) error {
	text, err := json.Marshal(k)
	if err != nil {
		return err
	}
	return l.Store.KeepModelAnswer(ctx, l.document, key, string(text))
}

// Allow holds the budgets against what was spent today. Calls that are under
// way at once are not known to each other: a budget may be passed by them.
func (l *ledger) Allow(ctx context.Context) error {
	for _, one := range []struct {
		budget    fieldlift.ModelBudget
		accountID string
		whose     string
	}{
		{l.settings.AccountBudget, l.document.AccountID, "the account's budget"},
		{l.settings.Budget, "", "the server's budget"},
	} {
		if !one.budget.Limits() {
			continue
		}
		tokens, cost, err := l.Store.ModelSpending(ctx, one.accountID)
		if err != nil {
			return err
		}
		if one.budget.Spent(tokens, cost) {
			return llm.BudgetSpent(one.whose)
		}
	}
	return nil
}

// Charge notes what calls took.
func (l *ledger) Charge(ctx context.Context, t fieldlift.ModelTokens) error {
	model := l.settings.Model
	return l.Store.SpendOnModel(ctx, l.document.AccountID, model.Name(), t, model.Prices().Cost(t))
}

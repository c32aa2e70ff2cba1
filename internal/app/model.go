package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/detect"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/page"
	"fieldlift/internal/process"
)

// ModelConfig says which language model is connected, and within which bounds
// it is asked.
type ModelConfig struct {
	Provider    string // openai, for all who speak its protocol, or anthropic
	URL         string // "": the provider's own
	Name        string // "": no model is connected
	Key         string
	KeyFile     string
	Vision      bool
	Timeout     time.Duration
	Concurrency int
	Window      int     // tokens of a document that are sent at once
	MostOutput  int     // tokens of an answer
	Threshold   float64 // the confidence below which "auto" asks

	Prices        fieldlift.ModelPrices
	Budget        fieldlift.ModelBudget // a day, of all accounts together
	AccountBudget fieldlift.ModelBudget // a day, of each
}

func (m ModelConfig) budgets() fieldlift.ModelBudgets {
	return fieldlift.ModelBudgets{Account: m.AccountBudget, Server: m.Budget}
}

// DefaultModel is how a model is asked unless told otherwise.
func DefaultModel() ModelConfig {
	return ModelConfig{
		Provider: llm.OpenAI, Timeout: llm.DefaultTimeout, Concurrency: llm.DefaultConcurrency,
		Window: llm.DefaultWindow, MostOutput: llm.DefaultMostOutput, Threshold: llm.DefaultThreshold,
	}
}

// ValidateModel reports the mistakes in what is said of engines.
func (c Config) ValidateModel() []error {
	var found []error
	refuse := func(format string, args ...any) { found = append(found, fmt.Errorf(format, args...)) }
	m := c.Model
	if !slices.Contains(fieldlift.EngineChoices, c.Engine) {
		refuse("--engine: layout, model or auto is needed, not %q", c.Engine)
	} else if c.Engine != fieldlift.LayoutEngine && m.Name == "" {
		refuse("--engine %s: --model must name the model to ask", c.Engine)
	}
	if m.Provider != llm.OpenAI && m.Provider != llm.Anthropic {
		refuse("--model-provider: openai (and all who speak as it does) or anthropic is needed, not %q", m.Provider)
	}
	if m.URL != "" {
		if err := llm.CheckURL(m.URL); err != nil {
			refuse("--model-url: %w", err)
		}
	}
	if m.Key != "" && m.KeyFile != "" {
		refuse("--model-key, --model-key-file: give one of them")
	}
	if !(m.Threshold >= 0 && m.Threshold <= 1) { // nor what is no number
		refuse("--model-threshold: a confidence from 0 to 1 is needed, not %g", m.Threshold)
	}
	if m.Timeout <= 0 || m.Concurrency < 1 {
		refuse("--model-timeout, --model-concurrency: each must be more than nothing")
	}
	if m.Window < leastWindow || m.MostOutput < leastOutput {
		refuse("--model-window, --model-max-output: at least %d and %d tokens are needed", leastWindow, leastOutput)
	}
	if !isAmount(m.Prices.Input) || !isAmount(m.Prices.Output) {
		refuse("--model-price-input, --model-price-output: a price is an amount of money, and not negative")
	}
	if !isAmount(m.Budget.Cost) || !isAmount(m.AccountBudget.Cost) || m.Budget.Tokens < 0 || m.AccountBudget.Tokens < 0 {
		refuse("--model-budget, --model-account-budget: a budget is an amount of money or a number of tokens, and not negative")
	}
	if (m.Budget.Cost > 0 || m.AccountBudget.Cost > 0) && (m.Prices.Input == 0 || m.Prices.Output == 0) {
		refuse("--model-budget, --model-account-budget: an amount of money needs both --model-price-input and --model-price-output; a number of tokens, such as 2000000tokens, does not")
	}
	return found
}

// isAmount tells amounts of money from what flags can be made to say besides.
func isAmount(v float64) bool { return v >= 0 && !math.IsInf(v, 0) }

// Less could not hold a question and its answer.
const (
	leastWindow = 500
	leastOutput = 256
)

// modelDPI is the resolution of pages that a model looks at.
const modelDPI = 110

// newModel connects the configured model.
func newModel(c Config, patience time.Duration, metrics *llm.Metrics, log *slog.Logger) (*llm.Model, error) {
	m := c.Model
	key := m.Key
	if m.KeyFile != "" {
		text, err := os.ReadFile(m.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("--model-key-file: %w", err)
		}
		if key = strings.TrimSpace(string(text)); key == "" {
			return nil, errors.New("--model-key-file: the file is empty")
		}
	}
	return llm.New(llm.Options{
		Provider: m.Provider, URL: m.URL, Model: m.Name, Key: key, Vision: m.Vision, Timeout: m.Timeout, Concurrency: m.Concurrency,
		Window: m.Window, MostOutput: m.MostOutput, Patience: patience, Prices: m.Prices, Metrics: metrics, Log: log,
	}), nil
}

// workPatience is how long a worker waits for a model that is away before it
// puts the document off.
const workPatience = 5 * time.Second

// documentsPerCall is how many documents a model takes part in at once, for each
// call that it is asked at once: while one is answered, another gets ready.
const documentsPerCall = 2

// modelSettings connects the model of a service, if there is one.
func (a *App) modelSettings(registry *prometheus.Registry) (process.ModelSettings, error) {
	s := process.ModelSettings{
		Choice: a.config.Engine, Threshold: a.config.Model.Threshold, Renderer: a.reader,
		Budgets: a.config.Model.budgets(),
		Places:  make(chan struct{}, documentsPerCall*a.config.Model.Concurrency),
	}
	if a.config.Model.Name == "" {
		return s, nil
	}
	var err error
	s.Model, err = newModel(a.config, workPatience, llm.NewMetrics(registry), a.config.Log)
	return s, err
}

// missingModel says why the connected model is not asked; "": it is.
func (a *App) missingModel() string {
	model := a.processor.Model.Model
	if model == nil {
		return ""
	}
	if err := model.Trouble(); err != nil {
		return "Documents for the connected model wait, or get the embedded engine's values: " + err.Error() + "."
	}
	return ""
}

// detector detects fields with the engine that a parser wants.
type detector struct {
	*detect.Detector
	processor *process.Processor
	log       *slog.Logger
}

// Detect proposes fields. A model that cannot be asked is told to the log: the
// client waits, and gets what the embedded engine sees.
func (d *detector) Detect(ctx context.Context, p fieldlift.Parser, document *page.Document, prompt string) (fieldlift.Proposal, error) {
	adviser, ok := d.processor.Adviser(p)
	if !ok {
		return d.Detector.Detect(ctx, document, prompt)
	}
	proposal, advice, err := d.DetectWith(ctx, adviser, document, prompt)
	if advice != nil {
		d.log.WarnContext(ctx, "fields were detected without the model", "parser_id", p.ID, "error", advice)
	}
	return proposal, err
}

// CheckModel finds out whether the configured model can be asked, without
// sending a document.
func CheckModel(ctx context.Context, c Config) error {
	model, err := newModel(c, 0, nil, nil)
	if err != nil {
		return err
	}
	return model.Check(ctx)
}

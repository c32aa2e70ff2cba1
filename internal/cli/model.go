package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"fieldlift"
	"fieldlift/internal/app"
)

// modelFlags defines the flags that say who finds values, and gives the
// function that puts them into a configuration.
func modelFlags(c *call) func(*app.Config) {
	usual := app.DefaultModel()
	engine := c.text("engine", string(app.Default().Engine), "layout (nothing leaves this machine), model (a model is asked for every field) or auto (for those that the embedded engine is unsure of)")
	connected := connectionFlags(c)
	vision := c.boolean("model-vision", "the model sees: show it pages whose recognised text is weak")
	concurrency := c.number("model-concurrency", int64(usual.Concurrency), "calls of the model at once; twice as many documents wait for it at once, beside the workers")
	window := c.number("model-window", int64(usual.Window), "tokens of a document that are sent at once; it must fit the model's context with the question and the answer")
	output := c.number("model-max-output", int64(usual.MostOutput), "the most tokens of an answer")
	threshold := c.fraction("model-threshold", usual.Threshold, "with auto: fields with a lower confidence are asked for")
	input := c.price("model-price-input", "what a million tokens cost that are sent, in any currency; for estimates and budgets")
	received := c.price("model-price-output", "what a million tokens cost that are answered")
	return func(config *app.Config) {
		config.Engine = fieldlift.EngineChoice(*engine)
		connected(config)
		m := &config.Model
		m.Vision, m.Concurrency, m.Window, m.MostOutput, m.Threshold = *vision, int(*concurrency), int(*window), int(*output), *threshold
		m.Prices = fieldlift.ModelPrices{Input: *input, Output: *received}
	}
}

// connectionFlags defines the flags that say where a model is.
func connectionFlags(c *call) func(*app.Config) {
	usual := app.DefaultModel()
	name := c.text("model", "", "the model to ask, as its provider names it; empty: none is connected")
	provider := c.text("model-provider", usual.Provider, "openai, for all who speak its protocol (Ollama, vLLM, llama.cpp, Azure, Gemini …), or anthropic")
	address := c.text("model-url", "", "where the model is, such as http://127.0.0.1:11434/v1; empty: the provider's own address")
	key := c.text("model-key", "", "the key for it; better in the environment or in a file")
	keyFile := c.text("model-key-file", "", "a file that holds the key")
	timeout := c.duration("model-timeout", usual.Timeout, "how long one call of the model may take; what takes longer is asked in parts")
	return func(config *app.Config) {
		m := &config.Model
		m.Name, m.Provider, m.URL, m.Key, m.KeyFile, m.Timeout = *name, *provider, *address, *key, *keyFile, *timeout
	}
}

// budgetFlags defines the flags that bound what a service spends on a model.
func budgetFlags(c *call) func(*app.Config) {
	all := c.budget("model-budget", "what all accounts together may spend on the model in a day (UTC): an amount by the prices, such as 20, which needs both prices, or tokens, such as 5000000tokens; 0: no bound")
	each := c.budget("model-account-budget", "the same for each account")
	return func(config *app.Config) { config.Model.Budget, config.Model.AccountBudget = *all, *each }
}

// price defines a flag that takes an amount of money.
func (f *flags) price(name, usage string) *float64 {
	into := new(float64)
	f.custom(name, "0", usage, func(s string) error {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 0 && v <= 1e6) { // NaN is none
			return fmt.Errorf("an amount such as 0.15 is needed, not %q", s)
		}
		*into = v
		return nil
	})
	return into
}

// budget defines a flag that takes an amount of money or a number of tokens.
func (f *flags) budget(name, usage string) *fieldlift.ModelBudget {
	into := new(fieldlift.ModelBudget)
	f.custom(name, "0", usage, func(s string) error {
		wrong := fmt.Errorf("an amount such as 20 or tokens such as 5000000tokens are needed, not %q", s)
		if digits, ok := strings.CutSuffix(strings.ReplaceAll(s, " ", ""), "tokens"); ok {
			n, err := strconv.ParseInt(digits, 10, 64)
			if err != nil || n < 1 {
				return wrong
			}
			*into = fieldlift.ModelBudget{Tokens: n}
			return nil
		}
		v, err := strconv.ParseFloat(s, 64)
		if err != nil || !(v >= 0 && v <= 1e9) { // NaN is none
			return wrong
		}
		*into = fieldlift.ModelBudget{Cost: v}
		return nil
	})
	return into
}

// checkModel sees whether the model can be asked. Nothing of a document is
// sent.
func checkModel(ctx context.Context, config app.Config) finding {
	const about = "model"
	if config.Model.Name == "" {
		return finding{fine, about, "none is connected; nothing leaves this machine", ""}
	}
	if found := config.ValidateModel(); len(found) > 0 {
		return finding{broken, about, errors.Join(found...).Error(), ""}
	}
	if err := app.CheckModel(ctx, config); err != nil {
		return finding{note, about, config.Model.Name + ": " + explain(err), "check --model, --model-url and --model-key; until then documents wait for it or get the embedded engine's values"}
	}
	return finding{fine, about, config.Model.Name + " can be asked", ""}
}

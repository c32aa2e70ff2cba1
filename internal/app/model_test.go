package app_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/engine/llm"
)

// withModel connects a stand-in.
func withModel(stand *apptest.Model, engine fieldlift.EngineChoice, change func(*app.Config)) apptest.Option {
	return apptest.With(func(c *app.Config) {
		c.Engine, c.Model.Name, c.Model.URL, c.Model.Key = engine, "stand-in", stand.URL+"/v1", "sk-secret"
		c.Model.Prices = fieldlift.ModelPrices{Input: 1, Output: 5}
		if change != nil {
			change(c)
		}
	})
}

var odd = map[string]string{"badge": "Marking of the thing", "wing": "To be found at"}

func oddSheet(n int) apptest.File {
	return apptest.File{Name: fmt.Sprint(n, ".pdf"), Content: apptest.PDF(fmt.Sprintf("Marking of the thing B-%d\nTo be found at the northern end", n))}
}

func oddParser(t *testing.T, a *apptest.App, engine string) string {
	t.Helper()
	create := api.ParserCreate{Name: "Odd " + engine, Fields: []api.Field{{Name: "badge"}, {Name: "wing"}}}
	if engine != "" {
		create.Engine = &engine
	}
	parser, err := a.Client().CreateParser(t.Context(), create)
	if err != nil {
		t.Fatal(err)
	}
	if (parser.Engine == nil) != (engine == "") || engine != "" && *parser.Engine != engine {
		t.Errorf("the parser's engine is %v", parser.Engine)
	}
	return parser.ParserID
}

func TestDocumentsWithAModel(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		stand := apptest.NewModel(t, apptest.Cite(odd))
		a := apptest.Start(t, on, withModel(stand, fieldlift.LayoutEngine, nil))
		first := a.Finished(t, a.Accepted(t, oddParser(t, a, "model"), oddSheet(1)).ExtractionID).Documents[0]
		var data map[string]any
		if err := json.Unmarshal(first.ExtractedData, &data); err != nil || data["badge"] != "B-1" || data["wing"] != "the northern end" {
			t.Errorf("%s, %v", first.ExtractedData, err)
		}
		if m := first.FieldMetadata["/badge"]; m.Page != 1 || len(m.Boxes) != 1 || m.Confidence < 0.9 || m.Engine == "layout" || m.Source != "text" {
			t.Errorf("%+v", m)
		}
		if u := first.Model; u == nil || u.Calls != 1 || u.Engine != "model" || u.AskedFields != 2 || u.EstimatedCost == nil || *u.EstimatedCost <= 0 {
			t.Errorf("%+v", u)
		}
		// The same file again is not asked about again, whoever's parser it is.
		again := a.Finished(t, a.Accepted(t, oddParser(t, a, "auto"), oddSheet(1)).ExtractionID).Documents[0]
		if n := len(stand.Asked()); n != 1 || again.Model == nil || again.Model.CachedAnswers != 1 || again.Model.Calls != 0 {
			t.Errorf("%d questions, %+v", n, again.Model)
		}
		// Nothing leaves the machine where nobody asked for it.
		plain := a.Finished(t, a.Accepted(t, oddParser(t, a, ""), oddSheet(2)).ExtractionID).Documents[0]
		if n := len(stand.Asked()); n != 1 || plain.Model != nil || plain.FieldMetadata["/badge"].Engine != "" {
			t.Errorf("%d questions, %+v", n, plain.Model)
		}
		days, err := a.Store.ModelDays(t.Context(), a.Account.ID, time.Now().Add(-24*time.Hour))
		if err != nil || len(days) != 1 || days[0].Tokens.Calls != 1 || days[0].Cost <= 0 || days[0].Model != "stand-in" {
			t.Errorf("%+v, %v", days, err)
		}
	})
}

func TestParserEngineIsChecked(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	a.Send(t, http.MethodPost, "/v1/parsers", `{"name":"x","engine":"magic"}`).WantStatus(t, http.StatusBadRequest)
	parser := oddParser(t, a, "auto")
	a.Send(t, http.MethodPatch, "/v1/parsers/"+parser, `{"engine":"layout"}`).WantStatus(t, http.StatusOK)
	answer := a.Send(t, http.MethodPatch, "/v1/parsers/"+parser, `{"engine":null}`).WantStatus(t, http.StatusOK)
	if got := apptest.Into[api.ParserEnvelope](t, answer).Parser; got.Engine != nil {
		t.Errorf("%v", *got.Engine)
	}
	// A model that is not there is told, and no failure.
	done := a.Finished(t, a.Accepted(t, oddParser(t, a, "model"), oddSheet(1)).ExtractionID)
	if v := done.Documents[0].Validation; done.Status != "completed" || len(v) != 1 || v[0].Rule != "model" || !strings.Contains(v[0].Message, "none is connected") {
		t.Errorf("%+v", v)
	}
}

// TestDocumentsWaitForAModel takes the provider away: documents are pending
// and not failed, and end when it is back, even after a restart.
func TestDocumentsWaitForAModel(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		var down atomic.Bool
		down.Store(true)
		stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
			if down.Load() {
				return apptest.Said{Status: 503, RetryAfter: "1"}
			}
			return apptest.Cite(odd)(a)
		})
		model := withModel(stand, fieldlift.ModelEngine, nil)
		a := apptest.Start(t, on, model)
		key := a.Key
		id := a.Accepted(t, oddParser(t, a, ""), oddSheet(1)).ExtractionID
		waitFor(t, "the extraction to wait", func() bool {
			x, _, err := a.Store.Extraction(t.Context(), a.Account.ID, id)
			return err == nil && x.Status == fieldlift.ExtractionPending
		})
		a.Stop()
		down.Store(false)
		account := a.Account
		a = apptest.Launch(t, on, model)
		a.Key, a.Account = key, account
		done := a.Finished(t, id)
		if done.Status != "completed" || !strings.Contains(string(done.Documents[0].ExtractedData), "B-1") || len(done.Documents[0].Validation) != 0 {
			t.Errorf("%s: %s %+v", done.Status, done.Documents[0].ExtractedData, done.Documents[0].Validation)
		}
	})
}

// TestARestartDoesNotAskAgain has a provider answer one question of two and go
// away, and the service stop: the answered one is not asked again.
func TestARestartDoesNotAskAgain(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		var fields []api.Field
		for n := range 100 { // more than one question asks for
			fields = append(fields, api.Field{Name: fmt.Sprintf("thing_%d", n)})
		}
		var back atomic.Bool
		stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
			if a.Fields()[0] != "thing_0" && !back.Load() {
				return apptest.Said{Status: 503}
			}
			return apptest.Cite(nil)(a)
		})
		model := withModel(stand, fieldlift.ModelEngine, nil)
		a := apptest.Start(t, on, model)
		key, account := a.Key, a.Account
		parser, err := a.Client().CreateParser(t.Context(), api.ParserCreate{Name: "Things", Fields: fields})
		if err != nil {
			t.Fatal(err)
		}
		id := a.Accepted(t, parser.ParserID, oddSheet(1)).ExtractionID
		waitFor(t, "the extraction to wait", func() bool {
			x, _, err := a.Store.Extraction(t.Context(), a.Account.ID, id)
			return err == nil && x.Status == fieldlift.ExtractionPending
		})
		a.Stop()
		back.Store(true)
		a = apptest.Launch(t, on, model)
		a.Key, a.Account = key, account
		done := a.Finished(t, id)
		times := 0
		for _, asked := range stand.Asked() {
			if asked.Fields()[0] == "thing_0" {
				times++
			}
		}
		if u := done.Documents[0].Model; times != 1 || done.Status != "completed" || u.Calls < 2 || u.AskedFields != 100 {
			t.Errorf("asked %d times; %s %+v", times, done.Status, u)
		}
		// What was answered goes with the document.
		a.Send(t, http.MethodDelete, "/v1/extractions/"+id, nil).WantStatus(t, http.StatusNoContent)
		days, err := a.Store.ModelDays(t.Context(), "", time.Now().Add(-time.Hour))
		if err != nil || len(days) != 1 || days[0].Tokens.Calls < 2 {
			t.Errorf("what was spent is gone with it: %+v, %v", days, err)
		}
	})
}

func TestBudgetsForModels(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		for whose, set := range map[string]func(*app.Config){
			"account": func(c *app.Config) { c.Model.AccountBudget = fieldlift.ModelBudget{Tokens: 1} },
			"server":  func(c *app.Config) { c.Model.Budget = fieldlift.ModelBudget{Cost: 0.000001} },
		} {
			t.Run(whose, func(t *testing.T) {
				stand := apptest.NewModel(t, apptest.Cite(odd))
				a := apptest.Launch(t, on, withModel(stand, fieldlift.AutoEngine, set))
				a.Account = a.NewAccount(t, whose+"@example.com", 100)
				a.Key = a.NewKey(t, a.Account, "k")
				before, err := a.Store.ModelDays(t.Context(), "", time.Now())
				if err != nil {
					t.Fatal(err)
				}
				parser := oddParser(t, a, "")
				a.Finished(t, a.Accepted(t, parser, oddSheet(1)).ExtractionID)
				second := a.Finished(t, a.Accepted(t, parser, oddSheet(2)).ExtractionID)
				document := second.Documents[0]
				if second.Status != "completed" || len(document.Validation) == 0 || !strings.Contains(document.Validation[0].Message, "the "+whose+"'s budget for models is spent for today") {
					t.Errorf("%s %+v", second.Status, document.Validation)
				}
				if n := len(stand.Asked()); n != 1 && len(before) == 0 || n > 1 {
					t.Errorf("%d questions", n)
				}
				other := a.NewAccount(t, "other-"+whose+"@example.com", 100)
				a.Key = a.NewKey(t, other, "k")
				a.Finished(t, a.Accepted(t, oddParser(t, a, ""), oddSheet(3)).ExtractionID)
				if n := len(stand.Asked()); whose == "account" && n != 2 {
					t.Errorf("another account's budget is its own: %d questions", n)
				}
			})
		}
	})
}

func TestMetricsOfModels(t *testing.T) {
	stand := apptest.NewModel(t, apptest.Cite(odd))
	a := apptest.Start(t, apptest.OnSQLite(t), withModel(stand, fieldlift.ModelEngine, nil))
	a.Finished(t, a.Accepted(t, oddParser(t, a, ""), oddSheet(1)).ExtractionID)
	text := a.Send(t, http.MethodGet, "/metrics", nil).Text
	for _, line := range []string{`fieldlift_model_calls_total{outcome="answered"} 1`, `fieldlift_model_tokens_total{direction="input"}`, `fieldlift_model_questions_total{outcome="answered"} 1`, `fieldlift_model_call_seconds_count 1`} {
		if !strings.Contains(text, line) {
			t.Errorf("%s is missing", line)
		}
	}
}

func TestModelConfigIsChecked(t *testing.T) {
	config := app.Default()
	config.Engine, config.Model.Provider, config.Model.URL = fieldlift.AutoEngine, "oracle", "ftp://x"
	config.Model.Budget.Cost, config.Model.Threshold = 5, 2
	err := config.Validate()
	if err == nil {
		t.Fatal("it is taken")
	}
	for _, flag := range []string{"--engine auto", "--model-provider", "--model-url", "--model-budget", "--model-threshold"} {
		if !strings.Contains(err.Error(), flag) {
			t.Errorf("%s is not named in: %v", flag, err)
		}
	}
	for name, set := range map[string]func(*app.ModelConfig){
		"NaN as a budget":      func(m *app.ModelConfig) { m.Budget.Cost = math.NaN() },
		"no end of a budget":   func(m *app.ModelConfig) { m.AccountBudget.Cost = math.Inf(1) },
		"a negative budget":    func(m *app.ModelConfig) { m.Budget.Tokens = -1 },
		"NaN as a price":       func(m *app.ModelConfig) { m.Prices.Input = math.NaN() },
		"money with one price": func(m *app.ModelConfig) { m.Budget.Cost, m.Prices.Input = 5, 1 },
		"money with the other": func(m *app.ModelConfig) { m.AccountBudget.Cost, m.Prices.Output = 5, 1 },
		"NaN as a threshold":   func(m *app.ModelConfig) { m.Threshold = math.NaN() },
	} {
		config := app.Default()
		if set(&config.Model); config.Validate() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if llm.CheckURL("https://user:secret@models.example.com/v1") == nil {
		t.Error("a key in the address is taken")
	}
}

func TestDetectionWithAModel(t *testing.T) {
	stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
		if !strings.Contains(a.System, "propose which fields") {
			return apptest.Said{Text: "{}"}
		}
		fields := []any{
			map[string]any{"name": "Marking", "type": "string", "description": "The marking of the thing.", "text": "B-1", "lines": []int{1}, "asked": false, "columns": nil},
			map[string]any{"name": "made up", "type": "string", "description": "", "text": "nowhere to be seen", "lines": []int{2}, "asked": false, "columns": nil},
			map[string]any{"name": "keeper_name", "type": "string", "description": "Who keeps it.", "text": "", "lines": []int{}, "asked": strings.Contains(a.Turns[0], "who keeps it"), "columns": nil},
		}
		text, err := json.Marshal(map[string]any{"document_type": "Inventory Card", "fields": fields})
		if err != nil {
			panic(err)
		}
		return apptest.Said{Text: string(text)}
	})
	a := apptest.Start(t, apptest.OnSQLite(t), withModel(stand, fieldlift.AutoEngine, nil))
	content := apptest.PDF("Marking of the thing B-1\nTo be found at the northern end\nInvoice number: 4711")
	detect := func(prompt string) map[string]any {
		parser, err := a.Client().CreateParser(t.Context(), api.ParserCreate{Name: "Card " + prompt})
		if err != nil {
			t.Fatal(err)
		}
		found, err := a.Client().DetectFields(t.Context(), parser.ParserID, api.Detection{File: api.Upload{Name: "card.pdf", Content: bytes.NewReader(content)}, Prompt: prompt})
		if err != nil {
			t.Fatal(err)
		}
		var schema struct {
			Properties map[string]any `json:"properties"`
		}
		if err := json.Unmarshal(found.Schema, &schema); err != nil {
			t.Fatal(err)
		}
		return schema.Properties
	}
	got := detect("")
	if got["marking"] == nil || got["invoice_number"] == nil || got["made_up"] != nil || got["keeper_name"] != nil {
		t.Errorf("%v", got)
	}
	if got = detect("who keeps it"); got["marking"] == nil || got["keeper_name"] == nil || got["invoice_number"] != nil {
		t.Errorf("the prompt is not heeded: %v", got)
	}
	stand.Answer(func(apptest.Asked) apptest.Said { return apptest.Said{Status: 503} })
	if got = detect("without a model"); got["invoice_number"] == nil || got["marking"] != nil {
		t.Errorf("%v", got)
	}
}

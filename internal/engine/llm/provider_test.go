package llm_test

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/engine/llm"
)

// counted is an answer with a count of tokens, as it is written.
func counted(protocol, content, input, output string) string {
	if protocol == llm.Anthropic {
		return fmt.Sprintf(`{"content": [{"type": "text", "text": %s}], "stop_reason": "end_turn",
			"usage": {"input_tokens": %s, "cache_read_input_tokens": %[2]s, "output_tokens": %s}}`, content, input, output)
	}
	return fmt.Sprintf(`{"choices": [{"finish_reason": "stop", "message": {"content": %s}}], "usage": {"prompt_tokens": %s, "completion_tokens": %s}}`, content, input, output)
}

// TestCountsThatCannotBe has providers count what no call can take, or in other
// ways than asked: the answer stands, and what it took is estimated.
func TestCountsThatCannotBe(t *testing.T) {
	for name, c := range map[string]struct {
		count string
		told  bool // it is one that can be believed
	}{
		"negative":         {"-1000", false},
		"the least":        {"-9223372036854775808", false},
		"huge":             {"5000000000000000000", false},
		"beyond counting":  {"1e300", false},
		"large":            {"50000000", false},
		"none":             {"null", false},
		"an object":        {`{"tokens": 5}`, false},
		"with a fraction":  {"1000.0", true},
		"as a text":        {`"1000"`, true},
		"as it should be":  {"1000", true},
		"not quite a text": {`"many"`, false},
	} {
		t.Run(name, func(t *testing.T) {
			onEachProtocol(t, func(t *testing.T, protocol string) {
				ledger := &notes{kept: map[string]llm.Kept{}}
				e := overWire(func(*http.Request) (int, http.Header, string, error) {
					return 200, nil, counted(protocol, text(text(full)), c.count, c.count), nil
				}, func(s *setting) {
					s.options.Provider, s.options.Metrics = protocol, llm.NewMetrics(prometheus.NewRegistry())
					s.options.Prices = fieldlift.ModelPrices{Input: 1, Output: 1}
					s.engine.Ledger = ledger
				})
				answer, data := extract(t, e, billFields, sheet(1, bill))
				if data["sum"] != 26.25 || len(answer.Warnings) > 0 {
					t.Errorf("%v %+v", data, answer.Warnings)
				}
				use := answer.Model
				if use.Calls != 1 || use.InputTokens < 100 || use.InputTokens > 5000 || use.OutputTokens < 50 || use.OutputTokens > 5000 || *use.Cost <= 0 {
					t.Errorf("%+v", use)
				}
				if c.told && use.OutputTokens != 1000 {
					t.Errorf("what is told is not believed: %+v", use)
				}
				if ledger.spent.Input != use.InputTokens || ledger.spent.Output != use.OutputTokens {
					t.Errorf("%+v is charged", ledger.spent)
				}
			})
		})
	}
}

func TestAnAnswerInParts(t *testing.T) {
	whole := text(full)
	for name, content := range map[string]string{
		"parts":    `[{"type": "text", "text": ` + text(whole[:20]) + `}, {"type": "output_text", "text": ` + text(whole[20:]) + `}]`,
		"thoughts": `[{"type": "thinking", "text": "{\"sum\": 1}"}, {"type": "text", "text": ` + text(whole) + `}]`,
		"strings":  `[` + text(whole[:20]) + `, ` + text(whole[20:]) + `]`,
	} {
		e := overWire(func(*http.Request) (int, http.Header, string, error) {
			return 200, nil, counted(llm.OpenAI, content, "1000", "100"), nil
		}, nil)
		if answer, data := extract(t, e, billFields, sheet(1, bill)); data["sum"] != 26.25 || answer.Model.Calls != 1 {
			t.Errorf("%s: %v %+v", name, data, answer.Warnings)
		}
	}
}

// TestAnErrorThatSaysAllIsWell has a provider answer 200 and an error.
func TestAnErrorThatSaysAllIsWell(t *testing.T) {
	for body, want := range map[string]string{
		`{"error": {"code": 429, "message": "slow down"}}`:                 "answers 429",
		`{"error": {"code": "503"}}`:                                       "answers 503",
		`{"error": {"type": "rate_limit_error", "message": "slow down"}}`:  "answers 429",
		`{"type": "error", "error": {"type": "overloaded_error"}}`:         "answers 503",
		`[{"error": {"code": 503, "status": "UNAVAILABLE"}}]`:              "answers 503",
		`{"error": {"code": 401, "message": "No auth credentials found"}}`: "does not take the key",
	} {
		onEachProtocol(t, func(t *testing.T, protocol string) {
			calls := 0
			e := overWire(func(*http.Request) (int, http.Header, string, error) {
				calls++
				return 200, http.Header{"Retry-After": {"7"}}, body, nil
			}, func(s *setting) { s.options.Provider = protocol })
			_, err := e.Extract(t.Context(), billRequest())
			if away, ok := errors.AsType[*llm.Away](err); !ok || !strings.Contains(away.Error(), want) || calls != 1 {
				t.Errorf("%s: %v, %d calls", body, err, calls)
			}
		})
	}
	e := overWire(func(*http.Request) (int, http.Header, string, error) {
		return 200, nil, `{"error": {}, "choices": [{"message": {"content": ` + text(text(full)) + `}}]}`, nil
	}, nil)
	if _, data := extract(t, e, billFields, sheet(1, bill)); data["sum"] != 26.25 {
		t.Errorf("an error that is none: %v", data)
	}
}

// TestRefusalsByOtherStatuses has providers refuse the key or the model in ways
// of their own: the operator must help, not the document.
func TestRefusalsByOtherStatuses(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		ours   bool
	}{
		"Gemini's key":     {400, `[{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}]`, true},
		"a key, by code":   {400, `{"error": {"message": "no", "code": "invalid_api_key"}}`, true},
		"DeepSeek's model": {400, `{"error": {"message": "Model Not Exist", "type": "invalid_request_error"}}`, true},
		"a quoted model":   {400, "{\"error\": {\"message\": \"The model `gpt-99` does not exist\"}}", true},
		"in plain words":   {400, `unknown model "m"`, true},
		"moved":            {301, "", true},
		"to sign in":       {302, "<html>", true},
		"elsewhere":        {307, "", true},
		"a format":         {400, `{"error": {"message": "This model does not support response_format"}}`, false},
		"what was sent":    {400, `{"error": {"message": "Bad words in the input.", "code": "content_policy", "input": "API key not valid"}}`, false},
		"far behind":       {400, `{"error": {"message": "Not allowed: ` + strings.Repeat("x", 500) + ` API key not valid"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			e := overWire(func(*http.Request) (int, http.Header, string, error) {
				calls++
				return c.status, http.Header{"Location": {"https://other.example.com/"}}, c.body, nil
			}, nil)
			_, err := e.Extract(t.Context(), billRequest())
			if _, away := errors.AsType[*llm.Away](err); away != c.ours || !away && err != nil {
				t.Error(err)
			}
			if c.ours && (calls != 1 || fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable) {
				t.Errorf("%d calls", calls)
			}
		})
	}
}

// TestOneForbiddenQuestionIsItsOwn has one document be refused, by a filter for
// what it says: the others are answered, until a second is refused.
func TestOneForbiddenQuestionIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forbidden := "Rude"
		calls := 0
		e := overWire(func(r *http.Request) (int, http.Header, string, error) {
			calls++
			body := new(strings.Builder)
			if err := r.Write(body); err != nil {
				return 0, nil, "", err
			}
			if strings.Contains(body.String(), forbidden) {
				return 403, nil, "", nil
			}
			return 200, nil, spoken(full), nil
		}, nil)
		rude := billRequest()
		rude.Pages[0] = sheet(1, bill+"Rude words")
		for range 7 { // it is put off, and comes again
			if _, err := e.Extract(t.Context(), rude); fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable {
				t.Fatal(err)
			}
		}
		if _, err := e.Extract(t.Context(), billRequest()); err != nil || e.Model.Trouble() != nil || calls != 8 {
			t.Errorf("%d calls, %v, %v", calls, err, e.Model.Trouble())
		}
		forbidden = "Nordwind"
		_, first := e.Extract(t.Context(), rude)
		if first == nil || e.Model.Trouble() != nil {
			t.Error(first, e.Model.Trouble())
		}
		_, second := e.Extract(t.Context(), billRequest())
		before := calls
		_, third := e.Extract(t.Context(), billRequest())
		if second == nil || third == nil || e.Model.Trouble() == nil || calls != before {
			t.Error(second, third, e.Model.Trouble(), calls-before)
		}
		time.Sleep(31 * time.Second) // it is tried again, and still away
		if _, err := e.Extract(t.Context(), billRequest()); err == nil || e.Model.Trouble() == nil || calls != before+1 {
			t.Error(err, e.Model.Trouble(), calls-before)
		}
		forbidden = "nobody"
		time.Sleep(31 * time.Second)
		if _, err := e.Extract(t.Context(), billRequest()); err != nil || e.Model.Trouble() != nil {
			t.Error(err)
		}
	})
}

// TestAnswersAreAsLongAsTheyMayBe has answers grow to what their tokens can take
// and beyond.
func TestAnswersAreAsLongAsTheyMayBe(t *testing.T) {
	for _, c := range []struct {
		most, length int
		fits         bool
	}{{256, 250 << 10, true}, {256, 260 << 10, false}, {100_000, 1_600_000, true}, {100_000, 1_700_000, false}} {
		calls := 0
		e := overWire(func(*http.Request) (int, http.Header, string, error) {
			calls++
			return 200, nil, spoken(full)[:1] + `"thoughts": "` + strings.Repeat("x", c.length) + `",` + spoken(full)[1:], nil
		}, func(s *setting) { s.options.MostOutput = c.most })
		if _, data := extract(t, e, billFields, sheet(1, bill)); (data["number"] != nil) != c.fits || c.fits != (calls == 1) {
			t.Errorf("%d bytes for %d tokens: %v, %d calls", c.length, c.most, data, calls)
		}
	}
}

// TestAPanicFailsTheQuestionAlone has our own code break while it is answered.
func TestAPanicFailsTheQuestionAlone(t *testing.T) {
	var log strings.Builder
	first := true
	e := overWire(func(*http.Request) (int, http.Header, string, error) {
		if first {
			first = false
			panic("a fault of ours")
		}
		return 200, nil, spoken(full), nil
	}, func(s *setting) { s.options.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	answer, data := extract(t, e, billFields, sheet(1, bill))
	if data["sum"] != 26.25 || answer.Metadata["/sum"].Engine != "layout" || len(answer.Warnings) == 0 || !strings.Contains(answer.Warnings[0].Message, "a fault in the service") {
		t.Errorf("%v %+v", data, answer.Warnings)
	}
	if !strings.Contains(log.String(), "a fault of ours") || !strings.Contains(log.String(), "provider_test.go") {
		t.Errorf("the log does not tell: %s", log.String())
	}
	if answer, data = extract(t, e, billFields, sheet(1, bill)); data["number"] != "4711" || len(answer.Warnings) > 0 {
		t.Errorf("the next: %v %+v", data, answer.Warnings)
	}
}

package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/engine"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/page"
)

// wire is a provider without a network, so that time can be that of a test.
type wire func(*http.Request) (status int, header http.Header, body string, err error)

func (w wire) RoundTrip(r *http.Request) (*http.Response, error) {
	status, header, body, err := w(r)
	if err != nil {
		return nil, err
	}
	if header == nil {
		header = http.Header{}
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// hang answers nothing, for as long as somebody waits.
func hang(r *http.Request) (int, http.Header, string, error) {
	<-r.Context().Done()
	return 0, nil, "", r.Context().Err()
}

// spoken is an answer of OpenAI's protocol.
func spoken(answer any) string {
	return text(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"content": text(answer)}}}})
}

func overWire(w wire, change func(*setting)) *llm.Engine {
	s := setting{
		options: llm.Options{Model: "m", Transport: w, Timeout: 2 * time.Minute},
		engine:  llm.Engine{Embedded: nobody{"sum": 0.3, "seller": 0.3}, Choice: fieldlift.ModelEngine},
	}
	if change != nil {
		change(&s)
	}
	s.engine.Model = llm.New(s.options)
	return &s.engine
}

func billRequest() engine.Request {
	return engine.Request{Pages: []page.Page{sheet(1, bill)}, Fields: billFields}
}

// useless are the ways not to answer a question that was taken.
var useless = map[string]wire{
	"never":     hang,
	"another's": func(*http.Request) (int, http.Header, string, error) { return 200, nil, "<html>Sign in</html>", nil },
	"endless": func(*http.Request) (int, http.Header, string, error) {
		return 200, nil, `{"choices":[{"message":{"content":"` + strings.Repeat("and so on ", 2<<20) + `"}}]}`, nil
	},
}

// TestAQuestionThatIsNotAnsweredIsParted has a provider answer short questions
// alone.
func TestAQuestionThatIsNotAnsweredIsParted(t *testing.T) {
	for name, say := range useless {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				e := overWire(func(r *http.Request) (int, http.Header, string, error) {
					calls++
					body, err := io.ReadAll(r.Body)
					if err != nil {
						return 0, nil, "", err
					}
					if bytes.Contains(body, []byte("- seller (")) && bytes.Contains(body, []byte("- sum (")) {
						return say(r)
					}
					return 200, nil, spoken(full), nil
				}, nil)
				answer, data := extract(t, e, billFields, sheet(1, bill))
				if len(answer.Warnings) > 0 || data["sum"] != 26.25 || data["seller"] != "Nordwind Supplies" || calls != 3 {
					t.Errorf("%d calls, %v, %+v", calls, data, answer.Warnings)
				}
			})
		})
	}
}

// TestWhatIsNeverAnsweredIsNotPaidForAgain has a document tried for as long as
// it is put off: it ends, with the embedded engine's values, after few calls.
func TestWhatIsNeverAnsweredIsNotPaidForAgain(t *testing.T) {
	for name, say := range useless {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				ledger := &notes{document: "one", kept: map[string]llm.Kept{}}
				e := overWire(func(r *http.Request) (int, http.Header, string, error) {
					calls++
					return say(r)
				}, func(s *setting) { s.engine.Ledger = ledger })
				began := time.Now()
				answer, err := e.Extract(t.Context(), billRequest())
				for tries := 0; err != nil; tries++ {
					away, ok := errors.AsType[*llm.Away](err)
					if !ok || tries == 10 {
						t.Fatal(err)
					}
					time.Sleep(max(away.RetryAfter, time.Second))
					answer, err = e.Extract(t.Context(), billRequest())
				}
				if calls > 7 || len(answer.Warnings) == 0 || !strings.Contains(answer.Warnings[0].Message, "gave no answer that can be used") || answer.Metadata["/sum"].Engine != "layout" {
					t.Errorf("%d calls, %+v", calls, answer.Warnings)
				}
				if took := time.Since(began); took > 20*time.Minute {
					t.Errorf("it takes %v", took)
				}
				if ledger.spent.Calls != int64(calls) || ledger.spent.Input == 0 {
					t.Errorf("%d calls, charged are %+v", calls, ledger.spent)
				}
			})
		})
	}
}

// TestAProviderThatFailsAgainAndAgainIsLeftAlone has a hundred documents come
// while it is away: few calls are made, and one tells that it is back.
func TestAProviderThatFailsAgainAndAgainIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		var calls atomic.Int64
		down.Store(true)
		e := overWire(func(_ *http.Request) (int, http.Header, string, error) {
			calls.Add(1)
			if down.Load() {
				return 503, nil, "", nil
			}
			return 200, nil, spoken(full), nil
		}, func(s *setting) { s.options.Patience = 5 * time.Second })
		began := time.Now()
		for range 100 {
			if _, err := e.Extract(t.Context(), billRequest()); fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if n := calls.Load(); n < 5 || n > 15 {
			t.Errorf("%d calls in %v", n, time.Since(began))
		}
		if e.Model.Trouble() == nil {
			t.Error("nobody is told")
		}
		down.Store(false)
		time.Sleep(time.Minute)
		before := calls.Load()
		if _, err := e.Extract(t.Context(), billRequest()); err != nil || calls.Load() != before+1 || e.Model.Trouble() != nil {
			t.Errorf("%d calls, %v", calls.Load()-before, err)
		}
	})
}

// TestOneQuestionIsLetThroughToSee has many come at the moment when a provider
// that hangs may be asked again.
func TestOneQuestionIsLetThroughToSee(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under, most atomic.Int64
		e := overWire(func(r *http.Request) (int, http.Header, string, error) {
			most.Store(max(most.Load(), under.Add(1)))
			defer under.Add(-1)
			return hang(r)
		}, func(s *setting) { s.options.Concurrency = 8 })
		for e.Model.Trouble() == nil {
			_, _ = e.Extract(t.Context(), billRequest()) // for better or worse
		}
		time.Sleep(time.Hour)
		most.Store(0)
		ended := make(chan error)
		for range 8 {
			go func() {
				_, err := e.Extract(t.Context(), billRequest())
				ended <- err
			}()
		}
		for range 8 {
			if err := <-ended; fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable {
				t.Error(err)
			}
		}
		if most.Load() != 1 {
			t.Errorf("%d ask at once", most.Load())
		}
	})
}

func TestHowLongAProviderCanPutUsOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for said, want := range map[string]time.Duration{"120": 2 * time.Minute, "86400": 15 * time.Minute, "Fri, 31 Dec 2099 23:59:59 GMT": 15 * time.Minute, "soon": 0, "-5": 0} {
			calls := 0
			e := overWire(func(*http.Request) (int, http.Header, string, error) {
				calls++
				return 429, http.Header{"Retry-After": {said}}, "", nil
			}, nil)
			_, err := e.Extract(t.Context(), billRequest())
			if away, ok := errors.AsType[*llm.Away](err); !ok || away.RetryAfter != want {
				t.Errorf("%s: %v", said, err)
			}
			if _, err = e.Extract(t.Context(), billRequest()); want > 0 && calls > 1 || err == nil {
				t.Errorf("%s: it is asked again at once, %v", said, err)
			}
		}
	})
}

// TestAWrongKey: where the embedded engine may answer it does; where only the
// model is wanted the document waits, unless it can wait no longer.
func TestAWrongKey(t *testing.T) {
	for name, c := range map[string]struct {
		choice                fieldlift.EngineChoice
		settle, insist, frank bool
		waits                 bool
		tells                 string
	}{
		"auto":            {choice: fieldlift.AutoEngine, tells: "the model could not be reached."},
		"to the operator": {choice: fieldlift.AutoEngine, frank: true, tells: "--model-key"},
		"to be measured":  {choice: fieldlift.AutoEngine, insist: true, waits: true},
		"model":           {choice: fieldlift.ModelEngine, waits: true},
		"at last":         {choice: fieldlift.ModelEngine, settle: true, tells: "the model could not be reached."},
	} {
		t.Run(name, func(t *testing.T) {
			stand := apptest.NewModel(t, func(apptest.Asked) apptest.Said { return apptest.Said{Status: 401, Error: "no such key"} })
			e := newEngine(t, stand, llm.OpenAI, func(s *setting) {
				s.engine.Choice, s.engine.Settle, s.engine.Embedded = c.choice, c.settle, nobody{"seller": 0.5}
				s.engine.Insist, s.engine.Frank = c.insist, c.frank
			})
			for range 2 { // the second does not even ask
				answer, err := e.Extract(t.Context(), billRequest())
				if (fieldlift.CodeOf(err) == fieldlift.ServiceUnavailable && err != nil) != c.waits {
					t.Fatal(err)
				}
				if !c.waits && (len(answer.Warnings) != 1 || !strings.Contains(answer.Warnings[0].Message, c.tells) || answer.Metadata["/seller"].Engine != "layout") {
					t.Errorf("%+v", answer.Warnings)
				}
			}
			if len(stand.Asked()) != 1 || e.Model.Trouble() == nil {
				t.Errorf("%d calls, %v", len(stand.Asked()), e.Model.Trouble())
			}
		})
	}
}

// TestAnAddressIsTheOperatorsAlone has a provider be away: the document's owner
// does not read where it is, and the log does.
func TestAnAddressIsTheOperatorsAlone(t *testing.T) {
	var log strings.Builder
	e := newEngine(t, &apptest.Model{}, llm.OpenAI, func(s *setting) {
		s.options.URL, s.engine.Settle, s.options.Log = "http://127.0.0.1:1/v1", true, slog.New(slog.NewTextHandler(&log, nil))
	})
	answer, _ := extract(t, e, billFields, sheet(1, bill))
	if told := text(answer.Warnings); len(answer.Warnings) == 0 || strings.Contains(told, "127.0.0.1") || strings.Contains(told, "--model") {
		t.Error(told)
	}
	if strings.Count(log.String(), "127.0.0.1:1") != 1 {
		t.Errorf("the log says %q", log.String())
	}
}

// TestAModelThatNeverEnds has all answers be cut off: after some tries that is
// not asked in ever smaller parts.
func TestAModelThatNeverEnds(t *testing.T) {
	fields := slices.Concat(rowFields, billFields)
	for name, c := range map[string]struct{ pages, most int }{"two pages": {100, 9}, "more": {1000, 80}} {
		stand := apptest.NewModel(t, func(apptest.Asked) apptest.Said { return apptest.Said{Finish: "length", Text: `{"sel`} })
		ledger := &notes{document: "one", kept: map[string]llm.Kept{}}
		e := newEngine(t, stand, llm.OpenAI, func(s *setting) { s.engine.Ledger = ledger })
		answer, _ := extract(t, e, fields, longTable(c.pages)...)
		calls := len(stand.Asked())
		if calls > c.most || !strings.Contains(text(answer.Warnings), "cannot read or write as much at once") {
			t.Errorf("%s: %d calls, %+v", name, calls, answer.Warnings)
		}
		if extract(t, e, fields, longTable(c.pages)...); len(stand.Asked()) != calls {
			t.Errorf("%s: it is asked again: %d calls", name, len(stand.Asked())-calls)
		}
	}
}

// TestWhatWasAnsweredStays takes the provider away for good between two
// questions of a document, and while an answer is mended.
func TestWhatWasAnsweredStays(t *testing.T) {
	var lines strings.Builder
	var fields []fieldlift.Field
	all := map[string]any{}
	for n := range 100 { // two questions
		name := fmt.Sprintf("thing_%d", n)
		fmt.Fprintf(&lines, "%s is V%03d\n", name, n)
		fields = append(fields, fieldlift.Field{Name: name, Type: fieldlift.StringField})
		all[name] = map[string]any{"value": fmt.Sprintf("V%03d", n), "text": fmt.Sprintf("V%03d", n), "lines": []int{n + 1}}
	}
	without := maps.Clone(all)
	delete(without, "thing_7")
	var gone atomic.Bool
	stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
		if a.Fields()[0] == "thing_0" && !gone.Swap(true) {
			return apptest.Said{Text: text(without)}
		}
		return apptest.Said{Status: 503}
	})
	ledger := &notes{document: "one", kept: map[string]llm.Kept{}}
	e := newEngine(t, stand, llm.OpenAI, func(s *setting) { s.engine.Ledger, s.options.Concurrency = ledger, 1 })
	if _, err := e.Extract(t.Context(), engine.Request{Pages: []page.Page{sheet(1, lines.String())}, Fields: fields}); fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable || err == nil {
		t.Fatal(err)
	}
	e.Settle = true
	answer, data := extract(t, e, fields, sheet(1, lines.String()))
	if data["thing_0"] != "V000" || data["thing_59"] != "V059" || data["thing_60"] != nil || data["thing_7"] != nil {
		t.Errorf("what was answered is lost: %v", data)
	}
	if len(answer.Warnings) != 100-59 || !strings.Contains(answer.Warnings[0].Message, "could not be reached") {
		t.Errorf("%d warnings: %+v", len(answer.Warnings), answer.Warnings[0])
	}
}

// TestABudgetHoldsWithinAQuestion has a budget be spent by the first call: the
// answer is not mended, and not asked for again.
func TestABudgetHoldsWithinAQuestion(t *testing.T) {
	without := maps.Clone(full)
	delete(without, "sum")
	for name, c := range map[string]apptest.Said{"repair": {Text: text(without)}, "parts": {Finish: "length", Text: `{"sel`}, "useless": {Raw: "<html>"}} {
		t.Run(name, func(t *testing.T) {
			stand := apptest.NewModel(t, func(apptest.Asked) apptest.Said { return c })
			e := newEngine(t, stand, llm.OpenAI, func(s *setting) {
				s.engine.Ledger = &notes{kept: map[string]llm.Kept{}, budget: 1}
			})
			answer, _ := extract(t, e, billFields, sheet(1, bill))
			if len(stand.Asked()) != 1 || len(answer.Warnings) == 0 || !strings.Contains(text(answer.Warnings), "budget for models is spent") {
				t.Errorf("%d calls, %+v", len(stand.Asked()), answer.Warnings)
			}
		})
	}
}

// TestAProviderThatCannotCount says of every question that it has so many
// tokens.
func TestAProviderThatCannotCount(t *testing.T) {
	for tokens, most := range map[int64]int{1: 4, 300: 16} {
		stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
			said := rowsOf(a, 1000)
			said.Input = tokens
			return said
		})
		e := newEngine(t, stand, llm.OpenAI, nil)
		_, data := extract(t, e, rowFields, longTable(600)...)
		if rows, _ := data["rows"].([]any); len(rows) != 600 || len(stand.Asked()) > most {
			t.Errorf("%d: %d rows in %d calls", tokens, len(rows), len(stand.Asked()))
		}
		before := len(stand.Asked())
		if extract(t, e, rowFields, longTable(100)...); len(stand.Asked()) != before+1 {
			t.Errorf("%d: it is not learned: %d calls more", tokens, len(stand.Asked())-before)
		}
	}
}

// TestMannersAreLearnedAnew has a provider that could not keep to a schema learn
// it.
func TestMannersAreLearnedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		able := false
		var strict []string
		e := overWire(func(r *http.Request) (int, http.Header, string, error) {
			var body struct {
				Format struct {
					Type string `json:"type"`
				} `json:"response_format"`
			}
			if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
				return 0, nil, "", err
			}
			strict = append(strict, body.Format.Type)
			if body.Format.Type == "json_schema" && !able {
				return 400, nil, "unknown response_format", nil
			}
			return 200, nil, spoken(full), nil
		}, nil)
		for range 3 {
			extract(t, e, billFields, sheet(1, bill))
		}
		able = true
		time.Sleep(2 * time.Hour)
		extract(t, e, billFields, sheet(1, bill))
		if got := strings.Join(strict, " "); got != "json_schema json_object json_object json_object json_schema" {
			t.Error(got)
		}
	})
}

// TestAnAddressKeepsItsQuery: Azure's has the version of its interface there.
func TestAnAddressKeepsItsQuery(t *testing.T) {
	for protocol, c := range map[string]struct{ address, want string }{
		llm.OpenAI:    {"https://a.example.com/openai/deployments/x/?api-version=2026-01-01", "https://a.example.com/openai/deployments/x/chat/completions?api-version=2026-01-01"},
		llm.Anthropic: {"https://a.example.com/b%2Fc/v1?x=1", "https://a.example.com/b%2Fc/v1/messages?x=1"},
	} {
		var called string
		e := overWire(func(r *http.Request) (int, http.Header, string, error) {
			called = r.URL.String()
			return 401, nil, "", nil
		}, func(s *setting) { s.options.Provider, s.options.URL = protocol, c.address })
		_, _ = e.Extract(t.Context(), billRequest()) // where it is sent is looked at alone
		if called != c.want {
			t.Errorf("%s: %s", protocol, called)
		}
	}
}

func TestPicturesAreBoundedByDocument(t *testing.T) {
	stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said { return apptest.Said{Text: wanted(a, full)} })
	drawn := 0
	e := newEngine(t, stand, llm.OpenAI, func(s *setting) {
		s.options.Vision = true
		s.engine.Picture = func(context.Context, int) ([]byte, error) {
			drawn++
			return []byte("\x89PNG"), nil
		}
	})
	for number := range 20 { // as a result for each page has it
		weak := sheet(number+1, bill)
		weak.Reading = page.Reading{Source: page.FromOCR, Confidence: 0.6}
		extract(t, e, billFields, weak)
	}
	if drawn != 6 {
		t.Errorf("%d pages are drawn", drawn)
	}
}

func TestAPageThatCannotBeDrawnIsSentAsText(t *testing.T) {
	stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said { return apptest.Said{Text: wanted(a, full)} })
	fault := fieldlift.Errorf(fieldlift.PageCountFailed, "The PDF could not be read: it broke the program that tried.")
	e := newEngine(t, stand, llm.OpenAI, func(s *setting) {
		s.options.Vision = true
		s.engine.Picture = func(context.Context, int) ([]byte, error) { return nil, fault }
	})
	weak := sheet(1, bill)
	weak.Reading = page.Reading{Source: page.FromOCR, Confidence: 0.6}
	answer, data := extract(t, e, billFields, weak)
	if data["number"] != "4711" || stand.Asked()[0].Pictures != 0 || len(answer.Warnings) != 1 || !strings.Contains(answer.Warnings[0].Message, "Page 1 could not be drawn") {
		t.Errorf("%v, %+v", data, answer.Warnings)
	}
	// When the files are away the document waits for them.
	fault = fieldlift.Errorf(fieldlift.ServiceUnavailable, "The files are away.")
	e = newEngine(t, stand, llm.OpenAI, func(s *setting) {
		s.options.Vision = true
		s.engine.Picture = func(context.Context, int) ([]byte, error) { return nil, fault }
	})
	if _, err := e.Extract(t.Context(), engine.Request{Pages: []page.Page{weak}, Fields: billFields}); fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable || err == nil {
		t.Error(err)
	}
}

// TestTimeForADocument has a model answer slower than a document may take, whose
// pages are asked about one after the other.
func TestTimeForADocument(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		ledger := &notes{kept: map[string]llm.Kept{}}
		w := func(r *http.Request) (int, http.Header, string, error) {
			calls++
			select {
			case <-r.Context().Done():
				return 0, nil, "", r.Context().Err()
			case <-time.After(time.Minute):
			}
			return 200, nil, spoken(map[string]any{"rows": []any{}}), nil
		}
		try := func(settle bool) (failed, warned int) {
			e := overWire(w, func(s *setting) { s.engine.Time, s.engine.Ledger, s.engine.Settle = 150*time.Second, ledger, settle })
			began := time.Now()
			for _, one := range longTable(300) {
				answer, err := e.Extract(t.Context(), engine.Request{Pages: []page.Page{one}, Fields: rowFields})
				if err != nil && fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable {
					t.Error(err)
				}
				if err != nil {
					failed++
				}
				warned += min(len(answer.Warnings), 1)
			}
			if took := time.Since(began); took > 150*time.Second {
				t.Errorf("it takes %v", took)
			}
			return failed, warned
		}
		if failed, _ := try(false); failed != 4 || calls != 3 {
			t.Errorf("%d of 6 pages failed, %d calls", failed, calls)
		}
		if ledger.spent.Calls != 3 {
			t.Errorf("%d calls are charged: the last was under way", ledger.spent.Calls)
		}
		// The next goes on from there, and what it does not come to is told.
		if failed, warned := try(true); failed != 0 || warned != 2 || calls != 6 {
			t.Errorf("%d failed, %d warned, %d calls", failed, warned, calls)
		}
	})
}

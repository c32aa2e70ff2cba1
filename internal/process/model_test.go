package process

import (
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/page"
)

// slowly answers each question after a minute, and counts them.
type slowly struct {
	mu    sync.Mutex
	calls int
	fails bool
}

func (s *slowly) RoundTrip(r *http.Request) (*http.Response, error) {
	time.Sleep(time.Minute)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	answer := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Request: r}
	if s.fails {
		answer.StatusCode = http.StatusBadRequest
	}
	answer.Body = io.NopCloser(strings.NewReader(`{"choices": [{"finish_reason": "stop", "message": {"content": "{\"badge\": null}"}}]}`))
	return answer, nil
}

// shelf is a store of answers for a test whose time is not the database's.
type shelf struct {
	ModelStore
	mu      sync.Mutex
	answers map[string][2]string
}

func (s *shelf) ModelAnswer(_ context.Context, accountID, key string) (answer, documentID string, ok bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.answers[accountID+key]
	return found[0], found[1], ok, nil
}

func (s *shelf) KeepModelAnswer(_ context.Context, d fieldlift.Document, key, answer string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answers[d.AccountID+key] = [2]string{answer, d.ID}
	return nil
}

func (s *shelf) SpendOnModel(context.Context, string, string, fieldlift.ModelReservation, fieldlift.ModelSpending) error {
	return nil
}

// unsure is an embedded engine that finds nothing.
type unsure struct{}

func (unsure) Extract(_ context.Context, r engine.Request) (engine.Answer, error) {
	return engine.Build(r.Fields, make([]engine.Found, len(r.Fields))), nil
}

// TestTheSameQuestionAtOnceIsAskedOnce has documents with the same text come at
// the same time.
func TestTheSameQuestionAtOnceIsAskedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		accounts []string
		fails    bool
		calls    int
	}{
		"of one account":          {accounts: []string{"a", "a", "a"}, calls: 1},
		"of two":                  {accounts: []string{"a", "b", "a", "b"}, calls: 2},
		"when it is not answered": {accounts: []string{"a", "a"}, fails: true, calls: 6}, // each tries for itself, in all manners
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				provider := &slowly{fails: c.fails}
				model := llm.New(llm.Options{Model: "m", Transport: provider})
				store := &shelf{answers: map[string][2]string{}}
				var under questions
				var group sync.WaitGroup
				for i, account := range c.accounts {
					group.Go(func() {
						e := &llm.Engine{Model: model, Embedded: unsure{}, Choice: fieldlift.ModelEngine, Ledger: &ledger{
							Store: store, document: fieldlift.Document{ID: string(rune('0' + i)), AccountID: account},
							settings: ModelSettings{Model: model}, questions: &under,
						}}
						document := page.Page{Number: 1, Width: 100, Height: 100, Words: []page.Word{{Text: "B-1", Box: page.Box{X1: 0.1, Y1: 0.1}}}}
						if _, err := e.Extract(t.Context(), engine.Request{
							Pages: []page.Page{document}, Fields: []fieldlift.Field{{Name: "badge", Type: fieldlift.StringField}},
						}); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
				if provider.calls != c.calls || len(under.under) != 0 {
					t.Errorf("%d calls, %d questions are left", provider.calls, len(under.under))
				}
			})
		})
	}
}

func TestWhoGoesOnWhenTheOneWhoAskedEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var under questions
		end, err := under.begin(t.Context(), "q")
		if err != nil {
			t.Fatal(err)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := under.begin(impatient, "q"); err == nil {
			t.Error("two ask at once")
		}
		time.AfterFunc(time.Minute, end)
		if end, err = under.begin(t.Context(), "q"); err != nil {
			t.Fatal(err)
		}
		end()
	})
}

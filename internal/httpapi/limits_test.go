package httpapi_test

import (
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

func header(t *testing.T, answer apptest.Answer, name string) int {
	t.Helper()
	n, err := strconv.Atoi(answer.Header.Get(name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

func limited(limit int, now func() time.Time) apptest.Option {
	return apptest.With(func(c *app.Config) { c.RateLimit, c.Now = limit, now })
}

func TestRateLimit(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		clock := newClock()
		a := apptest.Start(t, on, limited(app.Default().RateLimit, clock.now))
		reset := int(clock.now().Add(time.Minute).Unix()) + 1 // the clock stands within a second; it is rounded up

		t.Run("Requests per API key, all endpoints together: 150 per minute.", func(t *testing.T) {
			for i := range 150 {
				path := []string{"/v1/me", "/v1/credits", "/v1/parsers", "/v1/nothing"}[i%4]
				answer := a.Send(t, "GET", path, nil)
				if answer.Status == 429 {
					t.Fatalf("request %d is refused", i+1)
				}
				if header(t, answer, "X-RateLimit-Limit") != 150 || header(t, answer, "X-RateLimit-Remaining") != 149-i || header(t, answer, "X-RateLimit-Reset") != reset {
					t.Fatalf("request %d: %v", i+1, answer.Header)
				}
			}
		})
		t.Run("Over the limit: 429 RATE_LIMITED; honouring the reset time.", func(t *testing.T) {
			answer := a.Send(t, "POST", "/v1/parsers", `{"name":"Refused"}`)
			answer.WantError(t, 429, "RATE_LIMITED")
			if header(t, answer, "X-RateLimit-Remaining") != 0 || header(t, answer, "X-RateLimit-Reset") != reset {
				t.Errorf("%v", answer.Header)
			}
			wait := header(t, answer, "Retry-After")
			if wait != 60 {
				t.Errorf("Retry-After is %d", wait)
			}
			clock.advance(time.Duration(wait)*time.Second - time.Microsecond)
			a.Send(t, "GET", "/v1/me", nil).WantError(t, 429, "RATE_LIMITED")
			clock.advance(time.Microsecond)
			if answer := a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200); header(t, answer, "X-RateLimit-Remaining") != 149 {
				t.Errorf("%v", answer.Header)
			}
			list, err := a.Client().ListParsers(t.Context(), noOptions)
			if err != nil || len(list.Parsers) != 0 {
				t.Errorf("a refused request did something: %+v, %v", list, err)
			}
		})
		t.Run("each key has its own window", func(t *testing.T) {
			second := a.NewKey(t, a.Account, "second")
			if answer := a.Send(t, "GET", "/v1/me", nil, "X-API-Key", second).WantStatus(t, 200); header(t, answer, "X-RateLimit-Remaining") != 149 {
				t.Errorf("%v", answer.Header)
			}
		})
	})
}

func TestRateLimitWithoutAKey(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		clock := newClock()
		a := apptest.Start(t, on, limited(5, clock.now))
		for i := range 5 {
			key := []string{"", fieldlift.NewFullKey(true)}[i%2]
			path := []string{"/v1/me", "/v1/parsers", "/nowhere"}[i%3]
			answer := a.Send(t, "GET", path, nil, "X-API-Key", key)
			if answer.Status != 401 && answer.Status != 404 || header(t, answer, "X-RateLimit-Remaining") != 4-i {
				t.Errorf("request %d: %d %v", i+1, answer.Status, answer.Header)
			}
		}
		a.Send(t, "GET", "/v1/me", nil, "X-API-Key", "").WantError(t, 429, "RATE_LIMITED")
		a.Send(t, "GET", "/nowhere", nil, "X-API-Key", "").WantError(t, 429, "RATE_LIMITED")
		t.Run("a valid key from the same address has its own window", func(t *testing.T) {
			a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
		})
		t.Run("those who watch over the service are not counted", func(t *testing.T) {
			for range 10 {
				a.Send(t, "GET", "/healthz", nil, "X-API-Key", "").WantStatus(t, 200)
				a.Send(t, "GET", "/readyz", nil, "X-API-Key", "").WantStatus(t, 200)
			}
		})
		t.Run("the window opens again", func(t *testing.T) {
			clock.advance(time.Minute)
			a.Send(t, "GET", "/v1/me", nil, "X-API-Key", "").WantError(t, 401, "UNAUTHORIZED")
		})
	})
}

func TestRateLimitIsExactUnderConcurrency(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		clock := newClock()
		a := apptest.Start(t, on, limited(50, clock.now))
		countAllowed(t, 50, 120, a.Key, a)
	})
}

func TestRateLimitHoldsAcrossNodes(t *testing.T) {
	on := apptest.OnPostgres(t)
	clock := newClock()
	a := apptest.Start(t, on, limited(50, clock.now))
	// The other node's clock is late: it counts in the window that is open.
	b := apptest.Launch(t, on, limited(50, func() time.Time { return clock.now().Add(-3 * time.Second) }))
	countAllowed(t, 50, 120, a.Key, a, b)
}

// countAllowed sends requests to all nodes at once and wants just so many of
// them not to be refused.
func countAllowed(t *testing.T, want, requests int, key string, nodes ...*apptest.App) {
	t.Helper()
	var mu sync.Mutex
	count := map[int]int{}
	var senders sync.WaitGroup
	for i := range requests {
		senders.Go(func() {
			node := nodes[i%len(nodes)]
			request, _ := http.NewRequest("GET", node.URL()+"/v1/credits", nil)
			request.Header.Set("X-API-Key", key)
			response, err := node.HTTP().Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			_ = response.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			count[response.StatusCode]++
		})
	}
	senders.Wait()
	if count[200] != want || count[429] != requests-want {
		t.Errorf("%v, want %d times 200 and %d times 429", count, want, requests-want)
	}
}

package httpapi_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"fieldlift/api"
	"fieldlift/internal/apptest"
)

var noOptions api.ListOptions

func TestErrors(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))

	t.Run("Errors use a 4xx or 5xx status and a structured JSON body with a machine-readable code string.", func(t *testing.T) {
		answer := a.Send(t, "GET", "/v1/parsers?limit=x", nil)
		body := answer.WantError(t, 400, "INVALID_PAYLOAD")
		if answer.Header.Get("Content-Type") != "application/json" || body.Message == "" || body.RequestID != answer.Header.Get("X-Request-Id") {
			t.Errorf("%v %+v", answer.Header, body)
		}
	})
	t.Run("an unknown route", func(t *testing.T) {
		for _, path := range []string{"/v1/nothing", "/v1/parsers/a/b", "/v1/parsers/", "/nothing", "/v2/me", "/nothing/at/all"} {
			a.Send(t, "GET", path, nil).WantError(t, 404, "RESOURCE_NOT_FOUND")
		}
	})
	t.Run("a wrong method", func(t *testing.T) {
		answer := a.Send(t, "PUT", "/v1/parsers", nil)
		answer.WantError(t, 405, "INVALID_PAYLOAD")
		if allowed := answer.Header.Get("Allow"); allowed != "GET, HEAD, POST" {
			t.Error(allowed)
		}
		if allowed := a.Send(t, "POST", "/healthz", nil).WantStatus(t, 405).Header.Get("Allow"); allowed != "GET, HEAD" {
			t.Error(allowed)
		}
	})
	t.Run("Rate-limit headers accompany every response", func(t *testing.T) {
		for _, answer := range []apptest.Answer{
			a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200),
			a.Send(t, "GET", "/v1/me", nil, "X-API-Key", "").WantStatus(t, 401),
			a.Send(t, "GET", "/v1/nothing", nil).WantStatus(t, 404),
			a.Send(t, "PUT", "/v1/me", nil).WantStatus(t, 405),
			a.Send(t, "POST", "/v1/parsers", "{").WantStatus(t, 400),
			a.Send(t, "POST", "/v1/parsers", strings.Repeat(" ", 2<<20)).WantStatus(t, 413),
			a.Send(t, "GET", "/nothing", nil).WantStatus(t, 404),
		} {
			for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"} {
				if answer.Header.Get(name) == "" {
					t.Errorf("%s is missing from a %d", name, answer.Status)
				}
			}
		}
	})
	t.Run("HEAD answers as GET does, without the body", func(t *testing.T) {
		answer := a.Send(t, "HEAD", "/v1/me", nil).WantStatus(t, 200)
		if answer.Text != "" || answer.Header.Get("Content-Length") == "" {
			t.Errorf("%q %v", answer.Text, answer.Header)
		}
	})
	t.Run("the client's errors carry what the service said", func(t *testing.T) {
		_, err := a.Client().CreateParser(t.Context(), api.ParserCreate{})
		refused, ok := errors.AsType[*api.Error](err)
		if !ok || refused.Status != 400 || refused.Code != "INVALID_PAYLOAD" || len(refused.Details) != 1 || !strings.HasPrefix(refused.RequestID, "req_") {
			t.Errorf("%v", err)
		}
	})
	t.Run("what is not JSON comes with headers that keep browsers from guessing", func(t *testing.T) {
		answer := a.Send(t, "GET", "/docs", nil).WantStatus(t, 200)
		if policy := answer.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "script-src 'self' 'unsafe") {
			t.Error(policy)
		}
		if answer.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%v", answer.Header)
		}
	})
}

func TestSpellingOfRateLimitHeaders(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	request, err := http.NewRequest("GET", a.URL()+"/v1/me", nil)
	if err != nil {
		t.Fatal(err)
	}
	raw := exchangeRaw(t, request)
	for _, line := range []string{"\r\nX-RateLimit-Limit: ", "\r\nX-RateLimit-Remaining: ", "\r\nX-RateLimit-Reset: "} {
		if !strings.Contains(raw, line) {
			t.Errorf("%q is not in %s", line, raw)
		}
	}
}

// exchangeRaw gives the very bytes of an answer: Go's client would change the
// spelling of its headers.
func exchangeRaw(t *testing.T, request *http.Request) string {
	t.Helper()
	connection := dial(t, request.URL.Host)
	request.Header.Set("Connection", "close")
	if err := request.Write(connection); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(connection)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func TestHalfARequestIsAnswered(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	for _, head := range []string{
		"POST /v1/parsers HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
		"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n",
	} {
		connection := dial(t, strings.TrimPrefix(a.URL(), "http://"))
		if _, err := io.WriteString(connection, head); err != nil {
			t.Fatal(err)
		}
		// The bare connection's deadline is far beyond the service's patience.
		if answer, err := io.ReadAll(connection); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 ") {
			t.Errorf("%q, %v", answer, err)
		}
	}
}

func TestPathsThatAreNotClean(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	for _, path := range []string{"//v1/me", "/v1/../v1/me", "/v1//me", "/./v1/me", "/v1%2fme", "/%2e/v1/me"} {
		request := func(key string) string {
			connection := dial(t, strings.TrimPrefix(a.URL(), "http://"))
			if _, err := io.WriteString(connection, "GET "+path+" HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-API-Key: "+key+"\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			answer, err := io.ReadAll(connection)
			if err != nil {
				t.Fatal(err)
			}
			return string(answer)
		}
		if answer := request(""); !strings.HasPrefix(answer, "HTTP/1.1 401 ") || !strings.Contains(answer, "X-RateLimit-Limit") {
			t.Errorf("%s without a key: %s", path, answer)
		}
		if answer := request(a.Key); !strings.HasPrefix(answer, "HTTP/1.1 404 ") || !strings.Contains(answer, "RESOURCE_NOT_FOUND") {
			t.Errorf("%s: %s", path, answer)
		}
	}
	a.Send(t, "GET", "/%76%31/me", nil, "X-API-Key", "").WantError(t, 401, "UNAUTHORIZED")
	a.Send(t, "GET", "/docs/nothing", nil).WantError(t, 404, "RESOURCE_NOT_FOUND")
	a.Send(t, "OPTIONS", "/v1/me", nil).WantError(t, 405, "INVALID_PAYLOAD")
	a.Send(t, "GET", "/openapi.yaml", nil, "Range", "bytes=99999999-").WantStatus(t, 200)
}

func TestMetricsTellOfRequests(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	a.Send(t, "GET", "/v1/me", nil)
	a.Send(t, "BREW", "/v1/me", nil)
	a.Send(t, "GET", "/v1/nothing", nil)
	text := a.Send(t, "GET", "/metrics", nil).WantStatus(t, 200).Text
	for _, line := range []string{
		`fieldlift_http_requests_total{method="GET",route="/v1/me",status="200"} 1`,
		`fieldlift_http_requests_total{method="other",route="unmatched",status="405"} 1`,
		`fieldlift_http_requests_total{method="GET",route="unmatched",status="404"} 1`,
		`fieldlift_build_info{`, `fieldlift_database_connections_open `, `fieldlift_documents_waiting 0`, `go_goroutines `,
	} {
		if !strings.Contains(text, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
}

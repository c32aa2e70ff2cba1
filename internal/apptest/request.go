package apptest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"fieldlift/api"
)

// Answer is a response that was read to its end.
type Answer struct {
	Status int
	Header http.Header
	Text   string
}

// Send sends a request with the account's key. A body that is a string goes
// as it is, any other as JSON; nil is none. Header lines are pairs of name
// and value and win over what is set by itself.
func (a *App) Send(t testing.TB, method, path string, body any, header ...string) Answer {
	t.Helper()
	var text string
	switch body := body.(type) {
	case nil:
	case string:
		text = body
	default:
		written, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(written)
	}
	request, err := http.NewRequestWithContext(t.Context(), method, a.URL()+path, strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", a.Key)
	if text != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		request.Header.Del(header[i])
		if header[i+1] != "" {
			request.Header.Set(header[i], header[i+1])
		}
	}
	response, err := a.http.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	read, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Text: string(read)}
}

// Into reads the answer's JSON.
func Into[T any](t testing.TB, a Answer) T {
	t.Helper()
	var value T
	if err := json.Unmarshal([]byte(a.Text), &value); err != nil {
		t.Fatalf("%v in the answer %d %s", err, a.Status, a.Text)
	}
	return value
}

// WantStatus ends the test unless the answer has the status.
func (a Answer) WantStatus(t testing.TB, status int) Answer {
	t.Helper()
	if a.Status != status {
		t.Fatalf("the answer has status %d, want %d: %s", a.Status, status, a.Text)
	}
	return a
}

// WantError ends the test unless the answer is this refusal; it gives the
// error's body.
func (a Answer) WantError(t testing.TB, status int, code string) api.ErrorBody {
	t.Helper()
	a.WantStatus(t, status)
	body := Into[api.ErrorEnvelope](t, a).Error
	if body.Code != code {
		t.Fatalf("the answer has code %s, want %s: %s", body.Code, code, a.Text)
	}
	return body
}

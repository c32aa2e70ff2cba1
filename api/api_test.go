package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"
)

func TestOptional(t *testing.T) {
	type update struct {
		A Optional[string] `json:"a,omitzero"`
	}
	for _, test := range []struct {
		text string
		want Optional[string]
	}{{`{}`, Optional[string]{}}, {`{"a":null}`, Null[string]()}, {`{"a":""}`, Some("")}, {`{"a":"x"}`, Some("x")}} {
		var got update
		if err := json.Unmarshal([]byte(test.text), &got); err != nil || got.A != test.want {
			t.Errorf("%s: %+v, %v", test.text, got.A, err)
		}
		if again, err := json.Marshal(got); err != nil || string(again) != test.text {
			t.Errorf("%s is written again as %s, %v", test.text, again, err)
		}
	}
}

func FuzzOptional(f *testing.F) {
	for _, seed := range []string{`{"s":"x","n":null,"l":[1]}`, `{"s":null}`, `{"n":1e999}`, `{"l":null,"l":[2]}`, `null`, `{"S":"x"}`} {
		f.Add([]byte(seed))
	}
	type members struct {
		S Optional[string] `json:"s,omitzero"`
		N Optional[int64]  `json:"n,omitzero"`
		L Optional[[]int]  `json:"l,omitzero"`
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var first, second members
		if json.Unmarshal(text, &first) != nil {
			return
		}
		written, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &second); err != nil {
			t.Fatalf("%s: %v", written, err)
		}
		again, err := json.Marshal(second)
		if err != nil || string(again) != string(written) {
			t.Errorf("%s became %s, %v", written, again, err)
		}
		if first.S != second.S || first.N != second.N || first.L.Present != second.L.Present || first.L.Null != second.L.Null {
			t.Errorf("%+v became %+v", first, second)
		}
	})
}

func TestTime(t *testing.T) {
	at := Time{time.Date(2026, 5, 3, 11, 30, 0, 1000, time.FixedZone("", 7200))}
	text, err := json.Marshal(at)
	if err != nil || string(text) != `"2026-05-03T09:30:00.000001Z"` {
		t.Errorf("%s, %v", text, err)
	}
	var back Time
	if err := json.Unmarshal(text, &back); err != nil || !back.Equal(at.Time) {
		t.Errorf("%v, %v", back, err)
	}
	if text, err := json.Marshal(Time{}); err != nil || string(text) != "null" {
		t.Errorf("%s, %v", text, err)
	}
	if err := json.Unmarshal([]byte(`"yesterday"`), &back); err == nil {
		t.Error("yesterday is no time")
	}
}

// roundTripper answers without a network, so that time can stand still.
type roundTripper func(*http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r), nil }

func answer(status int, retryAfter, body string) *http.Response {
	recorder := httptest.NewRecorder()
	if retryAfter != "" {
		recorder.Header().Set("Retry-After", retryAfter)
	}
	recorder.WriteHeader(status)
	_, _ = recorder.WriteString(body)
	return recorder.Result()
}

const limited = `{"error":{"code":"RATE_LIMITED","message":"m","request_id":"req_1"}}`

func TestClientHonoursRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		client := NewClient("http://x/", "key", WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) *http.Response {
			if tries++; tries == 1 {
				return answer(429, "37", limited)
			}
			return answer(200, "", `{"user":{"user_id":"usr_1"}}`)
		})}))
		began := time.Now()
		user, err := client.Me(t.Context())
		if err != nil || user.UserID != "usr_1" || time.Since(began) != 37*time.Second {
			t.Errorf("%+v, %v after %v", user, err, time.Since(began))
		}
	})
}

func TestClientRepeatsOnlyWhatIsSafe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tries := 0
		client := NewClient("http://x", "key", WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) *http.Response {
			tries++
			return answer(503, "5", `{"error":{"code":"SERVICE_UNAVAILABLE","message":"m","request_id":"req_1"}}`)
		})}))
		_, err := client.CreateParser(t.Context(), ParserCreate{Name: "n"})
		if refused, ok := errors.AsType[*Error](err); !ok || refused.Code != "SERVICE_UNAVAILABLE" || tries != 1 {
			t.Errorf("%v after %d tries", err, tries)
		}
		tries = 0
		if _, err := client.Me(t.Context()); err == nil || tries != 3 {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}

func TestClientSurvivesStrangers(t *testing.T) {
	client := NewClient("http://x", "key", WithRetries(0), WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) *http.Response {
		return answer(502, "", "<html>Bad gateway</html>")
	})}))
	_, err := client.Me(t.Context())
	if refused, ok := errors.AsType[*Error](err); !ok || refused.Status != 502 || refused.Message == "" {
		t.Errorf("%v", err)
	}
}

func TestWaitLooksLessAndLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var looks []time.Duration
		began := time.Now()
		client := NewClient("http://x", "key", WithRetries(0), WithHTTPClient(&http.Client{Transport: roundTripper(func(*http.Request) *http.Response {
			looks = append(looks, time.Since(began))
			switch len(looks) {
			case 3:
				return answer(429, "30", limited)
			case 40:
				return answer(200, "", `{"extraction":{"extraction_id":"ext_1","status":"partial"}}`)
			}
			return answer(200, "", `{"extraction":{"extraction_id":"ext_1","status":"processing"}}`)
		})}))
		extraction, err := client.Wait(t.Context(), "ext_1")
		if err != nil || extraction.Status != "partial" || len(looks) != 40 {
			t.Fatalf("%+v, %v after %d looks", extraction, err, len(looks))
		}
		if looks[1]-looks[0] != firstLook || looks[3]-looks[2] != 30*time.Second || looks[39]-looks[38] != longestLook {
			t.Errorf("%v", looks)
		}
	})
}

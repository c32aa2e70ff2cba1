package llm

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// count is a number of tokens as a provider writes it: 1000, 1000.0 or "1000".
// What cannot be one is 0, as if nothing was told: for want of a count no
// answer is lost.
type count int64

// mostCounted is more than any count of tokens is; sums of some stay far below
// what can be counted.
const mostCounted = 1e12

func (c *count) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseFloat(strings.Trim(string(text), `"`), 64)
	if err != nil || !(n > 0 && n <= mostCounted) { // nor what is no number
		n = 0
	}
	*c = count(n)
	return nil
}

// content is what a message says: a text, or parts of which some are text.
type content string

func (c *content) UnmarshalJSON(text []byte) error {
	var whole string
	if err := json.Unmarshal(text, &whole); err == nil { // null is nothing
		*c = content(whole)
		return nil
	}
	var parts []json.RawMessage
	if err := json.Unmarshal(text, &parts); err != nil {
		return err
	}
	for _, part := range parts {
		var one struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		if json.Unmarshal(part, &whole) == nil {
			one.Text = whole
		} else if err := json.Unmarshal(part, &one); err != nil {
			return err
		}
		if one.Type == "" || strings.HasSuffix(one.Type, "text") {
			*c += content(one.Text)
		}
	}
	return nil
}

// complaint is an error as providers write it, more or less.
type complaint struct {
	Code    any    `json:"code"` // a status, or a word
	Type    string `json:"type"`
	Status  any    `json:"status"`
	Message string `json:"message"`
}

// readComplaint finds the error in a body; false: there is none.
func readComplaint(body []byte) (complaint, bool) {
	var wrapped struct {
		Error json.RawMessage `json:"error"`
	}
	var one complaint
	if json.Unmarshal(body, &wrapped) != nil {
		var several []json.RawMessage // Gemini's are in a list
		if json.Unmarshal(body, &several) != nil || len(several) == 0 || json.Unmarshal(several[0], &wrapped) != nil {
			return one, false
		}
	}
	if len(wrapped.Error) == 0 || string(wrapped.Error) == "null" {
		return one, false
	}
	if json.Unmarshal(wrapped.Error, &one.Message) == nil {
		return one, one.Message != ""
	}
	return one, json.Unmarshal(wrapped.Error, &one) == nil && (one.Code != nil || one.Type != "" || one.Message != "")
}

// status is that of HTTP which the complaint should have come with; 0: it does
// not tell.
func (c complaint) status() int {
	for _, told := range []any{c.Code, c.Status} {
		switch told := told.(type) {
		case float64:
			if told >= 400 && told < 600 {
				return int(told)
			}
		case string:
			if n, err := strconv.Atoi(told); err == nil && n >= 400 && n < 600 {
				return n
			}
		}
	}
	switch said := strings.ToLower(c.words()); {
	case strings.Contains(said, "rate_limit"), strings.Contains(said, "resource_exhausted"):
		return http.StatusTooManyRequests
	case strings.Contains(said, "overloaded"), strings.Contains(said, "unavailable"):
		return http.StatusServiceUnavailable
	}
	return 0
}

// words are what the complaint is called, without what it says to people.
func (c complaint) words() string {
	all := []string{c.Type}
	for _, told := range []any{c.Code, c.Status} {
		if word, ok := told.(string); ok {
			all = append(all, word)
		}
	}
	return strings.Join(all, " ")
}

package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"fieldlift"
)

// provider speaks one protocol. It tries nothing again by itself.
type provider interface {
	ask(ctx context.Context, c call) (reply, error)
	// check finds out whether the model can be asked, without asking it anything.
	check(ctx context.Context) error
}

// call is one exchange as providers understand it.
type call struct {
	system   string
	turns    []turn // the first is ours, then the model's and ours alternate
	form     json.RawMessage
	pictures []picture // belong to the first turn
	longest  int64     // the answer may be, in tokens
	manners
}

// turn is what one side said.
type turn struct {
	ours bool
	text string
}

// picture is a page as it looks.
type picture struct {
	page int
	png  []byte
}

// reply is what a model answered.
type reply struct {
	text    string
	cut     bool   // it was longer than it may be
	refusal string // why there is none; "" when there is one
	tokens  fieldlift.ModelTokens
}

// strictness is how far a provider binds a model to a form.
type strictness int

const (
	bySchema strictness = iota // answers keep to the schema
	byJSON                     // answers are JSON
	byWords                    // the prompt alone asks for it
	noFurther
)

// fault is what came instead of an answer.
type fault struct {
	status     int // of HTTP; 0: no answer came
	message    string
	retryAfter time.Duration // as the provider asks; 0: it does not
	err        error
}

// Error tells nothing of what the provider says: that may repeat what was sent.
func (f *fault) Error() string {
	switch {
	case f.useless():
		return "the model's provider gave no answer that can be used: " + f.err.Error()
	case f.status == 0:
		return "the model's provider cannot be reached: " + f.err.Error()
	case f.status == http.StatusUnauthorized || f.status == http.StatusForbidden || f.status == http.StatusBadRequest && f.namesKey():
		return fmt.Sprintf("the model's provider does not take the key that --model-key gives (status %d)", f.status)
	case f.refusesUs():
		return fmt.Sprintf("the model's provider does not know the address or the model, or wants to be paid: see --model-url and --model (status %d)", f.status)
	}
	return fmt.Sprintf("the model's provider answers %d", f.status)
}

func (f *fault) Unwrap() error { return f.err }

// away reports whether trying again later may help.
func (f *fault) away() bool {
	return f.status == 0 && !f.useless() || f.status == http.StatusRequestTimeout || f.status == http.StatusTooManyRequests ||
		f.status == http.StatusConflict || f.status >= 500
}

// useless reports whether the question was taken, and no answer to it came that
// is any good: less must be asked at once, or nothing.
func (f *fault) useless() bool {
	return errors.Is(f.err, errSlow) || errors.Is(f.err, errEndless) || errors.Is(f.err, errStrange)
}

// counts reports whether it says of the provider, and not of the question, that
// something is amiss.
func (f *fault) counts() bool {
	return f.away() || f.refusesUs() || f.useless() && !errors.Is(f.err, errEndless)
}

// refusesUs reports whether it is our key, our address or the model's name
// that the provider does not take: the operator can help, the document cannot.
func (f *fault) refusesUs() bool {
	switch f.status {
	case http.StatusUnauthorized, http.StatusPaymentRequired, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed:
		return true
	case http.StatusBadRequest:
		return f.namesKey() || f.namesModel()
	}
	return f.status >= 300 && f.status < 400 // we are led elsewhere, and do not go
}

// mayBeTheQuestions reports whether a refusal of ours may come of what one
// question says: of a filter before the provider, or of words that it repeats.
func (f *fault) mayBeTheQuestions() bool {
	return f.status == http.StatusForbidden || f.status == http.StatusBadRequest
}

// namesKey and namesModel tell what a provider complains of that knows no
// better status than 400.
func (f *fault) namesKey() bool {
	return f.says("api key not valid", "api_key_invalid", "invalid api key", "invalid_api_key", "incorrect api key", "api key expired",
		"api key is invalid", "api key is missing", "missing api key", "no api key", "authentication_error", "invalid x-api-key")
}

func (f *fault) namesModel() bool {
	return f.says("model not exist", "model_not_exist", "model does not exist", "model_not_found", "model not found", "unknown model", "unknown_model",
		"invalid model", "invalid_model", "no such model", "not a valid model", "model is not found", "model name is invalid") ||
		quotedModel.MatchString(f.complaint())
}

// quotedModel is a complaint with the model's name in it: "The model `x` does
// not exist".
var quotedModel = regexp.MustCompile(`\bmodels?\W{1,3}\S{1,100} (does not exist|not found|is not found|is unknown|was not found)`)

func (f *fault) says(signs ...string) bool {
	text := f.complaint()
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}

// complaint is what a provider says is wrong, without what it repeats at length.
func (f *fault) complaint() string {
	text := f.message
	if c, ok := readComplaint([]byte(text)); ok {
		text = c.words() + " " + c.Message
	}
	return strings.ToLower(text[:min(len(text), longestComplaint)])
}

const longestComplaint = 400

// tooLong reports whether more was sent than the model can read.
func (f *fault) tooLong() bool {
	if f.status == http.StatusRequestEntityTooLarge {
		return true
	}
	text := strings.ToLower(f.message)
	for _, sign := range []string{"context length", "context_length", "context window", "context size", "too long", "maximum context", "too many tokens", "exceeds the available"} {
		if strings.Contains(text, sign) {
			return f.status == http.StatusBadRequest
		}
	}
	return false
}

// readRetryAfter reads how long a provider asks to be left alone.
func readRetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return min(time.Duration(ms)*time.Millisecond, longestRetryAfter)
	}
	text := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, longestRetryAfter.Seconds()) * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return min(at.Sub(now), longestRetryAfter)
	}
	return 0
}

// longestRetryAfter bounds how long a provider can put us off.
const longestRetryAfter = 15 * time.Minute

// manners is how a provider wants to be asked.
type manners struct {
	strict   strictness
	plain    bool // without a temperature: some models have but one
	oldLimit bool // max_tokens instead of max_completion_tokens
}

// giveWay changes manners after a refusal, and reports whether asking anew may
// help.
func (m *manners) giveWay(f *fault) bool {
	if f.status != http.StatusBadRequest && f.status != http.StatusUnprocessableEntity && f.status != http.StatusNotImplemented {
		return false
	}
	text := strings.ToLower(f.message)
	switch {
	case strings.Contains(text, "max_completion_tokens") && !m.oldLimit:
		m.oldLimit = true
	case strings.Contains(text, "temperature") && !m.plain:
		m.plain = true
	case m.strict+1 < noFurther:
		m.strict++ // whatever it says of formats and schemas: servers differ in their words
	default:
		return false
	}
	return true
}

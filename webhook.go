package fieldlift

import (
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// WebhookKind says who manages a webhook, and with that which events it gets.
type WebhookKind string

// The kinds of webhooks.
const (
	APIWebhook       WebhookKind = "api"       // made through the interface: extraction.* events
	DashboardWebhook WebhookKind = "dashboard" // made in the dashboard or by the operator: batch.* events
)

// Webhook is a receiver of an account's events.
type Webhook struct {
	ID           string
	AccountID    string
	Kind         WebhookKind
	ParserID     string // only events of this parser; "" for all
	URL          string
	Events       []EventType
	Active       bool   // a paused webhook gets nothing
	PausedReason string // why the service paused it; "" when its owner did, or it is active
	Static       bool   // a secret is sent with each request
	CreatedAt    time.Time
}

// Wants reports whether the webhook subscribed to an event of a parser.
func (w Webhook) Wants(t EventType, parserID string) bool {
	return slices.Contains(w.Events, t) && (w.ParserID == "" || w.ParserID == parserID)
}

// Host is where the webhook's URL leads, without what may be secret in it.
func (w Webhook) Host() string {
	u, err := url.Parse(w.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// CallThrottles are what the calls of webhooks count against that a person asks
// for by hand: nobody's receiver is to be flooded by it.
func CallThrottles(accountID string) []Throttle {
	return []Throttle{{Bucket: "calls for " + accountID, Free: 60, Longest: 10 * time.Second}}
}

// WebhookSecrets are what a webhook's requests are verified with.
type WebhookSecrets struct {
	Signing string   // the key of signatures
	Former  []string // those before it that are still valid, newest first
	Static  string   // sent verbatim; "" when none was configured
}

// WebhookChange holds what an update sets; nil leaves a thing as it is.
type WebhookChange struct {
	URL    *string
	Events []EventType
	Active *bool
	Static *string // "" removes it
}

// Limits of webhooks.
const (
	MinStaticSecret = 8   // characters
	MaxStaticSecret = 255 // characters
	MaxWebhookURL   = 2048
)

// SecretOverlap is how long a signing secret stays valid after it was rotated.
const SecretOverlap = 24 * time.Hour

// MaxFormerSecrets is how many signing secrets that were rotated can be valid
// at once: each makes the header of signatures longer.
const MaxFormerSecrets = 5

// signingPrefix tells secret scanners, and the libraries of Standard Webhooks,
// what the text is.
const signingPrefix = "whsec_"

// NewSigningSecret makes the key of a webhook's signatures.
func NewSigningSecret() string {
	var key [32]byte
	_, _ = rand.Read(key[:]) // never fails: crypto/rand ends the program instead
	return signingPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// SigningKey gives the bytes that a signing secret stands for.
func SigningKey(secret string) ([]byte, error) {
	return base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, signingPrefix))
}

// ParseEvents checks the events that a webhook of a kind is to get. What is
// named twice stands in the list once.
func ParseEvents(kind WebhookKind, given []string) ([]EventType, []Detail) {
	known := EventsOf(kind)
	if len(given) == 0 {
		return nil, []Detail{{"events", "required", "events must name at least one of " + listed(known) + "."}}
	}
	var events []EventType
	var found []Detail
	for i, text := range given {
		switch t := EventType(text); {
		case !slices.Contains(known, t):
			found = append(found, Detail{fmt.Sprintf("events[%d]", i), "enum", fmt.Sprintf("%q is not an event; use %s.", text, listed(known))})
		case !slices.Contains(events, t):
			events = append(events, t)
		}
	}
	return events, found
}

func listed(types []EventType) string {
	texts := make([]string, 0, len(types))
	for _, t := range types {
		texts = append(texts, string(t))
	}
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// CheckStaticSecret lists what is wrong with a secret that is sent verbatim:
// what is no header's value cannot be.
func CheckStaticSecret(field, secret string) []Detail {
	length := utf8.RuneCountInString(secret)
	switch {
	case length < MinStaticSecret:
		return []Detail{{field, "min_length", fmt.Sprintf("%s must have at least %d characters.", field, MinStaticSecret)}}
	case length > MaxStaticSecret:
		return []Detail{{field, "max_length", fmt.Sprintf("%s must have at most %d characters.", field, MaxStaticSecret)}}
	case strings.ContainsFunc(secret, func(r rune) bool { return r < ' ' || r > '~' }) || strings.TrimSpace(secret) != secret:
		return []Detail{{field, "format", field + " goes into a header: only printable ASCII is possible, and no space at its ends."}}
	}
	return nil
}

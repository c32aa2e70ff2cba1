package fieldlift

import (
	"slices"
	"strings"
	"testing"
)

func TestParseEvents(t *testing.T) {
	for _, test := range []struct {
		kind   WebhookKind
		given  []string
		events []EventType
		wrong  string // the fields that are named
	}{
		{APIWebhook, []string{"extraction.job_completed"}, []EventType{EventJobCompleted}, ""},
		{APIWebhook, []string{"extraction.job_completed", "extraction.document_completed", "extraction.job_completed"}, []EventType{EventJobCompleted, EventDocumentCompleted}, ""},
		{APIWebhook, nil, nil, "events"},
		{APIWebhook, []string{"", "batch.failed"}, nil, "events[0] events[1]"},
		{DashboardWebhook, []string{"batch.failed", "extraction.job_completed"}, []EventType{EventBatchFailed}, "events[1]"},
	} {
		events, found := ParseEvents(test.kind, test.given)
		var fields []string
		for _, d := range found {
			fields = append(fields, d.Field)
		}
		if !slices.Equal(events, test.events) || strings.Join(fields, " ") != test.wrong {
			t.Errorf("%q: %v, %+v", test.given, events, found)
		}
	}
}

func TestCheckStaticSecret(t *testing.T) {
	for secret, issue := range map[string]string{
		"12345678": "", "with a space": "", strings.Repeat("x", 255): "",
		"1234567": "min_length", "": "min_length", strings.Repeat("x", 256): "max_length",
		"line\nbreak": "format", "ends with ": "format", "grün und blau": "format", "nul\x00nul\x00": "format",
	} {
		found := CheckStaticSecret("secret", secret)
		if issue == "" && found != nil || issue != "" && (len(found) != 1 || found[0].Issue != issue) {
			t.Errorf("%q: %+v", secret, found)
		}
	}
}

func TestSigningSecrets(t *testing.T) {
	one, other := NewSigningSecret(), NewSigningSecret()
	key, err := SigningKey(one)
	if err != nil || len(key) != 32 || one == other || !strings.HasPrefix(one, "whsec_") {
		t.Errorf("%s, %s, %v", one, other, err)
	}
}

func TestSchedule(t *testing.T) {
	for retries := range int64(8) {
		wait, again := DefaultSchedule.After(retries)
		if again != (retries < 5) || again && wait.Minutes() != float64(int64(5)<<retries) {
			t.Errorf("after %d retries: %v, %v", retries, wait, again)
		}
	}
}

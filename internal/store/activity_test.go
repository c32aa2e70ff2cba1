package store_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/seal"
	"fieldlift/internal/store"
)

// told lists an account's activities as sentences, newest first.
func told(t testing.TB, s *store.Store, accountID, group string) (sentences []string) {
	t.Helper()
	list, more, err := s.Activities(t.Context(), accountID, fieldlift.ActivityFilter{Group: group}, fieldlift.Page{Limit: 1000})
	if err != nil || more {
		t.Fatal(more, err)
	}
	for _, a := range list {
		if a.AccountID != accountID {
			t.Errorf("%+v is another account's", a)
		}
		sentences = append(sentences, a.Actor.String()+" "+a.String())
	}
	return sentences
}

func TestEveryActIsNotedOnce(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		var err error
		if o.Box, err = seal.New(strings.Repeat("ab", 32)); err != nil {
			t.Fatal(err)
		}
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 10)
		other := newAccount(t, s, "bob@example.com", 10)
		ctx := fieldlift.WithActor(t.Context(), fieldlift.Actor{Kind: fieldlift.Person, Name: a.Email})
		var hook fieldlift.Webhook
		var session fieldlift.Session
		var accepted fieldlift.Accepted
		var p fieldlift.Parser
		steps := []struct {
			want string
			do   func() error
		}{
			{"ada@example.com granted 7 credits", func() error {
				_, err := s.AddPurchase(ctx, fieldlift.Purchase{AccountID: a.ID, Source: fieldlift.SourceGrant, Credits: 7})
				return err
			}},
			{"ada@example.com created the key ci", func() error {
				_, err := s.CreateKey(ctx, fieldlift.Key{AccountID: a.ID, Name: "ci"}, fieldlift.NewFullKey(false))
				return err
			}},
			{"ada@example.com revoked the key ci", func() error { return s.RevokeKey(ctx, a.ID, "ci") }},
			{"ada@example.com created the parser P", func() (err error) {
				p, err = s.CreateParser(ctx, fieldlift.Parser{AccountID: a.ID, Name: "P", ResultMode: fieldlift.OnePerFile})
				return err
			}},
			{"ada@example.com changed the parser Q", func() error {
				_, err := s.UpdateParser(ctx, a.ID, p.ID, fieldlift.ParserChange{Name: new("Q")})
				return err
			}},
			{"ada@example.com detected the fields of the parser Q", func() error {
				_, err := s.AcceptDetection(ctx, fieldlift.Detection{
					ID: fieldlift.NewID(fieldlift.DetectionPrefix), ParserID: p.ID, Replace: true,
					Sample:   fieldlift.Sample{ID: fieldlift.NewID(fieldlift.SamplePrefix), AccountID: a.ID, Filename: "a.pdf", PageCount: 1},
					Proposal: fieldlift.Proposal{Fields: []fieldlift.Field{{Name: "total", Type: fieldlift.NumberField}}},
				})
				return err
			}},
			{"ada@example.com submitted the extraction March", func() (err error) {
				in := submission(t, s, a, 1)
				in.Extraction.Name = "March"
				accepted, _, err = s.Submit(ctx, in)
				return err
			}},
			{"ada@example.com deleted the extraction March", func() error {
				if err := s.CompleteDocument(t.Context(), begin(t, s), result, 0); err != nil {
					return err
				}
				return s.DeleteExtraction(ctx, a.ID, accepted.Extraction.ID)
			}},
			{"ada@example.com created the webhook to example.com", func() (err error) {
				hook, err = s.CreateWebhook(ctx, fieldlift.Webhook{
					AccountID: a.ID, Kind: fieldlift.APIWebhook, URL: "https://example.com/secret?token=1", Events: []fieldlift.EventType{fieldlift.EventJobCompleted},
				}, fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}, 5)
				return err
			}},
			{"ada@example.com paused the webhook to example.com", func() error { return setActive(ctx, s, hook, false) }},
			{"ada@example.com resumed the webhook to example.com", func() error { return setActive(ctx, s, hook, true) }},
			{"ada@example.com changed the webhook to example.org:8443", func() (err error) {
				hook, err = s.UpdateWebhook(ctx, a.ID, hook.Kind, hook.ID, fieldlift.WebhookChange{URL: new("https://example.org:8443/x")})
				return err
			}},
			{"ada@example.com rotated the secret of the webhook to example.org:8443", func() error {
				_, err := s.RotateSecret(ctx, a.ID, hook.Kind, hook.ID, fieldlift.NewSigningSecret())
				return err
			}},
			{"ada@example.com tested the webhook to example.org:8443", func() error { return keepTest(ctx, s, hook, "") }},
			{"ada@example.com had an event delivered again to example.org:8443", func() error {
				deliveries, _, err := s.Deliveries(ctx, hook.ID, "", fieldlift.Page{Limit: 1})
				if err != nil {
					return err
				}
				_, err = s.Redeliver(ctx, hook, deliveries[0].Delivery.ID)
				return err
			}},
			{"ada@example.com deleted the webhook to example.org:8443", func() error { return s.DeleteWebhook(ctx, a.ID, hook.Kind, hook.ID) }},
			{"ada@example.com deleted the parser Q", func() error { return s.DeleteParser(ctx, a.ID, p.ID) }},
			{"ada@example.com signed in", func() (err error) {
				session, err = s.OpenSession(ctx, fieldlift.Session{AccountID: a.ID}, fieldlift.NewSessionToken())
				return err
			}},
			{"ada@example.com signed out", func() error { return s.EndSession(ctx, a.ID, session.ID, fieldlift.SignedOut) }},
			{"ada@example.com signed in", func() (err error) {
				session, err = s.OpenSession(ctx, fieldlift.Session{AccountID: a.ID}, fieldlift.NewSessionToken())
				return err
			}},
			{"ada@example.com ended all other sessions", func() error { return s.EndOtherSessions(ctx, a.ID, "another") }},
			{"ada@example.com changed the password", func() error { return s.ChangePassword(ctx, a.ID, "hash", session.ID) }},
		}
		before := len(told(t, s, a.ID, ""))
		for i, step := range steps {
			if err := step.do(); err != nil {
				t.Fatal(step.want, err)
			}
			if all := told(t, s, a.ID, ""); all[0] != step.want || len(all) != before+i+1 {
				t.Fatalf("%q, %d activities; want %q, %d", all[0], len(all), step.want, before+i+1)
			}
		}
		if got := told(t, s, a.ID, "key"); len(got) != 2 || !strings.Contains(got[0], "revoked") {
			t.Errorf("%q", got)
		}
		if got := told(t, s, other.ID, ""); len(got) != 1 || got[0] != "Fieldlift created the account" {
			t.Errorf("%q", got)
		}
	})
}

func setActive(ctx context.Context, s *store.Store, w fieldlift.Webhook, active bool) error {
	_, err := s.UpdateWebhook(ctx, w.AccountID, w.Kind, w.ID, fieldlift.WebhookChange{Active: &active})
	return err
}

func keepTest(ctx context.Context, s *store.Store, w fieldlift.Webhook, pause string) error {
	e := fieldlift.NewTest(time.Now(), w.AccountID, w.Kind)
	return s.KeepTest(ctx, e, fieldlift.AttemptEnd{Pause: pause, Attempt: fieldlift.Attempt{
		DeliveryID: fieldlift.NewID(fieldlift.DeliveryPrefix), WebhookID: w.ID, EventType: e.Type, Status: fieldlift.DeliverySuccess, AttemptedAt: time.Now(),
	}})
}

func TestWhatIsRefusedIsNotNoted(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a, b := newAccount(t, s, "ada@example.com", 0), newAccount(t, s, "bob@example.com", 0)
		p, err := s.CreateParser(t.Context(), fieldlift.Parser{AccountID: a.ID, Name: "P", ResultMode: fieldlift.OnePerFile})
		if err != nil {
			t.Fatal(err)
		}
		before := len(told(t, s, a.ID, ""))
		wantCode(t, s.RevokeKey(t.Context(), a.ID, "none"), fieldlift.ResourceNotFound)
		wantCode(t, s.DeleteParser(t.Context(), b.ID, p.ID), fieldlift.ParserNotFound)
		_, err = s.CreateParser(t.Context(), fieldlift.Parser{AccountID: a.ID, Name: "P", ResultMode: fieldlift.OnePerFile})
		wantCode(t, err, fieldlift.Conflict)
		_, _, err = s.Submit(t.Context(), submission(t, s, a, 1))
		wantCode(t, err, fieldlift.InsufficientCredits)
		if after := told(t, s, a.ID, ""); len(after) != before {
			t.Errorf("%q", after)
		}
		if after := told(t, s, b.ID, ""); len(after) != 1 {
			t.Errorf("%q", after)
		}
	})
}

func TestWebhookThatIsGoneIsPausedByTheService(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		var err error
		if o.Box, err = seal.New(strings.Repeat("ab", 32)); err != nil {
			t.Fatal(err)
		}
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 0)
		w, err := s.CreateWebhook(t.Context(), fieldlift.Webhook{
			AccountID: a.ID, Kind: fieldlift.APIWebhook, URL: "https://example.com", Events: []fieldlift.EventType{fieldlift.EventJobCompleted},
		}, fieldlift.WebhookSecrets{Signing: fieldlift.NewSigningSecret()}, 5)
		if err != nil {
			t.Fatal(err)
		}
		ctx := fieldlift.WithActor(t.Context(), fieldlift.Actor{Kind: fieldlift.APIKey, Name: "ci"})
		for range 2 { // the second finds it paused
			if err := keepTest(ctx, s, w, "gone"); err != nil {
				t.Fatal(err)
			}
		}
		want := []string{
			"The key ci tested the webhook to example.com", "Fieldlift paused the webhook to example.com",
			"The key ci tested the webhook to example.com", "Fieldlift created the webhook to example.com",
		}
		if got := told(t, s, a.ID, "webhook"); strings.Join(got, "\n") != strings.Join(want, "\n") {
			t.Errorf("%q", got)
		}
	})
}

func TestRefusalsDoNotFillTheDatabase(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Now = func() time.Time { return now }
		s := open(t, o)
		a, b := newAccount(t, s, "ada@example.com", 0), newAccount(t, s, "bob@example.com", 0)
		// They are noted beside the request; a store that is closed has noted all.
		refuse := func(accountID string, times int) int {
			for range times {
				s.NoteRefusal(accountID)
				s.Close()
				s = open(t, o)
			}
			return len(told(t, s, accountID, "session"))
		}
		if got := refuse(a.ID, 12); got != 10 {
			t.Errorf("%d refusals are noted within an hour", got)
		}
		if got := refuse(b.ID, 1); got != 1 {
			t.Error("one account's refusals count for another")
		}
		now = now.Add(61 * time.Minute)
		if got := refuse(a.ID, 1); got != 11 {
			t.Errorf("%d refusals are noted after an hour", got)
		}
	})
}

func TestActivitiesPageByPage(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Now = func() time.Time { return now } // all at one moment: only ids part them
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 0)
		for i := range 7 {
			if _, err := s.CreateKey(t.Context(), fieldlift.Key{AccountID: a.ID, Name: fmt.Sprint("k", i)}, fieldlift.NewFullKey(false)); err != nil {
				t.Fatal(err)
			}
		}
		for group, want := range map[string]int{"": 8, "key": 7, "webhook": 0} {
			seen := map[string]bool{}
			page := fieldlift.Page{Limit: 3}
			for more := true; more; {
				var list []fieldlift.Activity
				var err error
				if list, more, err = s.Activities(t.Context(), a.ID, fieldlift.ActivityFilter{Group: group}, page); err != nil {
					t.Fatal(err)
				}
				for _, one := range list {
					if seen[one.ID] {
						t.Errorf("%s comes twice", one.ID)
					}
					seen[one.ID] = true
					page.After = fieldlift.Cursor{At: one.At, ID: one.ID}
				}
			}
			if len(seen) != want {
				t.Errorf("%d activities of the group %q, want %d", len(seen), group, want)
			}
		}
	})
}

func TestOldActivitiesGo(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Now = func() time.Time { return now }
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 0)
		now = now.Add(time.Hour)
		if _, err := s.AddPurchase(t.Context(), fieldlift.Purchase{AccountID: a.ID, Source: fieldlift.SourceGrant, Credits: 1}); err != nil {
			t.Fatal(err)
		}
		if err := s.ForgetActivities(t.Context(), now.Add(-time.Minute)); err != nil {
			t.Fatal(err)
		}
		if got := told(t, s, a.ID, ""); len(got) != 1 || got[0] != "Fieldlift granted 1 credit" {
			t.Errorf("%q", got)
		}
	})
}

// TestCorrectionsAreOneActForAWhile: value by value would fill the log.
func TestCorrectionsAreOneActForAWhile(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Now = func() time.Time { return now }
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 100)
		d := completed(t, s, a)
		correct := func(by, value string) {
			t.Helper()
			now = now.Add(time.Second)
			ctx := fieldlift.WithActor(t.Context(), fieldlift.Actor{Kind: fieldlift.Person, Name: by})
			if _, err := s.Correct(ctx, a.ID, d.ExtractionID, d.ID, ada, setTotal(value)); err != nil {
				t.Fatal(err)
			}
		}
		correct("ada@example.com", "2")
		correct("ada@example.com", "3")
		correct("bob@example.com", "4")
		correct("ada@example.com", "5")
		now = now.Add(2 * time.Hour)
		correct("ada@example.com", "6")
		wantLines(t, told(t, s, a.ID, "document"),
			"ada@example.com corrected the document "+d.Filename, "ada@example.com corrected the document "+d.Filename,
			"bob@example.com corrected the document "+d.Filename, "ada@example.com corrected the document "+d.Filename)
	})
}

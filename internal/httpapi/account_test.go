package httpapi_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
)

// Subtests whose names are whole sentences quote the specification.

func TestMe(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)

		t.Run("GET /v1/me: 200 { user }.", func(t *testing.T) {
			user, err := a.Client().Me(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			want := api.User{
				UserID: a.Account.ID, Email: "ada@example.com", Name: "Ada", CreditsAvailable: 1000,
				KeyName: "first", MemberSince: api.Time{Time: a.Account.CreatedAt},
			}
			if diff := cmp.Diff(want, user); diff != "" {
				t.Error(diff)
			}
		})
		t.Run("key_expires_at: Null when the key never expires.", func(t *testing.T) {
			answer := a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
			if !strings.Contains(answer.Text, `"key_expires_at":null`) {
				t.Error(answer.Text)
			}
			expires := time.Now().Add(time.Hour).Truncate(time.Microsecond)
			full := a.NewExpiringKey(t, a.Account, "short", expires)
			user, err := a.ClientFor(full).Me(t.Context())
			if err != nil || !user.KeyExpiresAt.Equal(expires) || user.KeyName != "short" {
				t.Errorf("%+v, %v", user, err)
			}
		})
		t.Run("credits_available: Total non-expired credits remaining.", func(t *testing.T) {
			account := a.NewAccount(t, "lots@example.com", 7)
			grant(t, a, account, 5, time.Now().Add(time.Hour))
			grant(t, a, account, 100, time.Now().Add(-time.Hour))
			user, err := a.ClientFor(a.NewKey(t, account, "k")).Me(t.Context())
			if err != nil || user.CreditsAvailable != 12 {
				t.Errorf("%+v, %v", user, err)
			}
		})
		t.Run("Timestamps are ISO 8601 strings.", func(t *testing.T) {
			answer := a.Send(t, "GET", "/v1/me", nil)
			if !regexp.MustCompile(`"member_since":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"`).MatchString(answer.Text) {
				t.Error(answer.Text)
			}
		})
	})
}

func TestCredits(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		soon, later := time.Now().Add(time.Hour), time.Now().Add(48*time.Hour)
		grant(t, a, a.Account, 20, later)
		grant(t, a, a.Account, 10, soon)
		grant(t, a, a.Account, 999, time.Now().Add(-time.Second))

		t.Run("GET /v1/credits: 200 { credits } with credits.available; a breakdown of active purchases is also offered.", func(t *testing.T) {
			credits, err := a.Client().Credits(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if credits.Available != 1030 || credits.Used != 0 {
				t.Errorf("%+v", credits)
			}
			var lots []int64
			for _, p := range credits.Purchases {
				lots = append(lots, p.CreditsRemaining)
			}
			if diff := cmp.Diff([]int64{10, 20, 1000}, lots); diff != "" {
				t.Errorf("not soonest expiry first: %s", diff)
			}
			if credits.Purchases[2].Source != "signup" || !credits.Purchases[2].ExpiresAt.IsZero() || credits.Purchases[0].Source != "grant" {
				t.Errorf("%+v", credits.Purchases)
			}
		})
		t.Run("what is charged is used, soonest expiry first", func(t *testing.T) {
			if err := a.Store.Charge(t.Context(), a.Account.ID, "ext_1", 15); err != nil {
				t.Fatal(err)
			}
			credits, err := a.Client().Credits(t.Context())
			if err != nil || credits.Available != 1015 || credits.Used != 15 || len(credits.Purchases) != 2 || credits.Purchases[0].CreditsRemaining != 15 {
				t.Errorf("%+v, %v", credits, err)
			}
		})
		t.Run("an account without credits has none, not an error", func(t *testing.T) {
			answer := a.Send(t, "GET", "/v1/credits", nil, "X-API-Key", a.NewKey(t, a.NewAccount(t, "none@example.com", 0), "k")).WantStatus(t, 200)
			if answer.Text != `{"credits":{"available":0,"used":0,"purchases":[]}}`+"\n" {
				t.Error(answer.Text)
			}
		})
	})
}

func grant(t *testing.T, a *apptest.App, account fieldlift.Account, credits int64, expires time.Time) {
	t.Helper()
	if _, err := a.Store.AddPurchase(t.Context(), fieldlift.Purchase{
		AccountID: account.ID, Source: fieldlift.SourceGrant, Credits: credits, ExpiresAt: expires,
	}); err != nil {
		t.Fatal(err)
	}
}

func TestAuthentication(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		t.Run("GET /v1/me confirms a key is valid.", func(t *testing.T) {
			a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
		})
		t.Run("Missing header, unknown key, revoked key or expired key gives 401 UNAUTHORIZED.", func(t *testing.T) {
			revoked := a.NewKey(t, a.Account, "revoked")
			if err := a.Store.RevokeKey(t.Context(), a.Account.ID, "revoked"); err != nil {
				t.Fatal(err)
			}
			var bodies []string
			for name, key := range map[string]string{
				"missing":  "",
				"unknown":  fieldlift.NewFullKey(true),
				"revoked":  revoked,
				"expired":  a.NewExpiringKey(t, a.Account, "expired", time.Now().Add(-time.Second)),
				"garbage":  "svc_live_short",
				"mistyped": a.Key[:len(a.Key)-1] + "!",
			} {
				answer := a.Send(t, "GET", "/v1/me", nil, "X-API-Key", key)
				body := answer.WantError(t, 401, "UNAUTHORIZED")
				if body.RequestID != answer.Header.Get("X-Request-Id") {
					t.Errorf("%s: another request id in the body", name)
				}
				bodies = append(bodies, strings.ReplaceAll(answer.Text, body.RequestID, ""))
			}
			for _, body := range bodies {
				if body != bodies[0] {
					t.Errorf("401s differ: %s and %s", bodies[0], body)
				}
			}
		})
		t.Run("Multiple keys may exist per account. A key can be revoked, effective at once.", func(t *testing.T) {
			second := a.NewKey(t, a.Account, "second")
			a.Send(t, "GET", "/v1/me", nil, "X-API-Key", second).WantStatus(t, 200)
			if err := a.Store.RevokeKey(t.Context(), a.Account.ID, "second"); err != nil {
				t.Fatal(err)
			}
			a.Send(t, "GET", "/v1/me", nil, "X-API-Key", second).WantError(t, 401, "UNAUTHORIZED")
			a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
		})
		t.Run("All endpoints need the X-API-Key header.", func(t *testing.T) {
			for _, path := range []string{"/v1/me", "/v1/credits", "/v1/parsers", "/v1/parsers/par_x", "/v1/nothing", "/v1"} {
				a.Send(t, "GET", path, nil, "X-API-Key", "").WantError(t, 401, "UNAUTHORIZED")
			}
			a.Send(t, "POST", "/v1/parsers", "{}", "X-API-Key", "").WantError(t, 401, "UNAUTHORIZED")
			a.Send(t, "PATCH", "/v1/parsers/par_x", "{}", "X-API-Key", "").WantError(t, 401, "UNAUTHORIZED")
			a.Send(t, "DELETE", "/v1/parsers/par_x", nil, "X-API-Key", "").WantError(t, 401, "UNAUTHORIZED")
		})
		t.Run("Production keys start with the prefix svc_live_.", func(t *testing.T) {
			if !strings.HasPrefix(fieldlift.NewFullKey(true), "svc_live_") || !strings.HasPrefix(fieldlift.NewFullKey(false), "svc_test_") {
				t.Error("a key has another prefix")
			}
		})
	})
}

func TestRevocationHoldsOnEveryNode(t *testing.T) {
	on := apptest.OnPostgres(t)
	a := apptest.Start(t, on)
	b := apptest.Launch(t, on)
	b.Key = a.Key
	b.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
	if err := a.Store.RevokeKey(t.Context(), a.Account.ID, "first"); err != nil {
		t.Fatal(err)
	}
	for _, node := range []*apptest.App{a, b} {
		node.Send(t, "GET", "/v1/me", nil).WantError(t, 401, "UNAUTHORIZED")
	}
}

func TestExpiryTakesEffectAtTheNextRequest(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		clock := newClock()
		a := apptest.Start(t, on, apptest.With(func(c *app.Config) { c.Now = clock.now }))
		key := a.NewExpiringKey(t, a.Account, "brief", clock.now().Add(time.Minute))
		a.Send(t, "GET", "/v1/me", nil, "X-API-Key", key).WantStatus(t, http.StatusOK)
		clock.advance(time.Minute)
		a.Send(t, "GET", "/v1/me", nil, "X-API-Key", key).WantError(t, 401, "UNAUTHORIZED")
	})
}

func TestLastUseIsNoted(t *testing.T) {
	apptest.OnEach(t, func(t *testing.T, on apptest.Option) {
		clock := newClock()
		a := apptest.Start(t, on, apptest.With(func(c *app.Config) { c.Now = clock.now }))
		lastUse := func() time.Time {
			keys, err := a.Store.Keys(t.Context(), a.Account.ID)
			if err != nil || len(keys) != 1 {
				t.Fatal(keys, err)
			}
			return keys[0].LastUsedAt
		}
		if !lastUse().IsZero() {
			t.Error("a key that was never used has a time of use")
		}
		// It is noted beside the request, so it may take a moment.
		await := func(want time.Time) {
			t.Helper()
			for deadline := time.Now().Add(20 * time.Second); !lastUse().Equal(want); {
				if time.Now().After(deadline) {
					t.Fatalf("used at %v, noted %v", want, lastUse())
				}
			}
		}
		a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
		await(clock.now())
		first := lastUse()
		clock.advance(30 * time.Second)
		a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
		if !lastUse().Equal(first) {
			t.Error("the time of use was written again within a minute")
		}
		clock.advance(31 * time.Second)
		a.Send(t, "GET", "/v1/me", nil).WantStatus(t, 200)
		await(clock.now())
	})
}

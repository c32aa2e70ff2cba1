package store_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/store"
)

func TestAccountSummaries(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		var accounts []fieldlift.Account
		for _, email := range []string{"ada@example.com", "bob_1@example.com", "bobx1@example.com", "100%@example.com"} {
			accounts = append(accounts, newAccount(t, s, email, 10))
		}
		if _, err := s.UpdateAccount(t.Context(), accounts[2].ID, fieldlift.AccountChange{Name: new("Robert Tables"), Admin: new(true)}); err != nil {
			t.Fatal(err)
		}
		submit(t, s, accounts[0], 3)
		if err := s.FailDocument(t.Context(), begin(t, s), "torn", time.Second); err != nil {
			t.Fatal(err)
		}
		find := func(search string, limit int) (found []string) {
			page := fieldlift.Page{Limit: limit}
			for more := true; more; {
				list, next, err := s.AccountSummaries(t.Context(), fieldlift.AccountFilter{Search: search}, page)
				if err != nil {
					t.Fatal(err)
				}
				for _, a := range list {
					found = append(found, fmt.Sprintf("%s %v %d %d", a.Account.Email, a.Account.Admin, a.Available, a.Documents))
					if a.Account.PasswordHash != "" || a.LastActivity.IsZero() {
						t.Errorf("%+v", a)
					}
					page.After = fieldlift.Cursor{At: a.Account.CreatedAt, ID: a.Account.ID}
				}
				more = next
			}
			return found
		}
		all := []string{"100%@example.com false 10 0", "bobx1@example.com true 10 0", "bob_1@example.com false 10 0", "ada@example.com false 7 1"}
		for _, limit := range []int{1, 3, 4, 100} {
			wantLines(t, find("", limit), all...)
		}
		wantLines(t, find("B_1", 10), all[2])
		wantLines(t, find("0%@", 10), all[0])
		wantLines(t, find("ROBERT", 10), all[1])
		wantLines(t, find("nobody", 10))
		one, err := s.AccountSummary(t.Context(), accounts[0].ID)
		if err != nil || one.Account.Email != "ada@example.com" || one.Available != 7 {
			t.Errorf("%+v, %v", one, err)
		}
		_, err = s.AccountSummary(t.Context(), fieldlift.NewID(fieldlift.AccountPrefix))
		wantCode(t, err, fieldlift.ResourceNotFound)
	})
}

func TestQueueAsItsOperatorSeesIt(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		o.Node = "node-1"
		s := open(t, o)
		ada, bob := newAccount(t, s, "ada@example.com", 100), newAccount(t, s, "bob@example.com", 100)
		if q, err := s.Queue(t.Context()); err != nil || q != (fieldlift.Queue{}) {
			t.Errorf("%+v, %v", q, err)
		}
		before := time.Now().Add(-time.Minute)
		submit(t, s, ada, 1, 1, 1)
		submit(t, s, bob, 4)
		claims := []fieldlift.Claim{begin(t, s), begin(t, s)}
		q, err := s.Queue(t.Context())
		if err != nil || q.Waiting != 2 || q.Processing != 2 || q.Oldest.Before(before) || q.Deliveries != 0 {
			t.Errorf("%+v, %v", q, err)
		}
		running, err := s.Running(t.Context(), 10)
		if err != nil || len(running) != 2 {
			t.Fatal(running, err)
		}
		for i, d := range running {
			if d.DocumentID != claims[i].Document.ID || d.AccountID != claims[i].Document.AccountID || !strings.HasSuffix(d.AccountEmail, "@example.com") ||
				d.Node != "node-1" || d.Attempt != 1 || d.Since.Before(before) || d.Beat.IsZero() {
				t.Errorf("%+v", d)
			}
		}
		if some, err := s.Running(t.Context(), 1); err != nil || len(some) != 1 {
			t.Error(some, err)
		}
		waiting, err := s.Waiting(t.Context(), 10)
		if err != nil || len(waiting) != 1 || waiting[0].AccountEmail != "ada@example.com" || waiting[0].Documents != 2 || waiting[0].Oldest.Before(before) {
			t.Errorf("%+v, %v", waiting, err)
		}
		if size, err := s.Size(t.Context()); err != nil || size < 50_000 {
			t.Errorf("the database has %d bytes, %v", size, err)
		}
	})
}

func TestFailuresByReason(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Now = func() time.Time { return now }
		s := open(t, o)
		accounts := []fieldlift.Account{newAccount(t, s, "ada@example.com", 100), newAccount(t, s, "bob@example.com", 100)}
		fail := func(message string, times int) {
			for i := range times {
				submit(t, s, accounts[i%2], 1)
				now = now.Add(time.Second)
				if err := s.FailDocument(t.Context(), begin(t, s), message, time.Second); err != nil {
					t.Fatal(err)
				}
			}
		}
		fail("It is old.", 5)
		now = now.Add(time.Hour)
		since := now
		fail("It is torn.", 2)
		fail("It is locked.", 4)
		groups, err := s.Failures(t.Context(), since)
		if err != nil || len(groups) != 2 {
			t.Fatal(groups, err)
		}
		for i, want := range []string{"It is locked. 4 3", "It is torn. 2 2"} {
			g := groups[i]
			if got := fmt.Sprint(g.Message, " ", g.Count, " ", len(g.Examples)); got != want {
				t.Errorf("%q, want %q", got, want)
			}
			for j, e := range g.Examples {
				if e.AccountEmail == "" || j > 0 && !e.At.Before(g.Examples[j-1].At) {
					t.Errorf("%+v", g.Examples)
				}
			}
		}
	})
}

func TestUpdateAccount(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 0)
		got, err := s.UpdateAccount(t.Context(), a.ID, fieldlift.AccountChange{Admin: new(true)})
		a.Admin = true
		if err != nil || got != a {
			t.Errorf("%+v, %v", got, err)
		}
		token := fieldlift.NewSessionToken()
		if _, err := s.OpenSession(t.Context(), fieldlift.Session{AccountID: a.ID}, token); err != nil {
			t.Fatal(err)
		}
		if v, ok, err := s.Visitor(t.Context(), token, ""); err != nil || !ok || !v.Account.Admin {
			t.Errorf("%+v, %v, %v", v, ok, err)
		}
		got, err = s.UpdateAccount(t.Context(), a.ID, fieldlift.AccountChange{Name: new(""), PasswordHash: new("other"), Admin: new(false)})
		a.Name, a.PasswordHash, a.Admin = "", "other", false
		if err != nil || got != a {
			t.Errorf("%+v, %v", got, err)
		}
		if _, ok, err := s.Visitor(t.Context(), token, ""); err != nil || ok {
			t.Errorf("who knew the old password is still in: %v, %v", ok, err)
		}
		if got, err = s.UpdateAccount(t.Context(), a.ID, fieldlift.AccountChange{}); err != nil || got != a {
			t.Errorf("%+v, %v", got, err)
		}
		wantLines(t, told(t, s, a.ID, "account"),
			"Fieldlift changed the password", "Fieldlift changed the account: its name, it runs the service no more",
			"Fieldlift changed the account: it runs the service now", "Fieldlift created the account")
		_, err = s.UpdateAccount(t.Context(), fieldlift.NewID(fieldlift.AccountPrefix), fieldlift.AccountChange{Admin: new(true)})
		wantCode(t, err, fieldlift.ResourceNotFound)
	})
}

// BenchmarkAccountSummaries lists the newest of 10,000 accounts with some
// activity each, and looks for one among all.
func BenchmarkAccountSummaries(b *testing.B) {
	o := store.Options{DataDir: b.TempDir(), RateLimit: 150}
	s := open(b, o)
	var accounts, purchases, activities strings.Builder
	for i := range 10_000 {
		id := fieldlift.NewID(fieldlift.AccountPrefix)
		fmt.Fprintf(&accounts, ",('%s', 'person%d@example.com', 'Person %d', '', %d)", id, i, i, i)
		for j := range 3 {
			fmt.Fprintf(&purchases, ",('%s', '%s', 'grant', 5, 5, 0)", fieldlift.NewID(fieldlift.PurchasePrefix), id)
			fmt.Fprintf(&activities, ",('%s', '%s', %d, '', '', 'key', 'key.created', '', '')", fieldlift.NewID(fieldlift.ActivityPrefix), id, j)
		}
	}
	execute(b, o, "INSERT INTO accounts (id, email, name, password_hash, created_at) VALUES "+accounts.String()[1:]+
		"; INSERT INTO purchases (id, account_id, source, credits, remaining, purchased_at) VALUES "+purchases.String()[1:]+
		"; INSERT INTO activities (id, account_id, at, actor_kind, actor_name, act_group, act, subject, name) VALUES "+activities.String()[1:])
	for _, search := range []string{"", "person4711@"} {
		b.Run("search="+search, func(b *testing.B) {
			for b.Loop() {
				list, _, err := s.AccountSummaries(b.Context(), fieldlift.AccountFilter{Search: search}, fieldlift.Page{Limit: 50})
				if err != nil || len(list) == 0 || list[0].Available != 15 {
					b.Fatal(list, err)
				}
			}
		})
	}
}

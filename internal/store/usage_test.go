package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/store"
)

// shown tells a day's usage in few words.
func shown(d fieldlift.UsageDay) string {
	u := d.Usage
	return fmt.Sprintf("%v: %d documents, %d pages, %d failures, %v, %d credits", d.Day, u.Documents, u.Pages, u.Failures, u.Took, d.Credits)
}

func usage(t testing.TB, s *store.Store, a fieldlift.Account, now time.Time, days int) (list []string) {
	t.Helper()
	found, err := s.Usage(t.Context(), a.ID, fieldlift.LastDays(now, days))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range found {
		list = append(list, shown(d))
	}
	return list
}

func wantLines(t testing.TB, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestUsageByDay(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Date(2026, 3, 1, 23, 59, 0, 0, time.UTC)
		o.Now = func() time.Time { return now }
		s := open(t, o)
		a, other := newAccount(t, s, "ada@example.com", 100), newAccount(t, s, "bob@example.com", 100)
		first := submit(t, s, a, 2, 3)
		if err := s.CompleteDocument(t.Context(), begin(t, s), result, 400*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		now = now.Add(48 * time.Hour) // one day has nothing
		if err := s.FailDocument(t.Context(), begin(t, s), "torn", 20*time.Second); err != nil {
			t.Fatal(err)
		}
		submit(t, s, a, 7)
		now = now.Add(time.Second)
		if err := s.CompleteDocument(t.Context(), begin(t, s), result, time.Second); err != nil {
			t.Fatal(err)
		}
		want := []string{
			"2026-02-28: 0 documents, 0 pages, 0 failures, 0s, 0 credits",
			"2026-03-01: 1 documents, 2 pages, 0 failures, 400ms, 5 credits",
			"2026-03-02: 0 documents, 0 pages, 0 failures, 0s, 0 credits",
			"2026-03-03: 2 documents, 10 pages, 1 failures, 21s, 7 credits",
		}
		wantLines(t, usage(t, s, a, now, 4), want...)
		wantLines(t, usage(t, s, a, now, 1), want[3])
		if err := s.DeleteExtraction(t.Context(), a.ID, first.Extraction.ID); err != nil {
			t.Fatal(err)
		}
		wantLines(t, usage(t, s, a, now, 4), want...)
		wantLines(t, usage(t, s, other, now, 1), "2026-03-03: 0 documents, 0 pages, 0 failures, 0s, 0 credits")
	})
}

func TestUsageByParser(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 100)
		finish := func(parser fieldlift.Parser, pages int64, took ...time.Duration) {
			for _, one := range took {
				in := submission(t, s, a, pages)
				in.Extraction.ParserID = parser.ID
				if _, _, err := s.Submit(t.Context(), in); err != nil {
					t.Fatal(err)
				}
				if err := s.CompleteDocument(t.Context(), begin(t, s), result, one); err != nil {
					t.Fatal(err)
				}
			}
		}
		var parsers []fieldlift.Parser
		for _, name := range []string{"Little", "Much"} {
			p, err := s.CreateParser(t.Context(), fieldlift.Parser{AccountID: a.ID, Name: name, ResultMode: fieldlift.OnePerFile})
			if err != nil {
				t.Fatal(err)
			}
			parsers = append(parsers, p)
		}
		finish(parsers[0], 1, time.Second, time.Minute)
		finish(parsers[1], 5, time.Second, 2*time.Second, time.Millisecond)
		if err := s.DeleteParser(t.Context(), a.ID, parsers[0].ID); err != nil {
			t.Fatal(err)
		}
		list, err := s.UsageByParser(t.Context(), a.ID, fieldlift.LastDays(time.Now(), 2))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range list {
			got = append(got, fmt.Sprintf("%s: %d documents, %d pages, %v, deleted: %v", p.Name, p.Usage.Documents, p.Usage.Pages, p.Usage.Took, p.Deleted))
		}
		wantLines(t, got, "Much: 3 documents, 15 pages, 3.001s, deleted: false", "Little: 2 documents, 2 pages, 1m1s, deleted: true")
	})
}

// TestUsageOfOldStores: what a store held before usage was counted is counted
// by the migration, to the same figures.
func TestUsageOfOldStores(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 1000)
		for i, took := range []time.Duration{0, 10 * time.Millisecond, 11 * time.Millisecond, time.Second, 1400 * time.Millisecond, time.Hour} {
			submit(t, s, a, int64(i))
			claim := begin(t, s)
			err := s.CompleteDocument(t.Context(), claim, result, took)
			if i == 3 {
				submit(t, s, a, 1)
				err = s.FailDocument(t.Context(), begin(t, s), "torn", took)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		read := func() (list []string) {
			days, err := s.Usage(t.Context(), a.ID, fieldlift.LastDays(time.Now(), 2))
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range days {
				list = append(list, shown(d), d.Usage.Quantile(0.5).String())
			}
			return list
		}
		before := read()
		text, err := os.ReadFile("migrations/00009_activity.sql")
		if err != nil {
			t.Fatal(err)
		}
		_, backfill, found := strings.Cut(string(text), "INSERT INTO spending_days")
		if !found {
			t.Fatal("the migration counts nothing")
		}
		execute(t, o, "DELETE FROM usage_days; DELETE FROM spending_days; INSERT INTO spending_days"+backfill)
		wantLines(t, read(), before...)
	})
}

// execute runs statements beside the store.
func execute(t testing.TB, o store.Options, statements string) {
	t.Helper()
	driver, address := "pgx", o.DatabaseURL
	if address == "" {
		driver, address = "sqlite", "file:"+strings.NewReplacer("?", "%3f", "#", "%23", "%", "%25").Replace(filepath.Join(o.DataDir, store.FileName))
	}
	db, err := sql.Open(driver, address)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for statement := range strings.SplitSeq(statements, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkUsage reads a year of an account with six parsers of mixed speed.
func BenchmarkUsage(b *testing.B) {
	o := store.Options{DataDir: b.TempDir(), RateLimit: 150}
	s := open(b, o)
	now := time.Now()
	a := newAccount(b, s, "ada@example.com", 0)
	span := fieldlift.LastDays(now, 365)
	var rows strings.Builder
	for range 6 {
		p, err := s.CreateParser(b.Context(), fieldlift.Parser{AccountID: a.ID, Name: fieldlift.NewID("P"), ResultMode: fieldlift.OnePerFile})
		if err != nil {
			b.Fatal(err)
		}
		for day := span.First; day <= span.Last; day++ {
			for step := range 10 {
				fmt.Fprintf(&rows, ", ('%s', %d, '%s', %d, 5, 9, 1, 1000)", a.ID, day, p.ID, 100*(step+1))
			}
		}
	}
	execute(b, o, "INSERT INTO usage_days VALUES"+rows.String()[1:])
	b.Run("by day", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.Usage(b.Context(), a.ID, span); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("by parser", func(b *testing.B) {
		for b.Loop() {
			if _, err := s.UsageByParser(b.Context(), a.ID, span); err != nil {
				b.Fatal(err)
			}
		}
	})
}

package store_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/store"
)

// submission makes one of files with so many pages each.
func submission(t testing.TB, s *store.Store, a fieldlift.Account, pages ...int64) fieldlift.Submission {
	t.Helper()
	list, _, err := s.Parsers(t.Context(), a.ID, fieldlift.Page{Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		schema := fieldlift.SchemaOf([]fieldlift.Field{{Name: "total", Type: fieldlift.NumberField}})
		p, err := s.CreateParser(t.Context(), fieldlift.Parser{AccountID: a.ID, Name: "P", ResultMode: fieldlift.OnePerFile, Schema: schema})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	p := list[0]
	in := fieldlift.Submission{Extraction: fieldlift.Extraction{
		ID: fieldlift.NewID(fieldlift.ExtractionPrefix), AccountID: a.ID, ParserID: p.ID, ParserName: p.Name, ResultMode: p.ResultMode, Schema: p.Schema,
	}}
	for i, n := range pages {
		in.Documents = append(in.Documents, fieldlift.Document{
			ID: fieldlift.NewID(fieldlift.DocumentPrefix), Filename: fmt.Sprint(i, ".pdf"), ContentType: "application/pdf", SizeBytes: 1, SHA256: "x", PageCount: n,
		})
	}
	return in
}

func submit(t testing.TB, s *store.Store, a fieldlift.Account, pages ...int64) fieldlift.Accepted {
	t.Helper()
	accepted, replayed, err := s.Submit(t.Context(), submission(t, s, a, pages...))
	if err != nil || replayed {
		t.Fatal(replayed, err)
	}
	return accepted
}

func begin(t testing.TB, s *store.Store) fieldlift.Claim {
	t.Helper()
	claim, ok, err := s.BeginDocument(t.Context())
	if err != nil || !ok {
		t.Fatal("no document was begun: ", ok, err)
	}
	return claim
}

func status(t testing.TB, s *store.Store, x fieldlift.Accepted) fieldlift.ExtractionStatus {
	t.Helper()
	e, err := s.ExtractionAlone(t.Context(), x.Extraction.AccountID, x.Extraction.ID)
	if err != nil {
		t.Fatal(err)
	}
	return e.Status
}

var result = fieldlift.Result{Data: json.RawMessage(`{"total":1}`), Confidence: 0.5}

func TestExtractionFromBeginToEnd(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 100)
		for name, test := range map[string]struct {
			failures int
			want     fieldlift.ExtractionStatus
		}{"all succeeded": {0, fieldlift.ExtractionCompleted}, "mixed": {1, fieldlift.ExtractionPartial}, "all failed": {2, fieldlift.ExtractionFailed}} {
			t.Run(name, func(t *testing.T) {
				x := submit(t, s, a, 1, 2)
				if x.Extraction.Status != fieldlift.ExtractionQueued || status(t, s, x) != fieldlift.ExtractionQueued {
					t.Error("it does not begin as queued")
				}
				for i := range 2 {
					claim := begin(t, s)
					if status(t, s, x) != fieldlift.ExtractionProcessing || claim.Document.Position != int64(i) || claim.Extraction.Schema.IsZero() {
						t.Errorf("%s, %+v", status(t, s, x), claim)
					}
					var err error
					if i < test.failures {
						err = s.FailDocument(t.Context(), claim, "It is torn.", time.Second)
					} else {
						err = s.CompleteDocument(t.Context(), claim, result, time.Second)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				e, documents, err := s.Extraction(t.Context(), a.ID, x.Extraction.ID)
				if err != nil || e.Status != test.want || e.CompletedAt.IsZero() || !e.UpdatedAt.Equal(e.CompletedAt) {
					t.Errorf("%+v, %v", e, err)
				}
				if test.failures > 0 && documents[0].ErrorMessage != "It is torn." {
					t.Errorf("%+v", documents[0])
				}
				records := 0
				for record, err := range s.Records(t.Context(), a.ID, x.Extraction.ID) {
					if err != nil || (record.Data == "") != (record.Document.Status == fieldlift.DocumentFailed) {
						t.Errorf("%+v, %v", record, err)
					}
					records++
				}
				if records != 2 {
					t.Errorf("%d records", records)
				}
			})
		}
		if _, ok, err := s.BeginDocument(t.Context()); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
	})
}

func TestLateLosersChangeNothing(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 100)
		x := submit(t, s, a, 1)
		first := begin(t, s)
		if ok, err := s.Beat(t.Context(), first); !ok || err != nil {
			t.Fatal(ok, err)
		}
		if n, err := s.Recover(t.Context(), time.Now().Add(-time.Minute)); n != 0 || err != nil {
			t.Fatal("one that is alive was taken away: ", n, err)
		}
		if n, err := s.Recover(t.Context(), time.Now()); n != 1 || err != nil {
			t.Fatal(n, err)
		}
		second := begin(t, s)
		if second.Document.ID != first.Document.ID || second.Attempt != first.Attempt+1 {
			t.Errorf("%+v after %+v", second, first)
		}
		for name, late := range map[string]error{
			"complete": s.CompleteDocument(t.Context(), first, result, 0),
			"fail":     s.FailDocument(t.Context(), first, "late", 0),
			"postpone": s.PostponeDocument(t.Context(), first, time.Now()),
		} {
			if !errors.Is(late, fieldlift.ErrClaimLost) {
				t.Errorf("%s: %v", name, late)
			}
		}
		if ok, err := s.Beat(t.Context(), first); ok || err != nil {
			t.Errorf("%v, %v", ok, err)
		}
		if err := s.CompleteDocument(t.Context(), second, result, 0); err != nil {
			t.Fatal(err)
		}
		if err := s.CompleteDocument(t.Context(), second, result, 0); !errors.Is(err, fieldlift.ErrClaimLost) {
			t.Errorf("finished twice: %v", err)
		}
		if status(t, s, x) != fieldlift.ExtractionCompleted {
			t.Error(status(t, s, x))
		}
	})
}

// TestDocumentThatKillsItsWorkers: two dead workers change nothing, more make
// a document wait longer and longer, and in the end it is given up.
func TestDocumentThatKillsItsWorkers(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		o.Now = func() time.Time { return now }
		s := open(t, o)
		x := submit(t, s, newAccount(t, s, "ada@example.com", 100), 1)
		crashes := 0
		for start := now; status(t, s, x) != fieldlift.ExtractionFailed; {
			if now.Sub(start) > time.Hour {
				t.Fatalf("after %d dead workers and an hour it is still tried", crashes)
			}
			if _, ok, err := s.BeginDocument(t.Context()); err != nil {
				t.Fatal(err)
			} else if !ok {
				if got := status(t, s, x); got != fieldlift.ExtractionPending {
					t.Errorf("while it waits it is %s", got)
				}
				now = now.Add(time.Second)
				continue
			}
			crashes++
			if _, err := s.Recover(t.Context(), now); err != nil {
				t.Fatal(err)
			}
			if at := now.Sub(start); crashes <= 3 && at > 0 || crashes > 5 && at < time.Minute {
				t.Errorf("%d workers were dead after %v", crashes, at)
			}
		}
		if crashes != 8 {
			t.Errorf("it was given up after %d dead workers", crashes)
		}
	})
}

func TestPending(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		now := time.Now()
		var mu sync.Mutex
		o.Now = func() time.Time {
			mu.Lock()
			defer mu.Unlock()
			return now
		}
		s := open(t, o)
		x := submit(t, s, newAccount(t, s, "ada@example.com", 100), 1, 1)
		first, second := begin(t, s), begin(t, s)
		if err := s.PostponeDocument(t.Context(), first, now.Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if got := status(t, s, x); got != fieldlift.ExtractionProcessing {
			t.Errorf("one is still worked on: %s", got)
		}
		if err := s.PostponeDocument(t.Context(), second, now.Add(time.Hour)); err != nil {
			t.Fatal(err)
		}
		if got := status(t, s, x); got != fieldlift.ExtractionPending {
			t.Errorf("all wait: %s", got)
		}
		if _, ok, err := s.BeginDocument(t.Context()); ok || err != nil {
			t.Errorf("one was begun before its time: %v, %v", ok, err)
		}
		mu.Lock()
		now = now.Add(time.Minute)
		mu.Unlock()
		again := begin(t, s)
		if again.Document.ID != first.Document.ID || again.Postponements != 1 || status(t, s, x) != fieldlift.ExtractionProcessing {
			t.Errorf("%+v, %s", again, status(t, s, x))
		}
		if err := s.CompleteDocument(t.Context(), again, result, 0); err != nil {
			t.Fatal(err)
		}
		if got := status(t, s, x); got != fieldlift.ExtractionPending {
			t.Errorf("the other one still waits: %s", got)
		}
	})
}

func TestAccountsTakeTurns(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		big, small := newAccount(t, s, "big@example.com", 1000), newAccount(t, s, "small@example.com", 10)
		for range 10 {
			submit(t, s, big, make([]int64, 50)...)
		}
		begin(t, s)
		submit(t, s, small, 0)
		for i := range 3 {
			if begin(t, s).Document.AccountID == small.ID {
				if i > 1 {
					t.Errorf("the small account waited for %d documents", i)
				}
				return
			}
		}
		t.Error("the small account waits behind the big one")
	})
}

// TestConcurrentWorkersTakeEachDocumentOnce has many workers on two openings
// of the store, and pollers who must miss nothing.
func TestConcurrentWorkersTakeEachDocumentOnce(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		nodes := []*store.Store{open(t, o), open(t, o)}
		a := newAccount(t, nodes[0], "ada@example.com", 1000)
		want := map[string]bool{}
		for range 20 {
			want[submit(t, nodes[0], a, 1, 1, 1).Extraction.ID] = true
		}
		var mu sync.Mutex
		taken := map[string]int{}
		var workers sync.WaitGroup
		for i := range 8 {
			workers.Go(func() {
				node := nodes[i%2]
				for {
					claim, ok, err := node.BeginDocument(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					if !ok {
						return
					}
					mu.Lock()
					taken[claim.Document.ID]++
					mu.Unlock()
					if err := node.CompleteDocument(t.Context(), claim, result, 0); err != nil {
						t.Error(err)
					}
				}
			})
		}
		seen := map[string]bool{}
		var since time.Time
		finished := make(chan struct{})
		go func() {
			workers.Wait()
			close(finished)
		}()
		for last := false; ; {
			select {
			case <-finished:
				last = true
			default:
			}
			list, more, err := nodes[1].Extractions(t.Context(), a.ID, fieldlift.ExtractionFilter{Status: fieldlift.ExtractionCompleted, Since: since}, fieldlift.Page{Limit: 100})
			if err != nil || more {
				t.Fatal(more, err)
			}
			for _, e := range list {
				if e.UpdatedAt.After(since) {
					since = e.UpdatedAt
				}
				seen[e.ID] = true
			}
			if last {
				break
			}
		}
		if len(taken) != 60 || len(seen) != len(want) {
			t.Errorf("%d documents were taken, %d of %d extractions seen by the poller", len(taken), len(seen), len(want))
		}
		for id, n := range taken {
			if n != 1 {
				t.Errorf("%s was taken %d times", id, n)
			}
		}
		if b, err := nodes[0].Balance(t.Context(), a.ID); err != nil || b.Used != 60 {
			t.Errorf("%+v, %v", b, err)
		}
	})
}

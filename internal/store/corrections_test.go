package store_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/internal/store"
)

var ada = fieldlift.Reviewer{Email: "ada@example.com", Seen: fieldlift.AnyRevision}

// completed gives a document whose result has a total of 1.
func completed(t testing.TB, s *store.Store, a fieldlift.Account) fieldlift.Document {
	t.Helper()
	submit(t, s, a, 1)
	claim := begin(t, s)
	found := result
	found.Metadata = map[string]fieldlift.FieldMetadata{"/total": {Confidence: 0.5, Page: 1, Boxes: [][4]float64{{0, 0, 1, 1}}, Text: "1", Source: fieldlift.SourceText}}
	if err := s.CompleteDocument(t.Context(), claim, found, time.Second); err != nil {
		t.Fatal(err)
	}
	return claim.Document
}

func setTotal(text string) fieldlift.Amendment {
	return fieldlift.Amendment{Kind: fieldlift.CorrectionSet, Pointer: "/total", Value: json.RawMessage(text)}
}

func TestCorrectionsAreKept(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 100)
		d := completed(t, s, a)
		before, err := s.Record(t.Context(), a.ID, d.ExtractionID, d.ID)
		if err != nil {
			t.Fatal(err)
		}
		extraction, err := s.ExtractionAlone(t.Context(), a.ID, d.ExtractionID)
		if err != nil {
			t.Fatal(err)
		}

		review, err := s.Correct(t.Context(), a.ID, d.ExtractionID, d.ID, ada, setTotal("2"))
		if err != nil {
			t.Fatal(err)
		}
		now, err := s.Record(t.Context(), a.ID, d.ExtractionID, d.ID)
		if err != nil || !cmp.Equal(now, review.Record) {
			t.Errorf("%v, %s", err, cmp.Diff(now, review.Record))
		}
		if now.Data != `{"total":2}` || !strings.Contains(now.Metadata, `"reviewed":{"by":"ada@example.com","at":"`) || !strings.Contains(now.Metadata, `"original":1}`) {
			t.Errorf("%+v", now)
		}
		if now.Document.Confidence != 1 || now.Document.Status != fieldlift.DocumentCompleted || !now.Document.UpdatedAt.After(before.Document.UpdatedAt) || now.Document.ReviewedAt.IsZero() {
			t.Errorf("%+v", now.Document)
		}
		changed, err := s.ExtractionAlone(t.Context(), a.ID, d.ExtractionID)
		if err != nil || !changed.UpdatedAt.After(extraction.UpdatedAt) || changed.Status != extraction.Status || !changed.CompletedAt.Equal(extraction.CompletedAt) {
			t.Errorf("%+v, %v", changed, err)
		}
		if told, err := s.ResultData(t.Context(), d.ID); told != `{"total":1}` || err != nil {
			t.Errorf("webhooks are told %s, %v", told, err)
		}

		found, err := s.Review(t.Context(), a.ID, d.ExtractionID, d.ID)
		if err != nil || found.Revision != 1 || len(found.Review.Corrections) != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		c := found.Review.Corrections[0]
		if c.By != "ada@example.com" || string(c.Original) != "1" || string(c.Value) != "2" || c.Pointer != "/total" || !c.At.Equal(now.Document.ReviewedAt) {
			t.Errorf("%+v", c)
		}

		if _, err := s.TakeBack(t.Context(), a.ID, d.ExtractionID, d.ID, ada, 1); err != nil {
			t.Fatal(err)
		}
		back, err := s.Record(t.Context(), a.ID, d.ExtractionID, d.ID)
		if err != nil || back.Data != before.Data || back.Metadata != before.Metadata || back.Validation != before.Validation ||
			back.Document.Confidence != before.Document.Confidence || !back.Document.ReviewedAt.IsZero() {
			t.Errorf("%s, %v", cmp.Diff(before, back), err)
		}
		acts, _, err := s.Activities(t.Context(), a.ID, fieldlift.ActivityFilter{Group: "document"}, fieldlift.Page{Limit: 10})
		if err != nil || len(acts) != 1 || acts[0].Subject != d.ExtractionID {
			t.Errorf("one sitting is noted as %+v, %v", acts, err)
		}
		if err := s.DeleteExtraction(t.Context(), a.ID, d.ExtractionID); err != nil {
			t.Error(err)
		}
	})
}

func TestCorrectionsThatAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a, b := newAccount(t, s, "ada@example.com", 100), newAccount(t, s, "bob@example.com", 100)
		d := completed(t, s, a)
		correct := func(account, extraction, document string, by fieldlift.Reviewer, amendments ...fieldlift.Amendment) error {
			_, err := s.Correct(t.Context(), account, extraction, document, by, amendments...)
			return err
		}
		wantCode(t, correct(b.ID, d.ExtractionID, d.ID, ada, setTotal("2")), fieldlift.ResourceNotFound)
		wantCode(t, correct("usr_nobody", d.ExtractionID, d.ID, ada, setTotal("2")), fieldlift.ResourceNotFound)
		wantCode(t, correct(a.ID, d.ExtractionID, "doc_other", ada, setTotal("2")), fieldlift.ResourceNotFound)
		wantCode(t, correct(a.ID, d.ExtractionID, d.ID, ada, setTotal("2"), setTotal(`"x"`)), fieldlift.InvalidPayload)
		wantCode(t, correct(a.ID, d.ExtractionID, d.ID, ada), fieldlift.InvalidPayload)
		wantCode(t, correct(a.ID, d.ExtractionID, d.ID, fieldlift.Reviewer{Email: "ada@example.com", Seen: 1}, setTotal("2")), fieldlift.Conflict)
		_, err := s.TakeBack(t.Context(), a.ID, d.ExtractionID, d.ID, ada, 1)
		wantCode(t, err, fieldlift.ResourceNotFound)
		if now, err := s.Record(t.Context(), a.ID, d.ExtractionID, d.ID); err != nil || now.Data != `{"total":1}` || !now.Document.ReviewedAt.IsZero() {
			t.Errorf("%+v, %v", now, err)
		}
		waiting := submit(t, s, a, 1)
		wantCode(t, correct(a.ID, waiting.Extraction.ID, waiting.Documents[0].ID, ada, setTotal("2")), fieldlift.Conflict)
	})
}

func TestReviewersAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a := newAccount(t, s, "ada@example.com", 100)
		d := completed(t, s, a)
		var reviewers sync.WaitGroup
		for range 4 {
			reviewers.Go(func() {
				for range 5 {
					if _, err := s.Correct(t.Context(), a.ID, d.ExtractionID, d.ID, ada, setTotal("2")); err != nil {
						t.Error(err)
					}
				}
			})
		}
		reviewers.Wait()
		found, err := s.Review(t.Context(), a.ID, d.ExtractionID, d.ID)
		if err != nil || found.Revision != 20 || len(found.Review.Corrections) != 20 {
			t.Errorf("%+v, %v", found, err)
		}
	})
}

func TestReviewedDocuments(t *testing.T) {
	onEach(t, func(t *testing.T, o store.Options) {
		s := open(t, o)
		a, b := newAccount(t, s, "ada@example.com", 100), newAccount(t, s, "bob@example.com", 100)
		var reviewed []string
		var last fieldlift.Document
		for i := range 14 {
			if last = completed(t, s, a); i%2 == 0 {
				continue
			}
			if _, err := s.Correct(t.Context(), a.ID, last.ExtractionID, last.ID, ada, setTotal("2")); err != nil {
				t.Fatal(err)
			}
			reviewed = append(reviewed, last.ID)
		}
		list := func(account string, of fieldlift.ReviewedFilter) (ids []string) {
			for one, err := range s.Reviewed(t.Context(), account, of) {
				if err != nil || one.Record.Data != `{"total":2}` {
					t.Errorf("%+v, %v", one, err)
				}
				ids = append(ids, one.Record.Document.ID)
			}
			return ids
		}
		parsers, _, err := s.Parsers(t.Context(), a.ID, fieldlift.Page{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		for _, test := range []struct {
			account string
			of      fieldlift.ReviewedFilter
			want    []string
		}{
			{a.ID, fieldlift.ReviewedFilter{}, reviewed},
			{a.ID, fieldlift.ReviewedFilter{ParserID: parsers[0].ID}, reviewed},
			{a.ID, fieldlift.ReviewedFilter{ParserID: "par_other"}, nil},
			{a.ID, fieldlift.ReviewedFilter{ExtractionID: last.ExtractionID}, []string{last.ID}},
			{b.ID, fieldlift.ReviewedFilter{ExtractionID: last.ExtractionID}, nil},
		} {
			if diff := cmp.Diff(test.want, list(test.account, test.of)); diff != "" {
				t.Errorf("%+v: %s", test.of, diff)
			}
		}
	})
}

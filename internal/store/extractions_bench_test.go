package store_test

import (
	"fmt"
	"testing"

	"fieldlift"
	"fieldlift/internal/store"
)

// BenchmarkExtractions lists a page of ten thousand extractions on SQLite, as
// the dashboard does.
func BenchmarkExtractions(b *testing.B) {
	s := open(b, store.Options{DataDir: b.TempDir(), RateLimit: 150})
	a := newAccount(b, s, "ada@example.com", 100_000)
	for i := range 10_000 {
		in := submission(b, s, a, 1)
		in.Extraction.Name = fmt.Sprint("Invoices of day ", i)
		if _, _, err := s.Submit(b.Context(), in); err != nil {
			b.Fatal(err)
		}
	}
	parsers, _, err := s.Parsers(b.Context(), a.ID, fieldlift.Page{Limit: 1})
	if err != nil {
		b.Fatal(err)
	}
	for name, filter := range map[string]fieldlift.ExtractionFilter{
		"all":             {},
		"of a parser":     {ParserID: parsers[0].ID},
		"of a status":     {Status: fieldlift.ExtractionQueued},
		"none of status":  {Status: fieldlift.ExtractionFailed},
		"search":          {Search: "day 77"},
		"search in vain":  {Search: "no such thing"},
		"search and more": {Search: "no such thing", Status: fieldlift.ExtractionQueued, ParserID: parsers[0].ID},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := s.Extractions(b.Context(), a.ID, filter, fieldlift.Page{Limit: 50}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

package layout

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift/internal/engine"
)

func madeExamples(t testing.TB) []Example {
	t.Helper()
	var examples []Example
	for _, d := range madeDocuments(t) {
		examples = append(examples, Example{
			Request: d.request(), Set: d.kind(), Right: d.right,
			Cells: func(a engine.Answer) []Outcome {
				var found []Outcome
				for pointer, v := range leaves(t, a.Data) {
					found = append(found, Outcome{a.Metadata[pointer].Confidence, d.right(pointer, v)})
				}
				return found
			},
		})
	}
	return examples
}

// TestLearn learns from the made documents: too few to be good, enough to see
// that what is learned can be read, adds up, and is the same every time.
func TestLearn(t *testing.T) {
	examples := madeExamples(t)
	steps := 0
	lesson, err := Learn(t.Context(), examples, func(string) { steps++ })
	if err != nil {
		t.Fatal(err)
	}
	if steps == 0 {
		t.Error("no progress was told")
	}
	learned, err := parseModel(lesson.Weights)
	if err != nil {
		t.Fatal(err)
	}
	sets := map[string]bool{}
	for _, f := range lesson.Figures {
		sets[f.Set] = true
		if f.Right+f.Wrong+f.Omitted+f.Invented != f.Fields {
			t.Errorf("%+v does not add up", f)
		}
	}
	for _, x := range examples {
		if !sets[x.Set] {
			t.Errorf("%s has no figures", x.Set)
		}
	}
	e := &Engine{newLexicon(), learned}
	right, asked := 0, 0
	for _, d := range madeDocuments(t) {
		answer, err := e.Extract(t.Context(), d.request())
		if err != nil {
			t.Fatal(err)
		}
		got := leaves(t, answer.Data)
		for pointer := range d.want {
			if asked++; d.right(pointer, got[pointer]) {
				right++
			}
		}
	}
	t.Logf("%d of %d values are right on the documents learned from", right, asked)
	if float64(right) < 0.9*float64(asked) {
		t.Errorf("%d of %d values are right on the documents learned from", right, asked)
	}
	again, err := Learn(t.Context(), madeExamples(t), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lesson, again); diff != "" {
		t.Errorf("learning twice differs: %s", diff)
	}
}

func TestLearnEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Learn(ctx, madeExamples(t), func(string) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

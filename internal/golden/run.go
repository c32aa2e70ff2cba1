package golden

import (
	"bytes"
	"context"
	"encoding/json"
	"time"

	"golang.org/x/sync/errgroup"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/score"
)

// Extractor is what is measured, in its two steps.
type Extractor interface {
	Read(ctx context.Context, path string) (*page.Document, error)
	Find(ctx context.Context, document *page.Document, wanted fieldlift.Extraction) (fieldlift.Result, error)
}

// Outcome is what came of a case.
type Outcome struct {
	Case     Case
	Returned []*score.Object // one, or one for each page; none when it failed
	Metadata map[string]fieldlift.FieldMetadata
	Model    *fieldlift.ModelUse // nil: no model took part
	Err      error               // why there is no answer
	Pages    int
	Reading  time.Duration
	Finding  time.Duration
}

// Run extracts from the cases' files, so many at once, and gives the outcomes
// in their order. Done is called after each. It fails only when ctx ends.
func Run(ctx context.Context, x Extractor, cases []Case, workers int, done func()) ([]Outcome, error) {
	outcomes := make([]Outcome, len(cases))
	var work errgroup.Group
	work.SetLimit(workers)
	for i, c := range cases {
		work.Go(func() error {
			outcomes[i] = try(ctx, x, c)
			done()
			return ctx.Err()
		})
	}
	return outcomes, work.Wait()
}

func try(ctx context.Context, x Extractor, c Case) Outcome {
	o := Outcome{Case: c}
	began := time.Now()
	document, err := x.Read(ctx, c.Path)
	o.Reading = time.Since(began)
	if err != nil {
		o.Err = err
		return o
	}
	o.Pages = len(document.Pages)
	began = time.Now()
	result, err := x.Find(ctx, document, c.Wanted)
	o.Finding = time.Since(began)
	if err != nil {
		o.Err = err
		return o
	}
	o.Metadata, o.Model = result.Metadata, result.Model
	o.Returned, o.Err = answers(result.Data, c.Wanted.ResultMode)
	return o
}

// answers takes a result's data apart: one object, or one for each page.
func answers(data json.RawMessage, mode fieldlift.ResultMode) ([]*score.Object, error) {
	var held struct {
		Pages []*score.Object `json:"pages"`
	}
	if mode == fieldlift.OnePerPage {
		err := json.Unmarshal(data, &held)
		return held.Pages, err
	}
	var one score.Object
	if err := json.Unmarshal(data, &one); err != nil {
		return nil, err
	}
	return []*score.Object{&one}, nil
}

// Prediction is the outcome as one line of JSON, {"file","predicted"}, for
// other programs that score; nil when there was no answer.
func (o Outcome) Prediction() ([]byte, error) {
	if len(o.Returned) == 0 {
		return nil, nil
	}
	var predicted any = o.Returned
	if o.Case.Wanted.ResultMode == fieldlift.OnePerFile {
		predicted = o.Returned[0]
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(map[string]any{"file": o.Case.File, "predicted": predicted})
	return b.Bytes(), err
}

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"golang.org/x/sync/errgroup"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/export"
)

// batch extracts from files, several at once, and writes what came of them in
// their order.
type batch struct {
	extractor *app.Extractor
	wanted    fieldlift.Extraction
	workers   int
	progress  *progress
	failed    []string // the files that failed, each with its reason
	unaided   []string // the files of which the model was not asked all, each with the first reason
}

// outcome is what came of a file, in the form in which it is printed.
type outcome struct {
	File       string                             `json:"file"`
	Status     fieldlift.DocumentStatus           `json:"status"`
	PageCount  int                                `json:"page_count"`
	Confidence *float64                           `json:"confidence"`
	Data       json.RawMessage                    `json:"extracted_data"`
	Metadata   map[string]fieldlift.FieldMetadata `json:"field_metadata"`
	Validation []fieldlift.Violation              `json:"validation"`
	Pages      []fieldlift.PageReading            `json:"pages"`
	Model      *fieldlift.ModelUse                `json:"model,omitempty"`
	Error      *string                            `json:"error"`
}

// write writes the outcomes as they come.
func (b *batch) write(ctx context.Context, w io.Writer, f export.Format, files []string) error {
	if f == export.JSON {
		return b.writeLines(ctx, w, files)
	}
	return export.Write(w, f, export.Table{
		Name: "extract", Fields: b.wanted.Schema.Fields(), PerPage: b.wanted.ResultMode == fieldlift.OnePerPage,
		Records: b.records(ctx, files),
	}, export.Options{})
}

// writeLines writes JSON, one object a line.
func (b *batch) writeLines(ctx context.Context, w io.Writer, files []string) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	for o, err := range b.outcomes(ctx, files) {
		if err != nil {
			return err
		}
		if err := encoder.Encode(o); err != nil {
			return err
		}
	}
	return nil
}

// records gives the outcomes in the words of package export.
func (b *batch) records(ctx context.Context, files []string) iter.Seq2[export.Record, error] {
	return func(yield func(export.Record, error) bool) {
		for o, err := range b.outcomes(ctx, files) {
			r := export.Record{Filename: o.File, Status: string(o.Status), PageCount: o.PageCount, Data: o.Data}
			if o.Confidence != nil {
				r.Confidence = *o.Confidence
			}
			if o.Error != nil {
				r.ErrorMessage = *o.Error
			}
			if !yield(r, err) {
				return
			}
		}
	}
}

// outcomes works on the files and gives what came of them, in their order. It
// ends with an error when ctx does. Files are begun only a little ahead of the
// one that is waited for, so that a slow one does not pile up the others.
func (b *batch) outcomes(ctx context.Context, files []string) iter.Seq2[outcome, error] {
	return func(yield func(outcome, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		var work errgroup.Group
		work.SetLimit(b.workers)
		begun := make(chan chan outcome, 4*b.workers)
		go func() {
			defer close(begun)
			for _, file := range files {
				done := make(chan outcome, 1)
				select {
				case begun <- done:
				case <-ctx.Done():
					return
				}
				work.Go(func() error {
					done <- b.extract(ctx, file)
					return nil
				})
			}
		}()
		defer func() {
			cancel()
			for range begun { // until the one that begins them has stopped
			}
			_ = work.Wait() // it returns no errors
		}()
		for done := range begun {
			o := <-done
			if ctx.Err() != nil {
				break
			}
			b.note(o)
			if !yield(o, nil) {
				return
			}
		}
		if ctx.Err() != nil {
			yield(outcome{}, errors.New("interrupted; not all files were extracted"))
		}
	}
}

// extract works on one file. What goes wrong is part of the outcome.
func (b *batch) extract(ctx context.Context, file string) outcome {
	defer b.progress.step()
	result, pages, err := b.extractor.Extract(ctx, file, b.wanted)
	o := outcome{File: file, Status: fieldlift.DocumentCompleted, PageCount: pages}
	if err != nil {
		message := err.Error()
		if told, ok := errors.AsType[*fieldlift.Error](err); ok {
			message = told.Message
		}
		o.Status, o.Error = fieldlift.DocumentFailed, &message
		return o
	}
	o.Confidence, o.Data, o.Metadata, o.Validation = &result.Confidence, result.Data, result.Metadata, result.Validation
	o.Pages, o.Model = result.Pages, result.Model
	if o.Validation == nil {
		o.Validation = []fieldlift.Violation{}
	}
	return o
}

func (b *batch) note(o outcome) {
	if o.Error != nil {
		b.failed = append(b.failed, o.File+": "+*o.Error)
	}
	for _, v := range o.Validation {
		if v.Rule == fieldlift.RuleModel {
			b.unaided = append(b.unaided, o.File+": "+v.Message)
			break
		}
	}
}

// warn tells the person at the terminal where the model did not help as it was
// asked to: tables do not tell.
func (b *batch) warn(w io.Writer, files int) {
	if len(b.unaided) > 0 {
		_, _ = fmt.Fprintf(w, "The model's part is not whole in %d of %d files; their \"validation\" says more:\n  %s\n", len(b.unaided), files, b.unaided[0])
	}
}

// failures tells the person at the terminal which of the files failed; nil
// when none did.
func (b *batch) failures(files int) error {
	if len(b.failed) == 0 {
		return nil
	}
	const most = 10 // the output tells them all
	shown := b.failed[:min(len(b.failed), most)]
	text := fmt.Sprintf("%d of %d files failed:\n  %s", len(b.failed), files, strings.Join(shown, "\n  "))
	if more := len(b.failed) - len(shown); more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return errors.New(text)
}

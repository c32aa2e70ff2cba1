// Package transcribe brings a file to its page model: the file's own text where
// that can be used, recognised text where it cannot, decided page by page.
//
// It opens no files itself and recognises nothing itself; it joins those who
// do, and mends what lies between them.
package transcribe

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"fieldlift"
	"fieldlift/internal/ocr"
	"fieldlift/internal/page"
	"fieldlift/internal/scan"
)

// Reader opens files.
type Reader interface {
	Read(ctx context.Context, path string) (*page.Document, error)
	Scan(ctx context.Context, path string, number, turn int) (scan.Picture, error)
}

// SecondLook reads again what was not read surely. It gives all words, and
// leaves them as they are where it cannot do better.
type SecondLook interface {
	Warm(ctx context.Context) error
	Read(ctx context.Context, p ocr.Picture, words []ocr.Word) []ocr.Word
	Identity() string
}

// Transcriber transcribes files. It is safe for concurrent use; all documents
// share its bound of pages.
type Transcriber struct {
	reader     Reader
	recognizer ocr.Recognizer
	second     SecondLook    // nil when there is none
	places     chan struct{} // one for each page that is looked at: its picture takes memory
	metrics    *Metrics
	revision   string
}

// New makes a transcriber that looks at so many pages at once. Without a second
// look what is read once holds; without metrics nothing is counted.
func New(r Reader, recognizer ocr.Recognizer, second SecondLook, parallel int, m *Metrics) *Transcriber {
	return &Transcriber{r, recognizer, second, make(chan struct{}, max(parallel, 1)), m, revision()}
}

// Identity tells apart transcribers whose page models may differ, so that what
// one of them kept is not taken for another's.
func (t *Transcriber) Identity(ctx context.Context) string {
	identity := t.revision + " " + t.recognizer.Identity(ctx)
	if t.second != nil {
		identity += " " + t.second.Identity()
	}
	return identity
}

// Warm loads what the first scan would have to wait for.
func (t *Transcriber) Warm(ctx context.Context) error {
	if t.second == nil {
		return nil
	}
	return t.second.Warm(ctx)
}

// Read gives the page model of a file.
func (t *Transcriber) Read(ctx context.Context, path string) (*page.Document, error) {
	document, err := t.reader.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cap(t.places))
	checks, spoken := &hiddenText{}, &tongue{}
	for i := range document.Pages {
		p := &document.Pages[i]
		need, reason := judge(*p)
		p.Reading = page.Reading{Source: page.FromText, Reason: reason, Stance: page.Stance{Width: p.Width, Height: p.Height}}
		if need == nothing {
			continue
		}
		group.Go(func() error {
			select {
			case t.places <- struct{}{}:
				defer func() { <-t.places }()
			case <-ctx.Done():
				return ctx.Err()
			}
			return fieldlift.Guard(func() error {
				if need == check {
					return t.check(ctx, path, p, checks, spoken)
				}
				return t.recognise(ctx, path, p, reason, spoken)
			})
		})
	}
	return document, group.Wait()
}

// recognise replaces a page's words by recognised ones, but for those of its
// own that are to be trusted.
func (t *Transcriber) recognise(ctx context.Context, path string, p *page.Page, reason string, spoken *tongue) error {
	began := time.Now()
	picture, err := t.reader.Scan(ctx, path, p.Number, scan.Unknown)
	if err != nil {
		return err
	}
	if picture.Blank {
		p.Reading.Source, p.Reading.Reason = page.FromNone, "there is nothing on the page"
		return nil
	}
	look := &look{Transcriber: t, path: path, number: p.Number, tongue: spoken}
	words, err := look.read(ctx, picture)
	if err != nil {
		return err
	}
	if t.second != nil {
		question := asked(look.picture, ocr.Page)
		question.Languages = []string{look.language}
		words = t.second.Read(ctx, question, words)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	join(p, look.picture, words, reason)
	p.Reading.Languages = look.language
	t.metrics.recognised(time.Since(began))
	return nil
}

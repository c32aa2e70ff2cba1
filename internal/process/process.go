// Package process takes one document from its file to its result: read,
// extract, validate, finish. It decides what a failure means: a document that
// cannot be read is failed with a sentence; when something that the work needs
// is away, the document is put off.
package process

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
	"fieldlift/internal/telemetry"
)

// Store is what this package asks of the store.
type Store interface {
	BeginDocument(ctx context.Context, except ...fieldlift.EngineChoice) (fieldlift.Claim, bool, error)
	Wake() // has Take called again
	Beat(ctx context.Context, c fieldlift.Claim) (bool, error)
	CompleteDocument(ctx context.Context, c fieldlift.Claim, r fieldlift.Result, took time.Duration) error
	FailDocument(ctx context.Context, c fieldlift.Claim, message string, took time.Duration) error
	PostponeDocument(ctx context.Context, c fieldlift.Claim, until time.Time) error
	ModelStore
}

// Reader reads a file's pages.
type Reader interface {
	Read(ctx context.Context, path string) (*page.Document, error)
}

// Shelf has page models that were costly to read.
type Shelf interface {
	Find(ctx context.Context, accountID, sha256 string, first ...string) (document *page.Document, at string, err error)
	Keep(ctx context.Context, key string, document *page.Document)
}

// Processor takes documents that wait and works on them.
type Processor struct {
	Store    Store
	Blobs    blob.Bucket
	Reader   Reader
	Shelf    Shelf
	Engine   engine.Engine // the embedded one
	Model    ModelSettings
	SpoolDir string
	Log      *slog.Logger
	Metrics  *Metrics
	Now      func() time.Time

	questions questions      // that models are asked now
	asking    sync.WaitGroup // documents that wait for a model
}

// BeatInterval is how often a worker gives a sign of life for its document.
const BeatInterval = 4 * time.Second

// Take works on documents until none waits or ctx ends. Documents that a model
// takes part in are read here, and then wait for it in places of their own: one
// that is slow must not keep those waiting that need none.
func (p *Processor) Take(ctx context.Context) {
	for ctx.Err() == nil {
		leave, room := p.Model.enter()
		var except []fieldlift.EngineChoice
		if !room {
			except = p.Model.asking()
		}
		claim, ok, err := p.Store.BeginDocument(ctx, except...)
		if err != nil || !ok {
			leave()
			if err != nil && ctx.Err() == nil {
				p.Log.ErrorContext(ctx, "no document could be begun", "error", err)
			}
			return // the keeper calls again
		}
		if p.Model.choice(claim.Extraction.Engine) == fieldlift.LayoutEngine {
			leave()
			p.finishing(ctx, claim, func() {})
			continue
		}
		read := make(chan struct{})
		p.asking.Go(func() {
			defer p.Store.Wake() // another may have waited for the place
			defer leave()
			done := sync.OnceFunc(func() { close(read) })
			defer done()
			p.finishing(ctx, claim, done)
		})
		<-read
	}
}

// Wait waits for the documents that Take has left to a model. They end soon
// after the ctx that Take was given.
func (p *Processor) Wait() { p.asking.Wait() }

// grace is how long a document may still take when the process is to stop.
const grace = 10 * time.Second

// finishing works on a claim beyond the end of ctx, for the time of grace. It
// tells when the file has been read.
func (p *Processor) finishing(ctx context.Context, c fieldlift.Claim, read func()) {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	defer stop()
	p.work(work, c, read)
}

// work brings a claim to an end, whatever happens.
func (p *Processor) work(ctx context.Context, c fieldlift.Claim, read func()) {
	ctx = telemetry.With(ctx, slog.String("account_id", c.Document.AccountID),
		slog.String("extraction_id", c.Document.ExtractionID), slog.String("document_id", c.Document.ID))
	began := time.Now()
	alive, stop := p.keepAlive(ctx, c)
	var result fieldlift.Result
	err := fieldlift.Guard(func() (err error) {
		result, err = p.extract(alive, c, read)
		return err
	})
	if broke, isPanic := errors.AsType[*fieldlift.Panic](err); isPanic {
		p.Log.ErrorContext(ctx, "a document broke us", "error", err, "stack", string(broke.Stack))
	}
	lost := alive.Err() != nil && ctx.Err() == nil
	stop()
	took := time.Since(began)
	outcome := "completed"
	switch {
	case lost:
		outcome, err = "lost", fieldlift.ErrClaimLost
	case err == nil:
		err = p.insist(ctx, func() error { return p.Store.CompleteDocument(ctx, c, result, took) })
	case ctx.Err() != nil || !isTheFiles(err) && c.Postponements < mostPostponements:
		outcome = "postponed"
		p.Log.WarnContext(ctx, "a document is put off", "error", err)
		until := p.Now().Add(max(delay(c.Postponements), retryAfter(err)))
		if ctx.Err() != nil {
			until = p.Now() // we stop; another process may go on at once
		}
		err = p.Store.PostponeDocument(context.WithoutCancel(ctx), c, until)
	default:
		outcome = "failed"
		p.Log.WarnContext(ctx, "a document failed", "error", err)
		told := sentence(err)
		err = p.insist(ctx, func() error { return p.Store.FailDocument(ctx, c, told, took) })
	}
	if errors.Is(err, fieldlift.ErrClaimLost) {
		outcome = "lost"
	}
	if err != nil {
		// Its row stays as it is, and the keeper gives it to another worker.
		p.Log.ErrorContext(ctx, "a document could not be brought to its end", "error", err)
	}
	p.Metrics.ended(outcome, c.Document.PageCount, took)
}

// mostPostponements is how often a document is put off before a fault that
// does not go away fails it: some hours, with the growing delay.
const mostPostponements = 50

// isTheFiles tells an error that lies in the file, and would come again, from
// one that lies with us: a disk that is full, a store that is away or refuses
// us, a process that cannot be started.
func isTheFiles(err error) bool {
	if _, isPanic := errors.AsType[*fieldlift.Panic](err); isPanic {
		return true // it is our fault, but would come again
	}
	switch fieldlift.CodeOf(err) {
	case fieldlift.ServiceUnavailable, fieldlift.InternalError:
		return false
	}
	return true
}

// How long the end of a document is tried when the database is away: longer,
// and another worker has it.
const (
	insistence  = 10 * time.Second
	insistPause = 250 * time.Millisecond
)

// insist tries an act again while the database is away, so that work that is
// done is not done twice.
func (p *Processor) insist(ctx context.Context, act func() error) error {
	for deadline := time.Now().Add(insistence); ; {
		err := act()
		if err == nil || fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(insistPause):
		}
	}
}

// delay grows with each try: 2 s, 4 s, … up to five minutes.
func delay(postponements int64) time.Duration {
	return min(5*time.Minute, 2*time.Second<<min(postponements, 10))
}

// sentence is what the owner of a failed document is told.
func sentence(err error) string {
	if told, ok := errors.AsType[*fieldlift.Error](err); ok && told.Code != fieldlift.InternalError {
		return told.Message
	}
	return "The document could not be processed because of a fault in the service."
}

// keepAlive beats for the claim until stopped; its context ends when the claim
// was lost.
func (p *Processor) keepAlive(ctx context.Context, c fieldlift.Claim) (context.Context, func()) {
	alive, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(BeatInterval)
		defer ticker.Stop()
		for {
			select {
			case <-alive.Done():
				return
			case <-ticker.C:
			}
			if ok, err := p.Store.Beat(alive, c); err == nil && !ok {
				cancel()
				return
			}
		}
	}()
	return alive, func() {
		cancel()
		<-ended
	}
}

func (p *Processor) extract(ctx context.Context, c fieldlift.Claim, read func()) (fieldlift.Result, error) {
	document, err := p.pages(ctx, c)
	read()
	if err != nil {
		return fieldlift.Result{}, err
	}
	return p.find(ctx, p.engineFor(c), document, c.Extraction)
}

// Find extracts what an extraction asks for from a document that was read, with
// the embedded engine alone: for a look, which costs nothing.
func (p *Processor) Find(ctx context.Context, document *page.Document, wanted fieldlift.Extraction) (fieldlift.Result, error) {
	return p.find(ctx, p.embedded(), document, wanted)
}

// find extracts in bounded time.
func (p *Processor) find(ctx context.Context, chosen chosen, document *page.Document, wanted fieldlift.Extraction) (fieldlift.Result, error) {
	extracting, cancel := context.WithTimeout(ctx, chosen.timeout)
	defer cancel()
	result, err := Extract(extracting, chosen.Engine, document, wanted)
	if err != nil && extracting.Err() != nil && ctx.Err() == nil {
		return result, &fieldlift.Error{Code: chosen.late, Message: "The document takes too long to be extracted from.", Err: err}
	}
	result.Validation = append(result.Validation, chosen.warnings...)
	return result, err
}

// fetch brings the document's file to the local disk.
func (p *Processor) fetch(ctx context.Context, d fieldlift.Document) (string, error) {
	content, err := p.Blobs.Open(ctx, d.BlobKey())
	if errors.Is(err, blob.ErrNotFound) {
		return "", fieldlift.Errorf(fieldlift.ResourceNotFound, "The document's file is no longer there.")
	}
	if err != nil {
		return "", err
	}
	defer content.Close()
	if err := os.MkdirAll(p.SpoolDir, 0o700); err != nil {
		return "", err
	}
	file, err := os.CreateTemp(p.SpoolDir, "document-*")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(file, content)
	if err := errors.Join(err, file.Close()); err != nil {
		_ = os.Remove(file.Name())
		return "", fmt.Errorf("fetch the document's file: %w", err)
	}
	return file.Name(), nil
}

// Extract finds what the extraction's schema asks for in a document that was
// read: once for the file, or for each page. The places of values are those on
// the pages as they were uploaded.
func Extract(ctx context.Context, e engine.Engine, document *page.Document, x fieldlift.Extraction) (fieldlift.Result, error) {
	result, err := extract(ctx, e, document, x)
	if err != nil {
		return result, err
	}
	asUploaded(document, result.Metadata)
	result.Pages = readings(document)
	return result, nil
}

func extract(ctx context.Context, e engine.Engine, document *page.Document, x fieldlift.Extraction) (result fieldlift.Result, err error) {
	fields := x.Schema.Fields()
	if x.ResultMode == fieldlift.OnePerPage {
		result, err = extractPages(ctx, e, document, fields, x.DocumentType)
	} else {
		asked := engine.Request{Pages: document.Pages, Fields: fields, DocumentType: x.DocumentType}
		if document.Invoice != nil {
			asked.Given = document.Invoice.Given()
		}
		var answer engine.Answer
		answer, err = e.Extract(ctx, asked)
		result = fieldlift.Result{
			Data: answer.Data, Metadata: answer.Metadata, Confidence: answer.Confidence, Model: answer.Model, Validation: answer.Warnings,
		}
	}
	if err != nil {
		return fieldlift.Result{}, err
	}
	// What the engine warned of comes last.
	result.Validation = append(engine.ValidateResult(x.ResultMode, fields, result.Data), result.Validation...)
	return result, nil
}

// extractPages asks for each page alone and puts the answers into one object:
// {"pages":[{"page":1,…},…]}.
func extractPages(ctx context.Context, e engine.Engine, document *page.Document, fields []fieldlift.Field, documentType string) (fieldlift.Result, error) {
	result := fieldlift.Result{Metadata: map[string]fieldlift.FieldMetadata{}}
	data := []byte(`{"pages":[`)
	named := slices.ContainsFunc(fields, func(f fieldlift.Field) bool { return f.Name == "page" })
	for i, one := range document.Pages {
		answer, err := e.Extract(ctx, engine.Request{Pages: []page.Page{one}, Fields: fields, DocumentType: documentType})
		if err != nil {
			return fieldlift.Result{}, err
		}
		if i > 0 {
			data = append(data, ',')
		}
		data = append(data, '{')
		if !named { // else the schema's own field of that name has it
			data = append(data, `"page":`+strconv.Itoa(one.Number)+","...)
		}
		data = append(data, answer.Data[1:]...) // never empty: a schema has a property
		at := "/pages/" + strconv.Itoa(i)
		for pointer, m := range answer.Metadata {
			result.Metadata[at+pointer] = m
		}
		result.Model = result.Model.Plus(answer.Model)
		for _, v := range answer.Warnings {
			v.Path = at + v.Path
			result.Validation = append(result.Validation, v)
		}
		result.Confidence += answer.Confidence / float64(len(document.Pages))
	}
	result.Data = json.RawMessage(append(data, `]}`...))
	return result, nil
}

// Metrics tell whether documents keep up.
type Metrics struct {
	documents *prometheus.CounterVec
	pages     prometheus.Counter
	seconds   prometheus.Histogram
}

// NewMetrics makes and registers them.
func NewMetrics(registry prometheus.Registerer) *Metrics {
	m := &Metrics{
		documents: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "fieldlift_documents_total", Help: "Documents worked on, by outcome: completed, failed, postponed, lost.",
		}, []string{"outcome"}),
		pages: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "fieldlift_pages_total", Help: "Pages of documents that were completed.",
		}),
		seconds: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name: "fieldlift_document_seconds", Help: "How long documents took, from begin to end.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300},
		}),
	}
	registry.MustRegister(m.documents, m.pages, m.seconds)
	return m
}

func (m *Metrics) ended(outcome string, pages int64, took time.Duration) {
	m.documents.WithLabelValues(outcome).Inc()
	if outcome == "completed" {
		m.pages.Add(float64(pages))
		m.seconds.Observe(took.Seconds())
	}
}

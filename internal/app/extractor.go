package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"time"

	"fieldlift"
	"fieldlift/internal/detect"
	"fieldlift/internal/engine"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/ocr"
	"fieldlift/internal/page"
	"fieldlift/internal/process"
	"fieldlift/internal/reader"
	"fieldlift/internal/transcribe"
)

// Extractor extracts from files on the disk by the service's own path, without
// a service: no store, no account, nothing kept. It is safe for concurrent use.
type Extractor struct {
	reader              *reader.Reader
	transcriber         *transcribe.Transcriber
	embedded            *layout.Engine
	model               *llm.Model // nil: none takes part
	choice              fieldlift.EngineChoice
	threshold           float64
	maxPages, maxPixels int
	languages           []string
}

// NewExtractor makes an extractor with the configuration's limits.
func NewExtractor(c Config) (*Extractor, error) {
	pool, err := newReader(c)
	if err != nil {
		return nil, err
	}
	transcriber, err := newTranscriber(c, pool, NewRecognizer(c), nil)
	if err != nil {
		pool.Close()
		return nil, err
	}
	x := &Extractor{
		reader: pool, transcriber: transcriber, embedded: layout.New(),
		choice: c.Engine, threshold: c.Model.Threshold, maxPages: c.MaxPages, maxPixels: c.MaxPixels, languages: c.OCRLanguages,
	}
	if c.Engine != fieldlift.LayoutEngine {
		x.model, err = newModel(c, extractPatience, nil, c.Log)
	}
	return x, err
}

// extractPatience is how long a model that is away is waited for without a
// service, which could put a document off.
const extractPatience = 5 * time.Minute

// engine is what finds values on pages of a file, whose path may be unknown: to
// those who measure, who must not be given what the model had no part in.
func (x *Extractor) engine(path string) engine.Engine {
	if x.model == nil {
		return x.embedded
	}
	asking := &llm.Engine{Model: x.model, Embedded: x.embedded, Choice: x.choice, Threshold: x.threshold, Settle: path != "", Insist: path == "", Frank: true}
	if path != "" {
		asking.Picture = func(ctx context.Context, number int) ([]byte, error) {
			return x.reader.Render(ctx, path, number, modelDPI)
		}
	}
	return asking
}

// NewRecognizer makes what recognises text, for the service, the Extractor and
// those who ask what is installed.
func NewRecognizer(c Config) *ocr.Tesseract {
	return ocr.New(ocr.Options{Program: c.OCRProgram, Languages: c.OCRLanguages, Deadline: c.ReaderDeadline})
}

func newTranscriber(c Config, r *reader.Reader, recognizer ocr.Recognizer, m *transcribe.Metrics) (*transcribe.Transcriber, error) {
	parallel := min(c.Workers, runtime.NumCPU())
	if c.OCRModels == "" {
		return transcribe.New(r, recognizer, nil, parallel, m), nil
	}
	cacheDir, err := r.CacheDir()
	if err != nil {
		return nil, err
	}
	second, err := ocr.NewSecondLook(ocr.SecondLookOptions{
		Folder: c.OCRModels, CacheDir: cacheDir, Parallel: parallel, Log: cmp.Or(c.Log, slog.Default()),
	})
	if err != nil {
		return nil, err
	}
	return transcribe.New(r, recognizer, second, parallel, m), nil
}

// CheckSecondLook tells whether the models for a second look at scans are there.
func CheckSecondLook(c Config) error {
	if c.OCRModels == "" {
		return nil
	}
	_, err := ocr.NewSecondLook(ocr.SecondLookOptions{Folder: c.OCRModels})
	return err
}

// Close ends the processes that read files.
func (x *Extractor) Close() { x.reader.Close() }

// Reader is what the extractor opens files with.
func (x *Extractor) Reader() *reader.Reader { return x.reader }

// Transcriber is what the extractor reads files with.
func (x *Extractor) Transcriber() *transcribe.Transcriber { return x.transcriber }

// Extract reads a file and finds what the wanted extraction's schema asks for,
// in its result mode. It tells the file's pages as soon as they are known,
// even when it fails later.
func (x *Extractor) Extract(ctx context.Context, path string, wanted fieldlift.Extraction) (result fieldlift.Result, pages int, err error) {
	document, err := x.Read(ctx, path)
	if document != nil {
		pages = len(document.Pages)
	}
	if err != nil {
		return result, pages, err
	}
	result, err = process.Extract(ctx, x.engine(path), document, wanted)
	return result, pages, err
}

// Read is the first half of Extract.
func (x *Extractor) Read(ctx context.Context, path string) (*page.Document, error) {
	return x.transcriber.Read(ctx, path)
}

// Find is the second.
func (x *Extractor) Find(ctx context.Context, document *page.Document, wanted fieldlift.Extraction) (fieldlift.Result, error) {
	return process.Extract(ctx, x.engine(""), document, wanted)
}

// Detect reads a file and proposes fields for files like it. The prompt, which
// may be empty, narrows or adds.
func (x *Extractor) Detect(ctx context.Context, path, prompt string) (fieldlift.Proposal, error) {
	document, err := x.Read(ctx, path)
	if err != nil {
		return fieldlift.Proposal{}, err
	}
	detector := detect.New(x.embedded)
	adviser, ok := x.engine("").(*llm.Engine)
	if !ok {
		return detector.Detect(ctx, document, prompt)
	}
	proposal, advice, err := detector.DetectWith(ctx, adviser, document, prompt)
	return proposal, errors.Join(err, advice)
}

// Explain reads a file and tells how the engine came to the values of fields.
func (x *Extractor) Explain(ctx context.Context, path string, wanted fieldlift.Extraction) ([]engine.Explanation, error) {
	document, err := x.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	return x.embedded.Explain(ctx, engine.Request{Pages: document.Pages, Fields: wanted.Schema.Fields(), DocumentType: wanted.DocumentType})
}

// Reading names how files are read: what Read gave under another name may
// differ from what it gives now.
func (x *Extractor) Reading(ctx context.Context) string {
	return fmt.Sprintf("%s %d %d %v", x.transcriber.Identity(ctx), x.maxPages, x.maxPixels, x.languages)
}

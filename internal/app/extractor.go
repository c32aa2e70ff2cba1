package app

import (
	"context"
	"runtime"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/ocr"
	"fieldlift/internal/process"
	"fieldlift/internal/reader"
	"fieldlift/internal/transcribe"
)

// Extractor extracts from files on the disk by the service's own path, without
// a service: no store, no account, nothing kept. It is safe for concurrent use.
type Extractor struct {
	reader      *reader.Reader
	transcriber *transcribe.Transcriber
	engine      engine.Engine
}

// NewExtractor makes an extractor with the configuration's limits.
func NewExtractor(c Config) (*Extractor, error) {
	pool, err := newReader(c)
	if err != nil {
		return nil, err
	}
	return &Extractor{pool, newTranscriber(c, pool, NewRecognizer(c), nil), layout.New()}, nil
}

// NewRecognizer makes what recognises text, for the service, the Extractor and
// those who ask what is installed.
func NewRecognizer(c Config) *ocr.Tesseract {
	return ocr.New(ocr.Options{Program: c.OCRProgram, Languages: c.OCRLanguages, Deadline: c.ReaderDeadline})
}

func newTranscriber(c Config, r *reader.Reader, recognizer ocr.Recognizer, m *transcribe.Metrics) *transcribe.Transcriber {
	return transcribe.New(r, recognizer, min(c.Workers, runtime.NumCPU()), m)
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
	document, err := x.transcriber.Read(ctx, path)
	if document != nil {
		pages = len(document.Pages)
	}
	if err != nil {
		return result, pages, err
	}
	result, err = process.Extract(ctx, x.engine, document, wanted)
	return result, pages, err
}

package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"path/filepath"
	"time"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/page"
)

// SampleStore is what samples ask of the store.
type SampleStore interface {
	accounts
	Sample(ctx context.Context, accountID, id string) (fieldlift.Sample, error)
	AcceptDetection(ctx context.Context, d fieldlift.Detection) (fieldlift.Detected, error)
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

// Detector proposes fields for documents like the one it is shown, by the
// engine that the parser wants. The prompt narrows or adds; it may be empty.
type Detector interface {
	Detect(ctx context.Context, p fieldlift.Parser, document *page.Document, prompt string) (fieldlift.Proposal, error)
}

// Sampler configures parsers from samples, and shows what they would find. It
// works while the client waits, on a few files at once, each with a place in
// Places, so that it never takes from the workers what documents need.
type Sampler struct {
	Intake    *Intake // how files are taken in
	Store     SampleStore
	Reader    Reader
	Shelf     Shelf
	Detector  Detector
	Extractor Extractor
	Renderer  Renderer
	Places    chan struct{}
}

// SampleRequest asks for fields to be detected.
type SampleRequest struct {
	AccountID string
	ParserID  string
	SampleID  string // "": the sample comes with the request
	Prompt    string
	Replace   bool // the schema that the parser has
}

// Check lists what is wrong with a request's texts.
func (r SampleRequest) Check() []fieldlift.Detail {
	if n := utf8.RuneCountInString(r.Prompt); n > fieldlift.MaxPrompt {
		return []fieldlift.Detail{{Field: "prompt", Issue: "max_length", Message: fmt.Sprintf("prompt must have at most %d characters.", fieldlift.MaxPrompt)}}
	}
	return nil
}

// sampleTimeout bounds what is done while the client waits: the wait for a
// place, the reading, which the reader bounds too, and the detection.
const sampleTimeout = 90 * time.Second

// Detect takes a sample from a multipart body, detects its fields and gives
// them to the parser, all in one act; a refusal changes nothing.
func (s *Sampler) Detect(ctx context.Context, accountID, parserID string, body *multipart.Reader) (fieldlift.Detected, error) {
	dir, remove, err := s.Intake.spoolFolder("sample-*")
	if err != nil {
		return fieldlift.Detected{}, err
	}
	defer remove()
	f, err := s.Intake.readSample(body, dir)
	if err != nil {
		return fieldlift.Detected{}, err
	}
	r := f.request
	r.AccountID, r.ParserID = accountID, parserID
	if r.SampleID != "" {
		return s.DetectAgain(ctx, r)
	}
	parser, err := s.mayConfigure(ctx, r)
	if err != nil {
		return fieldlift.Detected{}, err
	}
	info, err := s.Intake.Inspector.Inspect(ctx, f.file.path)
	if err != nil {
		return fieldlift.Detected{}, naming(f.file.name, "file", err)
	}
	sample := fieldlift.Sample{
		ID: fieldlift.NewID(fieldlift.SamplePrefix), AccountID: accountID, Filename: f.file.name, ContentType: info.ContentType,
		SizeBytes: f.file.size, SHA256: f.file.sha256, PageCount: int64(info.Pages),
	}
	d, document, err := s.propose(ctx, r, parser, sample, func() (string, error) { return f.file.path, nil })
	if err != nil {
		return fieldlift.Detected{}, err
	}
	if err := s.Intake.put(ctx, f.file, sample.BlobKey()); err != nil {
		s.Intake.discard(ctx, sample.BlobKey())
		return fieldlift.Detected{}, err
	}
	s.Shelf.Keep(ctx, sample.PagesKey(), document)
	return s.settle(ctx, d)
}

// DetectAgain detects the fields of a sample that was kept.
func (s *Sampler) DetectAgain(ctx context.Context, r SampleRequest) (fieldlift.Detected, error) {
	parser, err := s.mayConfigure(ctx, r)
	if err != nil {
		return fieldlift.Detected{}, err
	}
	sample, err := s.sample(ctx, r)
	if err != nil {
		return fieldlift.Detected{}, err
	}
	dir, remove, err := s.Intake.spoolFolder("sample-*")
	if err != nil {
		return fieldlift.Detected{}, err
	}
	defer remove()
	d, _, err := s.propose(ctx, r, parser, sample, func() (string, error) { return s.fetch(ctx, sample, dir) })
	if err != nil {
		return fieldlift.Detected{}, err
	}
	return s.settle(ctx, d)
}

// mayConfigure refuses early what the store would refuse at the end.
func (s *Sampler) mayConfigure(ctx context.Context, r SampleRequest) (fieldlift.Parser, error) {
	parser, err := s.Store.Parser(ctx, r.AccountID, r.ParserID)
	if err != nil {
		return parser, err
	}
	return parser, parser.MayDetect(r.Replace)
}

func (s *Sampler) sample(ctx context.Context, r SampleRequest) (fieldlift.Sample, error) {
	if !fieldlift.ValidID(fieldlift.SamplePrefix, r.SampleID) {
		return fieldlift.Sample{}, fieldlift.Errorf(fieldlift.ResourceNotFound, "There is no such sample.") // it may be long: it is not repeated
	}
	return s.Store.Sample(ctx, r.AccountID, r.SampleID)
}

// propose finds out whether the pages can be paid for, reads them and detects
// their fields.
func (s *Sampler) propose(ctx context.Context, r SampleRequest, parser fieldlift.Parser, sample fieldlift.Sample, file func() (string, error)) (fieldlift.Detection, *page.Document, error) {
	d := fieldlift.Detection{
		ID: fieldlift.NewID(fieldlift.DetectionPrefix), ParserID: r.ParserID, Sample: sample, Stored: r.SampleID != "", Replace: r.Replace,
	}
	if err := afford(ctx, s.Store, r.AccountID, sample.PageCount); err != nil {
		return d, nil, err
	}
	var document *page.Document
	err := s.inPlace(ctx, func(ctx context.Context) (err error) {
		if document, err = s.pages(ctx, sample, d.Stored, file); err == nil {
			d.Proposal, err = s.Detector.Detect(ctx, parser, document, r.Prompt)
		}
		return err
	})
	if err == nil && len(d.Proposal.Fields) == 0 {
		// No code says this alone. The request is well formed, but with this file it
		// leads nowhere: as with any other value that will not do.
		err = fieldlift.Errorf(fieldlift.InvalidPayload, "no fields could be detected in it. "+
			"Use a sample that is filled in and has readable text, or give the parser its fields yourself; nothing was charged.")
	}
	field := "file"
	if d.Stored {
		field = "sample_file_id"
	}
	return d, document, naming(sample.Filename, field, err)
}

// inPlace does what takes a place, within the time that clients wait.
func (s *Sampler) inPlace(ctx context.Context, do func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, sampleTimeout)
	defer cancel()
	err := func() error {
		select {
		case s.Places <- struct{}{}:
			defer func() { <-s.Places }()
			return do(bounded)
		case <-bounded.Done():
			return bounded.Err()
		}
	}()
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return &fieldlift.Error{
			Code: fieldlift.ServiceUnavailable, Message: "The sample could not be looked at in time. Try again, or with fewer pages.", Err: err,
		}
	}
	return err
}

// pages gives a sample's page model: as it was kept, or read off its file. A
// stored sample's is kept, so that it is recognised once.
func (s *Sampler) pages(ctx context.Context, sample fieldlift.Sample, stored bool, file func() (string, error)) (*page.Document, error) {
	var first []string
	if stored {
		first = append(first, sample.PagesKey())
	}
	document, at, err := s.Shelf.Find(ctx, sample.AccountID, sample.SHA256, first...)
	if err != nil {
		return nil, err
	}
	if document == nil {
		path, err := file()
		if err != nil {
			return nil, err
		}
		if document, err = s.Reader.Read(ctx, path); err != nil {
			return nil, err
		}
	}
	if stored && at != sample.PagesKey() {
		s.Shelf.Keep(ctx, sample.PagesKey(), document)
	}
	return document, nil
}

// settle has the store accept a detection, even if the client goes away
// meanwhile, and removes the file that is not needed then.
func (s *Sampler) settle(ctx context.Context, d fieldlift.Detection) (fieldlift.Detected, error) {
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	detected, err := s.Store.AcceptDetection(settling, d)
	if !d.Stored && refused(err) {
		s.Intake.discard(ctx, d.Sample.BlobKey(), d.Sample.PagesKey())
	}
	if err == nil && detected.Replaced.ID != "" {
		s.Intake.discard(ctx, detected.Replaced.BlobKey(), detected.Replaced.PagesKey())
	}
	return detected, err
}

// fetch brings a sample's file into a folder of the local disk.
func (s *Sampler) fetch(ctx context.Context, sample fieldlift.Sample, dir string) (string, error) {
	content, err := s.Intake.Blobs.Open(ctx, sample.BlobKey())
	if errors.Is(err, blob.ErrNotFound) {
		return "", fieldlift.Errorf(fieldlift.ResourceNotFound, "The file of sample %s is no longer there.", sample.ID)
	}
	if err != nil {
		return "", err
	}
	defer content.Close()
	path := filepath.Join(dir, "sample")
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", diskError(err)
	}
	_, err = io.Copy(file, content)
	if err := errors.Join(err, file.Close()); err != nil {
		return "", fmt.Errorf("fetch the sample's file: %w", err)
	}
	return path, nil
}

// sampleForm is a sample as the client sent it.
type sampleForm struct {
	form
	file    spooled
	files   int
	request SampleRequest
	replace string
}

// readSample streams a sample to disk.
func (in *Intake) readSample(body *multipart.Reader, dir string) (sampleForm, error) {
	var f sampleForm
	err := f.read(body, in.Limits, func(part *multipart.Part) error { return in.readSamplePart(&f, part, dir) })
	if err != nil {
		return f, err
	}
	switch {
	case f.files == 0 && f.request.SampleID == "":
		f.refuse("file", "required", "file or sample_file_id is required.")
	case f.files > 0 && f.request.SampleID != "":
		f.refuse("sample_file_id", "conflict", "Give file or sample_file_id, not both.")
	case f.files > 1:
		f.refuse("file", "max_items", "One file is a sample, not more.")
	}
	switch f.replace {
	case "true":
		f.request.Replace = true
	case "", "false":
	default:
		f.refuse("replace_existing_schema", "enum", "replace_existing_schema must be true or false.")
	}
	f.found = append(f.found, f.request.Check()...)
	return f, f.err()
}

func (in *Intake) readSamplePart(f *sampleForm, part *multipart.Part, dir string) error {
	switch part.FormName() {
	case "sample_file_id":
		return f.readText(part, &f.request.SampleID, mostText, in.Limits)
	case "prompt":
		return f.readText(part, &f.request.Prompt, utf8.UTFMax*fieldlift.MaxPrompt, in.Limits)
	case "replace_existing_schema":
		return f.readText(part, &f.replace, mostText, in.Limits)
	case "file":
		return in.readOnlyFile(&f.form, part, &f.file, &f.files, filepath.Join(dir, "sample"))
	}
	return nil // other parts are ignored, as unknown keys are
}

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

// Detector proposes fields for documents like the one it is shown, by the
// engine that the parser wants. The prompt narrows or adds; it may be empty.
type Detector interface {
	Detect(ctx context.Context, p fieldlift.Parser, document *page.Document, prompt string) (fieldlift.Proposal, error)
}

// Sampler configures parsers from samples. It works while the client waits, on
// a few samples at once, each with a place in Places, so that it never takes
// from the workers what documents need.
type Sampler struct {
	Intake   *Intake // how files are taken in
	Store    SampleStore
	Reader   Reader
	Detector Detector
	Places   chan struct{}
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

// detectTimeout bounds what is done while the client waits: the wait for a
// place, the reading, which the reader bounds too, and the detection.
const detectTimeout = 90 * time.Second

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
	d, err := s.propose(ctx, r, parser, sample, f.file.path)
	if err != nil {
		return fieldlift.Detected{}, err
	}
	if err := s.Intake.put(ctx, f.file, sample.BlobKey()); err != nil {
		s.Intake.discard(ctx, sample.BlobKey())
		return fieldlift.Detected{}, err
	}
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
	path := filepath.Join(dir, "sample")
	if err := s.fetch(ctx, sample, path); err != nil {
		return fieldlift.Detected{}, err
	}
	d, err := s.propose(ctx, r, parser, sample, path)
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
func (s *Sampler) propose(ctx context.Context, r SampleRequest, parser fieldlift.Parser, sample fieldlift.Sample, path string) (fieldlift.Detection, error) {
	d := fieldlift.Detection{
		ID: fieldlift.NewID(fieldlift.DetectionPrefix), ParserID: r.ParserID, Sample: sample, Stored: r.SampleID != "", Replace: r.Replace,
	}
	if err := afford(ctx, s.Store, r.AccountID, sample.PageCount); err != nil {
		return d, err
	}
	bounded, cancel := context.WithTimeout(ctx, detectTimeout)
	defer cancel()
	var err error
	d.Proposal, err = s.detect(bounded, parser, path, r.Prompt)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return d, &fieldlift.Error{
			Code: fieldlift.ServiceUnavailable, Message: "The sample could not be looked at in time. Try again, or with fewer pages.", Err: err,
		}
	}
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
	return d, naming(sample.Filename, field, err)
}

func (s *Sampler) detect(ctx context.Context, parser fieldlift.Parser, path, prompt string) (fieldlift.Proposal, error) {
	select {
	case s.Places <- struct{}{}:
		defer func() { <-s.Places }()
	case <-ctx.Done():
		return fieldlift.Proposal{}, ctx.Err()
	}
	document, err := s.Reader.Read(ctx, path)
	if err != nil {
		return fieldlift.Proposal{}, err
	}
	return s.Detector.Detect(ctx, parser, document, prompt)
}

// settle has the store accept a detection, even if the client goes away
// meanwhile, and removes the file that is not needed then.
func (s *Sampler) settle(ctx context.Context, d fieldlift.Detection) (fieldlift.Detected, error) {
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	detected, err := s.Store.AcceptDetection(settling, d)
	if !d.Stored && refused(err) {
		s.Intake.discard(ctx, d.Sample.BlobKey())
	}
	if err == nil && detected.Replaced.ID != "" {
		s.Intake.discard(ctx, detected.Replaced.BlobKey())
	}
	return detected, err
}

// fetch brings a sample's file to the local disk.
func (s *Sampler) fetch(ctx context.Context, sample fieldlift.Sample, path string) error {
	content, err := s.Intake.Blobs.Open(ctx, sample.BlobKey())
	if errors.Is(err, blob.ErrNotFound) {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "The file of sample %s is no longer there.", sample.ID)
	}
	if err != nil {
		return err
	}
	defer content.Close()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return diskError(err)
	}
	_, err = io.Copy(file, content)
	if err := errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("fetch the sample's file: %w", err)
	}
	return nil
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
		if part.FileName() == "" {
			f.refuse("file", "type", "file must be sent as a file, with a file name.")
			return nil
		}
		if f.files++; f.files > 1 {
			return nil // refused; the rest is read over
		}
		var err error
		f.file, err = in.spool(part, filepath.Join(dir, "sample"))
		return err
	}
	return nil // other parts are ignored, as unknown keys are
}

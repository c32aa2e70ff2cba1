package intake

import (
	"context"
	"mime/multipart"
	"path/filepath"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/reader"
	"fieldlift/internal/schema"
)

// Extractor finds what a wanted extraction asks for in a document that was
// read.
type Extractor interface {
	Find(ctx context.Context, document *page.Document, wanted fieldlift.Extraction) (fieldlift.Result, error)
}

// Renderer draws a page of a file, counted from 1, for people to look at.
type Renderer interface {
	Show(ctx context.Context, path string, number, width int) (reader.PageImage, error)
}

// PreviewRequest asks what a parser would find if it were as it is here: what
// is not given it has already.
type PreviewRequest struct {
	AccountID string
	ParserID  string
	Change    fieldlift.ParserChange // not saved
}

const (
	// mostPreviewed is how many pages of a sample are looked at: as many as for
	// detection.
	mostPreviewed = 20
	// mostTried is how many pages a file may have that is tried. It is meant for
	// a look while a parser is made; more is a submission's, which is charged.
	mostTried = 5
	// triedWidth makes pages readable on a screen, in pixels.
	triedWidth = 1000
)

// Preview extracts from the parser's sample with a schema that need not be
// saved. Nothing is stored, and nothing is charged: the sample's pages were
// paid for when they were detected.
func (s *Sampler) Preview(ctx context.Context, r PreviewRequest) (fieldlift.Preview, error) {
	parser, err := s.changed(ctx, r)
	if err != nil {
		return fieldlift.Preview{}, err
	}
	if parser.SampleID == "" {
		return fieldlift.Preview{}, fieldlift.Errorf(fieldlift.ResourceNotFound, "The parser %q has no sample yet.", parser.Name)
	}
	sample, err := s.Store.Sample(ctx, r.AccountID, parser.SampleID)
	if err != nil {
		return fieldlift.Preview{}, err
	}
	dir, remove, err := s.Intake.spoolFolder("preview-*")
	if err != nil {
		return fieldlift.Preview{}, err
	}
	defer remove()
	preview := fieldlift.Preview{Filename: sample.Filename, PageCount: sample.PageCount}
	err = s.inPlace(ctx, func(ctx context.Context) error {
		document, err := s.pages(ctx, sample, true, func() (string, error) { return s.fetch(ctx, sample, dir) })
		if err != nil {
			return err
		}
		return s.look(ctx, parser, document, &preview)
	})
	return preview, err
}

// Try extracts from a file that comes in a multipart body, which may also give
// fields or a schema that are not saved. Nothing is stored, nothing is charged,
// and nothing of the file is kept; so the preview has pictures of its pages.
func (s *Sampler) Try(ctx context.Context, accountID, parserID string, body *multipart.Reader) (fieldlift.Preview, error) {
	dir, remove, err := s.Intake.spoolFolder("preview-*")
	if err != nil {
		return fieldlift.Preview{}, err
	}
	defer remove()
	f, err := s.Intake.readTrial(body, dir)
	if err != nil {
		return fieldlift.Preview{}, err
	}
	parser, err := s.changed(ctx, PreviewRequest{AccountID: accountID, ParserID: parserID, Change: f.change})
	if err != nil {
		return fieldlift.Preview{}, err
	}
	info, err := s.Intake.Inspector.Inspect(ctx, f.file.path)
	if err == nil && info.Pages > mostTried {
		err = fieldlift.Errorf(fieldlift.InvalidPayload, "it has %d pages, and a file that is tried may have %d. Submit it for extraction instead.", info.Pages, mostTried)
	}
	if err != nil {
		return fieldlift.Preview{}, naming(f.file.name, "file", err)
	}
	preview := fieldlift.Preview{Filename: f.file.name, PageCount: int64(info.Pages)}
	file := fieldlift.Sample{AccountID: accountID, SHA256: f.file.sha256}
	err = s.inPlace(ctx, func(ctx context.Context) error {
		document, err := s.pages(ctx, file, false, func() (string, error) { return f.file.path, nil })
		if err != nil {
			return err
		}
		for i := range document.Pages {
			drawn, err := s.Renderer.Show(ctx, f.file.path, i+1, triedWidth)
			if err != nil {
				return err
			}
			preview.Pictures = append(preview.Pictures, fieldlift.Picture(drawn))
		}
		return s.look(ctx, parser, document, &preview)
	})
	return preview, naming(f.file.name, "file", err)
}

// changed gives the parser as it would be with the change.
func (s *Sampler) changed(ctx context.Context, r PreviewRequest) (fieldlift.Parser, error) {
	if found := r.Change.Check(); len(found) > 0 {
		return fieldlift.Parser{}, fieldlift.Invalid(found...)
	}
	if !fieldlift.ValidID(fieldlift.ParserPrefix, r.ParserID) {
		return fieldlift.Parser{}, fieldlift.Errorf(fieldlift.ParserNotFound, "There is no parser %s.", r.ParserID)
	}
	parser, err := s.Store.Parser(ctx, r.AccountID, r.ParserID)
	if err != nil {
		return parser, err
	}
	parser = r.Change.Apply(parser)
	if parser.Schema.IsZero() {
		return parser, fieldlift.Errorf(fieldlift.ParserNotConfigured, "The parser %q has no fields yet.", parser.Name)
	}
	return parser, nil
}

// look finds what the parser asks for on the first pages.
func (s *Sampler) look(ctx context.Context, parser fieldlift.Parser, document *page.Document, preview *fieldlift.Preview) error {
	first := *document
	first.Pages = first.Pages[:min(len(first.Pages), mostPreviewed)]
	preview.Looked = int64(len(first.Pages))
	result, err := s.Extractor.Find(ctx, &first, fieldlift.Extraction{
		ResultMode: parser.ResultMode, DocumentType: parser.DocumentType, Schema: parser.Schema,
	})
	preview.Result = result
	return err
}

// trialForm is a file to try as the client sent it.
type trialForm struct {
	form
	file           spooled
	files          int
	fields, schema string
	change         fieldlift.ParserChange
}

// readTrial streams a file to disk, and what it is to be tried with.
func (in *Intake) readTrial(body *multipart.Reader, dir string) (trialForm, error) {
	var f trialForm
	err := f.read(body, in.Limits, func(part *multipart.Part) error { return in.readTrialPart(&f, part, dir) })
	if err != nil {
		return f, err
	}
	switch {
	case f.files == 0:
		f.refuse("file", "required", "file is required.")
	case f.files > 1:
		f.refuse("file", "max_items", "One file can be tried at a time.")
	}
	switch {
	case f.fields != "" && f.schema != "":
		f.refuse("schema", "conflict", "Give fields or schema, not both.")
	case f.fields != "":
		fields, found := fieldlift.ParseFields([]byte(f.fields))
		f.found = append(f.found, found...)
		f.change.Schema = new(fieldlift.SchemaOf(fields))
	case f.schema != "":
		parsed, found := schema.Parse([]byte(f.schema))
		f.found = append(f.found, found...)
		f.change.Schema = &parsed
	}
	return f, f.err()
}

func (in *Intake) readTrialPart(f *trialForm, part *multipart.Part, dir string) error {
	switch part.FormName() {
	case "fields":
		return f.readText(part, &f.fields, fieldlift.MaxSchemaBytes, in.Limits)
	case "schema":
		return f.readText(part, &f.schema, fieldlift.MaxSchemaBytes, in.Limits)
	case "file":
		return in.readOnlyFile(&f.form, part, &f.file, &f.files, filepath.Join(dir, "file"))
	}
	return nil // other parts are ignored, as unknown keys are
}

// readOnlyFile takes the one file of a form in.
func (in *Intake) readOnlyFile(f *form, part *multipart.Part, into *spooled, count *int, path string) error {
	if part.FileName() == "" {
		f.refuse("file", "type", "file must be sent as a file, with a file name.")
		return nil
	}
	if *count++; *count > 1 {
		return nil // refused; the rest is read over
	}
	var err error
	*into, err = in.spool(part, path)
	return err
}

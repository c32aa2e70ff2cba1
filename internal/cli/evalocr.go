package cli

import (
	"context"
	"os"

	"fieldlift/internal/app"
	"fieldlift/internal/ocreval"
)

const evalOCRAbout = `
With --ocr it measures the recognition of text beside plain "tesseract FILE -" in
the same run: word F1, character errors and processor time, on pages with known
text that it makes itself (rendered at 150, 200 and 300 dpi, blurred, noisy,
rotated, as JPEG, in the shadow, photographed, inverted), and on a long receipt
whose letters are all of one width.

Given files or folders, it measures on those instead: PDFs that have text are
drawn, and what is read compared with their text; for the sets of labelled
documents that a cases.jsonl describes, the share of the words of expected
values that are read stands in for what is not known.

Examples:

  fieldlift eval --ocr
  fieldlift eval --ocr --only rotated --verbose
  fieldlift eval --ocr documents/receipts documents/invoices`

func evalOCR(ctx context.Context, c *call) error {
	config := app.Default()
	chosen := c.boolean("ocr", "measure the recognition of text")
	only := c.text("only", "", "only the kinds of pages whose names contain this")
	oneThread := c.boolean("one-thread", "leave out plain tesseract with its usual threads, which takes longest")
	verbose := c.boolean("verbose", "a row for each page, too")
	scans := scanFlags(c)
	given, err := c.parse("[FILE…]")
	if err != nil {
		return err
	}
	if !*chosen {
		c.refuse("--ocr is missing: what is to be measured?")
	}
	scans(&config)
	if err := c.err(config.Validate()); err != nil {
		return err
	}
	extractor, err := app.NewExtractor(config)
	if err != nil {
		return err
	}
	defer extractor.Close()
	folder, err := os.MkdirTemp("", "fieldlift-eval-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	extractor.Transcriber().Identity(ctx) // what a service has done before its first document is not counted
	bench := &ocreval.Bench{
		Reader: extractor.Reader(), Transcriber: extractor.Transcriber(), Languages: config.OCRLanguages,
		Folder: folder, Out: c.Stdout, Only: *only, Verbose: *verbose, OneThread: *oneThread,
	}
	if len(given) == 0 {
		return bench.Made(ctx)
	}
	return bench.Given(ctx, given)
}

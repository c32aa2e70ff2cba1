package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/export"
	"fieldlift/internal/schema"
)

func extractCommand() command {
	return command{
		name:     "extract",
		synopsis: "FILE… --fields '…' | --schema FILE | --detect [flags]",
		summary:  "Extract from local files, without a server",
		about: `
Reads PDFs and images and prints what was found, by the same path as the
service: no server, no account, no database, nothing kept but compiled code in
your cache folder. The very first run makes that, and takes some seconds longer.

--fields is a list of name[:type][!] with commas between. The types are string
(unless told otherwise), number, boolean, date, array and object; "!" says
required. A dot leads into an object and [] into an array's elements:

  vendor.name, items[].text, items[].amount:number!, tags[]

--schema reads a JSON Schema instead, as pydantic and zod write it; "-" is
standard input.

--detect finds out by itself which fields the first file has, and extracts those
from all of them. --prompt narrows or adds: "only the totals", "include the
buyer's VAT number", "without line items". --save-schema writes them down, to be
edited and used again with --schema.

JSON is written one object a line, in the order of the files and as soon as
each is done, so that "jq" and "while read" can follow:

  {"file","status","page_count","confidence","extracted_data","field_metadata","validation","pages","error"}

--engine auto or model has a language model take part, your own or a vendor's;
"model" in the output says what that took. Only then anything leaves this machine.

A file that fails has "status":"failed", its "error", and null for the rest; the
others are written all the same, and the exit code is 1. It is 2 for a mistake
in the command line, before anything is read. Values that break a rule, such as
one that is required and missing, are told in "validation" and are no failure.
--explain shows for a field the candidates that were considered, how probable
each is, and what spoke for it and against it.

CSV and XLSX have one row a file (a page, with --per-page) and the fields as
columns; their document_id is empty.

Examples:

  fieldlift extract invoice.pdf --fields 'invoice_number!, date:date, total:number'
  fieldlift extract *.pdf --fields 'total:number' | jq -r '[.file, .extracted_data.total] | @tsv'
  fieldlift extract scans/*.pdf --schema invoice.json --output invoices.xlsx
  fieldlift extract invoice.pdf --detect --save-schema invoice.json
  fieldlift extract invoice.pdf --fields 'total:number' --explain total
  fieldlift extract *.pdf --schema invoice.json --engine auto --model qwen3:14b --model-url http://127.0.0.1:11434/v1`,
		run: extract,
	}
}

// extractOptions are what the flags of the command say.
type extractOptions struct {
	files      []string
	wanted     fieldlift.Extraction
	detect     bool // what is wanted is not known yet
	prompt     string
	saveSchema string // "": nowhere
	format     export.Format
	output     string // "": standard output
	explain    string // the field to explain; "": none
	config     app.Config
}

func extract(ctx context.Context, c *call) error {
	o, err := readExtractOptions(c)
	if err != nil {
		return err
	}
	extractor, err := app.NewExtractor(o.config)
	if err != nil {
		return err
	}
	defer extractor.Close()
	if o.detect {
		if err := o.detectFields(ctx, extractor); err != nil {
			return err
		}
	}
	out, finish, err := o.open(c)
	if err != nil {
		return err
	}
	if o.explain != "" {
		err := o.explainFields(ctx, out, extractor)
		return errors.Join(err, finish())
	}
	b := &batch{extractor: extractor, wanted: o.wanted, workers: o.config.Workers, progress: newProgress(c.Stderr, "extracting", len(o.files))}
	err = b.write(ctx, b.progress.over(out), o.format, o.files)
	b.progress.end()
	b.warn(c.Stderr, len(o.files))
	if closed := finish(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return b.failures(len(o.files))
}

func readExtractOptions(c *call) (o extractOptions, err error) {
	o.config = app.Default()
	fields := c.text("fields", "", "what to extract, such as 'invoice_number!, total:number, items[].text'")
	schemaFile := c.text("schema", "", "a file with a JSON Schema of what to extract; - reads standard input")
	detect := c.boolean("detect", "extract the fields that are detected in the first file")
	prompt := c.text("prompt", "", "with --detect: what to look for, in your own words")
	saveSchema := c.text("save-schema", "", "with --detect: a file to write the detected fields to, as a JSON Schema")
	perPage := c.boolean("per-page", "a result for each page, not for each file")
	documentType := c.text("document-type", "", "what the files are, such as invoice or bank_statement; it helps the engine")
	format := c.text("format", "", "json (one object a line), csv or xlsx; unless set, as the name of --output ends, or else json")
	output := c.text("output", "", "the file to write, overwritten if it is there; unless set, standard output")
	explained := c.text("explain", "", "print what was considered for this field (all: for each) and why one value won, instead of results")
	workers := c.number("workers", int64(o.config.Workers), "how many files are worked on at once")
	scans := scanFlags(c)
	models := modelFlags(c)
	pages := c.number("max-pages", int64(o.config.MaxPages), "the most pages of a file")
	pixels := c.number("max-pixels", int64(o.config.MaxPixels), "the most pixels of an image")
	if o.files, err = c.parse("FILE…"); err != nil {
		return o, err
	}
	o.config.Workers, o.config.MaxPages, o.config.MaxPixels = int(*workers), int(*pages), int(*pixels)
	scans(&o.config)
	models(&o.config)
	o.wanted = fieldlift.Extraction{DocumentType: *documentType, ResultMode: fieldlift.OnePerFile}
	if *perPage {
		o.wanted.ResultMode = fieldlift.OnePerPage
	}
	if len((fieldlift.ParserChange{DocumentType: documentType}).Check()) > 0 {
		c.refuse("--document-type: a word such as invoice or bank_statement is needed, not %q", *documentType)
	}
	o.detect, o.prompt, o.saveSchema = *detect, *prompt, *saveSchema
	if !o.detect && (o.prompt != "" || o.saveSchema != "") {
		c.refuse("--prompt and --save-schema go with --detect")
	}
	o.wanted.Schema = c.schema(*fields, *schemaFile, o.detect)
	o.output, o.explain = *output, *explained
	o.format = c.format(*format, *output)
	c.checkOutput(o)
	return o, c.err(o.config.Validate())
}

// detectFields sets what is wanted to the fields that the first file has.
func (o *extractOptions) detectFields(ctx context.Context, extractor *app.Extractor) error {
	proposal, err := extractor.Detect(ctx, o.files[0], o.prompt)
	if err != nil {
		return fmt.Errorf("%s: %s", o.files[0], explain(err))
	}
	if len(proposal.Fields) == 0 {
		return fmt.Errorf("%s: no fields could be detected in it; name them with --fields", o.files[0])
	}
	o.wanted.Schema = fieldlift.SchemaOf(proposal.Fields)
	if o.wanted.DocumentType == "" {
		o.wanted.DocumentType = proposal.DocumentType
	}
	if o.saveSchema == "" {
		return nil
	}
	var text bytes.Buffer
	if err := json.Indent(&text, []byte(o.wanted.Schema.String()), "", "  "); err != nil {
		return err
	}
	text.WriteByte('\n')
	return os.WriteFile(o.saveSchema, text.Bytes(), 0o600)
}

// schema reads what is to be extracted, unless it is to be detected; what is
// wrong with it is collected.
func (c *call) schema(fields, file string, detect bool) fieldlift.Schema {
	switch {
	case fields == "" && file == "" && !detect:
		c.refuse("--fields, --schema or --detect is missing: what is to be extracted?")
	case fields != "" && file != "" || detect && (fields != "" || file != ""):
		c.refuse("--fields, --schema and --detect: more than one is given; one is needed")
	case detect:
	case fields != "":
		parsed, faults := parseFields(fields)
		for _, fault := range faults {
			c.refuse("--fields: %s", fault)
		}
		return parsed
	default:
		text, err := c.readSchema(file)
		if err != nil {
			c.refuse("--schema: %v", err)
			return fieldlift.Schema{}
		}
		parsed, found := schema.Parse(text)
		for _, d := range found {
			c.refuse("--schema: %s: %s", file, strings.TrimPrefix(d.Message, "schema: "))
		}
		return parsed
	}
	return fieldlift.Schema{}
}

func (c *call) readSchema(file string) ([]byte, error) {
	if file == "-" {
		return io.ReadAll(io.LimitReader(c.Stdin, fieldlift.MaxSchemaBytes+1))
	}
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return io.ReadAll(io.LimitReader(opened, fieldlift.MaxSchemaBytes+1))
}

// format reads the format, or guesses it from the name of the file to write.
func (c *call) format(text, output string) export.Format {
	if text == "" {
		if guess, err := export.ParseFormat(strings.TrimPrefix(strings.ToLower(filepath.Ext(output)), ".")); err == nil {
			return guess
		}
	}
	format, err := export.ParseFormat(text)
	if err != nil {
		c.refuse("--format: json, csv or xlsx is needed, not %q", text)
	}
	return format
}

// checkOutput refuses to write where it would do harm: over one of the files
// to be read, or a workbook onto a terminal.
func (c *call) checkOutput(o extractOptions) {
	if o.output == "" {
		if o.format == export.XLSX && isTerminal(c.Stdout) {
			c.refuse("--output is missing: a workbook is nothing for a terminal")
		}
		return
	}
	there, err := os.Stat(o.output)
	if err != nil {
		return // it is made
	}
	for _, file := range o.files {
		if read, err := os.Stat(file); err == nil && os.SameFile(read, there) {
			c.refuse("--output: %s is one of the files to extract from", o.output)
			return
		}
	}
}

// open opens the output before any work is done, and gives what closes it.
func (o extractOptions) open(c *call) (io.Writer, func() error, error) {
	if o.output == "" {
		return c.Stdout, func() error { return nil }, nil
	}
	file, err := os.Create(o.output)
	if err != nil {
		return nil, nil, err
	}
	return file, file.Close, nil
}

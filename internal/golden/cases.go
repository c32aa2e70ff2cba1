// Package golden measures extraction on labelled cases: files with a schema
// and what a person says should be found in them. It reads the cases, has them
// extracted, and sums up how good the answers are; how they are got is its
// caller's affair, and comparing values that of package score.
package golden

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"fieldlift"
	"fieldlift/internal/schema"
	"fieldlift/internal/score"
)

// Case is one labelled file.
type Case struct {
	Set      string
	File     string // as the case names it
	Path     string // where it is
	Parser   string // the name of its parser
	Wanted   fieldlift.Extraction
	Fields   []score.Field
	Expected []*score.Object // one, or one for each page
	Partly   bool            // nobody looked at all of what is expected
}

// casesFile is the usual name of a file with cases; its folder names the set.
const casesFile = "cases.jsonl"

// Load reads a file of cases, one JSON object a line, or the cases.jsonl of a
// folder. Files are named relative to it. All mistakes are reported at once.
func Load(path string) ([]Case, error) {
	if about, err := os.Stat(path); err == nil && about.IsDir() {
		path = filepath.Join(path, casesFile)
	}
	opened, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	set, err := setName(path)
	if err != nil {
		return nil, err
	}
	var cases []Case
	var faults []error
	lines := bufio.NewScanner(opened)
	lines.Buffer(nil, longestLine)
	for number := 1; lines.Scan(); number++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		c, err := parse(lines.Bytes())
		if err != nil {
			faults = append(faults, fmt.Errorf("%s:%d: %w", path, number, err))
			continue
		}
		c.Set, c.Path = set, filepath.Join(filepath.Dir(path), filepath.FromSlash(c.File))
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		faults = append(faults, fmt.Errorf("%s: %w", path, err))
	}
	if len(cases) == 0 && len(faults) == 0 {
		faults = append(faults, fmt.Errorf("%s: there are no cases in it", path))
	}
	return cases, errors.Join(faults...)
}

// longestLine bounds a case: a table of some hundred thousand cells.
const longestLine = 64 << 20

func setName(path string) (string, error) {
	base := filepath.Base(path)
	if base != casesFile {
		return strings.TrimSuffix(base, filepath.Ext(base)), nil
	}
	whole, err := filepath.Abs(path)
	return filepath.Base(filepath.Dir(whole)), err
}

// line is a case as it is written. Other members, such as where it comes
// from, are passed over.
type line struct {
	File   string `json:"file"`
	Parser struct {
		Name         string               `json:"name"`
		ResultMode   fieldlift.ResultMode `json:"result_mode"`
		DocumentType string               `json:"document_type"`
		Fields       json.RawMessage      `json:"fields"`
		Schema       json.RawMessage      `json:"schema"`
	} `json:"parser"`
	Expected json.RawMessage `json:"expected"`
	Checked  *bool           `json:"checked"` // of cases that the dashboard wrote
}

func parse(text []byte) (Case, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return Case{}, fmt.Errorf("it is no case: %w", err)
	}
	if l.File == "" {
		return Case{}, errors.New("file is missing")
	}
	c := Case{File: l.File, Parser: l.Parser.Name, Wanted: fieldlift.Extraction{
		ResultMode: l.Parser.ResultMode, DocumentType: l.Parser.DocumentType,
	}}
	switch c.Wanted.ResultMode {
	case "":
		c.Wanted.ResultMode = fieldlift.OnePerFile
	case fieldlift.OnePerFile, fieldlift.OnePerPage:
	default:
		return Case{}, fmt.Errorf("parser.result_mode: one_per_file or one_per_page is needed, not %q", c.Wanted.ResultMode)
	}
	if err := c.readSchema(l.Parser.Fields, l.Parser.Schema); err != nil {
		return Case{}, err
	}
	c.Partly = l.Checked != nil && !*l.Checked
	return c, c.readExpected(l.Expected)
}

func (c *Case) readSchema(fieldsText, schemaText json.RawMessage) error {
	var found []fieldlift.Detail
	switch {
	case (fieldsText == nil) == (schemaText == nil):
		return errors.New("parser: fields or schema is needed, and not both")
	case schemaText != nil:
		c.Wanted.Schema, found = schema.Parse(schemaText)
		c.Fields = scoreFields(c.Wanted.Schema.Fields())
	default:
		var fields []fieldlift.Field
		fields, found = fieldlift.ParseFields(fieldsText)
		c.Wanted.Schema = fieldlift.SchemaOf(fields)
		if len(found) == 0 {
			if err := json.Unmarshal(fieldsText, &c.Fields); err != nil {
				return fmt.Errorf("parser.fields: %w", err)
			}
			c.Fields = score.Whole(c.Fields)
		}
	}
	if len(found) > 0 {
		return fmt.Errorf("parser: %s", found[0].Message)
	}
	if c.Wanted.Schema.IsZero() {
		return errors.New("parser: at least one field is needed")
	}
	return nil
}

// readExpected reads an object, or, for a result a page, a list of them, alone
// or under "pages" as results have it.
func (c *Case) readExpected(text json.RawMessage) error {
	if c.Wanted.ResultMode == fieldlift.OnePerFile {
		var one score.Object
		if err := json.Unmarshal(orNull(text), &one); err != nil {
			return fmt.Errorf("expected: %w", err)
		}
		c.Expected = []*score.Object{&one}
		return nil
	}
	var held struct {
		Pages json.RawMessage `json:"pages"`
	}
	if json.Unmarshal(orNull(text), &held) == nil {
		text = held.Pages
	}
	if err := json.Unmarshal(orNull(text), &c.Expected); err != nil {
		return fmt.Errorf("expected: with one_per_page, a list with an object for each page is needed: %w", err)
	}
	return nil
}

func orNull(text json.RawMessage) json.RawMessage {
	if text == nil {
		return json.RawMessage("null")
	}
	return text
}

// scoreFields says of a schema's fields what comparing their values needs.
func scoreFields(fields []fieldlift.Field) []score.Field {
	var all []score.Field
	for _, f := range fields {
		all = append(all, scoreField(f))
	}
	return all
}

func scoreField(f fieldlift.Field) score.Field {
	s := score.Field{Name: f.Name, Type: string(f.Type), Fields: scoreFields(f.Fields)}
	if f.Items != nil {
		s.Items = new(scoreField(*f.Items))
	}
	return s
}

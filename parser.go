package fieldlift

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// ResultMode says what one result stands for.
type ResultMode string

// The result modes.
const (
	OnePerFile ResultMode = "one_per_file"
	OnePerPage ResultMode = "one_per_page"
)

// Parser is a named template: its schema says what is extracted.
type Parser struct {
	ID           string
	AccountID    string
	Name         string // unique among an account's parsers
	Description  string
	ResultMode   ResultMode
	DocumentType string       // "" when none is set
	Schema       Schema       // zero when none is set
	Engine       EngineChoice // zero: the server's choice
	SampleID     string       // "" until a sample is stored
	CreatedAt    time.Time
	UpdatedAt    time.Time
}

// ParserChange holds what an update sets; nil leaves a thing as it is.
type ParserChange struct {
	Name         *string
	Description  *string
	ResultMode   *ResultMode
	DocumentType *string       // "" clears it
	Schema       *Schema       // the zero Schema clears it
	Engine       *EngineChoice // the zero choice leaves it to the server
}

// Limits of a parser, in characters.
const (
	MaxParserName   = 100
	MaxDescription  = 10_000
	MaxDocumentType = 64
)

var documentTypeForm = regexp.MustCompile(`^[a-z0-9]+([_-][a-z0-9]+)*$`)

// Check lists what is wrong with the values of a change; nothing is set by it.
func (c ParserChange) Check() []Detail {
	var found []Detail
	if c.Name != nil {
		found = append(found, CheckName("name", *c.Name, MaxParserName)...)
	}
	if d := c.Description; d != nil {
		switch {
		case strings.ContainsRune(*d, 0):
			found = append(found, Detail{"description", "format", "description must not hold the NUL character."})
		case utf8.RuneCountInString(*d) > MaxDescription:
			found = append(found, Detail{"description", "max_length", fmt.Sprintf("description must have at most %d characters.", MaxDescription)})
		}
	}
	if c.ResultMode != nil && *c.ResultMode != OnePerFile && *c.ResultMode != OnePerPage {
		found = append(found, Detail{"result_mode", "enum", "result_mode must be one_per_file or one_per_page."})
	}
	if c.Engine != nil && *c.Engine != "" && !slices.Contains(EngineChoices, *c.Engine) {
		found = append(found, Detail{"engine", "enum", "engine must be null, layout, model or auto."})
	}
	if t := c.DocumentType; t != nil && *t != "" && (len(*t) > MaxDocumentType || !documentTypeForm.MatchString(*t)) {
		found = append(found, Detail{"document_type", "format", fmt.Sprintf(
			"document_type must be null or a slug such as invoice or bank_statement: lower-case letters, digits, single - or _ between them, at most %d characters.", MaxDocumentType)})
	}
	return found
}

// Apply gives the parser with what the change sets.
func (c ParserChange) Apply(p Parser) Parser {
	set(&p.Name, c.Name)
	set(&p.Description, c.Description)
	set(&p.ResultMode, c.ResultMode)
	set(&p.DocumentType, c.DocumentType)
	set(&p.Engine, c.Engine)
	set(&p.Schema, c.Schema)
	return p
}

// set sets what is given.
func set[T any](into, given *T) {
	if given != nil {
		*into = *given
	}
}

// CheckName lists what is wrong with a name that people read: it must not be
// blank, too long, or hold characters that no page can show.
func CheckName(field, name string, longest int) []Detail {
	switch {
	case strings.TrimSpace(name) == "":
		return []Detail{{field, "required", field + " must not be empty."}}
	case utf8.RuneCountInString(name) > longest:
		return []Detail{{field, "max_length", fmt.Sprintf("%s must have at most %d characters.", field, longest)}}
	case !utf8.ValidString(name) || strings.ContainsFunc(name, isControl):
		return []Detail{{field, "format", field + " must not hold control characters or bytes that are not UTF-8."}}
	}
	return nil
}

func isControl(r rune) bool { return unicode.IsControl(r) }

// MayDetect refuses to detect fields for a parser that has a schema, unless it
// is to be replaced.
func (p Parser) MayDetect(replace bool) error {
	if !p.Schema.IsZero() && !replace {
		return Errorf(SchemaAlreadyExists, "The parser %q has a schema already; set replace_existing_schema to replace it.", p.Name)
	}
	return nil
}

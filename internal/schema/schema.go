// Package schema checks the JSON Schemas that clients give for their parsers.
// It reads nothing but the text it is given: no reference leads it to a file
// or onto the network.
package schema

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"fieldlift"
)

// Parse takes a client's JSON Schema: valid by its draft (2020-12 unless it
// names an older one, as zod does), of type object, and readable as fields.
func Parse(text []byte) (fieldlift.Schema, []fieldlift.Detail) {
	parsed, found := fieldlift.ParseSchema(text)
	if len(found) > 0 {
		return fieldlift.Schema{}, found
	}
	if found := check(text); len(found) > 0 {
		return fieldlift.Schema{}, found
	}
	return parsed, nil
}

// location is a name for the client's schema; nothing is ever read from it.
const location = "urn:fieldlift:schema"

func check(text []byte) []fieldlift.Detail {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []fieldlift.Detail{{Field: "schema", Issue: "format", Message: "schema: it cannot be read: " + err.Error() + "."}}
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(lenientPattern)
	if err := compiler.AddResource(location, document); err != nil {
		return details(err)
	}
	if _, err := compiler.Compile(location); err != nil {
		return details(err)
	}
	return nil
}

// details tells where the schema is wrong, in the paths of the request's body.
func details(err error) []fieldlift.Detail {
	invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err)
	if !ok {
		return []fieldlift.Detail{{Field: "schema", Issue: "format", Message: "schema: " + strings.ReplaceAll(err.Error(), location, "") + "."}}
	}
	failed, ok := errors.AsType[*jsonschema.ValidationError](invalid.Err)
	if !ok {
		return []fieldlift.Detail{{Field: "schema", Issue: "format", Message: "schema: it is not a valid JSON Schema."}}
	}
	found := leaves(nil, failed.DetailedOutput())
	// The library goes through objects in no order; the same mistakes are told the same way.
	slices.SortFunc(found, func(a, b fieldlift.Detail) int {
		return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(a.Message, b.Message))
	})
	return found[:min(len(found), mostDetails)]
}

// leaves gathers the errors that have no others beneath them: those above
// only say that something below is wrong.
func leaves(found []fieldlift.Detail, unit *jsonschema.OutputUnit) []fieldlift.Detail {
	for i := range unit.Errors {
		found = leaves(found, &unit.Errors[i])
	}
	if len(unit.Errors) > 0 || unit.Error == nil {
		return found
	}
	path := "schema" + strings.ReplaceAll(unit.InstanceLocation, "/", ".")
	return append(found, fieldlift.Detail{Field: path, Issue: "format", Message: path + ": " + unit.Error.String() + "."})
}

// mostDetails keeps an answer readable when one mistake makes many errors.
const mostDetails = 10

// noLoader refuses every reference that leads out of the schema itself.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("the reference to %q leads out of the schema, and nothing is loaded from elsewhere", url)
}

// lenientPattern takes patterns that Go's regular expressions do not know,
// lookaheads above all: a pasted schema is not refused for what no extraction
// depends on.
func lenientPattern(text string) (jsonschema.Regexp, error) {
	if known, err := regexp.Compile(text); err == nil {
		return known, nil
	}
	return anyText(text), nil
}

type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }

// Package engine says what extracting is: the question, the answer, and what
// every engine's answer must keep to. It extracts nothing itself; the engines
// are in the packages below it.
package engine

import (
	"context"
	"encoding/json"

	"fieldlift"
	"fieldlift/internal/einvoice"
	"fieldlift/internal/page"
)

// Engine finds the values of fields on pages.
type Engine interface {
	Extract(ctx context.Context, r Request) (Answer, error)
}

// Request is what is asked: these fields on these pages, which belong to one
// document.
type Request struct {
	Pages        []page.Page
	Fields       []fieldlift.Field
	DocumentType string // a slug, "" when unknown
	// Given is what the document says of itself without being read: values of an
	// electronic invoice that it carries.
	Given []einvoice.Given
}

// Answer is what was found. Data is an object with exactly the fields' names,
// in their order, null where nothing was found. Metadata has an entry for
// each value that is not null, by JSON pointer into Data: scalars, and not the
// objects and arrays that hold them.
type Answer struct {
	Data       json.RawMessage
	Metadata   map[string]fieldlift.FieldMetadata
	Confidence float64 // of the whole, 0 to 1
	// Warnings are what is to be told beside the data, such as a model's rows that
	// are missing; Validate does not find them.
	Warnings []fieldlift.Violation
	Model    *fieldlift.ModelUse // nil: no model took part
}

package fieldlift

import "encoding/json"

// Result is what was extracted from one document.
type Result struct {
	Data       json.RawMessage          // an object with the schema's top-level keys, null where nothing was found
	Metadata   map[string]FieldMetadata // by JSON pointer into Data
	Validation []Violation
	Confidence float64 // of the document: between 0 and 1
}

// FieldMetadata says where a value stands in the document, and how sure we are.
type FieldMetadata struct {
	Confidence float64      `json:"confidence"`
	Page       int          `json:"page"`  // from 1; 0 when the value has no place
	Boxes      [][4]float64 `json:"boxes"` // x0 y0 x1 y1 as fractions of the page, from the top left; never null
	Text       string       `json:"text"`  // as printed
	Source     string       `json:"source"`
}

// The sources of values.
const (
	SourceText  = "text"  // the document's own text
	SourceOCR   = "ocr"   // read from an image
	SourceForm  = "form"  // a form field or embedded data
	SourceModel = "model" // a language model
)

// Violation is a rule that a result breaks.
type Violation struct {
	Path     string `json:"path"`     // a JSON pointer into the data
	Rule     string `json:"rule"`     // required, type, enum, checksum, arithmetic
	Severity string `json:"severity"` // error or warning
	Message  string `json:"message"`
}

// The severities of violations.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

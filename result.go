package fieldlift

import "encoding/json"

// Result is what was extracted from one document.
type Result struct {
	Data       json.RawMessage          // an object with the schema's top-level keys, null where nothing was found
	Metadata   map[string]FieldMetadata // by JSON pointer into Data
	Validation []Violation
	Confidence float64       // of the document: between 0 and 1
	Pages      []PageReading // of the document, in order
	Model      *ModelUse     // nil: no model took part
}

// PageReading says how the text of a page was had.
type PageReading struct {
	Page       int     `json:"page"`          // from 1
	Source     string  `json:"source"`        // text, ocr, mixed or none
	Reason     string  `json:"reason"`        // why it was had so
	Confidence float64 `json:"confidence"`    // mean, of what was recognised; 1 for the document's own text
	Rotation   int     `json:"rotation"`      // degrees clockwise by which the page must be turned to be read
	Skew       float64 `json:"skew"`          // degrees clockwise by which its lines slant then
	DPI        int     `json:"dpi,omitempty"` // at which it was recognised; 0 when it was not, or the file does not tell
	Languages  string  `json:"languages"`     // in which it was recognised, as tesseract names them; "" when it was not
}

// FieldMetadata says where a value stands in the document, and how sure we are.
type FieldMetadata struct {
	Confidence float64      `json:"confidence"`
	Page       int          `json:"page"`  // from 1; 0 when the value has no place
	Boxes      [][4]float64 `json:"boxes"` // x0 y0 x1 y1 as fractions of the page, from the top left; never null
	Text       string       `json:"text"`  // as printed
	Source     string       `json:"source"`
	Engine     string       `json:"engine,omitempty"`   // who gave the value, where a model took part: layout, model or both
	Reviewed   *Reviewed    `json:"reviewed,omitempty"` // nil until a person looked at the value
}

// ConfidenceMean gathers the confidence of a result from those of its values:
// the mean over the fields that have a value or must have one, so that a long
// table counts no more than a total. Values come before their field.
type ConfidenceMean struct {
	values, count float64 // of the current field
	sum, fields   float64
}

// Value takes a value of the current field in.
func (m *ConfidenceMean) Value(confidence float64) {
	m.values, m.count = m.values+confidence, m.count+1
}

// Field ends the current field.
func (m *ConfidenceMean) Field(required bool) {
	if m.count > 0 {
		m.sum, m.fields = m.sum+m.values/m.count, m.fields+1
	} else if required {
		m.fields++
	}
	m.values, m.count = 0, 0
}

// Mean is the confidence of the whole.
func (m *ConfidenceMean) Mean() float64 {
	if m.fields == 0 {
		return 0
	}
	return m.sum / m.fields
}

// RuleModel is the rule of warnings about what a model could not do.
const RuleModel = "model"

// EngineBoth says that the embedded engine and a model found the same.
const EngineBoth = "both"

// The sources of values.
const (
	SourceText  = "text"  // the document's own text
	SourceOCR   = "ocr"   // read from an image
	SourceForm  = "form"  // a form field or embedded data
	SourceModel = "model" // a language model

	SourcePerson = "person" // a person who reviewed the result, and gave what has no place in the document
)

// Violation is a rule that a result breaks.
type Violation struct {
	Path     string `json:"path"`     // a JSON pointer into the data
	Rule     string `json:"rule"`     // required, type, enum, checksum, arithmetic, model
	Severity string `json:"severity"` // error or warning
	Message  string `json:"message"`
}

// The severities of violations.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

package page

// FormField is one place of the document's own form where something can be
// filled in. A field that stands in several places, as radio buttons do, is
// several of them with one name.
type FormField struct {
	Name  string    `json:"name"`            // in full, such as "applicant.address.city"
	Label string    `json:"label,omitempty"` // for people, as shown when pointing at the field
	Kind  FieldKind `json:"kind"`
	// Value is what was typed or chosen, several choices on lines of their own.
	// That of a checkbox or radio button is what it stands for when it is ticked,
	// and is there whether it is or not.
	Value   string `json:"value,omitempty"`
	Checked bool   `json:"checked,omitempty"` // ticked, or of a signature: signed
	Box     Box    `json:"box"`
}

// FieldKind is what can be done with a form field.
type FieldKind string

// The kinds of form fields. Buttons that only do something are none.
const (
	FieldText      FieldKind = "text"
	FieldCheckbox  FieldKind = "checkbox"
	FieldRadio     FieldKind = "radio"
	FieldCombo     FieldKind = "combo" // a choice that can be typed, too
	FieldList      FieldKind = "list"
	FieldSignature FieldKind = "signature"
)

// Written tells whether the field's value is text that is printed in its box.
func (f FormField) Written() bool {
	return f.Value != "" && (f.Kind == FieldText || f.Kind == FieldCombo || f.Kind == FieldList)
}

// Checkbox is a place to tick, however it came onto the page: as a form field,
// a character, a drawing or a part of a picture.
type Checkbox struct {
	Box        Box     `json:"box"`
	Checked    bool    `json:"checked"`
	Confidence float64 `json:"confidence"` // that it is one, and Checked right
	Source     string  `json:"source"`     // fieldlift.SourceForm, SourceText or SourceOCR
}

package fieldlift

import "strconv"

// ReviewedValue is a part of a result as a person looks at it: a value, an
// object with members, or an array with rows. Which it is, its field's type
// tells.
type ReviewedValue struct {
	Pointer  string
	Field    Field
	Value    any            // of a single one: string, json.Number, bool or nil
	Metadata *FieldMetadata // of a single one; nil when there is nothing to tell
	Number   int64          // of the correction by which it was reviewed last; 0 when it was not
	Members  []ReviewedValue
	Rows     []ReviewedValue
}

// ReviewedSheet is one object with the schema's fields: the document's, or that
// of a page.
type ReviewedSheet struct {
	Pointer string
	Values  []ReviewedValue
}

// Sheets give the result as it is now. What the schema does not know is left
// out.
func (r *Review) Sheets() []ReviewedSheet {
	var sheets []ReviewedSheet
	for _, one := range r.sheets() {
		sheets = append(sheets, ReviewedSheet{one.pointer, one.part.view(one.pointer).Members})
	}
	return sheets
}

func (p *part) view(pointer string) ReviewedValue {
	v := ReviewedValue{Pointer: pointer, Field: p.field, Value: p.value, Number: p.number}
	if p.isScalar() {
		if m, ok := p.shown(); ok {
			v.Metadata = &m
		}
	}
	for i, member := range p.members {
		if member.kind != foreignPart {
			v.Members = append(v.Members, member.view(pointer+"/"+EscapeStep(p.keys[i])))
		}
	}
	for i, one := range p.present() {
		v.Rows = append(v.Rows, one.part.view(pointer+"/"+strconv.Itoa(i)))
	}
	return v
}

package engine

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"

	"fieldlift"
)

// Found is what an engine found for one field. Which part counts is told by
// the field's type; the zero Found is nothing.
type Found struct {
	Value    any                     // of a scalar: string, json.Number or bool; nil: nothing
	Place    fieldlift.FieldMetadata // of a scalar
	Members  []Found                 // of an object, as its fields; shorter: nothing for the rest
	Elements []Found                 // of an array; none: nothing was found
}

// Build writes the answer for what was found, in the order of the fields:
// objects always with all their keys, arrays null when nothing was found.
func Build(fields []fieldlift.Field, found []Found) Answer {
	b := builder{metadata: map[string]fieldlift.FieldMetadata{}}
	b.encoder = json.NewEncoder(&b.text)
	b.encoder.SetEscapeHTML(false)
	b.text.WriteByte('{')
	for i, f := range fields {
		b.member(i, "", f, at(found, i))
		b.mean.Field(f.Required)
	}
	b.text.WriteByte('}')
	return Answer{Data: b.text.Bytes(), Metadata: b.metadata, Confidence: b.mean.Mean()}
}

func at(found []Found, i int) Found {
	if i < len(found) {
		return found[i]
	}
	return Found{}
}

// builder writes data and collects metadata by pointer.
type builder struct {
	text     bytes.Buffer
	encoder  *json.Encoder
	metadata map[string]fieldlift.FieldMetadata
	mean     fieldlift.ConfidenceMean
}

func (b *builder) member(i int, path string, f fieldlift.Field, found Found) {
	if i > 0 {
		b.text.WriteByte(',')
	}
	b.write(f.Name)
	b.text.WriteByte(':')
	b.field(path+"/"+Escape(f.Name), f, found)
}

func (b *builder) field(path string, f fieldlift.Field, found Found) {
	switch {
	case f.Type == fieldlift.ObjectField && len(f.Fields) > 0:
		b.text.WriteByte('{')
		for i, inner := range f.Fields {
			b.member(i, path, inner, at(found.Members, i))
		}
		b.text.WriteByte('}')
	case f.Type == fieldlift.ArrayField && len(found.Elements) > 0:
		element := ElementOf(f)
		b.text.WriteByte('[')
		for i, inner := range found.Elements {
			if i > 0 {
				b.text.WriteByte(',')
			}
			b.field(path+"/"+strconv.Itoa(i), element, inner)
		}
		b.text.WriteByte(']')
	case f.Type != fieldlift.ObjectField && f.Type != fieldlift.ArrayField && found.Value != nil:
		b.write(found.Value)
		place := sound(found.Place)
		b.metadata[path] = place
		b.mean.Value(place.Confidence)
	default:
		b.text.WriteString("null")
	}
}

// write writes what cannot fail to be JSON: strings, booleans, and numbers
// that the parsers made.
func (b *builder) write(value any) {
	if err := b.encoder.Encode(value); err != nil {
		panic(err)
	}
	b.text.Truncate(b.text.Len() - 1) // the encoder ends with a line break
}

// sound makes a place fit to be shown, whatever the document's geometry was:
// boxes lie on the page, and what is no rectangle is left out.
func sound(m fieldlift.FieldMetadata) fieldlift.FieldMetadata {
	boxes := make([][4]float64, 0, len(m.Boxes))
	for _, box := range m.Boxes {
		for i, v := range box {
			box[i] = min(max(v, 0), 1)
		}
		if box[0] <= box[2] && box[1] <= box[3] { // false for what is not a number
			boxes = append(boxes, box)
		}
	}
	m.Boxes = boxes
	if m.Confidence = min(max(m.Confidence, 0), 1); math.IsNaN(m.Confidence) {
		m.Confidence = 0
	}
	return m
}

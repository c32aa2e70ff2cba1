package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"fieldlift"
)

// Take gives what an answer holds as Build was given it, for those who go on
// from another engine's answer.
func Take(fields []fieldlift.Field, a Answer) ([]Found, error) {
	d := json.NewDecoder(bytes.NewReader(a.Data))
	d.UseNumber()
	var data map[string]any
	if err := d.Decode(&data); err != nil {
		return nil, fmt.Errorf("read an answer: %w", err)
	}
	return takeMembers("", fields, data, a.Metadata), nil
}

func takeMembers(path string, fields []fieldlift.Field, data map[string]any, metadata map[string]fieldlift.FieldMetadata) []Found {
	found := make([]Found, len(fields))
	for i, f := range fields {
		found[i] = take(path+"/"+Escape(f.Name), f, data[f.Name], metadata)
	}
	return found
}

func take(path string, f fieldlift.Field, value any, metadata map[string]fieldlift.FieldMetadata) Found {
	switch v := value.(type) {
	case nil:
		return Found{}
	case map[string]any:
		return Found{Members: takeMembers(path, f.Fields, v, metadata)}
	case []any:
		element := ElementOf(f)
		list := make([]Found, len(v))
		for i, one := range v {
			list[i] = take(path+"/"+strconv.Itoa(i), element, one, metadata)
		}
		return Found{Elements: list}
	default:
		return Found{Value: v, Place: metadata[path]}
	}
}

// ElementOf is the field of an array's elements: strings, where the schema
// does not tell.
func ElementOf(f fieldlift.Field) fieldlift.Field {
	if f.Items != nil {
		return *f.Items
	}
	return fieldlift.Field{Type: fieldlift.StringField}
}

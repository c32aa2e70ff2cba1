package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"fieldlift"
)

// compact checks a record's data and takes the white space out. The functions
// below rely on that: they find their way in the text without decoding it.
func compact(r Record) (json.RawMessage, error) {
	if len(bytes.TrimSpace(r.Data)) == 0 {
		return nil, nil
	}
	b := bytes.NewBuffer(make([]byte, 0, len(r.Data)))
	if err := json.Compact(b, r.Data); err != nil {
		return nil, fmt.Errorf("export: the data of document %s is not JSON: %w", r.DocumentID, err)
	}
	return b.Bytes(), nil
}

// memberOf finds the value of a key, nil if the object has none.
func memberOf(value json.RawMessage, key string) json.RawMessage {
	for k, member := range fieldlift.JSONMembers(value) {
		if unquote(k) == key {
			return member
		}
	}
	return nil
}

// elements gives the elements of an array. One value where an array was
// expected counts as an array of one, so that it is not lost.
func elements(value json.RawMessage) []json.RawMessage {
	if isNull(value) {
		return nil
	}
	if value[0] != '[' {
		return []json.RawMessage{value}
	}
	list := []json.RawMessage{}
	return slices.AppendSeq(list, fieldlift.JSONElements(value))
}

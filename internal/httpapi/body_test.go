package httpapi

import (
	"bytes"
	"encoding/json"
	"testing"
)

func FuzzBody(f *testing.F) {
	for _, seed := range []string{`{"name":"a","document_type":null}`, `{}`, `null`, `[]`, `{"name":{"a":[1,2e9]}}`, `{"fields":[{"name":"a"}]}`, "{\"a\":\"\xff\"}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := parseBody(text)
		if err != nil {
			return
		}
		var anything map[string]any
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		if decoder.Decode(&anything) != nil {
			t.Fatalf("%q was taken for an object", text)
		}
		change, err := readParserChange(b)
		if err != nil {
			return
		}
		for key, set := range map[string]bool{"name": change.Name != nil, "description": change.Description != nil, "document_type": change.DocumentType != nil} {
			if _, given := anything[key]; given != set {
				t.Errorf("%s: given %v, set %v", key, given, set)
			}
		}
		if change.Name != nil && anything["name"] != *change.Name {
			t.Errorf("name %q was read as %q", anything["name"], *change.Name)
		}
		if change.DocumentType != nil && (anything["document_type"] == nil) != (*change.DocumentType == "") {
			t.Errorf("document_type %v was read as %q", anything["document_type"], *change.DocumentType)
		}
	})
}

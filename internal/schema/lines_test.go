package schema

import (
	"strings"
	"testing"

	"fieldlift"
)

func TestLines(t *testing.T) {
	text := `{
  "type": "object",
  "properties": {
    "total": {
      "type": "number"
    },
    "lines": {
      "items": [
        1
      ]
    }
  }
}`
	for field, want := range map[string]int{
		"schema": 1, "schema.type": 2, "schema.properties": 3, "schema.properties.total": 4, "schema.properties.total.type": 5,
		"schema.properties.total.enum": 4, "schema.properties.lines.items": 8, "schema.properties.lines.items.0": 8, "elsewhere": 1,
	} {
		if got := Lines([]byte(text), []fieldlift.Detail{{Field: field}}); got[0] != want {
			t.Errorf("%s is on line %d, not %d", field, got[0], want)
		}
	}
	for text, want := range map[string]int{"{\n\"a\": 1,\n}": 3, "{\n\"a\"": 2, "": 1, "{}\n\n]": 3} {
		if got := Lines([]byte(text), []fieldlift.Detail{{Field: "schema"}}); got[0] != want {
			t.Errorf("%q breaks on line %d, not %d", text, got[0], want)
		}
	}
}

func FuzzLines(f *testing.F) {
	f.Add(`{"type":"object","properties":{"a":{"type":"x"}}}`, "schema.properties.a.type")
	f.Add("{\n[", "schema")
	f.Add(`[[[[{"a":[{}]}]]]]`, "schema.a")
	f.Fuzz(func(t *testing.T, text, field string) {
		if got := Lines([]byte(text), []fieldlift.Detail{{Field: field}})[0]; got < 1 || got > 1+strings.Count(text, "\n") {
			t.Errorf("line %d", got)
		}
	})
}

package schema

import (
	"strings"
	"testing"
)

// What zod's toJSONSchema writes, an older draft and a lookahead included.
const zod = `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{` +
	`"mail":{"type":"string","format":"email","pattern":"^(?!\\.)[a-z]+$"},"age":{"type":"integer","exclusiveMinimum":0}},` +
	`"required":["mail"],"additionalProperties":false}`

func TestParse(t *testing.T) {
	parsed, found := Parse([]byte(zod))
	if found != nil || parsed.String() != zod {
		t.Errorf("%s, %v", parsed, found)
	}
}

func TestMistakesAreNamedWhereTheyAre(t *testing.T) {
	_, found := Parse([]byte(`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"minLength":-1}}},"c":{"required":"x"}}}`))
	var paths []string
	for _, d := range found {
		paths = append(paths, d.Field)
	}
	if got := strings.Join(paths, " "); got != "schema.properties.a.properties.b.minLength schema.properties.c.required" {
		t.Errorf("%s: %+v", got, found)
	}
}

func TestNothingIsLoadedFromElsewhere(t *testing.T) {
	for _, text := range []string{
		`{"$schema":"https://example.com/mine","type":"object","properties":{"a":{}}}`,
		`{"type":"object","properties":{"a":{"not":{"$ref":"https://example.com/other.json"}}}}`,
		`{"type":"object","properties":{"a":{"not":{"$ref":"file:///etc/hostname"}}}}`,
	} {
		if _, found := Parse([]byte(text)); len(found) != 1 || !strings.Contains(found[0].Message, "nothing is loaded from elsewhere") {
			t.Errorf("%s: %+v", text, found)
		}
	}
}

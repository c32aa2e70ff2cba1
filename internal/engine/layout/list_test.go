package layout

import "testing"

func TestLists(t *testing.T) {
	for name, c := range map[string]struct{ fields, text, want string }{
		"one a line": {`[{"name":"languages","type":"array"}]`, `
LANGUAGES
English (native)
French (fluent)

HOBBIES
Chess`, `{"languages":["English (native)","French (fluent)"]}`},
		"with bullets": {`[{"name":"skills","type":"array"}]`, `
Skills
• Sailing of small
  boats
• Knots

The rest is prose that stands apart from what was listed above it here.`, `{"skills":["Sailing of small boats","Knots"]}`},
		"parted by bars": {`[{"name":"languages","type":"array"}]`, `
Languages
Korean (native) | English | Japanese`, `{"languages":["Korean (native)","English","Japanese"]}`},
		"in a column of its own": {`[{"name":"skills","type":"array"}]`, `
Experience                  Skills
Skipper of a ferry          Knots
on the lake                 Radio`, `{"skills":["Knots","Radio"]}`},
		"of numbers": {`[{"name":"sizes","type":"array","items":{"type":"number"}}]`, `
Sizes
12
14.5`, `{"sizes":[12,14.5]}`},
		"of allowed values": {`[{"name":"days","type":"array","items":{"type":"string","enum":["Mon","Tue"]}}]`, `
Days
Mon
Sun
Tue`, `{"days":["Mon","Tue"]}`},
		"nothing below": {`[{"name":"skills","type":"array"}]`, "Skills", `{"skills":null}`},
	} {
		answer := extract(t, c.fields, sheet(1, c.text))
		if string(answer.Data) != c.want {
			t.Errorf("%s: %s", name, answer.Data)
		}
		checkAnswer(t, fieldsOf(t, c.fields), answer)
	}
}

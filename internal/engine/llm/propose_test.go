package llm_test

import (
	"strings"
	"testing"

	"fieldlift/internal/apptest"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/page"
)

// TestAProposalKeepsWhatIsGood has a model get one of its fields wrong.
func TestAProposalKeepsWhatIsGood(t *testing.T) {
	const good = `{"name": "number", "type": "string", "description": "The bill's number.", "text": "4711", "lines": [1], "asked": false, "columns": null}`
	for name, c := range map[string]struct {
		fields string
		want   string
		calls  int
	}{
		"a line that is no list":    {good + `, {"name": "sum", "type": "number", "text": "26.25", "lines": 7}`, "number sum", 1},
		"a word for no":             {good + `, {"name": "sum", "type": "number", "text": "26.25", "lines": [7], "asked": "no"}`, "number sum", 1},
		"a name that is none":       {good + `, {"name": 7, "type": "number", "text": "26.25", "lines": [7], "asked": true}`, "number", 1},
		"no object":                 {good + `, "sum"`, "number", 1},
		"a column that is none":     {good + `, {"name": "rows", "type": "array", "lines": [5], "columns": ["article", {"name": "pieces", "type": "number", "text": "12.50"}]}`, "number rows", 1},
		"columns that are none":     {good + `, {"name": "rows", "type": "array", "lines": [5], "columns": "article"}`, "number", 1},
		"none that can be used":     {`"sum", 7`, "", 2},
		"a kind that is no text":    {good + `], "document_type": [7`, "number", 1},
		"nothing that is not there": {`{"name": "colour", "type": "string", "text": "red", "lines": [1], "asked": "yes"}`, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			stand := apptest.NewModel(t, func(apptest.Asked) apptest.Said { return apptest.Said{Text: `{"fields": [` + c.fields + `]}`} })
			suggested, _, err := newEngine(t, stand, llm.OpenAI, nil).Propose(t.Context(), []page.Page{sheet(1, bill)}, "")
			var names []string
			for _, s := range suggested {
				if names = append(names, s.Field.Name); s.Page != 1 {
					t.Errorf("%+v", s)
				}
			}
			if got := strings.Join(names, " "); got != c.want || len(stand.Asked()) != c.calls || (err != nil) != (c.calls > 1) {
				t.Errorf("%q after %d calls, %v", got, len(stand.Asked()), err)
			}
		})
	}
}

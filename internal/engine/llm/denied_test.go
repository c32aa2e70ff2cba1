package llm_test

import (
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/engine/llm"
)

// TestNothingIsNotMoreThanSomething has a model find nothing where the embedded
// engine read something on the page.
func TestNothingIsNotMoreThanSomething(t *testing.T) {
	seller := full["seller"]
	rows := []fieldlift.Field{{Name: "rows", Type: fieldlift.ArrayField, Items: &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{
		{Name: "article", Type: fieldlift.StringField}, {Name: "pieces", Type: fieldlift.NumberField}, {Name: "amount", Type: fieldlift.NumberField},
	}}}}
	for name, c := range map[string]struct {
		sure   float64
		said   map[string]any
		kept   bool
		most   float64 // confidence
		warned string
	}{
		"sure":                         {0.95, map[string]any{"seller": seller, "sum": nil}, true, 0.7, ""},
		"rather sure":                  {0.7, map[string]any{"seller": seller, "sum": nil}, true, 0.5, ""},
		"unsure":                       {0.3, map[string]any{"seller": seller, "sum": nil}, false, 0, "confidence of 0.30 is left out: 26.25"},
		"unsure, and nothing is found": {0.3, map[string]any{"seller": nil, "sum": nil}, true, 0.25, ""},
	} {
		t.Run(name, func(t *testing.T) {
			stand := apptest.NewModel(t, saying(c.said))
			e := newEngine(t, stand, llm.OpenAI, func(s *setting) { s.engine.Embedded = nobody{"sum": c.sure} })
			answer, data := extract(t, e, billFields, sheet(1, bill))
			m := answer.Metadata["/sum"]
			if (data["sum"] == 26.25) != c.kept || m.Confidence > c.most || c.kept && m.Confidence < c.most-0.1 {
				t.Errorf("%v with %+v", data["sum"], m)
			}
			if (c.warned == "") != (len(answer.Warnings) == 0) || c.warned != "" && !strings.Contains(answer.Warnings[0].Message, c.warned) {
				t.Errorf("%+v", answer.Warnings)
			}
		})
	}
	t.Run("rows", func(t *testing.T) {
		stand := apptest.NewModel(t, saying(map[string]any{"rows": []any{}}))
		e := newEngine(t, stand, llm.OpenAI, func(s *setting) { s.engine.Embedded = someRows{"Hammer", "Nails, long"} })
		answer, data := extract(t, e, rows, sheet(1, bill))
		if kept, _ := data["rows"].([]any); len(kept) != 2 || answer.Metadata["/rows/1/article"].Confidence >= 0.7 {
			t.Errorf("%s %+v", answer.Data, answer.Metadata["/rows/1/article"])
		}
	})
	t.Run("cells", func(t *testing.T) {
		stand := apptest.NewModel(t, saying(map[string]any{"rows": []any{map[string]any{"lines": []int{5}, "article": "Hammer", "pieces": nil, "amount": "25.00"}}}))
		e := newEngine(t, stand, llm.OpenAI, func(s *setting) { s.engine.Embedded = someRows{"Hammer"} })
		answer, _ := extract(t, e, rows, sheet(1, bill))
		if m := answer.Metadata["/rows/0/pieces"]; string(answer.Data) != `{"rows":[{"article":"Hammer","pieces":2,"amount":25.00}]}` || m.Confidence >= 0.7 || m.Engine != "layout" {
			t.Errorf("%s %+v", answer.Data, m)
		}
	})
}

package llm_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/apptest"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/engine/llm"
)

// stock prints rows, each on a line of its own below a heading.
func stock(rows ...string) string {
	return "Article       Amount\n" + strings.Join(rows, "\n") + "\n\nDelivered with thanks by Nordwind Supplies, 25.00 in all"
}

var stockFields = []fieldlift.Field{{Name: "rows", Type: fieldlift.ArrayField, Items: &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{
	{Name: "article", Type: fieldlift.StringField}, {Name: "amount", Type: fieldlift.NumberField},
}}}}

func stockRow(article, amount string, lines ...int) any {
	return map[string]any{"lines": lines, "article": article, "amount": amount}
}

// TestAPlaceServesOneRow has a model repeat itself, and documents that do.
func TestAPlaceServesOneRow(t *testing.T) {
	const hammer, tongs = "Hammer         25.00", "Tongs           7.50"
	one := stockRow("Hammer", "25.00", 2)
	for name, c := range map[string]struct {
		doc  string
		said []any
		want string // the articles with the lines that they stand on
		told bool
	}{
		"each once":                      {stock(hammer, tongs), []any{one, stockRow("Tongs", "7.50", 3)}, "Hammer 2, Tongs 3", false},
		"the first, again and again":     {stock(hammer, tongs, tongs), slices.Repeat([]any{one}, 8), "Hammer 2", true},
		"very often":                     {stock(hammer, tongs), slices.Repeat([]any{one}, 1_000), "Hammer 2", true},
		"again without lines":            {stock(hammer, tongs), slices.Repeat([]any{stockRow("Hammer", "25.00")}, 8), "Hammer 2", true},
		"again with a cell less":         {stock(hammer, tongs), []any{one, stockRow("Hammer", "", 2)}, "Hammer 2", true},
		"printed several times":          {stock(hammer, hammer, tongs, hammer), []any{one, stockRow("Hammer", "25.00", 3), stockRow("Tongs", "7.50", 4), stockRow("Hammer", "25.00", 5)}, "Hammer 2, Hammer 3, Tongs 4, Hammer 5", false},
		"printed so, without lines":      {stock(hammer, hammer, tongs, hammer), slices.Concat(slices.Repeat([]any{stockRow("Hammer", "25.00")}, 3), []any{stockRow("Tongs", "7.50")}), "Hammer 2, Hammer 3, Tongs 4, Hammer 5", false},
		"printed so, with all lines":     {stock(hammer, hammer, tongs), slices.Repeat([]any{stockRow("Hammer", "25.00", 2, 3, 4)}, 2), "Hammer 2, Hammer 3", false},
		"more often than printed":        {stock(hammer, hammer, tongs), slices.Repeat([]any{stockRow("Hammer", "25.00", 2, 3, 4)}, 5), "Hammer 2, Hammer 3", true},
		"a cell that two rows share":     {stock("Hammer         25.00", "               30.00"), []any{one, stockRow("Hammer", "30.00", 2, 3)}, "Hammer 2, Hammer 2", false},
		"a shared cell and equal others": {stock("Hammer         25.00", "               25.00"), []any{one, stockRow("Hammer", "25.00", 2, 3)}, "Hammer 2, Hammer 2", false},
	} {
		t.Run(name, func(t *testing.T) {
			stand := apptest.NewModel(t, saying(map[string]any{"rows": c.said}))
			answer, data := extract(t, newEngine(t, stand, llm.OpenAI, nil), stockFields, sheet(1, c.doc))
			var got []string
			amounts := map[[4]float64]bool{}
			rows, _ := data["rows"].([]any)
			for n, row := range rows {
				m := answer.Metadata["/rows/"+text(n)+"/article"]
				got = append(got, fmt.Sprint(row.(map[string]any)["article"], " ", int(m.Boxes[0][1]*60+0.5)))
				if amount := answer.Metadata["/rows/"+text(n)+"/amount"]; len(amount.Boxes) != 1 || amounts[amount.Boxes[0]] {
					t.Errorf("row %d: %+v", n, amount)
				} else {
					amounts[amount.Boxes[0]] = true
				}
			}
			if strings.Join(got, ", ") != c.want {
				t.Errorf("%v, want %s", got, c.want)
			}
			if told := len(answer.Warnings) == 1 && strings.Contains(answer.Warnings[0].Message, "what is printed once counts once"); told != c.told || len(answer.Warnings) > 1 {
				t.Errorf("%+v", answer.Warnings)
			}
		})
	}
}

// TestRowsInPlaceOfCopies: what the model had no eyes for was read by the
// embedded engine.
func TestRowsInPlaceOfCopies(t *testing.T) {
	stand := apptest.NewModel(t, func(a apptest.Asked) apptest.Said {
		n, _ := strconv.Atoi(a.Lines()[1].Number)
		cells := strings.Fields(a.Lines()[1].Text)
		first := map[string]any{"lines": []int{n}, "code": cells[1], "pieces": cells[2], "amount": cells[3]}
		return apptest.Said{Text: text(map[string]any{"rows": slices.Repeat([]any{first}, 30)})}
	})
	e := newEngine(t, stand, llm.OpenAI, func(s *setting) { s.engine.Embedded = layout.New() })
	answer, data := extract(t, e, rowFields, longTable(30)...)
	seen := map[any]bool{}
	rows, _ := data["rows"].([]any)
	for _, row := range rows {
		seen[row.(map[string]any)["code"]] = true
	}
	if len(rows) != 30 || len(seen) != 30 || len(answer.Warnings) == 0 {
		t.Errorf("%d rows, %d of them different: %+v", len(rows), len(seen), answer.Warnings)
	}
}

// TestRowsThatAreAllAlike: as many as are printed, however they are cited, and
// in a time that does not grow with their square.
func TestRowsThatAreAllAlike(t *testing.T) {
	const many = 1000
	doc := stock(slices.Repeat([]string{"Hammer         25.00"}, many)...)
	for name, lines := range map[string]func(int) []int{
		"by line":       func(n int) []int { return []int{n + 2} },
		"without lines": func(int) []int { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			var said []any
			for n := range many {
				said = append(said, stockRow("Hammer", "25.00", lines(n)...))
			}
			stand := apptest.NewModel(t, saying(map[string]any{"rows": said}))
			began := time.Now()
			e := newEngine(t, stand, llm.OpenAI, func(s *setting) { s.options.Window = 100_000 })
			answer, data := extract(t, e, stockFields, sheet(1, doc))
			places := map[[4]float64]bool{}
			for _, m := range answer.Metadata {
				if len(m.Boxes) == 1 {
					places[m.Boxes[0]] = true
				}
			}
			if rows, _ := data["rows"].([]any); len(rows) != many || len(places) != 2*many || len(answer.Warnings) > 0 {
				t.Errorf("%d rows in %d places: %+v", len(rows), len(places), answer.Warnings)
			}
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("it takes %v", took)
			}
		})
	}
}

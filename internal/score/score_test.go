package score

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func decodeObject(t *testing.T, text string) *Object {
	t.Helper()
	var o Object
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		t.Fatal(err)
	}
	return &o
}

func TestCompare(t *testing.T) {
	for _, c := range []struct {
		of, match     string
		expected, got string // JSON
		right         bool
	}{
		{"number", "", `1234.5`, `"RM 1,234.50"`, true},
		{"number", "", `1234.5`, `"1.234,50 €"`, true},
		{"number", "", `1490.55`, `"1 490,55"`, true},
		{"number", "", `9.0`, `"$9"`, true},
		{"number", "", `9.0`, `9.1`, false},
		{"number", "", `-5.0`, `"(5.00)"`, true},
		{"number", "", `-5.0`, `"5.00-"`, true},
		{"number", "", `5.0`, `-5`, false},
		{"number", "abs", `5.0`, `-5`, true},
		{"number", "", `5`, `true`, false},
		{"number", "", `5`, `"five hundred"`, false},
		{"number", "", `3000000000`, `3000000000.004`, true},
		{"number", "", `"see page 2 of the annex"`, `"See page 2 of the annex."`, true},
		{"date", "", `"2018-03-14"`, `"14/03/2018"`, true},
		{"date", "", `"2018-03-14"`, `"Mar 14, 2018"`, true},
		{"date", "", `"2018-03-14"`, `"14 März 2018"`, true},
		{"date", "", `"2018-03-14"`, `"20180314"`, true},
		{"date", "", `"2018-03-14"`, `"2018-03-15"`, false},
		{"date", "", `"2018-03-04"`, `"04.03.18"`, true},
		{"date", "", `"2018-08-15"`, `"15 août 2018"`, true},
		{"date", "", `"03/04/2018"`, `"03/04/2018"`, true},
		{"date", "", `"03/04/2018"`, `"2018-04-03"`, false}, // it may be the fourth of March
		{"date", "", `"2018-02-30"`, `"2018-02-30"`, true},
		{"boolean", "", `true`, `"yes"`, true},
		{"boolean", "", `true`, `false`, false},
		{"boolean", "", `false`, `"unchecked"`, true},
		{"boolean", "", `false`, `"perhaps"`, false},
		{"string", "", `"ACME  Sdn. Bhd."`, `"acme sdn bhd"`, true},
		{"string", "", `"Straße 1"`, `"STRASSE 1"`, true},
		{"string", "", `"O’Neill – Sons"`, `"O'Neill-Sons"`, true},
		{"string", "", `"ACME"`, `"ACNE"`, false},
		{"string", "", `"12.5"`, `"125"`, false},
		{"string", "", `"12.50"`, `12.5`, true},
		{"string", "", `"12"`, `12.0`, true},
		{"string", "", `"one"`, `["one"]`, true},
		{"string", "", `"one"`, `["one","two"]`, false},
		{"string", "", `"one"`, `{"value":"one"}`, true},
		{"string", "alnum", `"2621ORANGETHORPE"`, `"2621 Orangethorpe"`, true},
	} {
		card := Document([]Field{{Name: "f", Type: c.of, Match: c.match}},
			decodeObject(t, `{"f":`+c.expected+`}`), decodeObject(t, `{"f":`+c.got+`}`))
		if got := card.Score == 1; got != c.right {
			t.Errorf("%s %s: %s beside %s is right: %v", c.of, c.match, c.expected, c.got, got)
		}
	}
}

func TestNearlyRight(t *testing.T) {
	for got, want := range map[string]float64{`"ABCDEFGHIX"`: 0.9, `"ABCDE"`: 0.5, `"ABCD"`: 0, `"zzzzzzzzzz"`: 0, `null`: 0} {
		card := Document([]Field{{Name: "f"}}, decodeObject(t, `{"f":"abcdefghij"}`), decodeObject(t, `{"f":`+got+`}`))
		if card.Score != 0 || math.Abs(card.Soft-want) > 1e-9 {
			t.Errorf("%s: score %v, soft %v, want %v", got, card.Score, card.Soft, want)
		}
	}
}

var lines = Field{Name: "lines", Type: "array", Items: &Field{Type: "object", Fields: []Field{{Name: "text"}, {Name: "amount", Type: "number"}}}}

func TestRows(t *testing.T) {
	card := Document([]Field{lines},
		decodeObject(t, `{"lines":[{"text":"x1","amount":1},{"text":"y2","amount":2}]}`),
		decodeObject(t, `{"lines":[{"text":"y2","amount":2},null,{"text":"x1","amount":9},{"text":"zzz","amount":7,"else":1}]}`))
	if math.Abs(card.Score-0.6) > 1e-9 {
		t.Errorf("score %v, want 0.6", card.Score)
	}
	want := Count{Values: 4, Returned: 6, Exact: 3, Soft: 3, Invented: 2, RowsExpected: 2, RowsReturned: 3, RowsRight: 1}
	if diff := cmp.Diff(want, card.Fields[0].Count); diff != "" {
		t.Error(diff)
	}
	number := func(s string) any { return json.Number(s) }
	values := []Value{
		{"lines", "/lines/2/text", Right, "x1", "x1"},
		{"lines", "/lines/2/amount", Wrong, number("1"), number("9")},
		{"lines", "/lines/0/text", Right, "y2", "y2"},
		{"lines", "/lines/0/amount", Right, number("2"), number("2")},
		{"lines", "/lines/3/text", Invented, nil, "zzz"},
		{"lines", "/lines/3/amount", Invented, nil, number("7")},
	}
	if diff := cmp.Diff(values, card.Values); diff != "" {
		t.Error(diff)
	}
}

func TestPlainArraysAndObjects(t *testing.T) {
	fields := []Field{
		{Name: "tags", Type: "array"},
		{Name: "buyer", Type: "object", Fields: []Field{{Name: "name"}, {Name: "a/b"}}},
		{Name: "unasked"}, {Name: "missing"},
	}
	card := Document(fields,
		decodeObject(t, `{"tags":["red","green"],"buyer":{"name":"N","a/b":"c"},"missing":"m","beyond":"b"}`),
		decodeObject(t, `{"tags":["green","blue"],"buyer":{"name":"N","a/b":null},"unasked":"u"}`))
	verdicts := map[string]Verdict{}
	for _, v := range card.Values {
		verdicts[v.Path] = v.Verdict
	}
	want := map[string]Verdict{
		"/tags/0": Right, "/tags/1": Invented, // "green", which stands at 1 among those expected, and "blue"
		"/buyer/name": Right, "/buyer/a~1b": Omitted, "/unasked": Invented, "/missing": Omitted, "/beyond": Omitted,
	}
	delete(verdicts, "/tags/0") // omitted "red" has that path too, in what was expected
	delete(want, "/tags/0")
	if diff := cmp.Diff(want, verdicts); diff != "" {
		t.Error(diff)
	}
	marks := map[string]float64{}
	for _, m := range card.Fields {
		marks[m.Name] = m.Score
	}
	if diff := cmp.Diff(map[string]float64{"tags": 0.5, "buyer": 0.5, "unasked": 0, "missing": 0, "beyond": 0}, marks); diff != "" {
		t.Error(diff)
	}
	if math.Abs(card.Score-0.2) > 1e-9 {
		t.Errorf("score %v", card.Score)
	}
}

func TestWhole(t *testing.T) {
	short := []Field{{Name: "lines", Type: "array", Fields: lines.Items.Fields}}
	if diff := cmp.Diff([]Field{{Name: "lines", Type: "array", Items: &Field{Type: "object", Fields: []Field{
		{Name: "text", Fields: []Field{}}, {Name: "amount", Type: "number", Fields: []Field{}},
	}}}}, Whole(short)); diff != "" {
		t.Error(diff)
	}
}

func TestReport(t *testing.T) {
	var s Set
	fields := []Field{{Name: "a"}, {Name: "b", Type: "number"}, lines}
	expected := decodeObject(t, `{"a":"x","b":1,"lines":[{"text":"t","amount":1}]}`)
	sure := func(confidence float64) func(string) (float64, bool) {
		return func(path string) (float64, bool) { return confidence, path != "/b" }
	}
	s.Add(Document(fields, expected, expected), true, sure(0.95))
	s.Add(Document(fields, expected, decodeObject(t, `{"a":"y","b":1}`)), true, sure(0.45))
	s.Add(Document(fields, expected, nil), false, sure(1))
	s.Add(Document(fields, decodeObject(t, `{}`), nil), true, sure(1))
	got := s.Report()
	half := 2.0 / 3
	want := Report{
		Cases: 4, WithoutPrediction: 1, DocScore: (1 + 1.0/3) / 3, DocScore95: got.DocScore95, DocSoft: (1 + 1.0/3) / 3, AllRight: 1.0 / 3,
		Precision: 5.0 / 6, Recall: 5.0 / 12, F1: 5.0 / 9, RowF1: new(0.5), Values: 12, Omitted: 6,
		Fields: []FieldReport{
			{Name: "a", Type: "string", Docs: 3, Values: 3, Exact: new(1.0 / 3), ANLS: new(1.0 / 3), F1: 0.4, Omitted: 1},
			{Name: "b", Type: "number", Docs: 3, Values: 3, Exact: &half, ANLS: &half, F1: 0.8, Omitted: 1},
			{Name: "lines", Type: "array", Docs: 3, Values: 6, Exact: new(1.0 / 3), ANLS: new(1.0 / 3), F1: 0.5, RowF1: new(0.5), Omitted: 4},
		},
		Calibration: got.Calibration, Confident: got.Confident,
	}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
	bins := []Bin{{0.4, 0.5, 1, 0.45, 0}, {0.9, 1, 3, 0.95, 1}}
	if diff := cmp.Diff(Calibration{Values: 4, Error: (0.45 + 3*0.05) / 4, Bins: bins}, got.Calibration, near); diff != "" {
		t.Error(diff)
	}
	if c := got.Confident[5]; c != (Confident{0.9, 3, 0.75, 1}) {
		t.Errorf("%+v", c)
	}
}

func TestReportOfNothing(t *testing.T) {
	r := new(Set).Report()
	if text, err := json.Marshal(r); err != nil || r.DocScore != 0 || r.RowF1 != nil {
		t.Errorf("%s %v", text, err)
	}
}

// What Python's random.Random(1) draws.
func TestIntervalIsTheUsualOne(t *testing.T) {
	random := newTwister(1)
	if got := [3]uint32{random.next(), random.next(), random.next()}; got != [3]uint32{577090037, 2444712010, 3639700191} {
		t.Errorf("drew %v", got)
	}
	if got := interval([]float64{0.5, 1, 0.25, 0.75, 0}); math.Abs(got[0]-0.2) > 1e-9 || math.Abs(got[1]-0.8) > 1e-9 {
		t.Errorf("%v", got)
	}
}

func TestObjectKeepsItsOrder(t *testing.T) {
	const text = `{"z":1.50,"a":{"k":[true,null,"<"]},"m":"x"}`
	var b json.RawMessage
	b, err := decodeObject(t, text).MarshalJSON()
	if err != nil || string(b) != `{"z":1.50,"a":{"k":[true,null,"\u003c"]},"m":"x"}` {
		t.Errorf("%s %v", b, err)
	}
	for _, wrong := range []string{`[]`, `"x"`, `{`, `{"a":1}{}`} {
		if err := new(Object).UnmarshalJSON([]byte(wrong)); err == nil {
			t.Errorf("%s is taken for an object", wrong)
		}
	}
}

// Whatever is compared, the figures stay within their bounds.
func FuzzDocument(f *testing.F) {
	f.Add(`{"a":"12.5","lines":[{"text":"x","amount":1}]}`, `{"a":["12,5"],"lines":"[{\"text\":1}]"}`, "number", "abs")
	f.Add(`{"a":"3 May 26","lines":[["x"],{}]}`, `{"a":{"value":"03/05/26"},"lines":[1,2]}`, "date", "")
	f.Add(`{"a":{"b":null},"lines":{"text":"-"}}`, `{"a":{"b":[]},"lines":[{"text":"$"}]}`, "object", "alnum")
	f.Fuzz(func(t *testing.T, expected, got, kind, match string) {
		var e, g Object
		if json.Unmarshal([]byte(expected), &e) != nil || json.Unmarshal([]byte(got), &g) != nil {
			return
		}
		fields := []Field{{Name: "a", Type: kind, Match: match}, lines}
		card := Document(fields, &e, &g)
		for _, m := range card.Fields {
			c := m.Count
			if m.Score < 0 || m.Score > 1 || m.Soft < 0 || m.Soft > 1+1e-9 || c.Exact+c.Invented > c.Returned || c.Exact+c.Omitted > c.Values {
				t.Errorf("%s beside %s: %+v", expected, got, m)
			}
		}
		for _, m := range Document(fields, &e, nil).Fields {
			if m.Score != 0 || m.Count.Returned != 0 {
				t.Errorf("%s beside nothing: %+v", expected, m)
			}
		}
	})
}

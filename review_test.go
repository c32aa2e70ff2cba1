package fieldlift_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"fieldlift"
)

var reviewFields = []fieldlift.Field{
	{Name: "number", Type: fieldlift.StringField, Required: true},
	{Name: "date", Type: fieldlift.DateField},
	{Name: "total", Type: fieldlift.NumberField},
	{Name: "paid", Type: fieldlift.BooleanField},
	{Name: "kind/~x", Type: fieldlift.StringField, Enum: []any{"a", "b"}},
	{Name: "vendor", Type: fieldlift.ObjectField, Fields: []fieldlift.Field{{Name: "name", Type: fieldlift.StringField}}},
	{Name: "tags", Type: fieldlift.ArrayField},
	{Name: "items", Type: fieldlift.ArrayField, Items: &fieldlift.Field{Type: fieldlift.ObjectField, Fields: []fieldlift.Field{
		{Name: "text", Type: fieldlift.StringField}, {Name: "amount", Type: fieldlift.NumberField},
	}}},
}

const reviewData = `{"number":"A-1","date":"2026-05-03","total":12.5,"paid":null,"kind/~x":"a","vendor":{"name":"ACME"},"tags":null,` +
	`"items":[{"text":"one","amount":1},{"text":"two","amount":2},{"text":"three","amount":null}]}`

// boxOf gives each value a box of its own, so that it can be told whose a box is.
func boxOf(n int) [][4]float64 { return [][4]float64{{float64(n) / 100, 0.1, 0.5, 0.2}} }

func reviewMetadata() map[string]fieldlift.FieldMetadata {
	found := map[string]fieldlift.FieldMetadata{}
	for n, pointer := range []string{
		"/number", "/date", "/total", "/kind~1~0x", "/vendor/name",
		"/items/0/text", "/items/0/amount", "/items/1/text", "/items/1/amount", "/items/2/text",
	} {
		found[pointer] = fieldlift.FieldMetadata{Confidence: 0.5, Page: 1, Boxes: boxOf(n), Text: "printed", Source: fieldlift.SourceText}
	}
	return found
}

func newReview(t rapid.TB) *fieldlift.Review {
	t.Helper()
	x := fieldlift.Extraction{Schema: fieldlift.SchemaOf(reviewFields), ResultMode: fieldlift.OnePerFile}
	r, err := fieldlift.NewReview(x, fieldlift.Result{Data: json.RawMessage(reviewData), Metadata: reviewMetadata(), Confidence: 0.4}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var reviewTime = time.Date(2026, 5, 3, 9, 0, 0, 0, time.UTC)

// do does amendments written as "set /total 13", each a second after the other.
func do(t rapid.TB, r *fieldlift.Review, amendments ...string) {
	t.Helper()
	for _, text := range amendments {
		if err := try(r, text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

func try(r *fieldlift.Review, text string) error {
	words := strings.SplitN(text, " ", 3)
	act := fieldlift.Amendment{Kind: fieldlift.CorrectionKind(words[0]), Pointer: words[1]}
	if act.Pointer == "." {
		act.Pointer = ""
	}
	if len(words) > 2 {
		act.Value = json.RawMessage(words[2])
	}
	return r.Do(act, "ada@example.com", reviewTime.Add(time.Duration(len(r.Corrections))*time.Second))
}

func TestCorrectionsChangeTheResult(t *testing.T) {
	for name, test := range map[string]struct {
		amendments []string
		want       map[string]string // by what it replaces in the data
	}{
		"a value":            {[]string{`set /total 13`}, map[string]string{`"total":12.5`: `"total":13`}},
		"a value twice":      {[]string{`set /total 13`, `set /total 14`}, map[string]string{`"total":12.5`: `"total":14`}},
		"to nothing":         {[]string{`set /date null`}, map[string]string{`"2026-05-03"`: `null`}},
		"from nothing":       {[]string{`set /paid true`}, map[string]string{`"paid":null`: `"paid":true`}},
		"an odd name":        {[]string{`set /kind~1~0x "b"`}, map[string]string{`"kind/~x":"a"`: `"kind/~x":"b"`}},
		"in an object":       {[]string{`set /vendor/name "Acme"`}, map[string]string{`ACME`: `Acme`}},
		"in a row":           {[]string{`set /items/1/amount 3`}, map[string]string{`"amount":2`: `"amount":3`}},
		"accepted":           {[]string{`accept /total`}, nil},
		"all accepted":       {[]string{`accept .`}, nil},
		"a row out":          {[]string{`remove /items/1`}, map[string]string{`{"text":"two","amount":2},`: ``}},
		"rows out":           {[]string{`remove /items/0`, `remove /items/0`, `remove /items/0`}, map[string]string{`[{"text":"one","amount":1},{"text":"two","amount":2},{"text":"three","amount":null}]`: `null`}},
		"a row in":           {[]string{`add /items/1 {"text":"new"}`}, map[string]string{`{"text":"two"`: `{"text":"new","amount":null},{"text":"two"`}},
		"a row at the end":   {[]string{`add /items/- {"amount":7}`}, map[string]string{`"amount":null}]`: `"amount":null},{"text":null,"amount":7}]`}},
		"a row at the start": {[]string{`add /items/0`}, map[string]string{`"items":[`: `"items":[{"text":null,"amount":null},`}},
		"the first row":      {[]string{`add /tags/- "red"`, `add /tags/- "blue"`, `set /tags/1 "green"`}, map[string]string{`"tags":null`: `"tags":["red","green"]`}},
		"a row behind a gap": {[]string{`remove /items/1`, `set /items/1/text "3"`, `add /items/1 {"text":"2"}`, `set /items/1/amount 2.5`}, map[string]string{`{"text":"two","amount":2},{"text":"three"`: `{"text":"2","amount":2.5},{"text":"3"`}},
		"a row that came":    {[]string{`add /items/- {"text":"x"}`, `remove /items/3`}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReview(t)
			do(t, r, test.amendments...)
			want := reviewData
			for old, now := range test.want {
				want = strings.ReplaceAll(want, old, now)
			}
			result := r.Result()
			if diff := cmp.Diff(want, string(result.Data)); diff != "" {
				t.Error(diff)
			}
			checkPointers(t, r)
		})
	}
}

// checkPointers holds metadata against data: each value has its entry, and an
// entry of nothing was reviewed.
func checkPointers(t rapid.TB, r *fieldlift.Review) {
	t.Helper()
	result := r.Result()
	values := leaves(t, result.Data)
	for pointer, value := range values {
		if m, told := result.Metadata[pointer]; !told && value != "null" || told && value == "null" && m.Reviewed == nil {
			t.Errorf("%s is %s; told of it: %v", pointer, value, told)
		}
	}
	for pointer := range result.Metadata {
		if _, there := values[pointer]; !there {
			t.Errorf("something is told of %s, which is not there", pointer)
		}
	}
}

func leaves(t rapid.TB, data json.RawMessage) map[string]string {
	t.Helper()
	var root any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	found := map[string]string{}
	var walk func(pointer string, value any)
	walk = func(pointer string, value any) {
		switch v := value.(type) {
		case map[string]any:
			for key, inner := range v {
				walk(pointer+"/"+fieldlift.EscapeStep(key), inner)
			}
		case []any:
			for i, inner := range v {
				walk(pointer+"/"+strconv.Itoa(i), inner)
			}
		default:
			text, _ := json.Marshal(v)
			found[pointer] = string(text)
		}
	}
	walk("", root)
	return found
}

func TestActsThatAreRefusedChangeNothing(t *testing.T) {
	for act, want := range map[string]string{
		`set /total "12"`:               `/total: a number is needed, such as 1234.5.`,
		`set /total 1e999`:              `/total: the number is too large.`,
		`set /date "3 May"`:             `/date: a date such as 2026-05-03 is needed.`,
		`set /date "2026-02-30"`:        `/date: a date such as 2026-05-03 is needed.`,
		`set /paid "yes"`:               `/paid: true or false is needed.`,
		`set /number 7`:                 `/number: text is needed.`,
		`set /kind~1~0x "c"`:            `/kind~1~0x: one of "a", "b" is needed.`,
		`set /items []`:                 `/items: only a single value can be set; rows are added and removed.`,
		`set /vendor {}`:                `/vendor: only a single value can be set; rows are added and removed.`,
		`set /total {"a"`:               `/total: it cannot be read`,
		`set /nothing 1`:                `There is no value /nothing in this document.`,
		`set total 1`:                   `There is no value total in this document.`,
		`set /items/3/text "x"`:         `There is no value /items/3/text in this document.`,
		`set /items/01/text "x"`:        `There is no value /items/01/text in this document.`,
		`set /items/-1/text "x"`:        `There is no value /items/-1/text in this document.`,
		`remove /items`:                 `/items: only a row of an array can be removed.`,
		`remove /items/9`:               `There is no value /items/9 in this document.`,
		`add /items/4`:                  `There is no value /items/4 in this document.`,
		`add /vendor/0`:                 `/vendor/0: rows can be added to arrays only.`,
		`add /items/- {"price":1}`:      `/items/3/price: the schema has no such field.`,
		`add /items/- {"amount":"x"}`:   `/items/3/amount: a number is needed, such as 1234.5.`,
		`add /items/- 7`:                `/items/3: an object is needed.`,
		`add x`:                         `There is no value x in this document.`,
		`accept /items/7`:               `There is no value /items/7 in this document.`,
		`praise /total`:                 `/total: there is no correction "praise".`,
		`set /number "` + long + `"`:    `/number: it is longer than 65536 bytes.`,
		`set /number "a\u0000b"`:        `/number: text must not hold the NUL character.`,
		"set /number \"\xff\"":          `/number: it is not UTF-8 text.`,
		`set /number "a" "b"`:           `/number: it cannot be read`,
		`add /items/- {"text":{"a":1}}`: `/items/3/text: text is needed.`,
	} {
		r := newReview(t)
		err := try(r, act)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", act, err, want)
		}
		if string(r.Result().Data) != reviewData || len(r.Corrections) > 0 {
			t.Errorf("%.60s: something has changed", act)
		}
	}
}

var long = strings.Repeat("x", fieldlift.MaxCorrectionBytes)

func TestWhatIsToldOfReviewedValues(t *testing.T) {
	r := newReview(t)
	do(t, r, `set /total 13`, `accept /number`, `set /paid null`, `remove /items/0`, `set /items/1/amount 3`, `add /items/- {"text":"new"}`)
	var got []string
	result := r.Result()
	for _, pointer := range slices.Sorted(maps.Keys(result.Metadata)) {
		m := result.Metadata[pointer]
		line := fmt.Sprintf("%s %v page %d %s", pointer, m.Confidence, m.Page, m.Source)
		if len(m.Boxes) > 0 {
			line += fmt.Sprint(" ", m.Boxes[0][0])
		}
		if m.Reviewed != nil {
			line += " by " + m.Reviewed.By + " was " + string(m.Reviewed.Original)
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{
		`/date 0.5 page 1 text 0.01`,
		`/items/0/amount 0.5 page 1 text 0.08`, // that of the second row, which is the first now
		`/items/0/text 0.5 page 1 text 0.07`,
		`/items/1/amount 1 page 0 person by ada@example.com was null`,
		`/items/1/text 0.5 page 1 text 0.09`,
		`/items/2/text 1 page 0 person by ada@example.com was null`,
		`/kind~1~0x 0.5 page 1 text 0.03`,
		`/number 1 page 1 text 0 by ada@example.com was `,
		`/paid 1 page 0 person by ada@example.com was `,
		`/total 1 page 0 person by ada@example.com was 12.5`,
		`/vendor/name 0.5 page 1 text 0.04`,
	}, got); diff != "" {
		t.Error(diff)
	}
	text, err := json.Marshal(result.Metadata["/total"])
	if want := `{"confidence":1,"page":0,"boxes":[],"text":"","source":"person","reviewed":{"by":"ada@example.com","at":"2026-05-03T09:00:00.000000Z","original":12.5}}`; err != nil || string(text) != want {
		t.Errorf("%s, %v", text, err)
	}
}

func TestBoxesStayWhereTheValueStands(t *testing.T) {
	for _, test := range []struct {
		source, printed, field, value string
		stays                         bool
	}{
		{"text", "1.234,50 EUR", "total", `1234.5`, true},
		{"text", "1.234", "total", `1234`, true},
		{"text", "1.234,50 EUR", "total", `1234.6`, false},
		{"text", "", "total", `1234.5`, false},
		{"text", "03/05/2026", "date", `"2026-05-03"`, true},
		{"text", "3. Mai 26", "date", `"2026-05-03"`, true},
		{"text", "03/05/2026", "date", `"2026-05-04"`, false},
		{"text", "Invoice No. A-17", "number", `"A-17"`, true},
		{"text", "A-17", "number", `"A-18"`, false},
		{"ocr", "lNV-2026-17", "number", `"INV-2026-17"`, true},
		{"text", "lNV-2026-17", "number", `"INV-2026-17"`, false},
		{"ocr", "A-17", "number", `"B-29"`, false},
		{"text", "A-17", "number", `null`, false},
	} {
		x := fieldlift.Extraction{Schema: fieldlift.SchemaOf(reviewFields)}
		data := map[string]string{"total": `{"total":1}`, "date": `{"date":"2000-01-01"}`, "number": `{"number":"x"}`}[test.field]
		m := fieldlift.FieldMetadata{Page: 1, Boxes: boxOf(1), Text: test.printed, Source: test.source}
		r, err := fieldlift.NewReview(x, fieldlift.Result{Data: json.RawMessage(data), Metadata: map[string]fieldlift.FieldMetadata{"/" + test.field: m}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		do(t, r, "set /"+test.field+" "+test.value)
		got := r.Result().Metadata["/"+test.field]
		if stays := len(got.Boxes) > 0; stays != test.stays || stays != (got.Page == 1) || stays != (got.Source == test.source) {
			t.Errorf("%s for %q: %+v", test.value, test.printed, got)
		}
	}
}

func TestTakingBack(t *testing.T) {
	take := func(t *testing.T, r *fieldlift.Review, numbers ...int64) {
		t.Helper()
		for _, n := range numbers {
			if err := r.TakeBack(n, "bob@example.com", reviewTime.Add(time.Hour+time.Duration(len(r.Corrections))*time.Second)); err != nil {
				t.Fatal(err)
			}
			checkPointers(t, r)
		}
	}
	t.Run("all in any order gives the original", func(t *testing.T) {
		r := newReview(t)
		do(t, r, `remove /items/0`, `set /items/0/text "x"`, `add /items/1 {"text":"y"}`, `set /items/1/amount 5`, `remove /items/1`, `accept .`)
		take(t, r, 1, 4, 3, 6, 2, 5)
		result := r.Result()
		if string(result.Data) != reviewData || !cmp.Equal(result.Metadata, reviewMetadata()) || result.Confidence != 0.4 || r.Holds() {
			t.Errorf("%s", result.Data)
		}
	})
	t.Run("a value that was set twice is the original again", func(t *testing.T) {
		r := newReview(t)
		do(t, r, `set /total 13`, `set /total 14`)
		take(t, r, 2)
		if string(r.Result().Data) != reviewData {
			t.Errorf("%s", r.Result().Data)
		}
	})
	t.Run("a row comes back as it was, where it was", func(t *testing.T) {
		r := newReview(t)
		do(t, r, `set /items/1/amount 9`, `remove /items/1`, `set /items/1/text "last"`)
		take(t, r, 2)
		if want := `[{"text":"one","amount":1},{"text":"two","amount":9},{"text":"last","amount":null}]`; !strings.Contains(string(r.Result().Data), want) {
			t.Errorf("%s", r.Result().Data)
		}
	})
	t.Run("what was accepted with a value is not accepted without it", func(t *testing.T) {
		r := newReview(t)
		do(t, r, `set /total 13`, `accept .`)
		take(t, r, 1)
		result := r.Result()
		if m := result.Metadata["/total"]; m.Reviewed != nil || m.Confidence != 0.5 || result.Metadata["/number"].Reviewed == nil {
			t.Errorf("%+v", m)
		}
	})
	t.Run("a value can be set again", func(t *testing.T) {
		r := newReview(t)
		do(t, r, `set /total 13`)
		take(t, r, 1)
		do(t, r, `set /total 15`)
		if !strings.Contains(string(r.Result().Data), `"total":15`) {
			t.Errorf("%s", r.Result().Data)
		}
	})
	t.Run("only once, and only what is there", func(t *testing.T) {
		r := newReview(t)
		do(t, r, `set /total 13`)
		take(t, r, 1)
		if err := r.TakeBack(1, "", reviewTime); fieldlift.CodeOf(err) != fieldlift.Conflict {
			t.Error(err)
		}
		if err := r.TakeBack(2, "", reviewTime); fieldlift.CodeOf(err) != fieldlift.ResourceNotFound {
			t.Error(err)
		}
	})
}

func TestReviewOfPages(t *testing.T) {
	x := fieldlift.Extraction{Schema: fieldlift.SchemaOf(reviewFields[:3]), ResultMode: fieldlift.OnePerPage}
	data := `{"pages":[{"page":1,"number":"A","date":null,"total":1},{"page":2,"number":"B","date":null,"total":2}]}`
	r, err := fieldlift.NewReview(x, fieldlift.Result{Data: json.RawMessage(data), Metadata: map[string]fieldlift.FieldMetadata{}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	do(t, r, `set /pages/1/total 3`)
	if want := strings.Replace(data, `"total":2`, `"total":3`, 1); string(r.Result().Data) != want {
		t.Errorf("%s", r.Result().Data)
	}
	for _, act := range []string{`remove /pages/0`, `add /pages/-`, `set /pages/0/page 3`} {
		if err := try(r, act); fieldlift.CodeOf(err) != fieldlift.InvalidPayload {
			t.Errorf("%s: %v", act, err)
		}
	}
	if sheets := r.Sheets(); len(sheets) != 2 || sheets[1].Values[2].Pointer != "/pages/1/total" || sheets[1].Values[2].Value != json.Number("3") {
		t.Errorf("%+v", sheets)
	}
}

func TestCheckedWhenEveryValueWasLookedAt(t *testing.T) {
	r := newReview(t)
	do(t, r, `accept /number`, `accept /items`)
	if r.Checked() {
		t.Error("it is, although not all was")
	}
	do(t, r, `accept .`)
	if !r.Checked() || r.Result().Confidence != 1 {
		t.Errorf("it is not, or its confidence is %v", r.Result().Confidence)
	}
}

// TestReviewsAreReplayed does amendments at random, takes some back, and wants the
// same result from the corrections alone, as the store keeps them.
func TestReviewsAreReplayed(t *testing.T) {
	pointers := []string{"", "/number", "/total", "/paid", "/items", "/tags", "/vendor"}
	for i := range 6 {
		n := strconv.Itoa(i)
		pointers = append(pointers, "/items/"+n, "/items/"+n+"/text", "/items/"+n+"/amount", "/tags/"+n)
	}
	values := []string{"", "null", `"x"`, "7", "true", `{"text":"new"}`, `{"amount":3}`}
	kinds := []fieldlift.CorrectionKind{fieldlift.CorrectionSet, fieldlift.CorrectionSet, fieldlift.CorrectionAccept, fieldlift.CorrectionRemove, fieldlift.CorrectionAdd}
	x := fieldlift.Extraction{Schema: fieldlift.SchemaOf(reviewFields), ResultMode: fieldlift.OnePerFile}
	rapid.Check(t, func(t *rapid.T) {
		r := newReview(t)
		at := reviewTime
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			at = at.Add(time.Second)
			before := string(r.Result().Data)
			var err error
			if n := len(r.Corrections); n > 0 && rapid.IntRange(0, 3).Draw(t, "take back") == 0 {
				err = r.TakeBack(int64(rapid.IntRange(1, n).Draw(t, "number")), "bob@example.com", at)
			} else {
				err = r.Do(fieldlift.Amendment{
					Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Pointer: rapid.SampledFrom(pointers).Draw(t, "pointer"),
					Value: json.RawMessage(rapid.SampledFrom(values).Draw(t, "value")),
				}, "ada@example.com", at)
			}
			if err != nil && string(r.Result().Data) != before {
				t.Fatalf("refused (%v), and changed all the same", err)
			}
			checkPointers(t, r)
		}
		again, err := fieldlift.NewReview(x, fieldlift.Result{Data: json.RawMessage(reviewData), Metadata: reviewMetadata(), Confidence: 0.4}, r.Corrections)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Result(), again.Result()); diff != "" {
			t.Fatal(diff)
		}
		for _, c := range r.Corrections {
			if at = at.Add(time.Second); c.Holds() {
				_ = r.TakeBack(c.Number, "", at) // some go with others
			}
		}
		if string(r.Result().Data) != reviewData {
			t.Fatalf("taken back: %s", r.Result().Data)
		}
	})
}

func FuzzReview(f *testing.F) {
	f.Add("set", "/total", "13", "add", "/items/-", `{"text":"a"}`)
	f.Add("remove", "/items/1", "", "set", "/kind~1~0x", `"b"`)
	f.Fuzz(func(t *testing.T, kind1, pointer1, value1, kind2, pointer2, value2 string) {
		r := newReview(t)
		for _, act := range []fieldlift.Amendment{
			{Kind: fieldlift.CorrectionKind(kind1), Pointer: pointer1, Value: json.RawMessage(value1)},
			{Kind: fieldlift.CorrectionKind(kind2), Pointer: pointer2, Value: json.RawMessage(value2)},
		} {
			before := string(r.Result().Data)
			if err := r.Do(act, "ada@example.com", reviewTime); err != nil && string(r.Result().Data) != before {
				t.Errorf("refused (%v), and changed all the same", err)
			}
			checkPointers(t, r)
		}
	})
}

package golden_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift"
	"fieldlift/internal/golden"
	"fieldlift/internal/page"
	"fieldlift/internal/score"
)

// load writes cases to a file of a set and reads them.
func load(t *testing.T, set string, lines ...string) ([]golden.Case, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), set)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cases.jsonl"), []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return golden.Load(dir)
}

func TestLoad(t *testing.T) {
	cases, err := load(t, "bills",
		`{"file":"docs/a.pdf","parser":{"name":"bill","document_type":"invoice","fields":[{"name":"lines","type":"array","fields":[{"name":"text","match":"alnum"}]}]},"expected":{"lines":[]},"source":"us"}`,
		``,
		`{"file":"b.pdf","parser":{"schema":{"type":"object","properties":{"total":{"type":"number"}}},"result_mode":"one_per_page"},"expected":[{"total":1},{"total":2}]}`,
		`{"file":"c.pdf","parser":{"fields":[{"name":"total"}],"result_mode":"one_per_page"},"expected":{"pages":[{"total":1}]}}`,
		`{"file":"d.pdf","parser":{"fields":[{"name":"total"}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	if len(cases) != 4 || cases[0].Set != "bills" || !strings.HasSuffix(cases[0].Path, filepath.Join("bills", "docs", "a.pdf")) ||
		cases[0].Wanted.DocumentType != "invoice" || cases[0].Wanted.ResultMode != fieldlift.OnePerFile {
		t.Errorf("%+v", cases)
	}
	if f := cases[0].Fields[0]; f.Items == nil || f.Items.Fields[0].Match != "alnum" {
		t.Errorf("%+v", f)
	}
	for i, want := range []int{1, 2, 1, 1} {
		if got := len(cases[i].Expected); got != want {
			t.Errorf("case %d expects %d results, want %d", i, got, want)
		}
	}
	if f := cases[1].Fields[0]; f.Type != "number" {
		t.Errorf("%+v", f)
	}
}

func TestLoadTellsAllMistakes(t *testing.T) {
	const parser = `"parser":{"fields":[{"name":"a"}]}`
	_, err := load(t, "wrong",
		`{`, `{`+parser+`}`, `{"file":"a"}`, `{"file":"a","parser":{"fields":[]}}`, `{"file":"a","parser":{"fields":[{"name":"a","type":"numbr"}]}}`,
		`{"file":"a","parser":{"schema":{"type":"array"}}}`, `{"file":"a",`+parser+`,"expected":[]}`, `{"file":"a","parser":{"fields":[{"name":"a"}],"result_mode":"some"}}`,
		`{"file":"a","parser":{"fields":[{"name":"a"}],"result_mode":"one_per_page"},"expected":"x"}`, `{"file":"a","parser":{"fields":[{"name":"a","match":1}]}}`)
	if err == nil {
		t.Fatal("no mistake was found")
	}
	told := strings.Split(err.Error(), "\n")
	for i, want := range []string{
		"it is no case", "file is missing", "fields or schema is needed", "at least one field", "fields[0].type", `it must be "object"`, "expected: a JSON object",
		"one_per_file or one_per_page", "an object for each page", "parser.fields",
	} {
		if i >= len(told) || !strings.Contains(told[i], want) {
			t.Errorf("line %d: %q is not told in\n%s", i+1, want, err)
		}
	}
	for _, path := range []string{"nowhere", t.TempDir()} {
		if _, err := golden.Load(path); err == nil {
			t.Errorf("%s has cases", path)
		}
	}
	if _, err := load(t, "empty", "", ""); err == nil || !strings.Contains(err.Error(), "no cases") {
		t.Errorf("%v", err)
	}
}

// answers is an Extractor that has its answers by the names of files.
type answers struct {
	data  map[string]string
	reads *int
}

func (a answers) Read(_ context.Context, path string) (*page.Document, error) {
	*a.reads++
	if a.data[filepath.Base(path)] == "" {
		return nil, fieldlift.Errorf(fieldlift.PageCountFailed, "The file is damaged.")
	}
	return &page.Document{Kind: filepath.Base(path), Pages: make([]page.Page, 2)}, nil
}

func (a answers) Find(_ context.Context, d *page.Document, _ fieldlift.Extraction) (fieldlift.Result, error) {
	return fieldlift.Result{Data: json.RawMessage(a.data[d.Kind]), Metadata: map[string]fieldlift.FieldMetadata{
		"/total": {Confidence: 0.9, Page: 1, Source: fieldlift.SourceText}, "/pages/1/total": {Confidence: 0.4, Page: 2, Source: fieldlift.SourceText},
	}}, nil
}

func TestGrade(t *testing.T) {
	const fields = `"fields":[{"name":"total","type":"number"},{"name":"date","type":"date"}]`
	cases, err := load(t, "bills",
		`{"file":"a.pdf","parser":{`+fields+`},"expected":{"total":5}}`,
		`{"file":"b.pdf","parser":{`+fields+`,"result_mode":"one_per_page"},"expected":[{"total":5},{"total":6}]}`,
		`{"file":"c.pdf","parser":{`+fields+`},"expected":{"total":5}}`)
	if err != nil {
		t.Fatal(err)
	}
	x := answers{map[string]string{"a.pdf": `{"total":5,"date":null}`, "b.pdf": `{"pages":[{"page":1,"total":null,"date":null},{"page":2,"total":7,"date":null}]}`}, new(int)}
	done := 0
	outcomes, err := golden.Run(t.Context(), x, cases, 1, func() { done++ })
	if err != nil || done != 3 {
		t.Fatal(done, err)
	}
	report, misses := golden.Grade(outcomes)
	s := report.Sets[0]
	if len(report.Sets) != 1 || s.Name != "bills" || s.Cases != 4 || s.WithoutPrediction != 1 || s.Omitted != 2 || s.DocScore != 0.25 {
		t.Errorf("%+v", s)
	}
	if diff := cmp.Diff([]golden.Failed{{File: "c.pdf", Error: "The file is damaged."}}, s.Failed); diff != "" {
		t.Error(diff)
	}
	if s.Timing.Pages != 4 || report.All.Calibration.Values != 2 || report.All.DocScore != s.DocScore {
		t.Errorf("%+v", report.All)
	}
	var told []string
	for _, m := range misses {
		told = append(told, m.File+" "+m.Path+" "+string(m.Verdict))
	}
	if diff := cmp.Diff([]string{"b.pdf /pages/0/total omitted", "b.pdf /pages/1/total wrong", "c.pdf /total omitted"}, told); diff != "" {
		t.Error(diff)
	}
	if misses[1].Place.Confidence != 0.4 {
		t.Errorf("%+v", misses[1])
	}

	for i, want := range []string{`{"file":"a.pdf","predicted":{"total":5,"date":null}}`, `{"file":"b.pdf","predicted":[{"page":1,"total":null,"date":null},{"page":2,"total":7,"date":null}]}`, ``} {
		line, err := outcomes[i].Prediction()
		if err != nil || strings.TrimSpace(string(line)) != want {
			t.Errorf("%s %v, want %s", line, err, want)
		}
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	cases, err := load(t, "bills", `{"file":"a.pdf","parser":{"fields":[{"name":"a"}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := golden.Run(ctx, answers{reads: new(int)}, cases, 1, func() {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestCachedReadsOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.pdf")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("one")
	x := answers{map[string]string{"a.pdf": `{}`}, new(int)}
	c := golden.Cached{Extractor: x, Dir: filepath.Join(t.TempDir(), "pages"), Revision: "1"}
	read := func(reads int) {
		t.Helper()
		d, err := c.Read(t.Context(), file)
		if err != nil || len(d.Pages) != 2 || d.Kind != "a.pdf" || *x.reads != reads {
			t.Errorf("%+v %v; read %d times, want %d", d, err, *x.reads, reads)
		}
	}
	read(1)
	read(1)
	c.Revision = "2"
	read(2)
	write("two")
	read(3)
	kept, err := filepath.Glob(filepath.Join(c.Dir, "*"))
	if err != nil || len(kept) != 3 {
		t.Fatal(kept, err)
	}
	for _, name := range kept { // broken ones are read again
		if err := os.Truncate(name, 10); err != nil {
			t.Fatal(err)
		}
	}
	read(4)
	read(4)
}

func TestCompare(t *testing.T) {
	report := func(set string, score0, f1, calibration float64) golden.Report {
		r := golden.Report{Sets: []golden.Set{{Name: set, Report: score.Report{
			Cases: 2, DocScore: score0, F1: 0.5, RowF1: new(0.5), Fields: []score.FieldReport{{Name: "total", F1: f1}},
		}}}}
		r.All.DocScore, r.All.Calibration.Error = score0, calibration
		return r
	}
	for name, c := range map[string]struct {
		now   golden.Report
		worse []string
		notes int
	}{
		"nothing changed":      {report("s", 0.5, 0.5, 0.1), nil, 0},
		"better":               {report("s", 0.9, 0.9, 0.01), nil, 0},
		"worse, within":        {report("s", 0.495, 0.495, 0.105), nil, 0},
		"worse":                {report("s", 0.4, 0.5, 0.1), []string{"s doc score", "all doc score"}, 0},
		"a field is worse":     {report("s", 0.5, 0.4, 0.1), []string{"s total F1"}, 0},
		"calibration error":    {report("s", 0.5, 0.5, 0.2), []string{"all calibration error"}, 0},
		"not about the same":   {report("other", 0.1, 0.1, 0.9), nil, 2},
		"another size is told": {func() golden.Report { r := report("s", 0.4, 0.5, 0.9); r.Sets[0].Cases = 3; return r }(), []string{"s doc score"}, 1},
	} {
		got := golden.Compare(report("s", 0.5, 0.5, 0.1), c.now, 0.01)
		var worse []string
		for _, one := range got.Changes {
			if one.Worse {
				worse = append(worse, one.Set+" "+one.Figure)
			}
		}
		if diff := cmp.Diff(c.worse, worse); diff != "" || len(got.Notes) != c.notes || got.Worse() != len(c.worse) {
			t.Errorf("%s: %s %q", name, diff, got.Notes)
		}
	}
}

func TestMisfits(t *testing.T) {
	bills, err := load(t, "bills", `{"file":"a","parser":{"name":"bill","fields":[{"name":"total"},{"name":"invoice_date"}]},"expected":{"total":"1"}}`)
	if err != nil {
		t.Fatal(err)
	}
	slips, err := load(t, "slips", `{"file":"b","parser":{"name":"slip","fields":[{"name":"pay_date"},{"name":"employee"},{"name":"lines","type":"array","fields":[{"name":"text"}]}]}}`)
	if err != nil {
		t.Fatal(err)
	}
	got := golden.Misfits(append(bills, slips...))
	if len(got) != 2 {
		t.Fatalf("%+v", got)
	}
	var asked []string
	for _, c := range got {
		for _, f := range c.Wanted.Schema.Fields() {
			asked = append(asked, c.File+" "+f.Name)
		}
		if len(c.Expected) != 1 || c.Expected[0] != nil {
			t.Errorf("%s expects %v", c.File, c.Expected)
		}
	}
	if diff := cmp.Diff([]string{"a employee", "a lines", "b total"}, asked); diff != "" {
		t.Error(diff)
	}
	if alone := golden.Misfits(bills); alone != nil {
		t.Errorf("%+v", alone)
	}
}

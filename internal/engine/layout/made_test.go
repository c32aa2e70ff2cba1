package layout

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// made is a document of testdata/made: what is asked, the pages, and what a
// person reads there. Misses are the values that the engine is known not to
// find; they are part of the record, not of the golden file.
type made struct {
	name    string // "invoice_de"
	archive *txtar.Archive
	fields  []fieldlift.Field
	pages   []page.Page
	want    map[string]any // by pointer
	misses  []string       // pointers, each with what is wrong after a space
}

func madeDocuments(t testing.TB) []made {
	t.Helper()
	paths, err := filepath.Glob("testdata/made/*.txtar")
	if err != nil || len(paths) < 12 {
		t.Fatalf("%d documents: %v", len(paths), err)
	}
	var all []made
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		d := made{name: strings.TrimSuffix(filepath.Base(path), ".txtar"), archive: archive}
		for _, f := range archive.Files {
			switch f.Name {
			case "fields.json":
				d.fields = fieldsOf(t, string(f.Data))
			case "want.json":
				d.want = leaves(t, f.Data)
			case "misses":
				d.misses = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
			case "page":
				d.pages = append(d.pages, drawn(len(d.pages)+1, string(f.Data)))
			default:
				t.Fatalf("%s: what is %s?", path, f.Name)
			}
		}
		all = append(all, d)
	}
	return all
}

// kind is the type of document, without language and layout.
func (d made) kind() string {
	kind, _, _ := strings.Cut(d.name, "_")
	return kind
}

func (d made) request() engine.Request { return engine.Request{Pages: d.pages, Fields: d.fields} }

func (d made) isMiss(pointer string) bool {
	return slices.ContainsFunc(d.misses, func(m string) bool {
		known, _, _ := strings.Cut(m, " ")
		return pointer == known || strings.HasPrefix(pointer, known+"/")
	})
}

// right tells whether a value is what a person reads at a pointer.
func (d made) right(pointer string, got any) bool {
	want, ok := d.want[pointer]
	if got == nil || !ok {
		return got == nil && !ok
	}
	a, isNumber := want.(json.Number)
	b, areNumbers := got.(json.Number)
	if isNumber && areNumbers {
		return value.SameNumber(a, b)
	}
	return want == got
}

const (
	levelMarks   = "─┌┐└┘├┤┬┴┼"
	uprightMarks = "│┌┐└┘├┤┬┴┼"
)

// drawn is a sheet on which lines of box characters are drawn lines, and what
// follows "# " is a title, larger and bold.
func drawn(number int, text string) page.Page {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	titles := map[int]bool{}
	plain := make([]string, len(lines))
	for i, line := range lines {
		line, titles[i] = strings.CutPrefix(line, "# ")
		plain[i] = strings.Map(func(r rune) rune {
			if strings.ContainsRune(levelMarks+uprightMarks, r) {
				return ' '
			}
			return r
		}, line)
	}
	p := sheet(number, "-\n"+strings.Join(plain, "\n")) // the mark keeps empty lines at the top
	p.Words = p.Words[1:]
	for i := range p.Words {
		if w := &p.Words[i]; titles[int(math.Round((w.Box.Y0*p.Height-sheetTop)/sheetPitch))-1] {
			w.Size, w.Bold = 16, true
		}
	}
	p.Rules = rulesOf(lines, p.Width, p.Height)
	return p
}

func rulesOf(lines []string, width, height float64) []page.Rule {
	var rules []page.Rule
	x := func(column int) float64 { return (sheetLeft + (float64(column)+0.5)*sheetChar) / width }
	y := func(line float64) float64 { return (sheetTop + (line+1)*sheetPitch + 5) / height }
	upright := map[int]int{} // by column: the line after the last one that has it, and below where it began
	began := map[int]int{}
	end := func(column int) {
		if from, to := began[column], upright[column]-1; to > from {
			rules = append(rules, page.Rule{Vertical: true, Box: page.Box{X0: x(column), X1: x(column), Y0: y(float64(from)), Y1: y(float64(to))}})
		}
		delete(upright, column)
	}
	for i, line := range append(lines, "") {
		runes := []rune(line)
		for from := 0; from < len(runes); from++ {
			to := from
			for to < len(runes) && strings.ContainsRune(levelMarks, runes[to]) {
				to++
			}
			if to-from > 1 {
				rules = append(rules, page.Rule{Box: page.Box{X0: x(from), X1: x(to - 1), Y0: y(float64(i)), Y1: y(float64(i))}})
				from = to
			}
		}
		for column, r := range runes {
			if strings.ContainsRune(uprightMarks, r) {
				if upright[column] != i {
					began[column] = i
				}
				upright[column] = i + 1
			}
		}
		for _, column := range slices.Sorted(maps.Keys(upright)) {
			if upright[column] != i+1 {
				end(column)
			}
		}
	}
	return rules
}

// leaves gives the scalars of JSON by their pointers.
func leaves(t testing.TB, data []byte) map[string]any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	found := map[string]any{}
	var walk func(pointer string, v any)
	walk = func(pointer string, v any) {
		switch v := v.(type) {
		case nil:
		case map[string]any:
			for key, inner := range v {
				walk(pointer+"/"+engine.Escape(key), inner)
			}
		case []any:
			for i, inner := range v {
				walk(fmt.Sprintf("%s/%d", pointer, i), inner)
			}
		default:
			found[pointer] = v
		}
	}
	walk("", root)
	return found
}

// TestMadeDocuments holds answers against what a person reads, and places
// against the golden files. What the engine misses must be listed as such in
// the document; -update takes misses off that came right, and adds none.
func TestMadeDocuments(t *testing.T) {
	e := New()
	for _, d := range madeDocuments(t) {
		t.Run(d.name, func(t *testing.T) {
			answer, err := e.Extract(t.Context(), d.request())
			if err != nil {
				t.Fatal(err)
			}
			checkAnswer(t, d.fields, answer)
			checkSources(t, d.pages, answer)
			got := leaves(t, answer.Data)
			all := maps.Clone(d.want)
			maps.Copy(all, got)
			wrong := map[string]bool{}
			for _, pointer := range slices.Sorted(maps.Keys(all)) {
				if d.right(pointer, got[pointer]) {
					continue
				}
				wrong[pointer] = true
				if !d.isMiss(pointer) {
					t.Errorf("%s is %#v, want %#v", pointer, got[pointer], d.want[pointer])
				}
			}
			d.reviseMisses(t, wrong)
			golden(t, filepath.Join("made", d.name+".json"), d.places(answer, wrong))
		})
	}
}

// reviseMisses takes off what is no longer missed.
func (d made) reviseMisses(t *testing.T, wrong map[string]bool) {
	t.Helper()
	var left []string
	for _, m := range d.misses {
		known, _, _ := strings.Cut(m, " ")
		if wrong[known] || slices.ContainsFunc(slices.Collect(maps.Keys(wrong)), func(p string) bool { return strings.HasPrefix(p, known+"/") }) {
			left = append(left, m)
		} else if !*update {
			t.Errorf("%s is right now and no miss any more (-update takes it off)", known)
		}
	}
	if !*update || len(left) == len(d.misses) {
		return
	}
	d.archive.Files = slices.DeleteFunc(d.archive.Files, func(f txtar.File) bool { return f.Name == "misses" })
	if len(left) > 0 {
		d.archive.Files = append(d.archive.Files, txtar.File{Name: "misses", Data: []byte(strings.Join(left, "\n") + "\n")})
	}
	if err := os.WriteFile(filepath.Join("testdata", "made", d.name+".txtar"), txtar.Format(d.archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// places writes what is right of an answer, a value to a line: what was read
// and where, and what validation says. Confidences are left out, since they
// change whenever weights are learned.
func (d made) places(a engine.Answer, wrong map[string]bool) []byte {
	var b bytes.Buffer
	encode := func(v any) string {
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(v); err != nil {
			panic(err)
		}
		return strings.TrimSpace(text.String())
	}
	b.WriteString("{\n")
	for _, pointer := range slices.SortedFunc(maps.Keys(a.Metadata), byNumber) {
		if wrong[pointer] {
			continue
		}
		m := a.Metadata[pointer]
		boxes := make([][4]float64, len(m.Boxes))
		for i, box := range m.Boxes {
			for j, v := range box {
				boxes[i][j] = math.Round(v*1000) / 1000
			}
		}
		fmt.Fprintf(&b, "  %s: {\"page\": %d, \"text\": %s, \"boxes\": %s},\n", encode(pointer), m.Page, encode(m.Text), encode(boxes))
	}
	var violations []fieldlift.Violation
	for _, v := range engine.Validate(d.fields, a.Data) {
		if !wrong[v.Path] {
			violations = append(violations, v)
		}
	}
	fmt.Fprintf(&b, "  \"violations\": %s\n}\n", encode(violations))
	return b.Bytes()
}

// byNumber sorts pointers so that row 10 comes after row 9.
func byNumber(a, b string) int {
	x, y := strings.Split(a, "/"), strings.Split(b, "/")
	return slices.CompareFunc(x, y, func(a, b string) int {
		if onlyDigits(a) && onlyDigits(b) && len(a) != len(b) {
			return cmp.Compare(len(a), len(b))
		}
		return cmp.Compare(a, b)
	})
}

// checkSources holds every value to a place: what it was read from is printed
// on that page, in the boxes that are given.
func checkSources(t testing.TB, pages []page.Page, a engine.Answer) {
	t.Helper()
	for pointer, m := range a.Metadata {
		at := slices.IndexFunc(pages, func(p page.Page) bool { return p.Number == m.Page })
		if at < 0 || len(m.Boxes) == 0 {
			t.Errorf("%s is on page %d, in %v", pointer, m.Page, m.Boxes)
			continue
		}
		var printed strings.Builder
		for _, w := range pages[at].Words {
			if slices.ContainsFunc(m.Boxes, func(b [4]float64) bool {
				return page.Box{X0: b[0], Y0: b[1], X1: b[2], Y1: b[3]}.Holds(w.Box)
			}) {
				printed.WriteString(w.Text)
			}
		}
		if text := strings.Join(strings.Fields(m.Text), ""); text == "" || !strings.Contains(printed.String(), text) {
			t.Errorf("%s was read from %q, and in its boxes stands %q", pointer, m.Text, printed.String())
		}
	}
}

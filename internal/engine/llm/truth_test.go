package llm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/golden"
	"fieldlift/internal/page"
	"fieldlift/internal/process"
	"fieldlift/internal/value"
)

// oracle is a stand-in for a model that knows the right answers of labelled
// documents, and cites them as a careful model would: as printed, with lines.
// What is lost between its answers and the results is lost by us.
type oracle struct {
	expected map[string]any // what a person says should be found
	lines    []string       // of the whole document
	wrong    float64        // share of fields of which it says something else that is printed there
	invents  float64        // share of values that it makes up, and cites another line for
	blind    bool           // it finds nothing

	mu       sync.Mutex
	seen     map[string]place // what was looked for in the whole document
	invented map[string]any   // by key; of cells by the place of their row among those expected
}

type place struct {
	text  string
	lines []int
}

// whole finds something in the whole document once, however often it is asked.
func (o *oracle) whole(key string, find func() (string, []int)) (string, []int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if p, ok := o.seen[key]; ok {
		return p.text, p.lines
	}
	text, lines := find()
	o.seen[key] = place{text, lines}
	return text, lines
}

// shown are the lines that a question shows.
func shown(a apptest.Asked) (from, to int) {
	lines := a.Lines()
	if len(lines) == 0 {
		return 0, 0
	}
	first, _ := strconv.Atoi(lines[0].Number)
	last, _ := strconv.Atoi(lines[len(lines)-1].Number)
	return first - 1, last
}

func (o *oracle) answer(a apptest.Asked) apptest.Said {
	from, to := shown(a)
	answer := map[string]any{}
	for _, key := range a.Fields() {
		v := o.at(key)
		if o.blind {
			v = nil
		}
		switch v := v.(type) {
		case nil:
			answer[key] = nil
		case []any:
			answer[key] = o.list(key, v, from, to)
		default:
			answer[key] = o.scalar(key, v, from, to)
		}
	}
	text, err := json.Marshal(answer)
	if err != nil {
		panic(err)
	}
	return apptest.Said{Text: string(text)}
}

// at finds an expected value by its key.
func (o *oracle) at(key string) any {
	var v any = o.expected
	for step := range strings.SplitSeq(key, ".") {
		object, _ := v.(map[string]any)
		v = object[step]
	}
	return v
}

func (o *oracle) scalar(key string, v any, from, to int) any {
	if o.errs(key, o.wrong) {
		return o.mistake(v, from, to)
	}
	if o.errs(key, o.invents) {
		made := o.invent(key, v)
		text, line := o.otherLine(key, from, to)
		return said(made, text, []int{line})
	}
	text, lines := o.whole(key, func() (string, []int) {
		if ticked, ok := v.(bool); ok {
			return o.box(key, ticked)
		}
		return o.printed(v, 0, len(o.lines))
	})
	if len(lines) > 0 && (lines[0] < from || lines[0] >= to) || len(lines) == 0 && from > 0 {
		return nil // it stands on lines that another question shows
	}
	return said(v, text, lines)
}

// box cites the box to tick whose line has the most words of a field's name.
func (o *oracle) box(key string, ticked bool) (string, []int) {
	mark := map[bool]string{true: "[x]", false: "[ ]"}[ticked]
	best, most := -1, -1
	for n, line := range o.lines {
		if !strings.Contains(line, mark) {
			continue
		}
		count := 0
		for word := range strings.SplitSeq(key, "_") {
			if len(word) > 1 && strings.Contains(strings.ToLower(line), word) {
				count++
			}
		}
		if count > most {
			best, most = n, count
		}
	}
	if best < 0 {
		return "", nil
	}
	return mark, []int{best}
}

func said(v any, text string, lines []int) map[string]any {
	numbers := []int{}
	for _, n := range lines {
		numbers = append(numbers, n+1)
	}
	return map[string]any{"value": v, "text": text, "lines": numbers}
}

// errs decides by chance, but the same each time.
func (o *oracle) errs(key string, share float64) bool {
	return float64(o.chance(key)%1000) < share*1000
}

func (o *oracle) chance(key string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(key + strings.Join(o.lines[:min(len(o.lines), 5)], "")))
	return int(h.Sum32() / 7 % 1_000_000)
}

// invent makes up a value of the same kind, and keeps it in mind.
func (o *oracle) invent(key string, v any) any {
	n := o.chance(key)
	var made any
	switch v := v.(type) {
	case bool:
		made = !v
	case json.Number:
		made = json.Number(fmt.Sprintf("%d.%02d", n%90_000+7, n%83+11))
		if n%4 == 0 && !strings.Contains(key, "/") { // a small one, as stands in many places
			made = json.Number(strconv.Itoa(n % 100))
		}
	default:
		made = fmt.Sprintf("Quixby %s Holdings", strconv.FormatInt(int64(n), 36))
		if isDay.MatchString(fmt.Sprint(v)) {
			made = fmt.Sprintf("1987-%02d-%02d", n%12+1, n%28+1)
		}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.invented[key] = made
	return made
}

// otherLine cites what does stand on some line: half of its words.
func (o *oracle) otherLine(key string, from, to int) (string, int) {
	n := from + o.chance(key+"?")%(to-from)
	words := strings.Fields(o.lines[n])
	return strings.Join(words[:(len(words)+1)/2], " "), n
}

// mistake is something else of the same kind that is printed there.
func (o *oracle) mistake(v any, from, to int) any {
	for n := from; n < to; n++ {
		for word := range strings.FieldsSeq(o.lines[n]) {
			if letters(word) != "" && letters(word) != letters(fmt.Sprint(v)) && (strings.ContainsAny(word, "0123456789") == strings.ContainsAny(fmt.Sprint(v), "0123456789")) {
				return said(word, word, []int{n})
			}
		}
	}
	return nil
}

// list gives the elements that stand on the lines of a question.
func (o *oracle) list(key string, elements []any, from, to int) any {
	list := []any{}
	at := 0
	for n, e := range elements {
		of := key + "/" + strconv.Itoa(n)
		row, isRow := e.(map[string]any)
		if !isRow {
			text, lines := o.whole(of, func() (string, []int) { return o.printed(e, 0, len(o.lines)) })
			if len(lines) > 0 && lines[0] >= from && lines[0] < to || len(lines) == 0 && from == 0 {
				list = append(list, said(e, text, lines))
			}
			continue
		}
		_, lines := o.whole(of, func() (string, []int) { return "", []int{o.rowLine(row, at)} })
		line := lines[0]
		if line < 0 {
			line = min(at, len(o.lines)-1)
		}
		at = line
		if line < from || line >= to {
			continue
		}
		cells := map[string]any{}
		numbers := []int{line + 1}
		for name, v := range row {
			cell, lines := o.cell(v, line)
			if isScalar(v) && o.errs(of+"/"+name, o.invents) {
				cell = fmt.Sprint(o.invent(of+"/"+name, v))
			}
			cells[name] = cell
			for _, n := range lines {
				if !slices.Contains(numbers, n+1) && n < to {
					numbers = append(numbers, n+1)
				}
			}
		}
		cells["lines"] = numbers
		list = append(list, cells)
	}
	return list
}

func isScalar(v any) bool {
	switch v.(type) {
	case nil, bool, map[string]any, []any: // a cell can say no false tick
		return false
	}
	return true
}

// passed counts the values that were made up, those of them that are in a
// result, and those that are so with a confidence above one half.
func (o *oracle) passed(r fieldlift.Result) (made, given, passed int) {
	var data any
	d := json.NewDecoder(strings.NewReader(string(r.Data)))
	d.UseNumber()
	if d.Decode(&data) != nil {
		return 0, 0, 0
	}
	values := map[string]any{}
	flatten(values, "", data)
	for key, v := range o.invented {
		made++
		for path, got := range values {
			// What is made up in a row stands for itself, wherever the row has gone.
			inRow := strings.Contains(key, "/")
			if !inRow && path != "/"+strings.ReplaceAll(key, ".", "/") || fmt.Sprint(got) != fmt.Sprint(v) {
				continue
			}
			given++
			if r.Metadata[path].Confidence > 0.5 {
				passed++
			}
		}
	}
	return made, given, passed
}

func flatten(into map[string]any, path string, v any) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			flatten(into, path+"/"+name, inner)
		}
	case []any:
		for n, inner := range v {
			flatten(into, path+"/"+strconv.Itoa(n), inner)
		}
	default:
		into[path] = v
	}
}

func (o *oracle) cell(v any, line int) (any, []int) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case map[string]any:
		inner := map[string]any{}
		var all []int
		for name, one := range v {
			cell, lines := o.cell(one, line)
			inner[name] = cell
			all = append(all, lines...)
		}
		return inner, all
	case []any:
		var inner []any
		for _, one := range v {
			cell, _ := o.cell(one, line)
			inner = append(inner, cell)
		}
		return inner, nil
	}
	return o.printed(v, line, min(line+4, len(o.lines)))
}

// rowLine finds the line on which most of a row stands, not before another.
func (o *oracle) rowLine(row map[string]any, least int) int {
	best, most := -1, 0
	for n := least; n < len(o.lines) && n < least+400; n++ {
		count := 0
		for _, v := range row {
			if v == nil {
				continue
			}
			if _, lines := o.printed(v, n, n+1); len(lines) > 0 {
				count += 2
			} else if _, lines := o.printed(v, n, min(n+3, len(o.lines))); len(lines) > 0 && lines[0] == n {
				count++
			}
		}
		if count > most {
			best, most = n, count
		}
		if most == 2*len(row) {
			break
		}
	}
	return best
}

// printed finds a value on lines: its text there, and where.
func (o *oracle) printed(v any, from, to int) (string, []int) {
	switch v := v.(type) {
	case bool:
		return "", nil
	case json.Number:
		for n := from; n < to; n++ {
			if text, ok := span(o.lines[n], 3, func(text string) bool {
				for _, comma := range []bool{false, true} {
					if got, ok := value.Number(text, value.Locale{DecimalComma: comma}); ok && value.SameNumber(got, v) {
						return true
					}
				}
				return false
			}); ok {
				return text, []int{n}
			}
		}
		return v.String(), nil
	}
	text := fmt.Sprint(v)
	if isDay.MatchString(text) {
		for n := from; n < to; n++ {
			if found, ok := span(o.lines[n], 6, func(part string) bool {
				for _, first := range []bool{true, false} {
					if got, ok := value.Date(part, value.Locale{DayFirst: first}); ok && got == text {
						return true
					}
				}
				return false
			}); ok {
				return found, []int{n}
			}
		}
	}
	wanted := letters(text)
	if wanted == "" {
		return text, nil
	}
	for n := from; n < to; n++ {
		if _, ok := span(o.lines[n], len(strings.Fields(text))+2, func(part string) bool { return letters(part) == wanted }); ok {
			return text, []int{n}
		}
	}
	for n := from; n < to && len(wanted) > 5; n++ {
		if strings.Contains(letters(o.lines[n]), wanted) {
			return text, []int{n}
		}
	}
	return text, o.spread(text, from, to)
}

var isDay = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// spread finds a text that goes over several lines: each holds the next words.
func (o *oracle) spread(text string, from, to int) []int {
	words := strings.Fields(text)
	for start := from; start < to; start++ {
		var lines []int
		at := 0
		for n := start; n < min(to, start+10) && at < len(words); n++ {
			line, before := letters(o.lines[n]), at
			for at < len(words) && strings.Contains(line, letters(strings.Join(words[before:at+1], ""))) {
				at++
			}
			if at > before {
				lines = append(lines, n)
			} else if len(lines) == 0 {
				break
			}
		}
		if at == len(words) {
			return lines
		}
	}
	return nil
}

// span finds words of a line that are meant.
func span(line string, most int, means func(string) bool) (string, bool) {
	words := strings.Fields(line)
	for from := range words {
		for to := min(len(words), from+most); to > from; to-- {
			if text := strings.Join(words[from:to], " "); means(strings.Trim(text, ",;:")) {
				return text, true
			}
		}
	}
	return "", false
}

func letters(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, value.Fold(text))
}

// oracles answers for many documents, each at an address of its own.
type oracles struct {
	mu  sync.Mutex
	all []*oracle
}

func (s *oracles) add(o *oracle) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, o)
	return "/" + strconv.Itoa(len(s.all)-1) + "/v1"
}

func (s *oracles) answer(a apptest.Asked) apptest.Said {
	number, _, _ := strings.Cut(strings.TrimPrefix(a.Path, "/"), "/")
	n, err := strconv.Atoi(number)
	if err != nil {
		return apptest.Said{Status: 404}
	}
	s.mu.Lock()
	o := s.all[n]
	s.mu.Unlock()
	return o.answer(a)
}

// measured extracts labelled documents with an oracle's help.
type measured struct {
	golden.Extractor
	stand    *apptest.Model
	oracles  *oracles
	embedded *layout.Engine
	choice   fieldlift.EngineChoice
	limit    float64
	wrong    float64
	invents  float64
	blind    bool
	window   int

	mu    sync.Mutex
	cases map[string]golden.Case
	of    map[*page.Document]golden.Case
	asked int
	all   int
	// Values that were made up, that came into results, and those with more than 0.5.
	made, given, passed int
}

func (m *measured) Read(ctx context.Context, path string) (*page.Document, error) {
	document, err := m.Extractor.Read(ctx, path)
	m.mu.Lock()
	defer m.mu.Unlock()
	if err == nil {
		m.of[document] = m.cases[path]
	}
	return document, err
}

func (m *measured) Find(ctx context.Context, document *page.Document, wanted fieldlift.Extraction) (fieldlift.Result, error) {
	m.mu.Lock()
	c := m.of[document]
	m.mu.Unlock()
	text, err := json.Marshal(c.Expected[0])
	if err != nil {
		return fieldlift.Result{}, err
	}
	o := &oracle{lines: llm.TranscriptLines(document.Pages), wrong: m.wrong, invents: m.invents, blind: m.blind, seen: map[string]place{}, invented: map[string]any{}}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	if err := d.Decode(&o.expected); err != nil {
		return fieldlift.Result{}, err
	}
	model := llm.New(llm.Options{Provider: llm.OpenAI, URL: m.stand.URL + m.oracles.add(o), Model: "oracle", Window: m.window})
	e := &llm.Engine{Model: model, Embedded: m.embedded, Choice: m.choice, Threshold: m.limit}
	result, err := process.Extract(ctx, e, document, wanted)
	if err == nil {
		m.mu.Lock()
		m.asked, m.all = m.asked+result.Model.Asked, m.all+result.Model.Fields
		made, given, passed := o.passed(result)
		m.made, m.given, m.passed = m.made+made, m.given+given, m.passed+passed
		m.mu.Unlock()
	}
	return result, err
}

// TestTruth measures how much of a model's right answers reaches the results,
// and how many that it makes up, on labelled documents that FIELDLIFT_CASES names (files or folders, with
// spaces between). FIELDLIFT_PAGES names a folder for pages that were read, and
// FIELDLIFT_THRESHOLDS, such as "0.5 0.9", measures auto instead of model.
// FIELDLIFT_MISSES prints what is lost, FIELDLIFT_WINDOW shortens windows.
func TestTruth(t *testing.T) {
	paths := strings.Fields(os.Getenv("FIELDLIFT_CASES"))
	if len(paths) == 0 {
		t.Skip("FIELDLIFT_CASES names no labelled documents")
	}
	var cases []golden.Case
	for _, path := range paths {
		loaded, err := golden.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		cases = append(cases, loaded...)
	}
	config := app.Default()
	config.CacheDir = filepath.Join(os.TempDir(), "fieldlift-test-cache")
	extractor, err := app.NewExtractor(config)
	if err != nil {
		t.Fatal(err)
	}
	defer extractor.Close()
	var reading golden.Extractor = extractor
	if dir := os.Getenv("FIELDLIFT_PAGES"); dir != "" {
		reading = golden.Cached{Extractor: extractor, Dir: dir, Revision: extractor.Reading(t.Context())}
	}
	window, _ := strconv.Atoi(os.Getenv("FIELDLIFT_WINDOW")) // tokens; 0: the usual
	run := func(choice fieldlift.EngineChoice, limit, wrong, invents float64, blind bool) {
		all := &oracles{}
		m := &measured{
			Extractor: reading, stand: apptest.NewModel(t, all.answer), oracles: all, embedded: layout.New(), choice: choice, limit: limit, wrong: wrong, invents: invents, blind: blind,
			window: window, cases: map[string]golden.Case{}, of: map[*page.Document]golden.Case{},
		}
		for _, c := range cases {
			m.cases[c.Path] = c
		}
		outcomes, err := golden.Run(t.Context(), m, cases, config.Workers, func() {})
		if err != nil {
			t.Fatal(err)
		}
		report, misses := golden.Grade(outcomes)
		located, values := map[string]int{}, map[string]int{}
		for _, o := range outcomes {
			for _, place := range o.Metadata {
				values[o.Case.Set]++
				if len(place.Boxes) > 0 {
					located[o.Case.Set]++
				}
			}
		}
		t.Logf("%s, threshold %.2f, %.0f %% wrong: asked %d of %d fields, mean doc score %.4f, calibration error %.3f",
			choice, limit, 100*wrong, m.asked, m.all, report.All.DocScore, report.All.Calibration.Error)
		if m.made > 0 {
			t.Logf("  %.0f %% made up, citing another line: %d values, of which %d are given, and %d with more than 0.5", 100*invents, m.made, m.given, m.passed)
		}
		for _, s := range report.Sets {
			t.Logf("  %-32s doc score %.4f  F1 %.4f  located %d of %d  failed %d", s.Name, s.DocScore, s.F1, located[s.Name], values[s.Name], len(s.Failed))
		}
		if os.Getenv("FIELDLIFT_MISSES") != "" {
			for _, o := range outcomes {
				for path, place := range o.Metadata {
					if len(place.Boxes) == 0 {
						t.Logf("  %s %s %s is not located: %q", o.Case.Set, o.Case.File, path, place.Text)
					}
				}
			}
			for _, miss := range misses {
				t.Logf("  %s %s %s %s expected %v got %v (%.2f %s)", miss.Set, miss.File, miss.Path, miss.Verdict, miss.Expected, miss.Got, miss.Place.Confidence, miss.Place.Engine)
			}
		}
	}
	thresholds := strings.Fields(os.Getenv("FIELDLIFT_THRESHOLDS"))
	if len(thresholds) == 0 {
		run(fieldlift.ModelEngine, 1, 0, 0, false)
		run(fieldlift.ModelEngine, 1, 0, 0.1, false)
	}
	for _, text := range thresholds {
		limit, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, wrong := range []float64{0, 0.1} {
			run(fieldlift.AutoEngine, limit, wrong, 0, false)
		}
		t.Log("and with a model that finds nothing:")
		run(fieldlift.AutoEngine, limit, 0, 0, true)
	}
}

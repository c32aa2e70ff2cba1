package llm

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// How sure a model's value is, by how it was found again on the page. The
// figures are judgements: they are what is left when a capable model reads
// clean text, and are not learned from any one.
const (
	sureCited    = 0.93 // the text stands on the lines that the model cites
	sureTyped    = 0.90 // a value of the same meaning stands there
	sureDerived  = 0.80 // the text stands there; what it means is the model's word
	sureOnce     = 0.85 // the text stands elsewhere, and only there
	sureSeveral  = 0.70 // it stands in several other places
	sureNowhere  = 0.40 // it could not be found: the model's word alone
	surePlanted  = 0.20 // it stands where somebody speaks to a model
	mostUnproven = 0.50 // the most that a value without a place can have
)

// piece is words of one line that follow one another.
type piece struct {
	line     int
	from, to int // words
}

// finding is where a value stands.
type finding struct {
	pieces []piece
	sure   float64
}

// find looks for a scalar on the page: its text on the cited lines, then a
// value of the same meaning there, then its text anywhere the model was shown.
func (l listener) find(f fieldlift.Field, s said) (finding, bool) {
	near := l.around(s.lines)
	if s.text != "" {
		if pieces, ok := l.findText(s.text, near); ok {
			return finding{pieces, pick(s.derived && f.Type != fieldlift.BooleanField, sureDerived, sureCited)}, true
		}
	}
	if text, ok := s.value.(string); ok && text != s.text {
		if pieces, ok := l.findText(text, near); ok {
			return finding{pieces, sureCited}, true
		}
	}
	if pieces, ok := l.findTyped(f, s.value, near); ok {
		return finding{pieces, sureTyped}, true
	}
	if len(s.lines) > 0 && f.Type == fieldlift.BooleanField {
		return finding{l.wholeLines(s.lines[:1]), sureDerived}, true // the line that it was read from
	}
	return l.findElsewhere(f, s)
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// around gives the cited lines and those beside them: models miscount.
func (l listener) around(cited []int) []int {
	lines := slices.Clone(cited)
	for _, n := range cited {
		for _, beside := range []int{n + 1, n - 1} {
			if beside >= l.from && beside < l.to && !slices.Contains(lines, beside) {
				lines = append(lines, beside)
			}
		}
	}
	return lines
}

// findText finds a text on lines, at first on those that come first. It may go
// on from a line to one of those below it, as cells and addresses do.
func (l listener) findText(text string, lines []int) ([]piece, bool) {
	wanted := letters(text)
	if wanted == "" {
		return l.findMarks(text, lines)
	}
	for _, n := range lines {
		if p, ok := l.onLine(n, wanted); ok {
			return []piece{p}, true
		}
	}
	steps := mostSteps
	for _, n := range lines {
		if pieces, ok := l.overLines(n, wanted, page.Box{}, mostPieces, &steps); ok {
			return pieces, true
		}
	}
	return nil, false
}

const (
	mostPieces = 12   // lines that a value can go over
	farthest   = 6    // lines from one to the next of them: forms part an address by their labels
	mostSteps  = 3000 // ways that are tried to follow it
)

// onLine finds letters as a run of whole words, or of what marks part in them.
func (l listener) onLine(n int, wanted string) (piece, bool) {
	one := &l.lines[n]
	for from := 0; ; {
		i := strings.Index(one.letters[from:], wanted)
		if i < 0 {
			return piece{}, false
		}
		i += from
		if one.starts[i] && one.endsAt(i+len(wanted)) {
			return piece{n, int(one.owner[i]), int(one.owner[i+len(wanted)-1]) + 1}, true
		}
		from = i + 1
	}
}

// overLines finds letters that begin on a line and go on below it.
func (l listener) overLines(n int, wanted string, above page.Box, left int, steps *int) ([]piece, bool) {
	one := &l.lines[n]
	type start struct {
		at, length int
		apart      float64
	}
	var starts []start
	for i := range one.letters {
		if !one.starts[i] || one.letters[i] != wanted[0] {
			continue
		}
		length := 0
		for k := 0; k < len(wanted) && i+k < len(one.letters) && one.letters[i+k] == wanted[k]; k++ {
			if one.endsAt(i + k + 1) {
				length = k + 1
			}
		}
		if length > 0 {
			apart := 0.0
			if above != (page.Box{}) {
				b := one.words[one.owner[i]].Box
				apart = math.Abs(b.X0 - above.X0)
			}
			starts = append(starts, start{i, length, apart})
		}
	}
	slices.SortStableFunc(starts, func(a, b start) int {
		if a.length != b.length {
			return b.length - a.length
		}
		return int((a.apart - b.apart) * 1000)
	})
	for _, s := range starts[:min(len(starts), 3)] {
		p := piece{n, int(one.owner[s.at]), int(one.owner[s.at+s.length-1]) + 1}
		if s.length == len(wanted) {
			return []piece{p}, true
		}
		if *steps--; left <= 1 || *steps < 0 {
			continue
		}
		box := l.boxOf(p)
		for next := n + 1; next <= n+farthest && next < l.to && l.lines[next].page == one.page; next++ {
			if rest, ok := l.overLines(next, wanted[s.length:], box, left-1, steps); ok {
				return append([]piece{p}, rest...), true
			}
		}
	}
	return nil, false
}

// findMarks finds what has neither letters nor digits, such as "€" or "[x]",
// within words.
func (l listener) findMarks(text string, lines []int) ([]piece, bool) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || text == "-" || text == "." {
		return nil, false
	}
	for _, n := range lines {
		for i, w := range l.lines[n].words {
			if strings.Contains(w.Text, text) {
				return []piece{{n, i, i + 1}}, true
			}
		}
	}
	return nil, false
}

// findTyped finds words that mean the same as a value: 1.234,50 for 1234.5.
func (l listener) findTyped(f fieldlift.Field, v any, lines []int) ([]piece, bool) {
	var means func(string) bool
	longest := 3
	switch v := v.(type) {
	case json.Number:
		means = func(text string) bool {
			whole, _ := l.numbersIn(text)
			return slices.ContainsFunc(whole, func(n json.Number) bool { return value.SameNumber(n, v) })
		}
	case bool:
		means = func(text string) bool { return text == pick(v, ticked, unticked) }
		longest = 1
	case string:
		switch {
		case f.Type == fieldlift.DateField:
			longest = longestDate
			means = func(text string) bool {
				for _, dayFirst := range []bool{true, false} {
					if date, ok := value.Date(text, value.Locale{DayFirst: dayFirst}); ok && date == v {
						return true
					}
				}
				return false
			}
		case len(v) == 3 && strings.ToUpper(v) == v: // a currency, perhaps, by its sign
			longest = 1
			means = func(text string) bool {
				a, ok := value.Money(text, l.locale)
				c, alone := value.Currency(text)
				return ok && a.Currency == v || alone && c == v
			}
		}
	}
	if means == nil {
		return nil, false
	}
	for _, n := range lines {
		words := l.lines[n].words
		for from := range words {
			for to := min(len(words), from+longest); to > from; to-- {
				if means(strings.Trim(joined(words[from:to]), ",;:")) {
					return []piece{{n, from, to}}, true
				}
			}
		}
	}
	return nil, false
}

func joined(words []page.Word) string {
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return strings.Join(texts, " ")
}

// leastElsewhere is how many letters and digits a text must have to be looked
// for where the model did not say: "1" stands everywhere.
const leastElsewhere = 3

// findElsewhere looks at all lines that the model was shown.
func (l listener) findElsewhere(f fieldlift.Field, s said) (finding, bool) {
	for _, text := range []string{s.text, plainText(s.value)} {
		wanted := letters(text)
		if len(wanted) < leastElsewhere || f.Type == fieldlift.BooleanField {
			continue
		}
		var found []piece
		for n := l.from; n < l.to && len(found) < 2; n++ {
			if p, ok := l.onLine(n, wanted); ok {
				found = append(found, p)
			}
		}
		if len(found) > 0 {
			return finding{found[:1], pick(len(found) > 1, sureSeveral, sureOnce)}, true
		}
		steps := mostSteps
		for n := l.from; n < l.to; n++ {
			if pieces, ok := l.overLines(n, wanted, page.Box{}, mostPieces, &steps); ok {
				return finding{pieces, sureOnce}, true
			}
		}
	}
	return finding{}, false
}

func (l listener) wholeLines(lines []int) []piece {
	pieces := make([]piece, 0, len(lines))
	for _, n := range lines {
		pieces = append(pieces, piece{n, 0, len(l.lines[n].words)})
	}
	return pieces
}

func (t *transcript) boxOf(p piece) page.Box {
	words := t.lines[p.line].words[p.from:p.to]
	box := words[0].Box
	for _, w := range words {
		box = box.Union(w.Box)
	}
	return box
}

// place says where a value stands, as results tell it.
func (t *transcript) place(f finding) fieldlift.FieldMetadata {
	m := fieldlift.FieldMetadata{Source: fieldlift.SourceForm, Page: t.lines[f.pieces[0].line].page}
	certainty, count := 0.0, 0.0
	planted := false
	for i, p := range f.pieces {
		one := t.lines[p.line]
		m.Boxes = append(m.Boxes, t.boxOf(p).Array())
		if i > 0 {
			m.Text += "\n"
		}
		m.Text += joined(one.words[p.from:p.to])
		planted = planted || one.planted
		for _, w := range one.words[p.from:p.to] {
			certainty, count = certainty+min(max(w.Confidence, 0), 1), count+1
			switch {
			case w.Source == fieldlift.SourceOCR:
				m.Source = fieldlift.SourceOCR // the weaker one tells
			case w.Source != fieldlift.SourceForm && m.Source == fieldlift.SourceForm:
				m.Source = fieldlift.SourceText
			}
		}
	}
	m.Confidence = f.sure * certainty / max(count, 1)
	if planted {
		m.Confidence = min(m.Confidence, surePlanted)
	}
	return m
}

// unproven is the place of a value that was not found: none.
func unproven(s said) fieldlift.FieldMetadata {
	return fieldlift.FieldMetadata{Confidence: sureNowhere, Source: fieldlift.SourceModel, Text: clean(s.text)}
}

package llm

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/page"
)

// How sure a model's value is, by how it was found again on the page. The
// figures are judgements: they are what is left when a capable model reads
// clean text, and are not learned from any one.
const (
	sureCited    = 0.93 // it stands on the lines that the model cites, as the text that it cites
	sureTyped    = 0.90 // it stands there, and no text is cited
	sureDerived  = 0.80 // it stands there beside what is cited, or follows from that by a rule of ours
	sureOnce     = 0.85 // it stands elsewhere, and only there
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

func (p piece) holds(q piece) bool { return p.line == q.line && p.from <= q.from && q.to <= p.to }

// finding is where a value stands.
type finding struct {
	pieces []piece
	sure   float64
}

// find looks for a scalar on the page. It is the value that must stand there,
// or follow from what does by rules of our own: that the text which a model
// cites is there proves nothing of a value that has nothing to do with it. Of
// places that are equally good, one that nobody has claimed is taken.
func (l listener) find(f fieldlift.Field, s said, claimed *claims) (finding, bool) {
	if ticked, ok := s.value.(bool); ok {
		return l.findMark(f, ticked, s)
	}
	seekers := l.seekers(f, s.value)
	wanted := ""
	if text, ok := s.value.(string); ok && f.Type != fieldlift.DateField {
		wanted = letters(text)
	}
	cited, beside := l.around(s.lines)
	region := l.region(s, cited, beside)
	if p, most, ok := l.first(seekers, linesOfPieces(region), claimed, func(p piece) bool {
		return slices.ContainsFunc(region, func(part piece) bool { return part.holds(p) })
	}); ok {
		return finding{[]piece{p}, min(sureCited, most)}, true
	}
	sure := pick(s.text == "", sureTyped, sureCited)
	if s.apart { // what it cites does not say it: it must stand beside that, and be plain to see
		sure, beside = sureDerived, nil
	}
	if p, most, ok := l.first(seekers, cited, claimed, func(p piece) bool { return !s.apart || !l.isTiny(p) }); ok {
		return finding{[]piece{p}, min(sure, most)}, true
	}
	if p, most, ok := l.first(seekers, beside, claimed, func(p piece) bool { return !l.isTiny(p) }); ok {
		return finding{[]piece{p}, min(sure, most)}, true
	}
	if pieces, ok := l.over(wanted, slices.Concat(cited, beside)); ok {
		return finding{pieces, sure}, true
	}
	if len(region) > 0 && wanted != "" && f.Enum == nil && sameWords(plainText(s.value), s.text) {
		return finding{region, sureDerived}, true
	}
	if s.apart {
		return finding{}, false
	}
	return claimed.elsewhere(f, s.value, func() (finding, []piece) { return l.findElsewhere(seekers, wanted, claimed != nil) })
}

// first gives the first place on lines that will do, and how sure it is at most.
// One that nobody has claimed goes before others, unless somebody speaks to a
// model there.
func (l listener) first(seekers []seeker, lines []int, claimed *claims, good func(piece) bool) (piece, float64, bool) {
	for _, k := range seekers {
		var had []piece
		for _, n := range lines {
			for _, p := range k.on(n) {
				if !good(p) {
					continue
				}
				if !claimed.has(p) && !l.lines[n].planted {
					return p, k.sure, true
				}
				had = append(had, p)
			}
		}
		if len(had) > 0 {
			return had[0], k.sure, true
		}
	}
	return piece{}, 0, false
}

func linesOfPieces(pieces []piece) []int {
	lines := make([]int, len(pieces))
	for i, p := range pieces {
		lines[i] = p.line
	}
	return lines
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// around gives the cited lines and those beside them: models miscount. Lines
// that speak to a model come last.
func (l listener) around(lines []int) (cited, beside []int) {
	cited = slices.Clone(lines)
	for _, n := range lines {
		for _, next := range []int{n + 1, n - 1} {
			if next >= l.from && next < l.to && !slices.Contains(cited, next) && !slices.Contains(beside, next) {
				beside = append(beside, next)
			}
		}
	}
	l.plantedLast(cited)
	l.plantedLast(beside)
	return cited, beside
}

func (l listener) plantedLast(lines []int) {
	slices.SortStableFunc(lines, func(a, b int) int {
		return pick(l.lines[a].planted, 1, 0) - pick(l.lines[b].planted, 1, 0)
	})
}

// region is where the text stands that the model cites.
func (l listener) region(s said, cited, beside []int) []piece {
	wanted := letters(s.text)
	if wanted == "" {
		return l.findMarks(s.text, cited)
	}
	if len(wanted) >= leastElsewhere {
		cited = slices.Concat(cited, beside)
	}
	for _, n := range cited {
		if places := l.onLine(n, wanted); len(places) > 0 {
			return places[:1]
		}
	}
	pieces, _ := l.over(wanted, cited)
	return pieces
}

const (
	mostPieces = 12   // lines that a value can go over
	farthest   = 6    // lines from one to the next of them: forms part an address by their labels
	mostSteps  = 3000 // ways that are tried to follow it
)

// onLine finds letters as runs of whole words, or of what marks part in them.
func (t *transcript) onLine(n int, wanted string) []piece {
	one := &t.lines[n]
	var list []piece
	for from := 0; wanted != ""; {
		i := strings.Index(one.letters[from:], wanted)
		if i < 0 {
			break
		}
		i += from
		from = i + 1
		if one.starts[i] && one.endsAt(i+len(wanted)) {
			list = append(list, piece{n, int(one.owner[i]), int(one.owner[i+len(wanted)-1]) + 1})
			from = i + len(wanted)
		}
	}
	return list
}

// over finds letters that begin on one of the lines and go on below it, as
// those of cells and addresses do. Figures alone do not: a number ends with its
// line.
func (l listener) over(wanted string, lines []int) ([]piece, bool) {
	if len(wanted) < leastElsewhere || strings.Trim(wanted, figures) == "" {
		return nil, false
	}
	steps := mostSteps
	for _, n := range lines {
		if pieces, ok := l.overLines(n, wanted, page.Box{}, mostPieces, &steps); ok && len(pieces) > 1 {
			return pieces, true
		}
	}
	return nil, false
}

const figures = "0123456789., "

// overLines finds letters from a line on.
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
			if one.endsAt(i+k+1) && breaks(wanted, k+1) {
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
			if rest, ok := l.overLines(next, strings.TrimLeft(wanted[s.length:], " "), box, left-1, steps); ok {
				return append([]piece{p}, rest...), true
			}
		}
	}
	return nil, false
}

// breaks tells whether a line can end there: not within a number.
func breaks(wanted string, at int) bool {
	if at == len(wanted) {
		return true
	}
	before, after := wanted[at-1], wanted[at]
	return after != '.' && after != ',' && before != ' ' && (!isDigit(before) || !isDigit(after))
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// findMarks finds what has neither letters nor digits, such as "€" or "[x]",
// within words.
func (l listener) findMarks(text string, lines []int) []piece {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" || text == "-" || text == "." {
		return nil
	}
	for _, n := range lines {
		for i, w := range l.lines[n].words {
			if strings.Contains(w.Text, text) {
				return []piece{{n, i, i + 1}}
			}
		}
	}
	return nil
}

// leastElsewhere is how many letters and digits must be printed of what stands
// where the model did not say: "1" stands everywhere.
const leastElsewhere = 3

func (l listener) isTiny(p piece) bool {
	return utf8.RuneCountInString(letters(joined(l.lines[p.line].words[p.from:p.to]))) < leastElsewhere
}

// findElsewhere looks at all lines that the model was shown, at last at those
// that speak to a model. The first place counts; all are listed if they are
// wanted.
func (l listener) findElsewhere(seekers []seeker, wanted string, all bool) (found finding, others []piece) {
	lines := make([]int, 0, l.to-l.from)
	for n := l.from; n < l.to; n++ {
		lines = append(lines, n)
	}
	l.plantedLast(lines)
	for _, k := range seekers {
		var places []piece
		for _, n := range lines {
			if places = append(places, slices.DeleteFunc(k.on(n), l.isTiny)...); len(places) > 1 && !all {
				break
			}
		}
		if len(places) > 0 {
			sure := min(pick(len(places) > 1, sureSeveral, sureOnce), k.sure)
			return finding{places[:1], sure}, slices.DeleteFunc(places[1:], func(p piece) bool { return l.lines[p.line].planted })
		}
	}
	pieces, _ := l.over(wanted, lines)
	return finding{pieces, sureOnce}, nil
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
	for i, p := range f.pieces {
		one := t.lines[p.line]
		m.Boxes = append(m.Boxes, t.boxOf(p).Array())
		if i > 0 {
			m.Text += "\n"
		}
		m.Text += joined(one.words[p.from:p.to])
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
	m.Text = bounded(m.Text)
	m.Confidence = f.sure * certainty / max(count, 1)
	if t.isPlanted(f.pieces) {
		m.Confidence = min(m.Confidence, surePlanted)
	}
	return m
}

// isPlanted tells whether something stands, in part at least, where somebody
// speaks to a model.
func (t *transcript) isPlanted(pieces []piece) bool {
	return slices.ContainsFunc(pieces, func(p piece) bool { return t.lines[p.line].planted })
}

// unproven is the place of a value that was not found: none.
func unproven(s said) fieldlift.FieldMetadata {
	return fieldlift.FieldMetadata{Confidence: sureNowhere, Source: fieldlift.SourceModel, Text: bounded(clean(s.text))}
}

// longestPrinted bounds what is told of a value as printed, in letters.
const longestPrinted = 500

func bounded(text string) string {
	n := 0
	for i := range text {
		if n++; n > longestPrinted {
			return strings.TrimSpace(text[:i])
		}
	}
	return text
}

package llm

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// mark is what says yes or no on a line: a box to tick, or a word.
type mark struct {
	at    piece
	yes   bool
	label piece // the words that it answers
	word  bool  // it is no box
	alone bool  // it stands in a cell of its own
}

// findMark finds what proves a boolean: a mark that says so, on the cited lines
// and beside the field's label or the text that the model cites, or the only
// one there without any.
func (l listener) findMark(f fieldlift.Field, v bool, s said) (finding, bool) {
	cited, _ := l.around(s.lines)
	var marks []mark
	for _, n := range cited {
		marks = append(marks, l.marks(n)...)
	}
	best, most := []mark(nil), 0
	names := nameWords(f.Name)
	for _, m := range marks {
		score := l.namesIn(names, m.label)
		if score > most {
			best, most = nil, score
		}
		if score == most && score > 0 {
			best = append(best, m)
		}
	}
	if len(best) == 0 {
		region := l.region(s, cited, nil)
		best = slices.DeleteFunc(slices.Clone(marks), func(m mark) bool {
			return !slices.ContainsFunc(region, func(p piece) bool { return m.label.meets(p) })
		})
	}
	if len(best) == 0 { // its label stands on another line
		best = slices.DeleteFunc(marks, func(m mark) bool { return m.label.from < m.label.to })
	}
	if len(best) == 0 || slices.ContainsFunc(best, func(m mark) bool { return m.yes != v }) || len(best) > 1 && most == 0 {
		return finding{}, false
	}
	return finding{[]piece{best[0].at}, pick(most == len(names), sureCited, sureDerived)}, true
}

func (p piece) meets(q piece) bool { return p.line == q.line && p.from < q.to && q.from < p.to }

// marks lists the marks of a line. The label of a box stands on its right, or
// on its left where a line ends with a box; what is before "[ ] yes [x] no", or
// before a word, is the label of that.
func (l listener) marks(n int) []mark {
	words := l.lines[n].words
	var boxes []int
	for i, w := range words {
		if _, ok := boxOn(w); ok {
			boxes = append(boxes, i)
		}
	}
	var list []mark
	begin := 0 // of the label of what follows
	for i, w := range words {
		k, isBox := slices.BinarySearch(boxes, i)
		if !isBox {
			if m, ok := l.answer(n, begin, i); ok && i >= begin && (k == 0 || boxes[k-1] != i-1) && (k == len(boxes) || boxes[k] != i+1) {
				list = append(list, m)
				begin = i + 1
			}
			continue
		}
		ticked, _ := boxOn(w)
		label := l.labelOf(n, boxes, k)
		if yes, ok := onlyAnswer(words[label.from:label.to]); ok {
			if ticked {
				list = append(list, mark{at: piece{n, i, i + 1}, yes: yes, label: piece{n, begin, i}})
			}
			continue // an open box beside "yes" says nothing
		}
		list = append(list, mark{at: piece{n, i, i + 1}, yes: ticked, label: label})
		begin = max(label.to, i+1)
	}
	return list
}

// labelOf gives the words that belong to a box.
func (l listener) labelOf(n int, boxes []int, k int) piece {
	count := len(l.lines[n].words)
	if boxes[len(boxes)-1] == count-1 && boxes[0] > 0 { // labels come first
		from := 0
		if k > 0 {
			from = boxes[k-1] + 1
		}
		return piece{n, from, boxes[k]}
	}
	to := count
	if k+1 < len(boxes) {
		to = boxes[k+1]
	}
	from := boxes[k] + 1
	if text := l.lines[n].words[boxes[k]].Text; utf8.RuneCountInString(text) > len(ticked) {
		from = boxes[k] // "☒yes": it has its label in it
	}
	return piece{n, from, to}
}

// isUnticked tells whether something is the label of a box that is not ticked.
func (l listener) isUnticked(p piece) bool {
	var boxes []int
	for i, w := range l.lines[p.line].words {
		if _, ok := boxOn(w); ok {
			boxes = append(boxes, i)
		}
	}
	for k, i := range boxes {
		if yes, _ := boxOn(l.lines[p.line].words[i]); !yes && l.labelOf(p.line, boxes, k).holds(p) {
			return true
		}
	}
	return false
}

// boxOn reads a box to tick, as we write it or as it is printed, or a word that
// begins with one.
func boxOn(w page.Word) (yes, ok bool) {
	switch text := strings.ToLower(w.Text); {
	case strings.HasPrefix(text, ticked):
		return true, true
	case strings.HasPrefix(text, unticked), strings.HasPrefix(text, "[]"):
		return false, true
	}
	if yes, ok = value.Tick(w.Text); ok {
		return yes, true
	}
	_, size := utf8.DecodeRuneInString(w.Text)
	return value.Tick(w.Text[:size])
}

// answer reads a word that says yes or no. It must end what it stands in: "No"
// in "Bill No 4711" does not, nor does "No." that goes before a number.
func (l listener) answer(n, begin, i int) (mark, bool) {
	words := l.lines[n].words
	yes, ok := answerWord(words[i])
	if !ok || i+1 < len(words) && !apart(words[i], words[i+1]) && !strings.HasSuffix(words[i].Text, ",") && !strings.HasSuffix(words[i].Text, ";") {
		return mark{}, false
	}
	alone := i == 0 || apart(words[i-1], words[i]) || strings.HasSuffix(words[i-1].Text, ":") || strings.HasSuffix(words[i-1].Text, "?")
	if !yes && !alone && i+1 < len(words) && strings.ContainsFunc(words[i+1].Text, unicode.IsDigit) {
		return mark{}, false
	}
	return mark{at: piece{n, i, i + 1}, yes: yes, label: piece{n, begin, i}, word: true, alone: alone}, true
}

func answerWord(w page.Word) (yes, ok bool) {
	if strings.HasSuffix(w.Text, ".") || strings.HasSuffix(w.Text, ":") {
		return false, false
	}
	return value.Boolean(w.Text)
}

// onlyAnswer reads words that say yes or no and nothing else.
func onlyAnswer(words []page.Word) (yes, ok bool) {
	if len(words) != 1 {
		return false, false
	}
	if _, isBox := boxOn(words[0]); isBox {
		return false, false
	}
	return value.Boolean(words[0].Text)
}

// nameWords are the words of a field's name: is_paid, isPaid.
func nameWords(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	words := wordsOf(b.String())
	if said := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return strings.Contains(emptyWords, " "+word+" ") }); len(said) > 0 {
		return said
	}
	return words
}

// emptyWords stand in names and labels alike, and tell nothing.
const emptyWords = " a an and are at be by do does for has have if in is it no not of on or that the this to was were with yes "

func wordsOf(text string) []string {
	return strings.FieldsFunc(value.Fold(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

const (
	highestTable = 80   // lines from a column's label down to a cell
	columnWidth  = 0.03 // of the page: how far a cell may stand beside its label
)

// isBelow tells whether a cell stands below the label of its column, if a label
// can be found.
func (l listener) isBelow(name string, cell piece) bool {
	names, box := nameWords(name), l.boxOf(cell)
	for n := cell.line - 1; n >= max(l.from, cell.line-highestTable) && l.lines[n].page == l.lines[cell.line].page; n-- {
		for i := range l.lines[n].words {
			if at := (piece{n, i, i + 1}); l.namesIn(names, at) > 0 {
				label := l.boxOf(at)
				return math.Abs(label.CenterX()-box.CenterX()) < max(label.Width(), box.Width())/2+columnWidth
			}
		}
	}
	return true
}

// leastPrefix is how many letters of a word must be there to know it by its
// beginning: corp for corporation.
const leastPrefix = 4

// namesIn counts the words of a name that stand among words.
func (l listener) namesIn(names []string, label piece) int {
	count := 0
	there := wordsOf(joined(l.lines[label.line].words[label.from:label.to]))
	for _, name := range names {
		if slices.ContainsFunc(there, func(word string) bool {
			return word == name || min(len(word), len(name)) >= leastPrefix && (strings.HasPrefix(word, name) || strings.HasPrefix(name, word))
		}) {
			count++
		}
	}
	return count
}

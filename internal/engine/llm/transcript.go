package llm

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// transcript is a document as a model reads it: numbered lines of text in
// which columns stay columns. It keeps the words behind each line, so that what
// the model cites can be found again.
type transcript struct {
	lines  []line
	locale value.Locale
}

// line is a printed line. Its number is its index in the transcript plus one.
type line struct {
	page  int // as counted from 1 in the document
	box   page.Box
	words []page.Word // ticks of checkboxes among them
	text  string

	letters string  // the letters and digits of all words, as letters gives them
	owner   []int32 // by byte of letters: the word
	starts  []bool  // by byte of letters: a word, or what marks part in it, begins here
	digits  string  // of all words
	planted bool    // it reads like an instruction to a model
}

// The marks that stand for boxes to tick.
const (
	ticked   = "[x]"
	unticked = "[ ]"
)

// newTranscript writes the pages down.
func newTranscript(pages []page.Page) *transcript {
	t := &transcript{}
	var texts []string
	for _, p := range pages {
		width := characterWidth(p)
		for _, words := range withTicks(p).Lines() {
			words = joinBoxes(words)
			l := line{page: p.Number, box: words.Box(), words: words, text: aligned(words, width)}
			if strings.TrimSpace(l.text) == "" {
				continue
			}
			l.index()
			t.lines = append(t.lines, l)
		}
		for _, w := range p.Words {
			texts = append(texts, w.Text)
		}
	}
	t.locale = value.DecideLocale(texts)
	t.markPlanted()
	return t
}

// withTicks puts a page's checkboxes among its words, in place of what marks
// them.
func withTicks(p page.Page) page.Page {
	if len(p.Checkboxes) == 0 {
		return p
	}
	words := slices.DeleteFunc(slices.Clone(p.Words), func(w page.Word) bool {
		return utf8.RuneCountInString(w.Text) <= 2 && slices.ContainsFunc(p.Checkboxes, func(c page.Checkbox) bool { return c.Box.Holds(w.Box) })
	})
	for _, c := range p.Checkboxes {
		text := unticked
		if c.Checked {
			text = ticked
		}
		words = append(words, page.Word{Text: text, Box: c.Box, Source: c.Source, Confidence: c.Confidence})
	}
	p.Words = words
	return p
}

// joinBoxes makes one word of a box that is printed as brackets with a gap
// between them.
func joinBoxes(words page.Line) page.Line {
	for i := 0; i+1 < len(words); i++ {
		to := i + 2
		if words[i].Text != "[" {
			continue
		}
		text := unticked
		if strings.EqualFold(words[i+1].Text, "x") && to < len(words) {
			text, to = ticked, to+1
		}
		if words[to-1].Text != "]" {
			continue
		}
		box := words[i]
		box.Text, box.Box = text, words[i:to].Box()
		words = slices.Replace(slices.Clone(words), i, to, box)
	}
	return words
}

// characterWidth is how much of the page's width a character takes, in the
// middle of all words.
func characterWidth(p page.Page) float64 {
	const usual = 1.0 / 100
	var widths []float64
	for _, w := range p.Words {
		if n := utf8.RuneCountInString(w.Text); n > 2 && w.Box.Width() > 0 {
			widths = append(widths, w.Box.Width()/float64(n))
		}
	}
	if len(widths) == 0 {
		return usual
	}
	slices.Sort(widths)
	return min(max(widths[len(widths)/2], usual/4), usual*4)
}

const (
	wordGap   = 1.8 // characters: what is farther apart stands in another column
	widestGap = 24  // spaces between words, at most: more cost tokens and tell nothing
)

// aligned writes a line's words where they stand, so that what is in a column
// stays below what is over it.
func aligned(words page.Line, width float64) string {
	var b strings.Builder
	at, skipped := 0, 0
	for i, w := range words {
		text := oneLine(w.Text)
		if text == "" {
			continue
		}
		column := 0
		if x := w.Box.X0 / width; !math.IsNaN(x) && !math.IsInf(x, 0) {
			column = int(min(max(x, 0), 10_000)) - skipped
		}
		gap := column - at
		switch {
		case i > 0 && w.Box.X0-words[i-1].Box.X1 < wordGap*width:
			gap = 1 // the same phrase, however wide its letters are
		case i > 0:
			gap = max(gap, 2)
		}
		if gap > widestGap {
			skipped += gap - widestGap
			gap = widestGap
		}
		b.WriteString(strings.Repeat(" ", max(gap, 0)))
		b.WriteString(text)
		at += max(gap, 0) + utf8.RuneCountInString(text)
	}
	return b.String()
}

// oneLine keeps a word from breaking the line it stands on.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}

// index prepares the line for being searched.
func (l *line) index() {
	var f folder
	for i, w := range l.words {
		f.gap = true
		for _, r := range value.Fold(w.Text) {
			before := f.b.Len()
			begins := f.add(r)
			first := f.b.Len() - utf8.RuneLen(r) // behind what parts it from another
			for at := before; at < f.b.Len(); at++ {
				l.owner = append(l.owner, int32(i))
				l.starts = append(l.starts, begins && (at == before || at == first))
			}
		}
	}
	l.letters = f.b.String()
	l.digits = strings.Map(func(r rune) rune { return pick(unicode.IsDigit(r), r, -1) }, l.letters)
}

// endsAt tells whether a word, or what marks part in it, ends before a byte.
func (l *line) endsAt(at int) bool { return at == len(l.letters) || l.starts[at] }

// letters folds a text to what is compared: letters and digits alone, but for
// what stands between two digits, which is a point, a comma, or else a space:
// 12.34 is not 1,234, nor 12 34.
func letters(text string) string {
	f := folder{}
	for _, r := range value.Fold(text) {
		f.add(r)
	}
	return f.b.String()
}

// folder makes the letters of a text, rune by rune.
type folder struct {
	b       strings.Builder
	digit   bool   // the last one was a digit
	between string // what came since
	gap     bool   // a word ended since
}

// add takes a rune in and tells whether something begins with it: not digits
// behind a mark, as the 50 of 12.50 or the 05 of 2026-05-03.
func (f *folder) add(r rune) (begins bool) {
	digit := unicode.IsDigit(r)
	if !digit && !unicode.IsLetter(r) {
		if len(f.between) < 4 {
			f.between += string(r)
		}
		return false
	}
	begins = f.gap || f.between != "" || f.b.Len() == 0
	if digit && f.digit && begins {
		switch {
		case f.between == "." && !f.gap, f.between == "," && !f.gap:
			f.b.WriteString(f.between)
			begins = false
		default:
			f.b.WriteByte(' ')
			begins = f.gap || strings.ContainsFunc(f.between, unicode.IsSpace)
		}
	}
	f.b.WriteRune(r)
	f.digit, f.between, f.gap = digit, "", false
	return begins
}

// write writes lines from one up to but without another, each with its
// number, and says where pages begin.
func (t *transcript) write(from, to int) string {
	var b strings.Builder
	at := 0
	for i := from; i < to; i++ {
		l := t.lines[i]
		if l.page != at {
			at = l.page
			b.WriteString("--- page " + strconv.Itoa(at) + " ---\n")
		}
		b.WriteString(strconv.Itoa(i+1) + "| ")
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// size is roughly how many bytes lines are when they are written.
func (t *transcript) size(from, to int) int {
	n := 0
	for _, l := range t.lines[from:to] {
		n += len(l.text) + 6
	}
	return n
}

// lineAt finds the line on which a place of a page lies, -1 when there is none.
func (t *transcript) lineAt(number int, y float64) int {
	i, _ := slices.BinarySearchFunc(t.lines, number, func(l line, n int) int { return cmp.Compare(l.page, n) })
	best, distance := -1, math.Inf(1)
	for ; i < len(t.lines) && t.lines[i].page == number; i++ {
		if d := math.Abs(t.lines[i].box.CenterY() - y); d < distance {
			best, distance = i, d
		}
	}
	return best
}

// pages names the pages of lines, for people: "page 3", "pages 3 to 5".
func (t *transcript) pages(from, to int) string {
	if from >= to {
		return "no page"
	}
	first, last := t.lines[from].page, t.lines[to-1].page
	if first == last {
		return "page " + strconv.Itoa(first)
	}
	return "pages " + strconv.Itoa(first) + " to " + strconv.Itoa(last)
}

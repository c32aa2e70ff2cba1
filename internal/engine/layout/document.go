package layout

import (
	"math"
	"sort"
	"strings"
	"unicode"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// document is all pages of a request as one run of words, in lines and
// segments.
type document struct {
	words    []word
	segments []segment
	lines    []line
	locale   value.Locale
}

// word is a printed word, or one side of a colon inside of one; it knows its
// place in the run.
type word struct {
	page.Word
	line  int
	taken bool // it is a value or a label already

	figures   bool // it has some
	opensDate bool // a date may begin with it
	endsDate  bool // a date of several words may end with it
}

// newWord notes once for a word what is asked of it many times.
func newWord(w page.Word, text string, line int) word {
	w.Text = strings.ToValidUTF8(text, "\uFFFD")
	figures := hasDigit(w.Text)
	named := figures || value.IsMonth(w.Text)
	return word{Word: w, line: line, figures: figures, opensDate: named || value.IsWeekday(w.Text), endsDate: named}
}

// span is words that follow one another, from one up to but without another.
type span struct{ from, to int }

func (s span) empty() bool { return s.from >= s.to }

// segment is a span of words on one line with no wide gap and no colon but at
// its end.
type segment struct {
	span
	line  int
	box   page.Box
	colon bool
}

// line is segments that stand on one line of a page.
type line struct {
	page     int // index into the request's pages
	number   int // of the page, as printed in metadata
	from, to int // segments
	box      page.Box
	header   bool // it heads the columns of a table
}

// newDocument reads the pages. A colon ends a label, also inside of a word as
// in "No.:4711", whose two sides then share their box.
func newDocument(pages []page.Page) *document {
	count := 0
	for _, p := range pages {
		count += len(p.Words) + len(p.Checkboxes)
	}
	d := &document{words: make([]word, 0, count)}
	_, upright := newRuleIndexes(pages)
	for i, p := range pages {
		for _, words := range withTicks(p).Lines() {
			d.addLine(i, p, words, upright[i])
		}
	}
	texts := make([]string, len(d.words))
	for i, w := range d.words {
		texts[i] = w.Text
	}
	d.locale = value.DecideLocale(texts)
	d.markHeaders()
	return d
}

func (d *document) addLine(index int, p page.Page, words page.Line, upright ruleIndex) {
	width, height := p.Width, p.Height
	if !(width > 0 && height > 0) {
		width, height = 612, 792
	}
	words = joinCut(words, width, height)
	l := line{page: index, number: p.Number, from: len(d.segments), box: words.Box()}
	at := len(d.lines)
	open := false
	for _, w := range words {
		for _, text := range sides(strings.TrimSpace(w.Text)) {
			if text == "" {
				continue
			}
			if text == ":" && open {
				last := &d.segments[len(d.segments)-1]
				last.colon, open = true, false
				continue
			}
			if open {
				last := d.segments[len(d.segments)-1]
				before := d.words[last.to-1].Box
				gap := (w.Box.X0 - before.X1) * width
				open = gap <= widestSpace(d.words[last.to-1].Word, w, height) && !upright.parts(before, w.Box) &&
					(isFilled(d.words[last.to-1].Word) == isFilled(w) || text == "%")
			}
			d.words = append(d.words, newWord(w, text, at))
			if !open {
				d.segments = append(d.segments, segment{span: span{len(d.words) - 1, len(d.words)}, line: at, box: w.Box})
			}
			last := &d.segments[len(d.segments)-1]
			last.to = len(d.words)
			last.box = last.box.Union(w.Box)
			open = true
			if endsLabel(text) {
				last.colon, open = true, false
			}
		}
	}
	if l.to = len(d.segments); l.to > l.from {
		d.lines = append(d.lines, l)
	}
}

// isFilled reports whether a word was written into a form of the file's own:
// it is a value or part of one, and no label.
func isFilled(w page.Word) bool { return w.Source == fieldlift.SourceForm && !isTicked(w.Text) }

func isTicked(text string) bool {
	_, ok := value.Tick(text)
	return ok
}

// widestSpace is the widest gap between two words of one segment, in points.
// The boxes of recognised words are tight, and typewriters set their words far
// apart.
func widestSpace(a, b page.Word, height float64) float64 {
	size := min(a.Box.Height(), b.Box.Height()) * height
	if a.Source == fieldlift.SourceOCR && b.Source == fieldlift.SourceOCR {
		return max(1.1*max(size, min(a.Size, b.Size)), 2)
	}
	return max(0.9*size, 2)
}

func endsLabel(text string) bool { return strings.HasSuffix(text, ":") && len(text) > 1 }

// sides parts a word at a colon that follows letters and is neither a time nor
// an address of the net. The second side of others is empty.
func sides(text string) [2]string {
	i := strings.IndexAny(text, ":=")
	if i < 1 || i == len(text)-1 || strings.HasPrefix(text[i:], "://") || strings.Contains(text[i+1:], ":") {
		return [2]string{text}
	}
	for _, r := range text[:i] {
		if !unicode.IsLetter(r) && r != '.' && r != '-' && r != '#' {
			return [2]string{text}
		}
	}
	if strings.EqualFold(text[:i], "mailto") {
		return [2]string{text}
	}
	return [2]string{text[:i] + ":", text[i+1:]}
}

// markHeaders finds lines of three or more segments without figures over lines
// of as many with them, twice: what stands below such a label belongs to a
// table and not to the label alone.
func (d *document) markHeaders() {
	for i := range d.lines {
		if l := &d.lines[i]; l.to-l.from >= 3 && i+2 < len(d.lines) {
			l.header = !d.hasDigits(d.wordsOf(*l)) && d.isRow(i+1, l.page) && d.isRow(i+2, l.page)
		}
	}
}

func (d *document) isRow(i, page int) bool {
	l := d.lines[i]
	return l.page == page && l.to-l.from >= 3 && d.hasDigits(d.wordsOf(l))
}

// hasDigits reports whether a word of a span has figures.
func (d *document) hasDigits(s span) bool {
	for i := s.from; i < s.to; i++ {
		if d.words[i].figures {
			return true
		}
	}
	return false
}

// wordsOf gives the words of a line.
func (d *document) wordsOf(l line) span { return span{d.segments[l.from].from, d.segments[l.to-1].to} }

func hasDigit(text string) bool {
	for i := range len(text) {
		if text[i] >= '0' && text[i] <= '9' {
			return true
		}
	}
	return false
}

func hasLetter(text string) bool { return strings.ContainsFunc(text, unicode.IsLetter) }

// text is the words of a span as printed, with one space between them.
func (d *document) text(s span) string {
	if s.to-s.from == 1 {
		return d.words[s.from].Text
	}
	var b strings.Builder
	b.Grow(d.length(s))
	for i := s.from; i < s.to; i++ {
		if i > s.from {
			b.WriteByte(' ')
		}
		b.WriteString(d.words[i].Text)
	}
	return b.String()
}

// length is that of a span's text, in bytes.
func (d *document) length(s span) int {
	n := max(s.to-s.from-1, 0) // spaces
	for i := s.from; i < s.to; i++ {
		n += len(d.words[i].Text)
	}
	return n
}

// segmentOf gives the segment that a word is in.
func (d *document) segmentOf(word int) int {
	return sort.Search(len(d.segments), func(i int) bool { return d.segments[i].to > word })
}

// label is the text of a span without the colon at its end.
func (d *document) label(s span) string {
	return strings.TrimRight(d.text(s), ": ")
}

func (d *document) box(s span) page.Box {
	b := d.words[s.from].Box
	for _, w := range d.words[s.from:s.to] {
		b = b.Union(w.Box)
	}
	return b
}

func (d *document) free(spans ...span) bool {
	for _, s := range spans {
		for _, w := range d.words[s.from:s.to] {
			if w.taken {
				return false
			}
		}
	}
	return true
}

func (d *document) take(spans ...span) {
	for _, s := range spans {
		for i := s.from; i < s.to; i++ {
			d.words[i].taken = true
		}
	}
}

// certainty is how sure the reader was of the words, 1 where none was recognised.
func (d *document) certainty(spans ...span) float64 {
	var sum, count float64
	for _, s := range spans {
		for _, w := range d.words[s.from:s.to] {
			if !math.IsNaN(w.Confidence) {
				sum += min(max(w.Confidence, 0), 1)
			}
			count++
		}
	}
	if count == 0 {
		return 0
	}
	return sum / count
}

// place says where spans stand: a box for each line of words.
func (d *document) place(confidence float64, spans ...span) fieldlift.FieldMetadata {
	m := fieldlift.FieldMetadata{Confidence: math.Round(min(confidence, mostConfidence)*1000) / 1000, Source: fieldlift.SourceText}
	m.Page = d.lines[d.words[spans[0].from].line].number
	for i, s := range spans {
		m.Boxes = append(m.Boxes, d.box(s).Array())
		if i > 0 {
			m.Text += "\n"
		}
		m.Text += d.text(s)
		for _, w := range d.words[s.from:s.to] {
			if w.Source == fieldlift.SourceOCR {
				m.Source = fieldlift.SourceOCR // the weaker one tells
			}
		}
	}
	return m
}

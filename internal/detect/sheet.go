package detect

import (
	"strings"

	"fieldlift/internal/page"
	"fieldlift/internal/value"
)

// sheet is the pages as lines of segments.
type sheet struct {
	lines  []line
	locale value.Locale
}

// line is segments that stand on one line of a page, from left to right.
type line struct {
	page     int // from 1
	box      page.Box
	segments []segment
	table    bool // it belongs to a table
}

// segment is words with no wide gap between them. A colon ends one.
type segment struct {
	text  string
	words []page.Word
	box   page.Box
	colon bool
}

func newSheet(pages []page.Page) *sheet {
	s := &sheet{}
	var texts []string
	for _, p := range pages {
		for _, words := range p.Lines() {
			l := line{page: p.Number, box: words.Box()}
			for _, run := range split(p, words) {
				if one := newSegment(run); one.text != "" {
					l.segments = append(l.segments, one)
					texts = append(texts, one.text)
				}
			}
			if len(l.segments) > 0 {
				s.lines = append(s.lines, l)
			}
		}
	}
	s.locale = value.DecideLocale(texts)
	return s
}

// split parts a line at wide gaps, after colons, and before a rule that crosses
// it.
func split(p page.Page, words page.Line) [][]page.Word {
	width, height := p.Width, p.Height
	if !(width > 0 && height > 0) {
		width, height = 612, 792
	}
	rules := p.Rules[:min(len(p.Rules), mostRules)]
	var runs [][]page.Word
	open := false
	for _, w := range words {
		if open {
			last := runs[len(runs)-1]
			before := last[len(last)-1].Box
			size := min(before.Height(), w.Box.Height()) * height
			open = (w.Box.X0-before.X1)*width <= max(0.9*size, 2) && !crossed(rules, before, w.Box)
		}
		for _, part := range sides(w) {
			if !open {
				runs = append(runs, nil)
			}
			runs[len(runs)-1] = append(runs[len(runs)-1], part)
			open = !strings.HasSuffix(part.Text, ":")
		}
	}
	return runs
}

// crossed tells whether a rule stands between two words.
func crossed(rules []page.Rule, a, b page.Box) bool {
	for _, r := range rules {
		if r.Vertical && r.Box.X0 >= a.X1-0.002 && r.Box.X1 <= b.X0+0.002 && r.Box.Y0 <= a.CenterY() && r.Box.Y1 >= a.CenterY() {
			return true
		}
	}
	return false
}

// sides parts a word such as "No.:4711" after its colon. Times and addresses of
// the net stay whole.
func sides(w page.Word) []page.Word {
	w.Text = strings.TrimSpace(strings.ToValidUTF8(w.Text, "\uFFFD"))
	label, rest, found := strings.Cut(w.Text, ":")
	if !found || rest == "" || strings.HasPrefix(rest, "//") || strings.Contains(rest, ":") || !isLabelText(label) || strings.EqualFold(label, "mailto") {
		return []page.Word{w}
	}
	left, right := w, w
	left.Text, right.Text = label+":", rest
	return []page.Word{left, right}
}

func newSegment(words []page.Word) segment {
	s := segment{words: words, box: page.Line(words).Box()}
	texts := make([]string, 0, len(words))
	for _, w := range words {
		if w.Text != "" {
			texts = append(texts, w.Text)
		}
	}
	s.text = strings.Join(texts, " ")
	if label := strings.TrimRight(s.text, ": "); label != s.text && label != "" {
		s.text, s.colon = label, true
	}
	return s
}

// height is that of the segment's highest word, as a share of the page.
func (s segment) height() float64 {
	var h float64
	for _, w := range s.words {
		h = max(h, w.Box.Height())
	}
	return h
}

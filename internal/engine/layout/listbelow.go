package layout

import (
	"slices"
	"strings"
	"unicode"

	"fieldlift"
	"fieldlift/internal/engine"
)

const (
	leastListLabel = 0.8  // how well the words over a list must name it
	listConfidence = 0.7  // of an element that stands on a line of its own
	mostElements   = 500  // of a list
	listIndent     = 0.08 // how far elements may be indented, in widths of a page
	besideGap      = 0.12 // how close a value stands beside its label, in widths of a page
	listPitch      = 2.0  // how far apart elements stand, in heights of a line
	shortestTitle  = 4    // letters; shorter ones are abbreviations
	bullets        = "•·●○■□▪◦‣–-*➢✓"
)

// readLists finds arrays of scalars that stand below their label: one element a
// line, with bullets or without. Those beside a label are found with scalars.
func (x *extraction) readLists() map[int]engine.Found {
	if !slices.ContainsFunc(x.targets, func(t target) bool { return t.list }) {
		return nil
	}
	best := map[int]float64{}
	elements := map[int][][]span{}
	for i, s := range x.segments {
		for _, m := range x.listLabels(i) {
			if m.score <= best[m.target] {
				continue
			}
			if below := x.elementsBelow(s); len(below) > 0 {
				best[m.target], elements[m.target] = m.score, below
			}
		}
	}
	found := map[int]engine.Found{}
	for t := range x.targets {
		if f := x.listOf(&x.targets[t], elements[t], best[t]); len(f.Elements) > 1 {
			found[t] = f
		}
	}
	return found
}

// listLabels gives the lists that a segment names which has nothing beside it.
func (x *extraction) listLabels(at int) []match {
	s := x.segments[at]
	if s.to-s.from > longestLabel || !x.labels.hits(x.words[s.from].Text) && !x.labels.hits(x.words[s.to-1].Text) {
		return nil
	}
	if x.hasBeside(at) || s.colon && at+1 < x.lines[s.line].to {
		return nil // its value stands beside it
	}
	var found []match
	for _, m := range x.labels.match(x.label(s.span)) {
		if x.targets[m.target].list && m.score >= leastListLabel {
			found = append(found, m)
		}
	}
	return found
}

// hasBeside reports whether something stands close to the right of a segment.
func (x *extraction) hasBeside(i int) bool {
	return i+1 < x.lines[x.segments[i].line].to && x.segments[i+1].box.X0-x.segments[i].box.X1 < besideGap
}

// elementsBelow gives the words of each element under a label.
func (x *extraction) elementsBelow(label segment) [][]span {
	var elements [][]span
	before := label.box
	left, marked, labels := -1.0, false, 0
	page := x.lines[label.line].page
	for at := label.line + 1; at < len(x.lines) && x.lines[at].page == page && len(elements) < mostElements; at++ {
		if x.lines[at].box.Y0-before.Y1 > 3*listPitch*before.Height() {
			break
		}
		i := x.segmentUnder(label, at)
		if i < 0 {
			continue
		}
		s := x.segments[i]
		if s.box.Y0-before.Y1 > listPitch*max(before.Height(), s.box.Height()) || s.colon || x.isTitle(i, label) || !x.free(s.span) {
			break
		}
		words, bulleted := x.withoutBullet(i)
		if left < 0 {
			left, marked = s.box.X0, bulleted
		}
		if !bulleted && x.hasBeside(i) {
			labels++
		}
		n := len(elements)
		if marked && !bulleted && s.box.X0 <= left+0.01 || !marked && words.to-words.from > longestEntry {
			break
		}
		switch {
		case words.empty():
		case n > 0 && !bulleted && s.box.X0 > left+0.01: // a further line of the element
			elements[n-1] = append(elements[n-1], words)
		default:
			elements = append(elements, []span{words})
		}
		before = s.box
	}
	if 2*labels > len(elements) {
		return nil // they are labels themselves
	}
	return elements
}

// segmentUnder gives the segment of a line that begins below a label, -1 for
// none. Other columns of the page do not count.
func (x *extraction) segmentUnder(label segment, at int) int {
	l := x.lines[at]
	for i := l.from; i < l.to; i++ {
		if offset := x.segments[i].box.X0 - label.box.X0; offset > -0.02 && offset < listIndent {
			return i
		}
	}
	return -1
}

// withoutBullet gives the words of an element, without the bullet before them
// which may be a segment of its own.
func (x *extraction) withoutBullet(i int) (span, bool) {
	s := x.segments[i].span
	first := x.words[s.from].Text
	if strings.Trim(first, bullets) != "" && !isPrivate(first) {
		return s, false
	}
	if s.from++; s.empty() {
		if line := x.lines[x.segments[i].line]; i+1 < line.to {
			return x.segments[i+1].span, true
		}
	}
	return s, true
}

// isPrivate reports whether a word is a sign of a font of its own, as bullets
// often are.
func isPrivate(word string) bool {
	return strings.Trim(word, bullets) == "" || !strings.ContainsFunc(word, func(r rune) bool { return !unicode.Is(unicode.Co, r) })
}

// isTitle reports whether a segment is the title of something else: set as the
// label of the list is, where elements are not.
func (x *extraction) isTitle(i int, label segment) bool {
	word, first := x.words[x.segments[i].from], x.words[label.from]
	text, title := x.text(x.lineAt(i).span), x.label(label.span)
	if isUpper(title) && isUpper(text) && !hasDigit(text) && len(text) >= shortestTitle {
		return true
	}
	if word.Source == fieldlift.SourceOCR {
		return false // heights of words that were recognised tell nothing
	}
	return first.Bold && word.Bold && word.Size >= first.Size || first.Size > 0 && word.Size > 1.1*first.Size
}

func isUpper(text string) bool { return hasLetter(text) && text == strings.ToUpper(text) }

// listOf reads elements. One line that bars, commas or semicolons part has
// several.
func (x *extraction) listOf(t *target, elements [][]span, score float64) engine.Found {
	if len(elements) == 1 && len(elements[0]) == 1 {
		parts := x.parts(elements[0][0])
		elements = nil
		for _, s := range parts {
			elements = append(elements, []span{s})
		}
	}
	var f engine.Found
	for _, spans := range elements {
		r, ok := reading{}, x.free(spans...)
		if ok && len(spans) == 1 {
			r, ok = x.readElement(t, spans[0], "")
		} else if ok {
			v, typed := x.typed(t.field.Type, x.joined(spans))
			r, ok = reading{value: v, spans: spans, fit: 0.9}, typed && t.field.Enum == nil
		}
		if text, isText := r.value.(string); isText && t.field.Type == fieldlift.StringField && t.field.Enum == nil {
			r.value = strings.Trim(text, " |;,")
			ok = ok && r.value != ""
		}
		if !ok {
			continue
		}
		f.Elements = append(f.Elements, engine.Found{Value: r.value, Place: x.place(x.sure(listConfidence*score*r.fit*x.certainty(spans...)), spans...)})
		x.take(spans...)
	}
	return f
}

// parts takes words apart at bars, else at semicolons, else at commas.
func (x *extraction) parts(s span) []span {
	words := x.words[s.from:s.to]
	mark := ","
	if slices.ContainsFunc(words, func(w word) bool { return strings.HasSuffix(w.Text, ";") }) {
		mark = ";"
	}
	if slices.ContainsFunc(words, func(w word) bool { return w.Text == "|" || w.Text == "•" || w.Text == "·" }) {
		mark = ""
	}
	var parts []span
	from := s.from
	for i := s.from; i < s.to; i++ {
		text := x.words[i].Text
		switch {
		case mark == "" && (text == "|" || text == "•" || text == "·"):
			if i > from {
				parts = append(parts, span{from, i})
			}
			from = i + 1
		case mark != "" && strings.HasSuffix(text, mark):
			parts = append(parts, span{from, i + 1})
			from = i + 1
		}
	}
	if from < s.to {
		parts = append(parts, span{from, s.to})
	}
	return parts
}

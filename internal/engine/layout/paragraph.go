package layout

import (
	"slices"
	"strings"

	"fieldlift/internal/value"
)

// paragraph is segments that stand under one another without a gap: an address, a
// letterhead.
type paragraph []int // segments, from top to bottom

const (
	longestParagraph = 12
	paragraphPitch   = 1.1 // the widest gap within a paragraph, in heights of a line
)

// findParagraphs puts segments into paragraphs. A segment joins the paragraph whose last
// line stands directly above it, where they begin at the same place or have
// the same middle, and are set alike.
func (x *extraction) findParagraphs() {
	x.paragraphOf = make([]int, len(x.segments))
	x.paragraphLine = make([]int, len(x.segments))
	var open []openParagraph
	for i, s := range x.segments {
		page, at := x.lines[s.line].page, -1
		kept := open[:0]
		for _, o := range open {
			if o.page != page || s.box.Y0-o.bottom > o.reach {
				continue
			}
			if at < 0 && o.line < s.line && x.continuesParagraph(x.segments[o.last], s) {
				at = len(kept)
			}
			kept = append(kept, o)
		}
		open = kept
		if at < 0 || len(x.paragraphs[open[at].number]) >= longestParagraph {
			at = len(open)
			open = append(open, openParagraph{number: len(x.paragraphs)})
			x.paragraphs = append(x.paragraphs, nil)
		}
		number := open[at].number
		open[at] = openParagraph{number: number, last: i, page: page, line: s.line, bottom: s.box.Y1, reach: paragraphPitch * s.box.Height()}
		x.paragraphOf[i], x.paragraphLine[i] = number, len(x.paragraphs[number])
		x.paragraphs[number] = append(x.paragraphs[number], i)
	}
}

// openParagraph is one that may go on, with what is asked of its last segment:
// a line may have as many of them as it has words.
type openParagraph struct {
	number     int
	last       int // segment
	page, line int
	bottom     float64
	reach      float64 // the widest gap below it
}

func (x *extraction) continuesParagraph(above, s segment) bool {
	const near = 0.015 // of the page's width
	if abs(above.box.X0-s.box.X0) > near && abs(above.box.X0+above.box.X1-s.box.X0-s.box.X1) > 3*near {
		return false
	}
	a, b := x.words[above.from].Size, x.words[s.from].Size
	return !(a > 1.5*b || b > 1.5*a)
}

// findAddresses notes the segments that read like part of an address.
func (x *extraction) findAddresses() {
	x.addressed = make([]bool, len(x.segments))
	for i, s := range x.segments {
		x.addressed[i] = s.to-s.from <= 16 && isAddressLine(x.text(s.span))
	}
	for _, p := range x.paragraphs {
		for n := len(p) - 2; n >= 0; n-- {
			if x.addressed[p[n+1]] && !x.addressed[p[n]] && x.isStreetAbove(p[n], p[n+1]) {
				x.addressed[p[n]] = true
			}
		}
	}
}

// isStreetAbove reports whether a line above one that begins or ends with a
// postcode is that of a street though it has no word for it: "221 E Main",
// "Rynek 5".
func (x *extraction) isStreetAbove(segment, city int) bool {
	s, below := x.segments[segment], x.segments[city]
	coded := func(i int) bool { return isPostcode(strings.Trim(x.words[i].Text, ",.;:()")) }
	if !coded(below.from) && !coded(below.to-1) || s.to-s.from < 2 || s.to-s.from > 6 || s.colon || hasLegalForm(strings.Fields(x.text(s.span))) {
		return false
	}
	first, last := x.words[s.from].Text, x.words[s.to-1].Text
	switch {
	case value.Fold(first) == "place":
		return true
	case isHouseNumber(first):
		return startsUpper(x.words[s.from+1].Text)
	}
	return isHouseNumber(last) && startsUpper(first) && hasLetter(first)
}

// isHouseNumber knows those of up to five figures and a letter.
func isHouseNumber(text string) bool {
	text = strings.Trim(text, ",")
	figures := strings.TrimRight(text, "abcdefABCDEF")
	return figures != "" && len(figures) <= 5 && len(text)-len(figures) <= 1 && onlyDigits(figures)
}

func (x *extraction) readsAddress(segment int) bool { return x.addressed[segment] }

// streets are words of addresses, folded; a word that ends with one of
// streetEnds is one too.
var (
	streets    = setOf("street st road rd avenue ave lane ln drive dr suite ste floor rue calle via rua ul jalan jln jl taman lot box park blvd boulevard plaza building bldg apt unit strasse str platz allee postfach bp cedex way court ct square sq highway hwy route quai impasse chemin corso piazza viale avenida av praca straat laan weg plein kade os aleja al")
	streetEnds = strings.Fields("strasse str straat weg platz gasse allee laan plein kade ring")
)

// setOf makes a set of the words of a text.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// isAddressLine reports whether a line reads like part of an address: it has a
// postcode, or the word for a street and a number.
func isAddressLine(text string) bool {
	if len(text) > 120 || !hasLetter(text) || strings.ContainsAny(text, "@=") {
		return false
	}
	figures := hasDigit(text)
	before := ""
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ' ' || r == ',' }) {
		word = strings.Trim(word, ",.;:()")
		if figures && isPostcode(word) || (figures || len(word) >= 5) && isStreet(value.Fold(word)) {
			return true
		}
		if len(before) == 4 && onlyDigits(before) && isState(word) || isCode(before, word) { // 3012 CN, BS1 4DJ
			return true
		}
		before = word
	}
	return false
}

func isStreet(word string) bool {
	word = strings.TrimSuffix(word, ".")
	return streets[word] || len(word) >= 7 && slices.ContainsFunc(streetEnds, func(end string) bool { return strings.HasSuffix(word, end) })
}

// isCode knows postcodes of two words that letters and figures make: those of
// Great Britain and of Canada.
func isCode(first, second string) bool {
	if len(first) < 2 || len(first) > 4 || len(second) != 3 {
		return false
	}
	isLetter := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	isFigure := func(c byte) bool { return c >= '0' && c <= '9' }
	if !isLetter(first[0]) || !isFigure(second[0]) {
		return false
	}
	british := hasDigit(first) && isLetter(second[1]) && isLetter(second[2])
	canadian := len(first) == 3 && isFigure(first[1]) && isLetter(first[2]) && isLetter(second[1]) && isFigure(second[2])
	return british || canadian
}

// isPostcode knows those of four to six figures, with the country before or a
// group after them.
func isPostcode(word string) bool {
	if _, rest, ok := strings.Cut(word, "-"); ok && len(word)-len(rest) <= 4 && !hasDigit(word[:len(word)-len(rest)]) {
		word = rest // D-10115
	}
	figures := 0
	for i := range len(word) {
		switch c := word[i]; {
		case c >= '0' && c <= '9':
			figures++
		case c != '-' || i != 2 && i != 4 && i != 5:
			return false
		}
	}
	return figures == 5 || figures == 6 || figures == 9 && len(word) == 10 || figures == 7 && len(word) == 8
}

// legalForms are the words by which companies are known, folded, without full
// stops.
var legalForms = setOf("gmbh ag kg kgaa ohg ug mbh inc llc llp lp ltd limited plc corp corporation company co sdn bhd s/b pty pte bv nv sa sas sarl srl spa sl lda ltda oy ab aps as enterprise enterprises trading restaurant store shop verlag ev ek pac committee university bank")

func hasLegalForm(words []string) bool { return slices.ContainsFunc(words, isLegalForm) }

// isLegalForm knows the end of a company's name. Short ones have a capital: "kg"
// is a weight, and "as" is a word.
func isLegalForm(word string) bool {
	folded := strings.ReplaceAll(strings.Trim(value.Fold(word), ",;:()"), ".", "")
	if len(folded) < 2 || len(folded) <= 3 && word == strings.ToLower(word) {
		return false
	}
	return legalForms[folded]
}

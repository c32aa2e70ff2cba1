package layout

import (
	"regexp"
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
	var open []int // paragraphs that may go on
	for i, s := range x.segments {
		at := -1
		kept := open[:0]
		for _, b := range open {
			last := x.segments[x.paragraphs[b][len(x.paragraphs[b])-1]]
			if x.lines[last.line].page != x.lines[s.line].page || s.box.Y0-last.box.Y1 > paragraphPitch*last.box.Height() {
				continue
			}
			kept = append(kept, b)
			if at < 0 && last.line < s.line && x.continuesParagraph(last, s) {
				at = b
			}
		}
		open = kept
		if at < 0 || len(x.paragraphs[at]) >= longestParagraph {
			at = len(x.paragraphs)
			x.paragraphs = append(x.paragraphs, nil)
			open = append(open, at)
		}
		x.paragraphOf[i], x.paragraphLine[i] = at, len(x.paragraphs[at])
		x.paragraphs[at] = append(x.paragraphs[at], i)
	}
}

func (x *extraction) continuesParagraph(above, s segment) bool {
	const near = 0.015 // of the page's width
	if abs(above.box.X0-s.box.X0) > near && abs(above.box.X0+above.box.X1-s.box.X0-s.box.X1) > 3*near {
		return false
	}
	a, b := x.words[above.from].Size, x.words[s.from].Size
	return !(a > 1.5*b || b > 1.5*a)
}

var (
	postcode = regexp.MustCompile(`(?i)\b(\d{5}(-\d{4})?|[A-Z]{1,2}\d{1,2}[A-Z]? ?\d[A-Z]{2}|\d{2}-\d{3}|\d{4} ?[A-Z]{2}|\d{6}|[A-Z]{1,3}-\d{4,5})\b`)
	street   = regexp.MustCompile(`(?i)(strasse|str\.|straße|weg\b|platz\b|gasse\b|allee\b|street|\bst\.?\b|road|\brd\.?\b|avenue|\bave\.?\b|lane\b|drive\b|\bdr\.|suite|floor|\brue\b|\bcalle\b|\bvia\b|\brua\b|straat|laan\b|\bul\.|jalan|\bjln?\b|taman|lot \d|no\.? ?\d|box \d|\bpark\b|blvd|boulevard|plaza|building|\bapt\.?\b|\bunit\b)`)
	legal    = regexp.MustCompile(`(?i)(\b(gmbh|ag|kg|ohg|ug|inc|llc|llp|ltd|limited|plc|corp|corporation|company|co|sdn|bhd|pty|pte|b\.?v|n\.?v|s\.?a|s\.?a\.?s|s\.?a\.?r\.?l|sarl|s\.?r\.?l|s\.?p\.?a|s\.?l|lda|sp\. ?z ?o\. ?o|oy|ab|aps|enterprise|trading|restaurant|store|shop|verlag|e\.? ?v|e\.? ?k)\b|mbh\b)`)
)

// isAddressLine reports whether a line reads like part of an address.
func isAddressLine(text string) bool {
	if len(text) > 120 || !hasLetter(text) {
		return false
	}
	if _, ok := value.Email(text); ok || strings.Contains(text, "@") || strings.Contains(text, "www.") {
		return false
	}
	return postcode.MatchString(text) || street.MatchString(text)
}

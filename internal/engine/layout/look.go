package layout

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// look is what a text shows by itself, wherever it stands and whatever is
// asked for. Many fields have the same texts among their candidates.
type look struct {
	normal   string
	repeated float32 // how often segments of the document say it, logarithm
	digits   float32 // their share
	long     float32 // words beyond eight, logarithm
	short    bool    // one or two characters
	open     bool    // see goesOn
	capital  bool    // see capitals
	legal    bool    // it has the legal form of a company
	mailed   bool    // see inMailbox
	item     bool    // see isItem
	domain   float32 // see inDomain
}

// lookOf looks at a text, once for a document. The facts must be gathered.
func (x *extraction) lookOf(text string) *look {
	if l, ok := x.looks[text]; ok {
		return l
	}
	words := strings.Fields(text)
	l := &look{normal: normal(text), open: goesOn(text, words), capital: capitals(words), legal: hasLegalForm(words)}
	l.item, l.mailed, l.domain = isItem(words), x.inMailbox(words), float32(x.inDomain(words))
	if n := x.facts.printed[l.normal]; n > 1 {
		l.repeated = float32(math.Log(float64(n)))
	}
	if n := len(words); n > 8 {
		l.long = float32(math.Log(float64(n) / 8))
	}
	var digits, count int
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		}
		if !unicode.IsSpace(r) {
			count++
		}
	}
	if count > 0 {
		l.digits = float32(digits) / float32(count)
	}
	l.short = count <= 2
	x.looks[text] = l
	return l
}

// goesOn reports whether a text has not come to its end.
func goesOn(text string, words []string) bool {
	const joining = " of the and & for to in as de der die und et y e van von "
	return strings.Count(text, "(") > strings.Count(text, ")") || len(words) > 1 && strings.Contains(joining, " "+strings.ToLower(words[len(words)-1])+" ")
}

// capitals reports whether all words of some length begin with a capital.
func capitals(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		first, _ := utf8.DecodeRuneInString(w)
		return len(w) > 3 && unicode.IsLower(first)
	})
}

// inDomain tells whether a word of a name is in the name of a web or e-mail
// address, and how frequent that is.
func (x *extraction) inDomain(words []string) float64 {
	share := 0.0
	for _, w := range words[:min(len(words), 4)] {
		folded := normal(w)
		if len(folded) < 4 {
			continue
		}
		for host, often := range x.facts.hosts {
			if strings.Contains(host, folded) {
				share = max(share, often)
			}
		}
	}
	return share
}

// inMailbox reports whether a name's word is in what stands before the @ of an
// e-mail address.
func (x *extraction) inMailbox(words []string) bool {
	return x.facts.mailboxes != "" && slices.ContainsFunc(words[:min(len(words), 5)], func(w string) bool {
		folded := normal(w)
		return len(folded) >= 4 && strings.Contains(x.facts.mailboxes, folded)
	})
}

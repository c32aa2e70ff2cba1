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
	domain   bool    // see inDomain
}

// lookOf looks at a text, once for a document. The facts must be gathered.
func (x *extraction) lookOf(text string) *look {
	if l, ok := x.looks[text]; ok {
		return l
	}
	words := strings.Fields(text)
	l := &look{normal: normal(text), open: goesOn(text, words), capital: capitals(words), legal: hasLegalForm(words), domain: x.inDomain(words)}
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

// inDomain reports whether a word of a name is in a web or e-mail address.
func (x *extraction) inDomain(words []string) bool {
	for _, w := range words[:min(len(words), 4)] {
		if folded := normal(w); len(folded) >= 4 && strings.Contains(x.facts.domains, folded) && !strings.Contains(mailHosts, folded) {
			return true
		}
	}
	return false
}

// mailHosts have the addresses of everyone.
const mailHosts = " gmail yahoo hotmail outlook icloud googlemail mail "

package layout

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hyphens end a line within a word.
const hyphens = "-\u00ad\u2010"

// conjunctions follow a hyphen that stands for the rest of a word: "Vor- und
// Nachname".
var conjunctions = []string{"und", "oder", "bzw", "sowie", "and", "or", "to", "et", "ou", "y", "o", "e", "en", "of"}

// joined is the text of spans on different lines as one.
func (d *document) joined(lines []span) string {
	text := ""
	for i, s := range lines {
		if i == 0 {
			text = strings.TrimSpace(d.text(s))
		} else {
			text = goOn(text, strings.TrimSpace(d.text(s)))
		}
	}
	return text
}

// goOn joins a text with the line that follows. A word that a hyphen cuts at
// the end of the line and that goes on in lower case is whole again; a hyphen
// that parts words stays: "E-Mail-" and "Adresse", "state-of-the-" and "art".
func goOn(text, next string) string {
	word := text[strings.LastIndexByte(text, ' ')+1:]
	mark, size := utf8.DecodeLastRuneInString(word)
	stem := word[:len(word)-size]
	before, _ := utf8.DecodeLastRuneInString(stem)
	after, _ := utf8.DecodeRuneInString(next)
	if !strings.ContainsRune(hyphens, mark) || !unicode.IsLetter(before) || !unicode.IsLetter(after) || isConjunction(next) {
		return text + " " + next
	}
	isCut := unicode.IsLower(before) && unicode.IsLower(after) && utf8.RuneCountInString(stem) > 1 && !strings.ContainsAny(stem, hyphens)
	if isCut || mark == '\u00ad' {
		return text[:len(text)-size] + next
	}
	return text + next
}

// isConjunction tells whether a text begins with one.
func isConjunction(text string) bool {
	first, _, _ := strings.Cut(text, " ")
	return slices.Contains(conjunctions, strings.TrimRight(first, ".,"))
}

package layout

import (
	_ "embed" // of the table of concepts
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"fieldlift/internal/value"
)

// conceptTable has in each row a concept, what its values look like, how much
// it weighs in a label, and the words and phrases that documents print for it,
// folded, in eight languages. What a field is called and what is printed are
// both brought to concepts before they are compared.
//
// A row of several concepts is for words that mean all of them: "einzelpreis"
// is unit and price, and so is "price per unit". Their weights are told in
// rows of their own.
//
//go:embed concepts.tsv
var conceptTable string

// lexicon brings words to concepts as one language reads them. All views of a
// dictionary share it.
type lexicon struct {
	*dictionary
	language int // whose meanings count first, -1 where each text is to tell
}

// dictionary is what the table of concepts says.
type dictionary struct {
	entries   map[string]*headword // by word or phrase
	inPhrases map[string]bool      // words that are part of a phrase
	phrases   int                  // most words that a phrase has
	kinds     map[string]string    // by a row's concepts, where it tells one
	kindSets  map[string]kindSet   // by kind
	weights   map[string]float64   // by concept
}

// headword is what a word or a phrase means in each language.
type headword struct {
	concepts [languageCount][]string
	known    [languageCount]bool // with a meaning, or as a small word without one
	small    [languageCount]bool // it means something only where it stands alone
}

func newLexicon() *lexicon {
	d := &dictionary{entries: map[string]*headword{}, inPhrases: map[string]bool{}, kinds: map[string]string{}, kindSets: kindSets(), weights: map[string]float64{}}
	header := true
	for line := range strings.Lines(conceptTable) {
		line = strings.TrimRight(line, "\r\n")
		if header || line == "" || line[0] == '#' {
			header = false
			continue
		}
		d.addRow(strings.Split(line, "\t"))
	}
	for line := range strings.Lines(strings.TrimSpace(smallWords)) {
		name, words, _ := strings.Cut(line, ":")
		for word := range strings.FieldsSeq(words) {
			d.add(word, languageNumber(name), nil).small[languageNumber(name)] = true
		}
	}
	return &lexicon{d, -1}
}

func (d *dictionary) addRow(cells []string) {
	if cells[1] != "-" {
		d.kinds[cells[0]] = cells[1]
	}
	if weight, err := strconv.ParseFloat(cells[2], 64); err == nil {
		d.weights[cells[0]] = weight
	}
	concepts := strings.Fields(cells[0])
	for language, cell := range cells[3:] {
		for word := range strings.SplitSeq(cell, ", ") {
			if word != "" {
				d.add(word, language, concepts)
			}
		}
	}
}

// add takes a word or a phrase in. What it means already stays.
func (d *dictionary) add(text string, language int, concepts []string) *headword {
	e := d.entries[text]
	if e == nil {
		e = &headword{}
		d.entries[text] = e
	}
	if !e.known[language] {
		e.known[language], e.concepts[language] = true, concepts
	}
	if parts := strings.Fields(text); len(parts) > 1 {
		d.phrases = max(d.phrases, len(parts))
		for _, part := range parts {
			d.inPhrases[part] = true
		}
	}
	return e
}

// in gives the view in which the words of a language count first. Without a
// language it is that of names, which are English first.
func (x *lexicon) in(language string) *lexicon {
	return &lexicon{x.dictionary, languageNumber(language)}
}

// weight is how much a concept tells about which value a label means, 0.3 to
// 1. A word that is in no concept is rare, and tells a lot.
func (x *lexicon) weight(concept string) float64 {
	if weight, ok := x.weights[concept]; ok {
		return weight
	}
	if isFigures(concept) {
		return 0.3
	}
	return 1
}

// generic tells concepts that say what a value is more than which one: number,
// date, amount, name, and so on.
func (x *lexicon) generic(concept string) bool { return x.weight(concept) <= 0.5 }

// known reports whether a concept is one of the table, not a word that stands
// for itself.
func (x *lexicon) known(concept string) bool {
	_, ok := x.weights[concept]
	return ok
}

// concepts brings a label or a name to concepts, in order; a word that is in
// no concept stands for itself.
func (x *lexicon) concepts(text string) []string {
	words := split(text)
	if x.language < 0 {
		x = &lexicon{x.dictionary, x.bestFor(words)}
	}
	var found []string
	for i := 0; i < len(words); {
		known, n := x.phrase(words[i:])
		if n == 0 {
			n = 1
			if len(words) == 1 || !x.isSmall(words[i]) {
				known = x.word(words[i])
			}
		}
		found = append(found, known...)
		i += n
	}
	return withTax(found)
}

// isSmall tells words that are labels alone ("To", "Bij") and mean nothing in
// a longer one.
func (x *lexicon) isSmall(word string) bool {
	e := x.entries[word]
	return e != nil && e.small[x.language]
}

// withTax settles what "including" and "excluding" say: of a total or a price
// with tax they make the gross or the net one, whatever the rate. Elsewhere
// they say nothing: "incl. 19 % VAT" alone is the tax.
func withTax(concepts []string) []string {
	settled := concepts[:0]
	for i := 0; i < len(concepts); i++ {
		c := concepts[i]
		if c != "including" && c != "excluding" {
			settled = append(settled, c)
			continue
		}
		tax := i + 1
		for tax < len(concepts) && (isFigures(concepts[tax]) || concepts[tax] == "rate") {
			tax++
		}
		if len(settled) == 0 || tax == len(concepts) || concepts[tax] != "tax" {
			continue
		}
		if i = tax; i+1 < len(concepts) && concepts[i+1] == "vat" {
			i++
		}
		if c == "including" {
			settled = append(settled, "gross")
		} else {
			settled = append(settled, "net")
		}
	}
	return settled
}

// longestJoined is the length of the longest word that is put together from
// pieces: "P.O." and "MwSt" come apart when text is split.
const longestJoined = 6

// phrase gives the meaning of the longest phrase that words begin with, and
// how many of them it has.
func (x *lexicon) phrase(words []string) ([]string, int) {
	most, letters := 0, 0
	for most < min(x.phrases, len(words)) && x.inPhrases[words[most]] {
		most++
	}
	for n := most; n > 1; n-- {
		if known, ok := x.meaning(strings.Join(words[:n], " ")); ok {
			return known, n
		}
	}
	pieces := 0
	for pieces < len(words) && letters+len(words[pieces]) <= longestJoined {
		letters += len(words[pieces])
		pieces++
	}
	for n := pieces; n > 1; n-- {
		if known, ok := x.meaning(strings.Join(words[:n], "")); ok && len(known) > 0 {
			return known, n
		}
	}
	return nil, 0
}

// shortestForeign is the length from which a word counts in documents of other
// languages. Shorter ones mean something in their own only: "art", "los", "st".
const shortestForeign = 4

// meaning is what a word or a phrase means to the first language that has it.
func (x *lexicon) meaning(text string) ([]string, bool) {
	e := x.entries[text]
	switch {
	case e == nil:
		return nil, false
	case x.language >= 0 && e.known[x.language]:
		return e.concepts[x.language], true
	case e.known[english]:
		return e.concepts[english], true
	}
	foreign := e.concepts[slices.Index(e.known[:], true)]
	return foreign, len(foreign) == 0 || len(text) >= shortestForeign
}

// word brings one word to concepts.
func (x *lexicon) word(word string) []string {
	if known, ok := x.meaning(word); ok {
		return known
	}
	for _, plain := range []string{withoutDigraphs(word), singular(word, "ies", "y"), singular(word, "s", ""), singular(word, "es", "")} {
		if plain != word {
			if known, ok := x.meaning(plain); ok {
				return known
			}
		}
	}
	for _, language := range []int{english, german, dutch} {
		if known, ok := x.compound(word, language); ok {
			return known
		}
	}
	if len(word) == 1 && (word[0] < '0' || word[0] > '9') {
		return nil
	}
	return []string{word}
}

// withoutDigraphs undoes the spelling of umlauts that keyboards without them
// need: "faelligkeit".
func withoutDigraphs(word string) string {
	for _, vowel := range []string{"a", "o", "u"} {
		word = strings.ReplaceAll(word, vowel+"e", vowel)
	}
	return word
}

func singular(word, ending, instead string) string {
	if stem, ok := strings.CutSuffix(word, ending); ok && len(stem) >= 3 {
		return stem + instead
	}
	return word
}

// compound takes a word apart that Germanic languages, and writers of names,
// join from several that are known.
func (x *lexicon) compound(word string, language int) ([]string, bool) {
	shortest := 2 // of the second half: "kundennr"
	if language == english {
		shortest = 4
	}
	if len(word) < 3+shortest || len(word) > 40 {
		return nil, false
	}
	for i := 3; i <= len(word)-shortest; i++ {
		if !utf8.RuneStart(word[i]) {
			continue
		}
		first, ok := x.firstHalf(word[:i], language)
		if !ok {
			continue
		}
		second, ok := x.only(word[i:], language)
		if !ok || len(word)-i == 2 && word[i:] != "nr" && word[i:] != "id" {
			second, ok = x.compound(word[i:], language)
		}
		if ok {
			return slices.Concat(first, second), true
		}
	}
	return nil, false
}

func (x *lexicon) firstHalf(half string, language int) ([]string, bool) {
	for _, link := range []string{"", "s", "n", "en", "es"} {
		if stem, ok := strings.CutSuffix(half, link); ok && len(stem) >= 3 {
			if known, ok := x.only(stem, language); ok {
				return known, true
			}
			if language == english {
				break
			}
		}
	}
	return nil, false
}

// only is what a word means in one language.
func (d *dictionary) only(word string, language int) ([]string, bool) {
	e := d.entries[word]
	if e == nil {
		return nil, false
	}
	return e.concepts[language], len(e.concepts[language]) > 0
}

func isFigures(word string) bool {
	return word != "" && strings.Trim(word, "0123456789") == ""
}

// split takes text apart into folded words: at marks and spaces, and where
// camelCase and digits begin. Signs that stand for a word become it.
func split(text string) []string {
	words := make([]string, 0, strings.Count(text, " ")+1)
	from := -1 // where the word at hand begins, if there is one
	flush := func(to int) {
		if from >= 0 {
			if word := value.Fold(text[from:to]); word != "" { // an accent that stands alone is no word
				words = append(words, word)
			}
		}
		from = -1
	}
	var previous rune
	for i, r := range text {
		switch {
		case r == '#' || r == '№':
			flush(i)
			words = append(words, "number")
		case r == '%':
			flush(i)
			if len(words) > 0 && !isFigures(words[len(words)-1]) { // "VAT %" asks for a rate, "VAT 20 %" tells it
				words = append(words, "percent")
			}
		case (r == '°' || r == 'º') && from >= 0 && (text[from:i] == "n" || text[from:i] == "N"):
			from = -1
			words = append(words, "number")
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r):
			if unicode.IsUpper(r) && unicode.IsLower(previous) || unicode.IsDigit(r) != unicode.IsDigit(previous) {
				flush(i)
			}
			if from < 0 {
				from = i
			}
		default:
			flush(i)
		}
		previous = r
	}
	flush(len(text))
	return words
}

// knows reports whether a folded word is one of labels, or carries no meaning,
// in the document's language or in English.
func (x *lexicon) knows(word string) bool {
	if e := x.entries[word]; e != nil {
		return x.language < 0 || e.known[x.language] || e.known[english]
	}
	found := x.word(word)
	return len(found) != 1 || found[0] != word
}

// isParty reports whether a concept is someone who owns names, addresses and
// numbers on documents.
func (x *lexicon) isParty(concept string) bool {
	return x.kinds[concept] == "name" && !x.generic(concept)
}

// party gives the party among concepts, "" if there is none. "Company" only
// counts when nobody else is named.
func (x *lexicon) party(concepts []string) string {
	party := ""
	for _, c := range concepts {
		if x.isParty(c) && (party == "" || party == "company") {
			party = c
		}
	}
	return party
}

package layout

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"fieldlift"
)

// target is a field that asks for scalars: of its own, in an object, or as a
// column of an array.
type target struct {
	field    fieldlift.Field // of an array of scalars: its elements
	pointer  string          // to its value in the answer; "" for a column
	list     bool            // an array of scalars
	group    int             // the object it stands in, 0 for none
	table    int             // the array of objects whose column it is, -1 for none
	column   int             // its place among the fields of the array's elements
	concepts []string
	kind     string // what the text must look like: email, iban, …, "" for anything
	class    class  // which weights count for it
	owner    string // the party it belongs to, "" for none
	names    []name // what its label may be called

	described []string // concepts of its description
	letters   string   // words of its name that are one letter
}

// name is one way to call a target.
type name struct {
	parts  []part
	kinds  kindSet  // of values that it spells out
	roles  []string // parties that it names
	weight float64  // of all parts
	factor float64  // how far a label of this name is to be trusted
	form   form

	described bool    // it comes from the description
	least     float64 // the share of it that a label must have
}

// form is what a label leaves to its surroundings.
type form int

const (
	whole form = iota // nothing: "Customer name"
	bare              // whose it is: "Name", below a title that says customer
	owner             // what it is: "Customer", with a name and an address below
)

type part struct {
	word   int // in the vocabulary
	weight float64
	shared bool // with other boxes to tick: it does not tell which
}

// match is a target that a label may belong to.
type match struct {
	target int
	score  float64 // 0 to 1
	asked  float64 // the share of the target's name that the label has
	shown  float64 // the share of the label that the target's name has
	form   form
	// It is a label of another kind of value, or of another party.
	contrary bool
	// It fits the description of the target, not its name.
	described bool
}

// leastLabel is the score from which a label is taken for one of a target's.
const leastLabel = 0.5

// goodLabel is the score from which one hardly belongs to anything else.
const goodLabel = 0.8

// A label of another kind of value ("tax rate" for a tax amount) or of another
// party ("customer's phone" for the vendor's) shares words with a name and
// means something else.
const (
	otherKind = 0.7
	otherRole = 0.8
)

// labels tells which targets a printed label may belong to. It holds caches,
// so it serves one document only.
type labels struct {
	lexicon    *lexicon // for names
	printed    *lexicon // for labels, in the document's language
	targets    []target
	vocabulary map[string]int      // concepts that names have
	users      [][]int             // by word of the vocabulary: targets that have it in a name
	hints      []map[string]bool   // by target: words of its description
	deletions  map[string][]int    // words of the vocabulary with one letter left out
	documents  map[string]bool     // concepts that name the document itself and weigh little
	shared     map[string]bool     // concepts that the names of several boxes to tick begin with
	meanings   map[string][]string // by printed label: its concepts
	known      map[string][]match
	words      map[string]bool
	similar    map[string][]likeness
	best       []float64 // by word of the vocabulary: scratch
}

type likeness struct {
	word  int
	score float64
}

func newLabels(x *lexicon, documentType string) *labels {
	l := &labels{
		lexicon: x, printed: x, vocabulary: map[string]int{}, deletions: map[string][]int{}, documents: map[string]bool{}, shared: map[string]bool{},
		meanings: map[string][]string{}, known: map[string][]match{}, words: map[string]bool{}, similar: map[string][]likeness{},
	}
	for _, concept := range x.concepts(documentType) {
		l.documents[concept] = true
	}
	return l
}

// readIn has labels read in the language of the document, "" if it is not known.
func (l *labels) readIn(language string) { l.printed = l.lexicon.in(language) }

// documentConcepts are those that a document may call itself.
const documentConcepts = " invoice receipt order quote delivery contract statement "

// learn takes the names of targets in, once all are known.
func (l *labels) learn(targets []target, parents [][]string) {
	l.targets = targets
	uses := map[string]int{}
	for _, t := range targets {
		for _, c := range t.concepts {
			if strings.Contains(documentConcepts, " "+c+" ") {
				if uses[c]++; uses[c] > 1 {
					l.documents[c] = true // half the names begin with it: it tells nothing apart
				}
			}
		}
	}
	l.findShared()
	l.hints = make([]map[string]bool, len(targets))
	for i := range l.targets {
		l.name(i, parents[i])
	}
	l.best = make([]float64, len(l.users))
}

// findShared finds the words that the names of three boxes to tick or more
// have: of "class_partner", "class_trust" and "class_other" forms print the
// last words only.
func (l *labels) findShared() {
	uses := map[string]int{}
	for _, t := range l.targets {
		if t.field.Type == fieldlift.BooleanField {
			for _, c := range t.concepts {
				if uses[c]++; uses[c] == 3 {
					l.shared[c] = true
				}
			}
		}
	}
}

// name gives a target its names: its own, with and without the object it
// stands in and the party it belongs to, and those that its description has.
func (l *labels) name(i int, parent []string) {
	t := &l.targets[i]
	t.letters = letters(t.field.Name)
	l.call(i, slices.Concat(parent, t.concepts), 1, whole)
	if len(parent) > 0 {
		l.call(i, t.concepts, 1, bare)
	}
	t.owner = l.lexicon.party(slices.Concat(parent, t.concepts))
	if t.owner != "" {
		rest := without(t.concepts, t.owner)
		switch {
		case len(rest) > 0:
			l.call(i, rest, 1, bare)
			if t.kind == "name" || t.kind == "address" {
				l.call(i, []string{t.owner}, 0.95, owner)
			}
		case t.kind == "":
			l.call(i, []string{"name"}, 0.95, bare)
		}
	}
	if t.owner == "consignee" { // goods have one recipient
		l.call(i, append([]string{"recipient"}, without(t.concepts, t.owner)...), 0.9, whole)
	}
	l.hints[i] = map[string]bool{}
	for _, quoted := range quotations(t.field.Description) {
		l.call(i, l.lexicon.concepts(quoted), 1, whole)
	}
	named := len(t.names)
	for _, described := range l.alternatives(t.field.Description) {
		l.call(i, described, 0.9, whole)
	}
	for n := range t.names[named:] {
		t.names[named+n].described = true
	}
	described := l.lexicon.concepts(t.field.Description)
	t.described = described[:min(len(described), 40)]
	for _, c := range t.described {
		l.hints[i][c] = true
	}
	if t.owner == "" {
		t.owner = l.lexicon.party(described[:min(len(described), 6)])
	}
}

// alternatives are the names that a short description has: what it begins
// with, and where it counts several up ("contract, order or invoice number"),
// each of them with the noun that they share.
func (l *labels) alternatives(description string) [][]string {
	if len(description) > 80 {
		return nil
	}
	description = aside.Split(description, 2)[0]
	parts := []string{description}
	if either.MatchString(description) {
		parts = alternative.Split(description, 8)
	} else {
		parts[0], _, _ = strings.Cut(description, ",")
	}
	var found [][]string
	last := l.lexicon.concepts(parts[len(parts)-1])
	for _, part := range parts {
		c := l.lexicon.concepts(part)
		if len(parts) > 1 && len(c) == 1 && len(last) > 1 {
			c = append(c, last[len(last)-1])
		}
		if len(c) > 0 && len(c) <= 4 {
			found = append(found, c)
		}
	}
	return found
}

var (
	either      = regexp.MustCompile(`\b(or|oder|ou|lub)\b|/`)
	alternative = regexp.MustCompile(`\s*(?:,|;|/|\bor\b|\boder\b|\bou\b|\blub\b)\s*`)
	aside       = regexp.MustCompile(`\(|\b(including|incl|excluding|excl|before|after|without|with|that|which|who|as printed)\b`)
)

func without(concepts []string, one string) []string {
	return slices.DeleteFunc(slices.Clone(concepts), func(c string) bool { return c == one })
}

func (l *labels) call(t int, concepts []string, factor float64, f form) {
	concepts = concepts[:min(len(concepts), 8)]
	n := name{kinds: l.lexicon.spelled(concepts), roles: l.lexicon.roles(concepts), factor: factor, form: f, least: 0.4}
	if l.targets[t].field.Type == fieldlift.BooleanField {
		n.least = 0.3 // beside a box to tick stands one word of many
	}
	if len(concepts) == 2 && slices.Index(concepts, "number") == 1 && l.documents[concepts[0]] {
		n.least = 0.35 // "Invoice" over its number
	}
	for _, c := range concepts {
		w, ok := l.vocabulary[c]
		if !ok {
			w = len(l.users)
			l.vocabulary[c] = w
			l.users = append(l.users, nil)
			for _, d := range deletions(c) {
				l.deletions[d] = append(l.deletions[d], w)
			}
		}
		if slices.ContainsFunc(n.parts, func(p part) bool { return p.word == w }) {
			continue
		}
		if users := l.users[w]; len(users) == 0 || users[len(users)-1] != t {
			l.users[w] = append(users, t)
		}
		weight := l.weigh(c)
		shared := l.targets[t].field.Type == fieldlift.BooleanField && l.shared[c]
		if shared {
			weight = 0.3
		}
		n.parts = append(n.parts, part{w, weight, shared})
		n.weight += weight
	}
	if len(n.parts) > 0 {
		l.targets[t].names = append(l.targets[t].names, n)
	}
}

func (l *labels) weigh(concept string) float64 {
	if l.documents[concept] {
		return 0.3
	}
	return l.lexicon.weight(concept)
}

// quotations gives what stands in quotation marks in a description: often the
// label as it is printed.
func quotations(text string) []string {
	var found []string
	for _, marks := range []string{`""`, "''", "“”", "„“", "‘’", "«»"} {
		open, shut := []rune(marks)[0], []rune(marks)[1]
		for rest := text; len(found) < 8; {
			i := strings.IndexRune(rest, open)
			if i < 0 || (open == '\'' && i > 0 && rest[i-1] != ' ' && rest[i-1] != '(') {
				break
			}
			rest = rest[i+len(string(open)):]
			j := strings.IndexRune(rest, shut)
			if j < 0 {
				break
			}
			if j > 0 && j < 60 {
				found = append(found, rest[:j])
			}
			rest = rest[j+len(string(shut)):]
		}
	}
	return found
}

// hits reports whether a word can be part of a label at all. Most words cannot,
// and need no closer look.
func (l *labels) hits(word string) bool {
	if hit, ok := l.words[word]; ok {
		return hit
	}
	hit := slices.ContainsFunc(split(word), func(w string) bool { return l.lexicon.inPhrases[w] }) ||
		slices.ContainsFunc(l.printed.concepts(word), func(c string) bool { return len(l.like(c)) > 0 })
	l.words[word] = hit
	return hit
}

// match gives the targets that a printed label may belong to, the best first.
func (l *labels) match(label string) []match {
	if len(label) > 120 {
		return nil
	}
	if known, ok := l.known[label]; ok {
		return known
	}
	printed := l.meaning(label)
	var found []match
	if len(printed) > 0 && len(printed) <= 12 {
		found = l.score(printed)
		l.heedLetters(label, found)
	}
	l.known[label] = found
	return found
}

// meaning brings a printed label to concepts.
func (l *labels) meaning(label string) []string {
	known, ok := l.meanings[label]
	if !ok {
		known = l.printed.concepts(label)
		l.meanings[label] = known
	}
	return known
}

// otherLetter is what a label keeps of its score that has another single letter
// than the name: a "C corporation" is no "S corporation".
const otherLetter = 0.7

func (l *labels) heedLetters(label string, found []match) {
	printed := letters(label)
	if printed == "" {
		return
	}
	for i := range found {
		m := &found[i]
		if named := l.targets[m.target].letters; named != "" && !strings.ContainsAny(printed, named) {
			m.score *= otherLetter
			m.shown *= otherLetter
			m.contrary = true
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.score, a.score) })
}

// letters gives the words of a text that are one letter.
func letters(text string) string {
	var found []byte
	for _, w := range split(text) {
		if len(w) == 1 && w[0] >= 'a' && w[0] <= 'z' {
			found = append(found, w[0])
		}
	}
	return string(found)
}

func (l *labels) score(printed []string) []match {
	likenesses := make([][]likeness, len(printed))
	kinds, roles := l.lexicon.spelled(printed), l.lexicon.roles(printed)
	var candidates []int
	for i, c := range printed {
		likenesses[i] = l.like(c)
		for _, k := range likenesses[i] {
			l.best[k.word] = max(l.best[k.word], k.score)
			candidates = append(candidates, l.users[k.word]...)
		}
	}
	slices.Sort(candidates)
	var found []match
	for _, t := range slices.Compact(candidates) {
		m := match{target: t}
		for _, n := range l.targets[t].names {
			asked, shown := l.agree(n, printed, likenesses, l.hints[t])
			score := (0.55*asked + 0.45*shown) * n.factor
			otherKinds := n.kinds.differ(kinds)
			if otherKinds {
				score *= otherKind
			}
			otherRoles := len(n.roles) > 0 && len(roles) > 0 && !slices.ContainsFunc(n.roles, func(r string) bool { return slices.Contains(roles, r) })
			if otherRoles {
				score *= otherRole
			}
			if score > m.score {
				m = match{target: t, score: score, asked: asked, shown: shown, form: n.form, contrary: otherKinds || otherRoles, described: n.described}
			}
		}
		if m.score >= leastLabel {
			found = append(found, m)
		}
	}
	for _, ks := range likenesses {
		for _, k := range ks {
			l.best[k.word] = 0
		}
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(b.score, a.score) })
	return found
}

// agree tells how well a name and a printed label cover each other.
func (l *labels) agree(n name, printed []string, likenesses [][]likeness, hints map[string]bool) (asked, shown float64) {
	own, told := false, false // which of several boxes it is
	for _, p := range n.parts {
		asked += p.weight * l.best[p.word]
		own = own || !p.shared
		told = told || !p.shared && l.best[p.word] > 0
	}
	if asked /= n.weight; asked < n.least || own && !told {
		return 0, 0
	}
	var weight float64
	for i, c := range printed {
		w := l.weigh(c)
		weight += w
		var best float64
		for _, k := range likenesses[i] {
			if slices.ContainsFunc(n.parts, func(p part) bool { return p.word == k.word }) {
				best = max(best, k.score)
			}
		}
		if hints[c] {
			best = max(best, 0.6)
		}
		shown += w * best
	}
	return asked, shown / weight
}

// like gives the words of the vocabulary that a printed one may be: itself,
// an abbreviation, or one letter misread.
func (l *labels) like(c string) []likeness {
	if known, ok := l.similar[c]; ok {
		return known
	}
	var found []likeness
	add := func(word int, score float64) {
		if !slices.ContainsFunc(found, func(k likeness) bool { return k.word == word }) {
			found = append(found, likeness{word, score})
		}
	}
	if w, ok := l.vocabulary[c]; ok {
		add(w, 1)
	} else if !l.lexicon.known(c) { // an employer is no misread employee
		for _, d := range deletions(c) {
			for _, w := range l.deletions[d] {
				add(w, 0.8)
			}
			if w, ok := l.vocabulary[d]; ok && len(d) >= 5 {
				add(w, 0.8)
			}
		}
		for _, w := range l.deletions[c] {
			add(w, 0.8)
		}
		for n := len(c) - 1; n >= 4; n-- { // the name abbreviates what is printed
			if w, ok := l.vocabulary[c[:n]]; ok {
				add(w, 0.75)
			}
		}
	}
	l.similar[c] = found
	return found
}

// deletions gives a long word with each letter left out in turn, by which
// words that differ in one letter meet.
func deletions(word string) []string {
	if len(word) < 5 || len(word) > 24 || strings.ContainsAny(word, "0123456789") {
		return nil
	}
	found := make([]string, 0, len(word))
	for i := range word {
		found = append(found, word[:i]+word[i+1:])
	}
	return found
}

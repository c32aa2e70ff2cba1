package layout

import (
	"slices"
	"strings"
)

// alike has the kinds that the table of concepts may name, each with those that
// its labels are also used for: what is called a code may be a number or a
// text, but no date.
const alike = `
date
money number
number money
percent
id vat iban bic phone zip text
vat id text
iban id
bic id text
phone id
zip id address city text
name city country text
address city zip country text
city address zip name text
country address name text
email
url
currency text
boolean text
text id vat bic zip name address city country currency boolean
`

// kindSet is a set of kinds of values.
type kindSet struct {
	own   uint32 // a bit for each
	alike uint32 // and those that its labels are also used for
}

// kindSets gives the set of each kind.
func kindSets() map[string]kindSet {
	lines := strings.Split(strings.TrimSpace(alike), "\n")
	sets := make(map[string]kindSet, len(lines))
	for i, line := range lines {
		sets[strings.Fields(line)[0]] = kindSet{1 << i, 1 << i}
	}
	for _, line := range lines {
		kinds := strings.Fields(line)
		set := sets[kinds[0]]
		for _, other := range kinds[1:] {
			set.alike |= sets[other].own
		}
		sets[kinds[0]] = set
	}
	return sets
}

// differ reports whether two labels spell out values that cannot be the same.
func (s kindSet) differ(other kindSet) bool {
	return s.own != 0 && other.own != 0 && s.alike&other.own == 0
}

// spelled gives the kinds of values that a label spells out: "tax rate" is a
// percentage and "tax number" an identifier, where "tax" alone may be any.
func (x *lexicon) spelled(concepts []string) kindSet {
	if len(concepts) > 1 {
		if together := x.kinds[strings.Join(concepts, " ")]; together != "" {
			return x.kindSets[together]
		}
	}
	var found kindSet
	for _, c := range concepts {
		if x.generic(c) {
			set := x.kindSets[x.kinds[c]]
			found.own |= set.own
			found.alike |= set.alike
		}
	}
	return found
}

// kind tells what values of a label look like, by a name of the table: that of
// its concepts together, of the last that says what a value is, or of the last
// that has one. It is "" where nothing is known.
func (x *lexicon) kind(concepts []string) string {
	if together := x.kinds[strings.Join(concepts, " ")]; together != "" {
		return together
	}
	last := ""
	for _, c := range slices.Backward(concepts) {
		switch kind := x.kinds[c]; {
		case kind != "" && x.generic(c):
			return kind
		case last == "":
			last = kind
		}
	}
	return last
}

// roles gives the parties that a label names: customer, vendor, payer.
func (x *lexicon) roles(concepts []string) []string {
	var roles []string
	for _, c := range concepts {
		if x.kinds[c] == "name" && x.weight(c) == 1 {
			roles = append(roles, c)
		}
	}
	return roles
}

package golden

import (
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/score"
)

// Misfits makes cases whose schema does not fit their file: each file is asked
// for fields of another set's parser that share no word with its own. Nothing
// is expected of them, so whatever is returned is invented. The parsers take
// turns; files that none is strange enough for are left out.
func Misfits(cases []Case) []Case {
	var parsers []Case // the first case of each
	for _, c := range cases {
		if !slices.ContainsFunc(parsers, func(p Case) bool { return p.Set == c.Set && p.Wanted.Schema == c.Wanted.Schema }) {
			parsers = append(parsers, c)
		}
	}
	var misfits []Case
	for i, c := range cases {
		for turn := range parsers {
			other := parsers[(i+turn)%len(parsers)]
			if other.Set == c.Set || other.Parser == c.Parser && c.Parser != "" {
				continue
			}
			if fields := strange(c, other); len(fields) > 0 {
				misfits = append(misfits, misfit(c, other, fields))
				break
			}
		}
	}
	return misfits
}

// strange gives the other's fields that have no word in common with the case's.
func strange(c, other Case) []fieldlift.Field {
	own := map[string]bool{}
	for _, f := range c.Fields {
		for _, w := range words(f.Name) {
			own[w] = true
		}
	}
	return slices.DeleteFunc(other.Wanted.Schema.Fields(), func(f fieldlift.Field) bool {
		return slices.ContainsFunc(words(f.Name), func(w string) bool { return own[w] })
	})
}

func words(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune("_- .", r) })
}

func misfit(c, other Case, fields []fieldlift.Field) Case {
	c.Parser = other.Parser
	c.Wanted = fieldlift.Extraction{Schema: fieldlift.SchemaOf(fields), ResultMode: fieldlift.OnePerFile}
	c.Fields = scoreFields(fields)
	c.Expected = []*score.Object{nil}
	return c
}

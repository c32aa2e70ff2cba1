package golden

import (
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/score"
)

// Misfits makes cases whose schema does not fit their file: each file is asked
// for fields of another case's parser that share no word with its own. Nothing
// is expected of them, so whatever is returned is invented. Files that no other
// parser is strange enough for are left out.
func Misfits(cases []Case) []Case {
	var misfits []Case
	for i, c := range cases {
		for turn := range cases {
			other := cases[(i+turn*stride+1)%len(cases)]
			if other.Set == c.Set || other.Parser == c.Parser {
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

// stride leads through the cases in leaps, so that neighbours get different
// parsers.
const stride = 37

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

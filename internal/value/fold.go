package value

import (
	"strings"
	"unicode"
)

// Fold takes case and accents away, so that words can be compared however
// they were printed: "Février" and "FEVRIER" become "fevrier".
func Fold(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= 0x80 || (c >= 'A' && c <= 'Z') {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		r = unicode.ToLower(r)
		if r < 0x80 {
			b.WriteRune(r)
			continue
		}
		switch r {
		case 'ß':
			b.WriteString("ss")
		case 'æ':
			b.WriteString("ae")
		case 'œ':
			b.WriteString("oe")
		default:
			if !unicode.Is(unicode.Mn, r) { // accents that stand alone go
				b.WriteRune(unaccented(r))
			}
		}
	}
	return b.String()
}

func unaccented(r rune) rune {
	const accented = "àáâãäåāăąçćčďđèéêëēęěìíîïīłñńňòóôõöøōőřśšșťțùúûüūůűýÿžźż"
	const plain = "aaaaaaaaacccddeeeeeeeiiiiilnnnoooooooorsssttuuuuuuuyyzzz"
	i := 0
	for _, a := range accented {
		if a == r {
			return rune(plain[i])
		}
		i++
	}
	return r
}

// spaces makes every kind of white space a single plain space and takes it
// from the ends.
func spaces(s string) string {
	if !strings.ContainsFunc(s, unicode.IsSpace) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

package score

import (
	"slices"
	"strings"
)

// longText is where whole pages begin: they are compared by words.
const longText = 1500

// similarity is 1 minus the share of letters to change, and 0 below one half
// (ANLS).
func similarity(a, b []rune) float64 {
	n := max(len(a), len(b))
	if n == 0 {
		return 1
	}
	if float64(min(len(a), len(b))) < float64(n)*0.5 {
		return 0
	}
	var s float64
	if n > longText {
		x, y := strings.Fields(string(a)), strings.Fields(string(b))
		s = 1 - float64(distance(x, y))/float64(max(len(x), len(y), 1))
	} else {
		s = 1 - float64(distance(a, b))/float64(n)
	}
	if s < 0.5 {
		return 0
	}
	return s
}

// distance is Levenshtein's: how many elements must be changed, put in or
// taken out to make one of the other.
func distance[T comparable](a, b []T) int {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	before, now := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range before {
		before[j] = j
	}
	for i, x := range a {
		now[0] = i + 1
		for j, y := range b {
			change := before[j]
			if x != y {
				change++
			}
			now[j+1] = min(change, before[j+1]+1, now[j]+1)
		}
		before, now = now, before
	}
	return before[len(b)]
}

// grams are the pairs of neighbouring letters of a value, sorted: a rough
// likeness that is quick, to find rows that belong together.
type grams []uint64

func gramsOf(v any) grams {
	s := []rune(letters(v))
	if len(s) < 2 {
		g := grams{0}
		for _, r := range s {
			g[0] = uint64(r)
		}
		return g
	}
	g := make(grams, len(s)-1)
	for i := range g {
		g[i] = uint64(s[i])<<32 | uint64(s[i+1])
	}
	slices.Sort(g)
	return g
}

// like is the share of pairs in common, 0 to 1 (Dice).
func (g grams) like(o grams) float64 {
	common := 0
	for i, j := 0, 0; i < len(g) && j < len(o); {
		switch {
		case g[i] == o[j]:
			common, i, j = common+1, i+1, j+1
		case g[i] < o[j]:
			i++
		default:
			j++
		}
	}
	return ratio(2*float64(common), float64(len(g)+len(o)))
}

package transcribe

import (
	"slices"
	"strings"
	"testing"

	"fieldlift/internal/ocr"
	"fieldlift/internal/page"
)

func TestJudge(t *testing.T) {
	words := func(n int, text string) []page.Word {
		list := make([]page.Word, n)
		for i := range list {
			x, y := 0.1+0.08*float64(i%10), 0.1+0.04*float64(i/10)
			list[i] = page.Word{Text: text, Box: page.Box{X0: x, Y0: y, X1: x + 0.07, Y1: y + 0.012}}
		}
		return list
	}
	heading := func(n int) []page.Word {
		list := words(n, "text")
		for i := range list {
			list[i].Box.Y0, list[i].Box.Y1 = 0.02+0.015*float64(i/10), 0.03+0.015*float64(i/10)
		}
		return list
	}
	alongTheEdge := func(n int) []page.Word {
		list := words(n, "text")
		for i := range list {
			list[i].Box = page.Box{X0: 0.02, Y0: float64(i) / float64(n), X1: 0.04, Y1: float64(i+1) / float64(n)}
		}
		return list
	}
	for name, c := range map[string]struct {
		page page.Page
		want verdict
	}{
		"print":                            {page.Page{Words: words(200, "text")}, nothing},
		"a short page":                     {page.Page{Words: words(3, "text")}, nothing},
		"print with a logo":                {page.Page{Words: words(20, "text"), Images: 0.2}, nothing},
		"print on a picture of its paper":  {page.Page{Words: words(200, "text"), Images: 1}, nothing},
		"a picture":                        {page.Page{Images: 1}, recognise},
		"outlines of letters, or nothing":  {page.Page{}, recognise},
		"a stamp on a scan":                {page.Page{Words: words(6, "stamp"), Images: 0.98}, recognise},
		"a long heading on a scan":         {page.Page{Words: heading(60), Images: 0.98}, recognise},
		"a line along the edge of a scan":  {page.Page{Words: alongTheEdge(40), Images: 0.98}, recognise},
		"a font without a mapping":         {page.Page{Words: append(words(50, "\ufffd\ufffd\ufffd"), words(50, "text")...)}, recognise},
		"a font of private characters":     {page.Page{Words: words(50, "\ue001\ue002")}, recognise},
		"a bullet that nobody knows":       {page.Page{Words: append(words(3, "\uf0b7"), words(50, "text")...)}, nothing},
		"unseen text over a scan":          {page.Page{Words: words(200, "text"), Images: 1, Hidden: 1}, check},
		"unseen text where no picture is":  {page.Page{Words: words(200, "text"), Hidden: 1}, nothing},
		"print and some unseen on a photo": {page.Page{Words: words(200, "text"), Images: 1, Hidden: 0.1}, nothing},
	} {
		if got, reason := judge(c.page); got != c.want || reason == "" {
			t.Errorf("%s: %d, want %d (%s)", name, got, c.want, reason)
		}
	}
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		a, b        []string
		least, most float64
	}{
		{[]string{"Total", "12.00"}, []string{"12.00", "total"}, 1, 1},
		{[]string{"Invoice", "number"}, []string{"lnvoice", "nurnber"}, 0.4, 0.8},
		{[]string{"Invoice", "number"}, []string{"xkzw", "pqqp"}, 0, 0.1},
		{nil, []string{"a"}, 0, 0},
		{nil, nil, 1, 1},
	} {
		if got := similarity(c.a, c.b); got < c.least || got > c.most {
			t.Errorf("%q and %q: %g", c.a, c.b, got)
		}
	}
}

func TestFigures(t *testing.T) {
	read := func(texts ...string) (list []ocr.Word) {
		for _, text := range texts {
			list = append(list, ocr.Word{Text: text, Confidence: 0.95})
		}
		return append(list, ocr.Word{Text: "77777", Confidence: 0.5}) // it may be anything
	}
	for _, c := range []struct {
		own  string
		read []ocr.Word
		want bool
	}{
		{"Invoice INV-20931 Total 1,800.00", read("INV-20931", "1,800.00"), true},
		{"Invoice INV-20931 Total 1 800.00", read("INV-20931", "1.800,00"), true},
		{"Invoice INV-20931 Total 9,999.00", read("INV-20931", "1,800.00"), false},
		{"Invoice INV-99999 Total 1,800.00", read("INV-20931", "1,800.00"), false},
		{"nothing", read("to", "compare", "12"), true},
	} {
		if got := hasFigures(strings.Fields(c.own), c.read); got != c.want {
			t.Errorf("%q: %v", c.own, got)
		}
	}
}

func TestFigurePlaces(t *testing.T) {
	rows := []row{{"Invoice", 10}, {"2026", 20}, {"1,800.00", 500}, {"20931", 505}, {"77", 900}, {"12.50", 1500}, {"13.50", 1900}}
	if got := figurePlaces(rows, 80); !slices.Equal(got, []int{490, 10, 1490}) {
		t.Errorf("%v", got)
	}
	if got := figurePlaces(rows[:1], 80); len(got) > 0 {
		t.Errorf("%v", got)
	}
}

package transcribe

import (
	"testing"

	"fieldlift/internal/page"
)

func TestJudge(t *testing.T) {
	words := func(n int, text string) []page.Word {
		list := make([]page.Word, n)
		for i := range list {
			list[i].Text = text
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

package reader_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/page"
)

func TestCheckboxes(t *testing.T) {
	const frame = "1 w 100 700 10 10 re S\n"
	circle := func(x, y, r float64) string {
		k := 0.5523 * r
		return fmt.Sprintf("%g %g m %g %g %g %g %g %g c %g %g %g %g %g %g c %g %g %g %g %g %g c %g %g %g %g %g %g c h ",
			x+r, y, x+r, y+k, x+k, y+r, x, y+r, x-k, y+r, x-r, y+k, x-r, y,
			x-r, y-k, x-k, y-r, x, y-r, x+k, y-r, x+r, y-k, x+r, y)
	}
	cases := map[string]struct {
		content string
		want    string // of each box whether it is ticked
	}{
		"an empty box":                          {frame, "-"},
		"a box with a label":                    {frame + show("F1", 10, 114, 702, "Yes"), "-"},
		"a cross of lines":                      {frame + "102 702 m 108 708 l S 102 708 m 108 702 l S", "x"},
		"a tick that leaves the box":            {frame + "101 705 m 104 701 l 113 714 l S", "x"},
		"a filled tick":                         {frame + "102 705 m 104 702 l 109 708 l 104 704 l h f", "x"},
		"a white tick":                          {frame + "1 g 102 705 m 104 702 l 109 708 l 104 704 l h f", "-"},
		"a smaller box filled":                  {frame + "102 702 6 6 re f", "x"},
		"an X typed into it":                    {frame + show("F1", 9, 102, 702, "X"), "x"},
		"a tick of another font":                {frame + show("F3", 9, 101, 702, "4"), "x"},
		"a picture of a tick":                   {frame + "q 8 0 0 8 101 701 cm /Im Do Q", "x"},
		"a picture of a box":                    {pictured(18, false), "-"},
		"a picture of a box with a cross":       {pictured(18, true), "x"},
		"a picture of a box as large as a logo": {pictured(60, true), ""},
		"a number in a box":                     {frame + show("F1", 9, 102, 702, "7"), ""},
		"a bullet":                              {"100 700 6 6 re f", ""},
		"a sample of a colour":                  {"1 0 0 rg 100 700 10 10 re B", ""},
		"a box drawn twice":                     {frame + "1 g 100 700 10 10 re f " + frame + "0.5 w 101 701 8 8 re S", "-"},
		"cells for letters":                     {"100 700 10 10 re S 110 700 10 10 re S 120 700 10 10 re S", ""},
		"cells of a table":                      {"100 700 18 14 re S 100 686 18 14 re S", ""},
		"too small and too large":               {"100 700 4 4 re S 200 700 22 22 re S", ""},
		"no square":                             {"100 700 18 9 re S", ""},
		"four lines":                            {"100 700 m 110 700 l S 100 710 m 110 710 l S 100 700 m 100 710 l S 110 700 m 110 710 l S", "-"},
		"four thin boxes, and a cross":          {"100 700 10 .5 re f 100 709.5 10 .5 re f 100 700 .5 10 re f 109.5 700 .5 10 re f 102 702 m 108 708 l S", "x"},
		"three lines":                           {"100 700 m 110 700 l S 100 710 m 110 710 l S 100 700 m 100 710 l S", ""},
		"dark with white on it":                 {"100 700 10 10 re f 1 g 101 701 8 8 re f", "-"},
		"dark with a hole":                      {"100 700 10 10 re 101 701 8 8 re f*", "-"},
		"rounded corners":                       {"102 700 m 108 700 l 109 700 110 701 110 702 c 110 708 l 110 709 109 710 108 710 c 102 710 l 101 710 100 709 100 708 c 100 702 l 100 701 101 700 102 700 c h S", "-"},
		"a circle":                              {circle(105, 705, 5) + "S", "-"},
		"a circle with a dot":                   {circle(105, 705, 5) + "S " + circle(105, 705, 2.5) + "f", "x"},
		"a circled number":                      {circle(105, 705, 6) + "S " + show("F1", 9, 102.5, 702, "3"), ""},
		"a triangle":                            {"100 700 m 110 700 l 105 710 l h S", ""},
		"Wingdings":                             {show("F4", 10, 100, 700, "\xa8") + show("F4", 10, 100, 680, "\xfe") + show("F4", 10, 100, 660, "\xfd"), "-xx"},
		"Wingdings 2":                           {show("F5", 10, 100, 700, "\xa3") + show("F5", 10, 100, 680, "R"), "-x"},
		"Zapf Dingbats":                         {show("F3", 10, 100, 700, "q") + show("F3", 10, 100, 680, "4"), "-x"},
		"a glyph with a cross over it":          {show("F4", 10, 100, 700, "\xa8") + show("F1", 8, 101, 700, "X"), "x"},
		"brackets":                              {show("F1", 10, 100, 700, "[ ] Yes [x] No [X] Maybe"), "-xx"},
		"brackets with room":                    {show("F1", 10, 100, 700, "[ X ] Yes ( ) No (x) Maybe"), "x-x"},
		"brackets of another kind":              {show("F1", 10, 100, 700, "[1] f(x) () (see) [ and so on ]"), ""},
		"a form turned by its page's drawing":   {"q 0 1 -1 0 300 100 cm 0 0 10 10 re S 2 2 m 8 8 l S Q", "x"},
	}
	names := slices.Sorted(maps.Keys(cases))
	var sheets []sheet
	for _, name := range names {
		sheets = append(sheets, sheet{content: cases[name].content})
	}
	for n, p := range read(t, makePDF(sheets)).Pages {
		if got, want := ticks(p), cases[names[n]].want; got != want {
			t.Errorf("%s: got %q, want %q: %+v, words %q", names[n], got, want, p.Checkboxes, texts(p))
		}
		for _, b := range p.Checkboxes {
			if b.Source != fieldlift.SourceText || b.Confidence < 0.5 || b.Confidence > 1 {
				t.Errorf("%s: %+v", names[n], b)
			}
		}
	}
}

// pictured draws a picture of a box, with or without a cross in it.
func pictured(side int, crossed bool) string {
	const pixels = 60
	var b strings.Builder
	fmt.Fprintf(&b, "q %d 0 0 %d 100 600 cm BI /W %d /H %d /CS /G /BPC 8 /F /AHx ID\n", side, side, pixels, pixels)
	for y := range pixels {
		for x := range pixels {
			edge := min(x, y, pixels-1-x, pixels-1-y)
			dark := edge == 8 || edge == 9 || crossed && edge > 9 && (x-y > -2 && x-y < 2 || x+y > pixels-3 && x+y < pixels+1)
			b.WriteString(map[bool]string{false: "ff", true: "30"}[dark])
		}
	}
	b.WriteString("> EI Q\n")
	return b.String()
}

func TestCheckboxesKnowTheirPlace(t *testing.T) {
	content := "300 600 10 10 re S 100 600 10 10 re S 100 700 10 10 re S 102 702 m 108 708 l S"
	p := read(t, makePDF([]sheet{{content: content}})).Pages[0]
	if got := ticks(p); got != "x--" {
		t.Fatalf("%q: %+v", got, p.Checkboxes)
	}
	near(t, "left", p.Checkboxes[0].Box.X0, 100./595, 1e-3)
	near(t, "top", p.Checkboxes[0].Box.Y0, 132./842, 1e-3)
	near(t, "right", p.Checkboxes[2].Box.X1, 310./595, 1e-3)
	near(t, "bottom", p.Checkboxes[2].Box.Y1, 242./842, 1e-3)
}

func TestBoxesAreWordsOfTheirOwn(t *testing.T) {
	content := "BT /F4 10 Tf 100 700 Td (\xfe) Tj /F1 10 Tf (Yes) Tj /F4 10 Tf (\xa8) Tj /F1 10 Tf (No) Tj ET"
	p := read(t, makePDF([]sheet{{content: content}})).Pages[0]
	if got := texts(p); got != "☑ Yes ☐ No" {
		t.Errorf("words: %q", got)
	}
}

func TestManyBoxes(t *testing.T) {
	var content strings.Builder
	for n := range 20_000 {
		x, y := 10+n%50*11, 10+n/50*2
		fmt.Fprintf(&content, "%d %d 6 6 re S %d %d m %d %d l S\n", x, y, x+1, y+1, x+5, y+5)
		content.WriteString(show("F4", 6, float64(x), float64(y), "\xa8"))
	}
	if n := len(read(t, makePDF([]sheet{{content: content.String()}})).Pages[0].Checkboxes); n > 1000 {
		t.Errorf("%d boxes", n)
	}
}

// ticks writes the page's checkboxes, x for those that are ticked.
func ticks(p page.Page) string {
	var b strings.Builder
	for _, c := range p.Checkboxes {
		if c.Checked {
			b.WriteByte('x')
		} else {
			b.WriteByte('-')
		}
	}
	return b.String()
}

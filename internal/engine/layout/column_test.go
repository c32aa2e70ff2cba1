package layout

import (
	"slices"
	"testing"

	"fieldlift/internal/page"
)

// segmentAt gives the segment that begins with a text.
func segmentAt(t *testing.T, x *extraction, text string) int {
	t.Helper()
	i := slices.IndexFunc(x.segments, func(s segment) bool { return x.words[s.from].Text == text })
	if i < 0 {
		t.Fatalf("nothing begins with %q", text)
	}
	return i
}

func TestNeighbours(t *testing.T) {
	x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, "Name    Title    Date\n12    City    7 of 9\nAlone"))
	end := func(text string) float64 { return x.segments[segmentAt(t, x, text)].box.X1 }
	begin := func(text string) float64 { return x.segments[segmentAt(t, x, text)].box.X0 }
	for text, want := range map[string]struct {
		left, right float64
		ok          bool
	}{
		"Name":  {0, begin("Title"), true},
		"Title": {end("Name"), begin("Date"), true},
		"Date":  {end("Title"), 1, true},
		"City":  {0, begin("7"), true}, // a short figure is the number of a box, no label
		"Alone": {0, 1, false},
	} {
		left, right, ok := x.neighbours(segmentAt(t, x, text))
		if left != want.left || right != want.right || ok != want.ok {
			t.Errorf("%s: %v %v %v, want %+v", text, left, right, ok, want)
		}
	}
}

func TestWordsBetween(t *testing.T) {
	x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, "one two    three - four"))
	place := func(i int) page.Box { return x.words[i].Box }
	for name, c := range map[string]struct {
		from, to float64
		want     string
	}{
		"all":         {0, 1, "one two three - four"},
		"two":         {place(0).X1, place(2).X0, "two"},
		"by its half": {place(0).X0, (place(2).X0 + place(2).X1) / 2.01, "one two"},
		"no noise":    {place(1).X1, place(4).X0, "three"},
		"none":        {0.9, 1, ""},
	} {
		if got := x.text(x.wordsBetween(0, c.from, c.to)); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestCuts(t *testing.T) {
	x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, "one two    three"))
	for s, want := range map[span]bool{{0, 2}: false, {2, 3}: false, {0, 1}: true, {1, 2}: true, {1, 3}: true, {0, 3}: true} {
		if x.cuts(s) != want {
			t.Errorf("%q: %v", x.text(s), !want)
		}
	}
}

func TestJoins(t *testing.T) {
	for _, c := range []struct {
		text string
		a, b span
		want bool
	}{
		{"Name and Title", span{0, 1}, span{2, 3}, true},
		{"Name & Title", span{0, 1}, span{2, 3}, true},
		{"Nom ET Titre", span{0, 1}, span{2, 3}, true},
		{"Name and Title", span{0, 2}, span{2, 3}, true},
		{"Name of Title", span{0, 1}, span{2, 3}, false},
		{"Name Title", span{0, 1}, span{1, 2}, false},
		{"Name and his Title", span{0, 1}, span{3, 4}, false},
		{"Name and Title", span{2, 3}, span{0, 1}, false},
	} {
		x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, c.text))
		if got := x.joins(c.a, c.b); got != c.want {
			t.Errorf("%q and %q of %q: %v", x.text(c.a), x.text(c.b), c.text, got)
		}
	}
}

func TestDividedAt(t *testing.T) {
	for text, want := range map[string][2]string{
		"Jane Doe, Director":          {"Jane Doe,", "Director"},
		"Jane Doe - Director":         {"Jane Doe", "Director"},
		"Jane Doe / Director, Sales":  {"Jane Doe", "Director, Sales"},
		"North Quay, Ltd":             {"", ""},
		"North Quay, Ltd , its agent": {"North Quay, Ltd ,", "its agent"},
		"Jane Doe":                    {"", ""},
		"Jane Doe,":                   {"", ""},
		"- Director":                  {"", ""},
	} {
		x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, text))
		end, next := x.dividedAt(span{0, len(x.words)})
		got := [2]string{}
		if end > 0 {
			got = [2]string{x.text(span{0, end}), x.text(span{next, len(x.words)})}
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestColumnCandidates(t *testing.T) {
	for name, c := range map[string]struct {
		fields, text string
		with         feature
		want         []string
	}{
		"answers that run into one another": {`[{"name":"city"}]`, `
Name        City          Country
Jane Doe    Bristol Bay   England`, valueClipped, nil},
		"written over the line between": {`[{"name":"city"}]`, `
Name      City      Country
Jane Doe  Bristol England`, valueClipped, []string{"Bristol"}},
		"no neighbours": {`[{"name":"city"}]`, `
City
Bristol  England`, valueClipped, nil},
		"numbers are not cut": {`[{"name":"amount","type":"number"}]`, `
Name      Amount    Tax
Jane Doe  12.00 3.00`, valueClipped, nil},
		"the first of two things": {`[{"name":"signer_name"},{"name":"signer_title"}]`, `
Signer name and title          Date
Jane Doe, Director             today`, valueHalf, []string{"Jane Doe"}},
		"the second of two things": {`[{"name":"signer_title"},{"name":"signer_name"}]`, `
Signer name and title          Date
Jane Doe, Director             today`, valueHalf, []string{"Director"}},
		"two things on two lines": {`[{"name":"signer_title"},{"name":"signer_name"}]`, `
Signer name and title          Date
Jane Doe                       today
Harbour master`, valueHalf, []string{"Harbour master"}},
		"one thing only": {`[{"name":"signer_title"}]`, `
Signer name and title          Date
Jane Doe, Director             today`, valueHalf, nil},
	} {
		_, choices := prepare(t, c.fields, sheet(1, c.text))
		if got := candidatesWith(choices[0].candidates, c.with); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

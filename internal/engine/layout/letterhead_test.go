package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFindLetterhead(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string // lines; "-" where something ends, "@" before what reads like an address
	}{
		"a name and an address": {`
North Quay Ltd
12 Quay Street
Bristol`, []string{"North Quay Ltd", "@12 Quay Street", "Bristol"}},
		"what is no part of them": {`
North Quay Ltd
(formerly South Quay)
Tel: 0117 496 0000
12345678
office@example.com
Invoice no 17
03.05.2026
Company number 44
Tea 12.00`, []string{"North Quay Ltd", "-", "-", "-", "-", "-", "-", "-", "-"}},
		"a gap": {`
North Quay Ltd

12 Quay Street`, []string{"North Quay Ltd", "-", "@12 Quay Street"}},
		"side by side": {`
North Quay Ltd
                              Bristol`, []string{"North Quay Ltd", "-", "Bristol"}},
		"two columns":      {"North Quay              Bristol", []string{"-"}},
		"beside a company": {"North Quay Ltd              INVOICE", []string{"North Quay Ltd"}},
		"a column beside it": {`
North Quay Ltd
12 Quay Street              Invoice no. 7
Bristol                     12 May 2026`, []string{"North Quay Ltd", "@12 Quay Street", "Bristol"}},
		"wide words":     {"North  Quay  Ltd", []string{"North Quay Ltd"}},
		"marks":          {"North Quay Ltd\n- - - -\n| Bristol .", []string{"North Quay Ltd", "-", "Bristol"}},
		"prose":          {strings.Repeat("so ", longestHeadLine+1), []string{"-"}},
		"a long number":  {"No 1234-5678", []string{"-"}},
		"the lower half": {"." + strings.Repeat("\n", 40) + "North Quay Ltd", nil},
	} {
		x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, c.text))
		var got []string
		for _, h := range x.head {
			switch {
			case h.breaks:
				got = append(got, "-")
			case h.address:
				got = append(got, "@"+x.text(h.span))
			default:
				got = append(got, x.text(h.span))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestLetterheadsAreBounded(t *testing.T) {
	x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, strings.Repeat("Tea\n", 60)), sheet(2, "North Quay Ltd"))
	for _, h := range x.head {
		if l := x.lines[x.words[h.from].line]; l.page > 0 || l.box.Y0 > headEnd {
			t.Errorf("%q is in it", x.text(h.span))
		}
	}
	if len(x.head) == 0 || len(x.head) > mostHeadLines {
		t.Errorf("%d lines", len(x.head))
	}
}

func TestWithoutNoise(t *testing.T) {
	for text, want := range map[string]string{
		"North Quay":         "North Quay",
		"- * North Quay . |": "North Quay",
		"l | North Quay":     "North Quay",
		"12 | North Quay":    "North Quay",
		"Bar | North Quay":   "Bar | North Quay",
		"l |":                "l",
		"— ~ •":              "",
	} {
		x, _ := prepare(t, `[{"name":"nothing"}]`, sheet(1, text))
		if got := x.text(x.withoutNoise(span{0, len(x.words)})); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestLetterheadCandidates(t *testing.T) {
	const text = `
North Quay Ltd
Ropes and chains
12 Quay Street
Bristol
Tel: 0117 496 0000

Harbour Office`
	for fields, want := range map[string]map[feature][]string{
		`[{"name":"vendor_name"}]`: {
			headFirst:  {"North Quay Ltd", "North Quay Ltd Ropes and chains"},
			headBelow:  {"Ropes and chains", "Ropes and chains 12 Quay Street"},
			headBegins: {"Harbour Office"},
			headEnds:   {"Harbour Office", "12 Quay Street Bristol", "Bristol"},
		},
		`[{"name":"vendor_address"}]`: {
			headFirst: {"North Quay Ltd Ropes and chains 12 Quay Street", "North Quay Ltd Ropes and chains 12 Quay Street Bristol"},
			headEnds:  {"North Quay Ltd Ropes and chains 12 Quay Street Bristol", "Ropes and chains 12 Quay Street Bristol", "12 Quay Street Bristol"},
		},
	} {
		_, choices := prepare(t, fields, sheet(1, text))
		for f, values := range want {
			got := candidatesWith(choices[0].candidates, f)
			slices.Sort(got)
			slices.Sort(values)
			if diff := cmp.Diff(values, got); diff != "" {
				t.Errorf("%s, %s: %s", fields, featureNames[f], diff)
			}
		}
	}
}

// TestWhatBreaksAnAddress: the paragraph goes on with what is no address.
func TestWhatBreaksAnAddress(t *testing.T) {
	_, choices := prepare(t, `[{"name":"vendor_address"}]`, sheet(1, `
North Quay Ltd
12 Quay Street
20095 Bristol
(GST No. 000306020352)
Harbour Mall`))
	broken := candidatesWith(choices[0].candidates, headBroken)
	if len(broken) == 0 {
		t.Error("no candidate has another line in it")
	}
	for _, c := range choices[0].candidates {
		text, _ := c.value.(string)
		if (c.evidence[headBroken] > 0) != strings.Contains(text, "GST") && len(c.spans) > 1 {
			t.Errorf("%q: %v", text, c.evidence[headBroken])
		}
	}
}

package ocr_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"fieldlift/internal/ocr"
)

const head = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n"

func TestParseTSV(t *testing.T) {
	words, err := ocr.ParseTSV(strings.NewReader(head +
		"1\t1\t0\t0\t0\t0\t0\t0\t600\t800\t-1\t\n" +
		"4\t1\t1\t1\t1\t0\t10\t20\t100\t14\t-1\t\n" +
		"5\t1\t1\t1\t1\t1\t10\t20\t40\t12\t96.5\tTotal:\n" +
		"5\t1\t1\t1\t1\t2\t60\t20\t50\t14\t0\t \n" +
		"4\t1\t1\t1\t2\t0\t10\t50\t100\t15\t-1\t\n" +
		"5\t1\t1\t1\t2\t1\t10\t50\t40\t15\t100\t\"quoted\n" +
		"5\t1\t1\t1\t2\t2\t-7\t50\t40\t15\t100\tbeyond\n" +
		"5\t1\t1\t1\t2\t3\t60\t50\t-4\t15\t100\tinside-out\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range words {
		words[i].Confidence = 0 // how it is counted is measured elsewhere
	}
	want := []ocr.Word{
		{Text: "Total:", X0: 10, Y0: 20, X1: 50, Y1: 32, Line: 1, LineHeight: 14},
		{Text: `"quoted`, X0: 10, Y0: 50, X1: 50, Y1: 65, Line: 2, LineHeight: 15},
		{Text: "beyond", X0: 0, Y0: 50, X1: 33, Y1: 65, Line: 2, LineHeight: 15},
	}
	if diff := cmp.Diff(want, words); diff != "" {
		t.Error(diff)
	}
	for name, text := range map[string]string{
		"too few columns": head + "5\t1\t1\n",
		"no number":       head + "5\t1\t1\t1\t1\t1\tx\t20\t40\t12\t96.5\tTotal\n",
		"no confidence":   head + "5\t1\t1\t1\t1\t1\t7\t20\t40\t12\thigh\tTotal\n",
	} {
		if words, err := ocr.ParseTSV(strings.NewReader(text)); err == nil {
			t.Errorf("%s: %v", name, words)
		}
	}
}

func FuzzParseTSV(f *testing.F) {
	f.Add(head + "4\t1\t1\t1\t1\t0\t10\t20\t100\t14\t-1\t\n5\t1\t1\t1\t1\t1\t10\t20\t40\t12\t96.5\tTotal:\n")
	f.Add("5\t1\t1\t1\t1\t1\t10\t20\t40\t12\tNaN\t\x00\xff\n")
	f.Add("5\t1\t1\t1\t1\t1\t-99999999999999999999\t20\t99999999999999999999\t12\t96\tx\n")
	f.Fuzz(func(t *testing.T, text string) {
		words, err := ocr.ParseTSV(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, w := range words {
			if w.Text == "" || strings.ContainsAny(w.Text, " \t\n") || w.X0 < 0 || w.Y0 < 0 || w.X1 < w.X0 || w.Y1 < w.Y0 || !(w.Confidence >= 0 && w.Confidence <= 1) {
				t.Errorf("%+v", w)
			}
		}
		ocr.Quality(words)
	})
}

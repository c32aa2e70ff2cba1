package ocreval

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fieldlift/internal/reader"
	"fieldlift/internal/scan"
)

// The test program is its own child, as the service is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "reader-child" {
		if err := reader.RunChild(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestHowPagesLie holds the preparation to what was done to the pages.
func TestHowPagesLie(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := reader.New(reader.Options{Command: []string{program, "reader-child"}})
	defer r.Close()
	folder := t.TempDir()
	for _, k := range kinds() {
		for _, s := range k.specimens() {
			source := filepath.Join(folder, s.name+".pdf")
			if err := os.WriteFile(source, s.pdf, 0o600); err != nil {
				t.Fatal(err)
			}
			t.Run(s.name+", "+k.name, func(t *testing.T) {
				drawn, err := r.Render(t.Context(), source, 1, k.dpi)
				if err != nil {
					t.Fatal(err)
				}
				img, err := png.Decode(bytes.NewReader(drawn))
				if err != nil {
					t.Fatal(err)
				}
				file, err := k.encoded(k.distort(grey(img)))
				if err != nil {
					t.Fatal(err)
				}
				path := filepath.Join(folder, "page")
				if err := os.WriteFile(path, file, 0o600); err != nil {
					t.Fatal(err)
				}
				p, err := r.Scan(t.Context(), path, 1, scan.Unknown)
				if err != nil {
					t.Fatal(err)
				}
				checkStance(t, p, s.name, k)
				if rules := len(p.Rules); s.name == "invoice" && (rules < 29 || rules > 33) || s.name != "invoice" && rules > 2 {
					t.Errorf("%d rules", rules)
				}
			})
		}
	}
}

func checkStance(t *testing.T, p scan.Picture, name string, k kind) {
	t.Helper()
	turned := map[string]int{"rotated 90°": 90, "rotated 270°": 90}[k.name]
	skew := map[string]float64{"rotated 1.3°": 1.3, "rotated 8°": 8, "photograph": -3.4}[k.name]
	if p.Turned != turned || math.Abs(p.Skew-skew) > 0.2 {
		t.Errorf("turned by %d, slanting by %.2f", p.Turned, p.Skew)
	}
	upside := map[string]float64{"rotated 90°": -1, "rotated 180°": -1}[k.name]
	if upside == 0 {
		upside = 1
	}
	if name == "receipt" { // capitals and digits do not tell
		return
	}
	if p.Upright*upside < 0.8 {
		t.Errorf("upright: %.2f", p.Upright)
	}
}

func TestScores(t *testing.T) {
	truth := strings.Fields("the quick brown fox")
	for _, c := range []struct {
		read       string
		f1, errors float64
	}{
		{"the quick brown fox", 1, 0},
		{"fox brown quick the", 1, 0.84},
		{"the quick brovvn fox", 0.75, 2.0 / 19},
		{"", 0, 1},
	} {
		read := strings.Fields(c.read)
		if f1 := wordF1(truth, read); math.Abs(f1-c.f1) > 0.01 {
			t.Errorf("%q: F1 %.3f", c.read, f1)
		}
		if errors := characterErrors(truth, read); math.Abs(errors-c.errors) > 0.06 {
			t.Errorf("%q: errors %.3f", c.read, errors)
		}
	}
	if got := recall([]string{"ACME", "Ltd.", "-"}, []string{"acme", "Inc"}); got != 0.5 {
		t.Errorf("recall %g", got)
	}
}

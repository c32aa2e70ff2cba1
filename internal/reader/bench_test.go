package reader_test

import (
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"

	"fieldlift/internal/reader"
)

const benchmarkPages = 20

// benchmarkFile has pages as full of text as those of a contract.
func benchmarkFile() []byte {
	words := strings.Fields(`The Borrower shall pay to the Lender on each payment date the amounts of principal and
		interest that are due under this agreement together with all fees costs and expenses which the Lender has
		incurred or may incur in connection with it and which it has notified in writing at least ten days before`)
	var sheets []sheet
	for n := range benchmarkPages {
		var content strings.Builder
		for line := range 50 {
			var text []string
			for at := range 11 {
				text = append(text, words[(n*7+line*13+at)%len(words)])
			}
			font := "F1"
			if line%10 == 0 {
				font = "F2"
			}
			content.WriteString(show(font, 10, 60, float64(790-15*line), fmt.Sprintf("%d. %s", line+1, strings.Join(text, " "))))
		}
		sheets = append(sheets, sheet{content: content.String()})
	}
	return makePDF(sheets)
}

// BenchmarkReadText reads a PDF through a warm child; the reference is a run of
// poppler's pdftotext, which gives words with their boxes too.
func BenchmarkReadText(b *testing.B) {
	path := write(b, "a.pdf", benchmarkFile())
	perPage := func(b *testing.B) {
		b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N)/benchmarkPages, "ms/page")
	}
	b.Run("fieldlift", func(b *testing.B) {
		r := setup(b, func(o *reader.Options) { o.Children = 1 })
		if err := r.Warm(b.Context()); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := r.Read(b.Context(), path); err != nil {
				b.Fatal(err)
			}
		}
		perPage(b)
	})
	b.Run("pdftotext", func(b *testing.B) {
		program, err := exec.LookPath("pdftotext")
		if err != nil {
			b.Skip("pdftotext is not installed (poppler-utils)")
		}
		for b.Loop() {
			command := exec.CommandContext(b.Context(), program, "-bbox", path, "-")
			command.Stdout = io.Discard
			if err := command.Run(); err != nil {
				b.Fatal(err)
			}
		}
		perPage(b)
	})
}

// Package ocreval measures how well and how cheaply text is recognised, beside
// plain tesseract in the same run: on pages that it makes itself and spoils as
// scanners and telephones do, and on documents that it is given.
//
// It is for those who work on the program; the service does not use it.
package ocreval

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"fieldlift/internal/reader"
	"fieldlift/internal/transcribe"
)

// Bench measures.
type Bench struct {
	Reader      *reader.Reader
	Transcriber *transcribe.Transcriber // ours, with one page at a time
	Languages   []string                // for plain tesseract
	Folder      string                  // for the pages that are made
	Out         io.Writer               // gets the table, row by row
	Verbose     bool                    // a row for each page, too
	Only        string                  // kinds whose names contain it
	OneThread   bool                    // do not run plain tesseract with its usual threads

	calibration calibration
}

// score is what one reading of a page came to.
type score struct {
	f1, errors float64
	cpu        float64 // seconds
}

func (s score) plus(o score) score { return score{s.f1 + o.f1, s.errors + o.errors, s.cpu + o.cpu} }

func (s score) by(n int) score {
	d := float64(max(n, 1))
	return score{s.f1 / d, s.errors / d, s.cpu / d}
}

// row compares readings of some pages.
type row struct {
	name                  string
	pages                 int
	plain, threaded, ours score
}

func (r row) plus(o row) row {
	r.pages += o.pages
	r.plain, r.threaded, r.ours = r.plain.plus(o.plain), r.threaded.plus(o.threaded), r.ours.plus(o.ours)
	return r
}

// Made measures on pages of the project's own.
func (b *Bench) Made(ctx context.Context) error {
	b.head("word F1")
	if err := b.Reader.Warm(ctx); err != nil {
		return err
	}
	var all, hard row
	for _, k := range kinds() {
		if !strings.Contains(k.name, b.Only) {
			continue
		}
		sum := row{name: k.name}
		for _, s := range k.specimens() {
			one, err := b.made(ctx, k, s)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", s.name, k.name, err)
			}
			if b.Verbose {
				b.print(one)
			}
			sum = sum.plus(one)
		}
		b.print(sum)
		all = all.plus(sum)
		if k.hard {
			hard = hard.plus(sum)
		}
	}
	all.name, hard.name = "all", "rotated, shadowed, photographs"
	b.print(hard)
	b.print(all)
	b.calibration.print(b.Out)
	return nil
}

func (b *Bench) made(ctx context.Context, k kind, s specimen) (row, error) {
	source := filepath.Join(b.Folder, s.name+".pdf")
	if err := os.WriteFile(source, s.pdf, 0o600); err != nil {
		return row{}, err
	}
	drawn, err := b.Reader.Render(ctx, source, 1, k.dpi)
	if err != nil {
		return row{}, err
	}
	decoded, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		return row{}, err
	}
	file, err := k.encoded(k.distort(grey(decoded)))
	if err != nil {
		return row{}, err
	}
	path := filepath.Join(b.Folder, s.name+" "+k.name)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		return row{}, err
	}
	return b.compare(ctx, "  "+s.name+", "+k.name, path, known(s.text))
}

// truth is what is known of a page's text.
type truth struct {
	lines []string // all of it; nil when that is not known
	words []string // or some that are on it
}

func known(lines []string) truth { return truth{lines: lines} }

// judge compares what was read with the truth.
func (t truth) judge(lines []string) (f1, errors float64) {
	if t.lines == nil {
		return recall(t.words, wordsOf(lines)), 0
	}
	return wordF1(wordsOf(t.lines), wordsOf(lines)), characterErrors(t.lines, lines)
}

// compare reads a picture by plain tesseract and by ours.
func (b *Bench) compare(ctx context.Context, name, path string, t truth) (row, error) {
	r := row{name: name, pages: 1}
	for _, try := range []struct {
		into *score
		read func() ([]string, error)
	}{
		{&r.threaded, func() ([]string, error) { return b.plain(ctx, path, false) }},
		{&r.plain, func() ([]string, error) { return b.plain(ctx, path, true) }},
		{&r.ours, func() ([]string, error) { return b.ours(ctx, path, t) }},
	} {
		if b.OneThread && try.into == &r.threaded {
			continue
		}
		before := processorTime()
		lines, err := try.read()
		if err != nil {
			return row{}, err
		}
		try.into.cpu = processorTime() - before
		try.into.f1, try.into.errors = t.judge(lines)
	}
	return r, nil
}

func (b *Bench) ours(ctx context.Context, path string, t truth) ([]string, error) {
	document, err := b.Transcriber.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, p := range document.Pages {
		lines = append(lines, textOf(p)...)
		if t.lines != nil {
			b.calibration.note(wordsOf(t.lines), p.Words)
		}
	}
	return lines, nil
}

func (b *Bench) head(measure string) {
	_, _ = fmt.Fprintf(b.Out, "%-32s %5s  %-17s  %-17s  %s\n%-32s %5s  %8s %8s  %8s %8s  %8s %8s %8s %6s\n",
		"", "", measure, "character errors", "CPU seconds a page",
		"", "pages", "plain", "ours", "plain", "ours", "plain", "1 thread", "ours", "ratio")
}

func (b *Bench) print(r row) {
	if r.pages == 0 {
		return
	}
	plain, threaded, ours := r.plain.by(r.pages), r.threaded.by(r.pages), r.ours.by(r.pages)
	_, _ = fmt.Fprintf(b.Out, "%-32s %5d  %8.1f %8.1f  %8.1f %8.1f  %8.2f %8.2f %8.2f %6.2f\n", strings.TrimRight(r.name, " "), r.pages,
		100*plain.f1, 100*ours.f1, 100*plain.errors, 100*ours.errors, threaded.cpu, plain.cpu, ours.cpu, ours.cpu/plain.cpu)
}

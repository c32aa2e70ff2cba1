package ocreval

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/page"
)

// mostPages bounds how many pages of a document are measured on.
const mostPages = 2

// givenDPI is at which pages of PDFs are drawn for both.
const givenDPI = 200

// Given measures on documents of others. In a folder with a cases.jsonl, as
// labelled sets have it, the words of expected values are looked for; elsewhere
// PDFs with text are drawn, and their text is the truth.
func (b *Bench) Given(ctx context.Context, paths []string) error {
	b.head("F1 or recall")
	if err := b.Reader.Warm(ctx); err != nil {
		return err
	}
	var all row
	for _, path := range paths {
		sum, err := b.given(ctx, path)
		if err != nil {
			return err
		}
		b.print(sum)
		all = all.plus(sum)
	}
	all.name = "all"
	b.print(all)
	b.calibration.print(b.Out)
	return nil
}

func (b *Bench) given(ctx context.Context, path string) (row, error) {
	sum := row{name: filepath.Base(path)}
	files, err := documents(path)
	if err != nil {
		return sum, err
	}
	expected, err := expectations(path)
	if err != nil {
		return sum, err
	}
	for _, file := range files {
		rows, err := b.document(ctx, file, expected[file])
		if err != nil {
			if _, told := errors.AsType[*fieldlift.Error](err); !told {
				return sum, fmt.Errorf("%s: %w", file, err)
			}
			_, _ = fmt.Fprintf(b.Out, "  %s: %v\n", filepath.Base(file), err)
			continue
		}
		for _, one := range rows {
			if b.Verbose {
				b.print(one)
			}
			sum = sum.plus(one)
		}
	}
	return sum, nil
}

// document measures on the first pages of a file.
func (b *Bench) document(ctx context.Context, file string, wanted []string) ([]row, error) {
	read, err := b.Reader.Read(ctx, file)
	if err != nil {
		return nil, err
	}
	name := "  " + filepath.Base(file)
	if wanted != nil && read.Kind != "pdf" {
		one, err := b.compare(ctx, name, file, truth{words: wanted})
		return []row{one}, err
	}
	var rows []row
	for _, p := range read.Pages[:min(len(read.Pages), mostPages)] {
		expected := known(textOf(p))
		if !hasText(p) {
			if wanted == nil {
				continue
			}
			expected = truth{words: wanted}
		}
		drawn, err := b.Reader.Render(ctx, file, p.Number, givenDPI)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(b.Folder, "page.png")
		if err := os.WriteFile(path, drawn, 0o600); err != nil {
			return nil, err
		}
		one, err := b.compare(ctx, fmt.Sprintf("%s, page %d", name, p.Number), path, expected)
		if err != nil {
			return nil, err
		}
		rows = append(rows, one)
	}
	return rows, nil
}

// hasText tells whether a page's own text can be the truth: all of it is
// printed, and there is no picture that may hold more.
func hasText(p page.Page) bool { return len(p.Words) > 20 && p.Hidden == 0 && p.Images < 0.3 }

// documents are the files under a path that can be read.
func documents(path string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(path, func(path string, entry fs.DirEntry, err error) error {
		known := []string{".pdf", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp", ".bmp", ".gif", ".heic"}
		if err == nil && !entry.IsDir() && slices.Contains(known, strings.ToLower(filepath.Ext(path))) {
			files = append(files, path)
		}
		return err
	})
	return files, err
}

// expectations are the words of the values that a set of labelled documents
// expects, by file.
func expectations(folder string) (map[string][]string, error) {
	file, err := os.Open(filepath.Join(folder, "cases.jsonl"))
	if err != nil {
		return nil, nil //nolint:nilerr // a set without labels, or a single file
	}
	defer file.Close()
	found := map[string][]string{}
	in := bufio.NewScanner(file)
	in.Buffer(nil, 64<<20)
	for in.Scan() {
		var one struct {
			File     string `json:"file"`
			Expected any    `json:"expected"`
		}
		if err := json.Unmarshal(in.Bytes(), &one); err != nil {
			return nil, fmt.Errorf("cases.jsonl: %w", err)
		}
		found[filepath.Join(folder, one.File)] = valuesOf(one.Expected)
	}
	return found, in.Err()
}

// valuesOf are the words of all texts in a value.
func valuesOf(value any) []string {
	words := []string{}
	switch value := value.(type) {
	case string:
		words = strings.Fields(value)
	case float64:
		words = append(words, fmt.Sprintf("%.2f", value))
	case []any:
		for _, v := range value {
			words = append(words, valuesOf(v)...)
		}
	case map[string]any:
		for _, v := range value {
			words = append(words, valuesOf(v)...)
		}
	}
	return words
}

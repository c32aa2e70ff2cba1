package reader_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/reader"
)

// TestEvaluationFiles reads every document under FIELDLIFT_EVAL: whatever comes
// in, there is a clear error or a result, in bounded time, and the next document
// works.
func TestEvaluationFiles(t *testing.T) {
	root := os.Getenv("FIELDLIFT_EVAL")
	if root == "" {
		t.Skip("FIELDLIFT_EVAL names no folder with documents")
	}
	r := setup(t, func(o *reader.Options) { o.Children = 1 })
	if err := r.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	var files, pages, words int
	var spent time.Duration
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.Contains([]string{".pdf", ".png", ".jpg", ".gif", ".tif", ".tiff"}, filepath.Ext(path)) {
			return err
		}
		files++
		name := strings.TrimPrefix(path, root+"/")
		began := time.Now()
		info, err := r.Inspect(t.Context(), path)
		inspected := time.Since(began)
		if err != nil {
			t.Logf("%s: inspect %s: %v", name, inspected.Round(time.Millisecond), err)
			if _, ours := errors.AsType[*fieldlift.Error](err); !ours {
				t.Errorf("%s: not an error for people: %v", name, err)
			}
			return nil
		}
		began = time.Now()
		document, err := r.Read(t.Context(), path)
		took := time.Since(began)
		spent += took
		if err != nil {
			t.Logf("%s: read %s: %v", name, took.Round(time.Millisecond), err)
			if _, ours := errors.AsType[*fieldlift.Error](err); !ours {
				t.Errorf("%s: not an error for people: %v", name, err)
			}
			return nil
		}
		if len(document.Pages) != info.Pages {
			t.Errorf("%s: %d pages counted, %d read", name, info.Pages, len(document.Pages))
		}
		pages += info.Pages
		count, rules := 0, 0
		for _, p := range document.Pages {
			count += len(p.Words)
			rules += len(p.Rules)
		}
		words += count
		t.Logf("%s: %d pages, %d words, %d rules, images %.2f, inspect %s, read %s", name, info.Pages, count, rules,
			document.Pages[0].Images, inspected.Round(time.Millisecond), took.Round(time.Millisecond))
		if os.Getenv("FIELDLIFT_EVAL_RENDER") != "" {
			began = time.Now()
			_, err = r.Render(t.Context(), path, 1, 200)
			t.Logf("%s: rendered in %s: %v", name, time.Since(began).Round(time.Millisecond), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d pages, %d words read in %s", files, pages, words, spent)
}

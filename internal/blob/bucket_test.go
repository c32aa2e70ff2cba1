package blob_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/sync/errgroup"

	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
)

// onEach runs a test on an empty bucket of each kind.
func onEach(t *testing.T, test func(t *testing.T, b blob.Bucket)) {
	t.Helper()
	t.Run("Dir", func(t *testing.T) {
		test(t, open(t, "", filepath.Join(t.TempDir(), "a folder?#%25")))
	})
	t.Run("S3", func(t *testing.T) {
		test(t, open(t, withPrefix(apptest.NewS3(t), "some/prefix"), ""))
	})
}

func withPrefix(address, prefix string) string {
	return strings.Replace(address, "?", "/"+prefix+"?", 1)
}

func open(t testing.TB, address, dataDir string) blob.Bucket {
	t.Helper()
	b, err := blob.Open(t.Context(), address, dataDir)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func put(t testing.TB, b blob.Bucket, key, content string) {
	t.Helper()
	if err := b.Put(t.Context(), key, strings.NewReader(content), int64(len(content))); err != nil {
		t.Fatal(err)
	}
}

func wantContent(t testing.TB, b blob.Bucket, key, want string) {
	t.Helper()
	f, err := b.Open(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got, err := io.ReadAll(f); err != nil || string(got) != want {
		t.Errorf("%s holds %.100q, %v; want %.100q", key, got, err, want)
	}
}

func wantMissing(t testing.TB, b blob.Bucket, key string) {
	t.Helper()
	f, err := b.Open(t.Context(), key)
	if !errors.Is(err, blob.ErrNotFound) {
		t.Errorf("Open of %s: %v, want ErrNotFound", key, err)
	}
	if err == nil {
		_ = f.Close()
	}
}

// keys gives the keys that List finds, sorted.
func keys(t testing.TB, b blob.Bucket, prefix string) []string {
	t.Helper()
	found := []string{}
	for entry, err := range b.List(t.Context(), prefix) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, entry.Key)
	}
	slices.Sort(found)
	return found
}

func wantKeys(t testing.TB, b blob.Bucket, prefix string, want ...string) {
	t.Helper()
	if got := keys(t, b, prefix); !slices.Equal(got, want) {
		t.Errorf("the keys under %q are %q, want %q", prefix, got, want)
	}
}

// once hides that a reader can do more than read.
type once struct{ io.Reader }

func TestWhatIsPutCanBeOpened(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		put(t, b, "ext_1/doc_1", "an invoice")
		put(t, b, "ext_1/doc_2", "")
		put(t, b, "a/b/c/d-e_f.G9", "deep")
		put(t, b, "plain", "at the top")
		wantContent(t, b, "ext_1/doc_1", "an invoice")
		wantContent(t, b, "ext_1/doc_2", "")
		wantContent(t, b, "a/b/c/d-e_f.G9", "deep")
		wantContent(t, b, "plain", "at the top")

		put(t, b, "ext_1/doc_1", "another")
		wantContent(t, b, "ext_1/doc_1", "another")
		wantKeys(t, b, "", "a/b/c/d-e_f.G9", "ext_1/doc_1", "ext_1/doc_2", "plain")
	})
}

func TestContentMayBeAnyReader(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		content := strings.Repeat("0123456789", 20_000)
		size := int64(len(content))
		if err := b.Put(t.Context(), "once", once{strings.NewReader(content)}, size); err != nil {
			t.Fatal(err)
		}
		wantContent(t, b, "once", content)

		name := filepath.Join(t.TempDir(), "spool")
		if err := os.WriteFile(name, []byte("skipped"+content), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.Seek(int64(len("skipped")), io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if err := b.Put(t.Context(), "file", f, size); err != nil {
			t.Fatal(err)
		}
		wantContent(t, b, "file", content)
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Errorf("the caller's file is closed: %v", err)
		}
	})
}

func TestWhatIsMissing(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		put(t, b, "ext_1/doc_1", "x")
		for _, key := range []string{"ext_1/doc_2", "ext_2/doc_1", "ext_1", "ext_1/doc_1/part", "ext"} {
			wantMissing(t, b, key)
			if err := b.Delete(t.Context(), key); err != nil {
				t.Errorf("Delete of %s: %v", key, err)
			}
		}
		wantContent(t, b, "ext_1/doc_1", "x")
		wantKeys(t, b, "ext_2/")
		wantKeys(t, b, "nothing")
	})
}

func TestDelete(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		for _, key := range []string{"ext_1/doc_1", "ext_1/doc_2", "ext_2/doc_3", "ext_2/doc_4"} {
			put(t, b, key, key)
		}
		if err := b.Delete(t.Context()); err != nil {
			t.Error(err)
		}
		if err := b.Delete(t.Context(), "ext_1/doc_1", "ext_1/missing", "ext_2/doc_3", "ext_1/doc_2"); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, b, "", "ext_2/doc_4")
		wantMissing(t, b, "ext_1/doc_1")
		put(t, b, "ext_1/doc_1", "again")
		wantContent(t, b, "ext_1/doc_1", "again")
	})
}

func TestListGoesByPrefix(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		before := time.Now().Add(-time.Minute)
		for _, key := range []string{"ext_1/doc_1", "ext_1/doc_2", "ext_10/doc_3", "other/ext_1/doc_4", "e"} {
			put(t, b, key, key)
		}
		wantKeys(t, b, "ext_1/", "ext_1/doc_1", "ext_1/doc_2")
		wantKeys(t, b, "ext_1", "ext_1/doc_1", "ext_1/doc_2", "ext_10/doc_3")
		wantKeys(t, b, "ext_1/doc_2", "ext_1/doc_2")
		wantKeys(t, b, "e", "e", "ext_1/doc_1", "ext_1/doc_2", "ext_10/doc_3")
		wantKeys(t, b, "other/ext_", "other/ext_1/doc_4")
		for entry, err := range b.List(t.Context(), "") {
			if err != nil {
				t.Fatal(err)
			}
			if entry.Size != int64(len(entry.Key)) || entry.ModTime.Before(before) || entry.ModTime.After(time.Now().Add(time.Minute)) {
				t.Errorf("%+v", entry)
			}
		}
		for range b.List(t.Context(), "ext_") {
			break // a range that ends early must not panic or go on
		}
	})
}

func TestMoreFilesThanOnePageOrBatchHolds(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		const files = 1100
		var group errgroup.Group
		group.SetLimit(8)
		want := make([]string, files)
		for i := range files {
			want[i] = fmt.Sprintf("ext_%02d/doc_%04d", i/50, i)
			group.Go(func() error { return b.Put(t.Context(), want[i], strings.NewReader("x"), 1) })
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, b, "ext_", want...)
		if err := b.Delete(t.Context(), want...); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, b, "")
	})
}

func TestBadKeysAreRefused(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		put(t, b, "good", "x")
		bad := []string{
			"", "/", "/etc/passwd", "..", "../x", "a/../b", "a/..", ".", "./a", "a/./b", "a//b", "a/", ".tmp/x", ".check",
			"a\\b", "C:x", "a b", "a\x00", "ä", "a\nb", "a?b", "a%2e", strings.Repeat("a", 201), strings.Repeat("a/", 300) + "a",
		}
		for _, key := range bad {
			if err := b.Put(t.Context(), key, strings.NewReader("x"), 1); err == nil {
				t.Errorf("Put takes %q", key)
			}
			if f, err := b.Open(t.Context(), key); err == nil || errors.Is(err, blob.ErrNotFound) {
				t.Errorf("Open takes %q: %v, %v", key, f, err)
			}
			if err := b.Delete(t.Context(), "good", key); err == nil {
				t.Errorf("Delete takes %q", key)
			}
		}
		for _, prefix := range []string{"/", "..", "../", "a//", ".tmp/", "a b"} {
			for entry, err := range b.List(t.Context(), prefix) {
				if err == nil {
					t.Errorf("List takes %q: %v", prefix, entry)
				}
			}
		}
		wantKeys(t, b, "", "good") // nothing was done for the sake of the good key either
	})
}

func TestContentThatFailsLeavesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		put(t, b, "ext_1/kept", "before")
		broken := errors.New("the client went away")
		half := func() io.Reader { return io.MultiReader(strings.NewReader("half"), iotest.ErrReader(broken)) }
		for _, key := range []string{"ext_1/kept", "ext_2/new"} {
			for name, content := range map[string]io.Reader{"a reader": half(), "a seeker": seeker{half(), 8}} {
				if err := b.Put(t.Context(), key, content, 8); !errors.Is(err, broken) {
					t.Errorf("%s fails: %v", name, err)
				}
			}
			for name, size := range map[string]int64{"too short": 9, "too long": 3, "not empty": 0} {
				if err := b.Put(t.Context(), key, strings.NewReader("12345"), size); err == nil {
					t.Errorf("a seeker that is %s is taken", name)
				}
				if err := b.Put(t.Context(), key, once{strings.NewReader("12345")}, size); err == nil {
					t.Errorf("a reader that is %s is taken", name)
				}
			}
		}
		wantContent(t, b, "ext_1/kept", "before")
		wantMissing(t, b, "ext_2/new")
		wantKeys(t, b, "", "ext_1/kept")
	})
}

// seeker can be asked for its size, and then read once.
type seeker struct {
	io.Reader
	size int64
}

func (s seeker) Seek(_ int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		return s.size, nil
	}
	return 0, nil
}

func TestAContextThatEndsLeavesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		put(t, b, "ext_1/kept", "before")
		content := strings.Repeat("x", 4<<20)
		size := int64(len(content))
		for _, key := range []string{"ext_1/kept", "ext_2/new"} {
			for _, seeks := range []bool{true, false} {
				ctx, cancel := context.WithCancel(t.Context())
				ending := &endingReader{Reader: strings.NewReader(content), after: 1 << 20, end: cancel}
				var from io.Reader = ending
				if !seeks {
					from = once{ending}
				}
				if err := b.Put(ctx, key, from, size); !errors.Is(err, context.Canceled) {
					t.Errorf("%s: %v", key, err)
				}
			}
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if err := b.Put(ended, "ext_2/new", strings.NewReader("x"), 1); !errors.Is(err, context.Canceled) {
			t.Errorf("Put: %v", err)
		}
		if _, err := b.Open(ended, "ext_1/kept"); !errors.Is(err, context.Canceled) {
			t.Errorf("Open: %v", err)
		}
		if err := b.Delete(ended, "ext_1/kept"); !errors.Is(err, context.Canceled) {
			t.Errorf("Delete: %v", err)
		}
		if err := b.Check(ended); !errors.Is(err, context.Canceled) {
			t.Errorf("Check: %v", err)
		}
		for _, err := range b.List(ended, "") {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("List: %v", err)
			}
		}
		wantContent(t, b, "ext_1/kept", "before")
		wantKeys(t, b, "", "ext_1/kept")
	})
}

// endingReader ends the context of its reading in the midst of it.
type endingReader struct {
	*strings.Reader
	after int
	end   func()
}

func (r *endingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if r.after -= n; r.after <= 0 {
		r.end()
	}
	return n, err
}

func TestLargeFilesAreStreamed(t *testing.T) {
	const size = 50 << 20
	name := filepath.Join(t.TempDir(), "large")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(f, newNoise(size)); err != nil {
		t.Fatal(err)
	}
	onEach(t, func(t *testing.T, b blob.Bucket) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if err := b.Put(t.Context(), "large/seeked", f, size); err != nil {
			t.Fatal(err)
		}
		if err := b.Put(t.Context(), "large/read", newNoise(size), size); err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"large/seeked", "large/read"} {
			stored, err := b.Open(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			wantSame(t, stored, newNoise(size))
			_ = stored.Close()
		}
		runtime.ReadMemStats(&after)
		// All that was ever allocated, so the most that was held is less.
		if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 8<<20 {
			t.Errorf("%d bytes were allocated", allocated)
		}
	})
}

// newNoise gives the same size bytes each time, none of them in memory.
func newNoise(size int64) io.Reader {
	return io.LimitReader(rand.NewChaCha8([32]byte{1}), size)
}

func wantSame(t testing.TB, got, want io.Reader) {
	t.Helper()
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		n, errA := io.ReadFull(got, a)
		m, errB := io.ReadFull(want, b)
		if !bytes.Equal(a[:n], b[:m]) || !errors.Is(errA, errB) {
			t.Fatalf("the content is not the same: %d bytes and %v, want %d and %v", n, errA, m, errB)
		}
		if errA != nil {
			return
		}
	}
}

func TestPutsAndDeletesAtOnce(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		const workers, rounds = 8, 30
		// Each worker has its own files in folders that all share.
		var kept []string
		if _, ok := b.(*blob.S3); ok {
			// The folders of Dir fall empty again and again here. S3 has none, but
			// the tests' server does, and loses a Put when one goes meanwhile.
			kept = []string{"ext_0/deep/kept", "ext_1/deep/kept"}
		}
		for _, key := range kept {
			put(t, b, key, "kept")
		}
		group, ctx := errgroup.WithContext(t.Context())
		for worker := range workers {
			group.Go(func() error {
				for round := range rounds {
					key := fmt.Sprintf("ext_%d/deep/doc_%d", round%2, worker)
					content := fmt.Sprint(worker, round)
					if err := b.Put(ctx, key, strings.NewReader(content), int64(len(content))); err != nil {
						return fmt.Errorf("put: %w", err)
					}
					f, err := b.Open(ctx, key)
					if err != nil {
						return fmt.Errorf("open: %w", err)
					}
					got, err := io.ReadAll(f)
					_ = f.Close()
					if err != nil || string(got) != content {
						return fmt.Errorf("%s holds %q, %w", key, got, err)
					}
					if err := b.Delete(ctx, key); err != nil {
						return fmt.Errorf("delete: %w", err)
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, b, "", kept...)
	})
}

func TestAFileIsAlwaysWhole(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		contents := map[string]bool{}
		for _, letter := range []string{"a", "b", "c", "d"} {
			contents[strings.Repeat(letter, 300_000)] = true
		}
		put(t, b, "ext_1/doc_1", slices.Collect(maps.Keys(contents))[0])
		group, ctx := errgroup.WithContext(t.Context())
		for content := range contents {
			group.Go(func() error {
				for range 10 {
					if err := b.Put(ctx, "ext_1/doc_1", strings.NewReader(content), int64(len(content))); err != nil {
						return fmt.Errorf("put: %w", err)
					}
					f, err := b.Open(ctx, "ext_1/doc_1")
					if err != nil {
						return fmt.Errorf("open: %w", err)
					}
					got, err := io.ReadAll(f)
					_ = f.Close()
					if err != nil || !contents[string(got)] {
						return fmt.Errorf("%d bytes that nobody put: %w", len(got), err)
					}
				}
				return nil
			})
		}
		if err := group.Wait(); err != nil {
			t.Fatal(err)
		}
		wantKeys(t, b, "", "ext_1/doc_1")
	})
}

func TestCheckLeavesNothing(t *testing.T) {
	onEach(t, func(t *testing.T, b blob.Bucket) {
		for range 2 {
			if err := b.Check(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		wantKeys(t, b, "")
	})
}

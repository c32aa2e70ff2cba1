package pageimage_test

import (
	"bytes"
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	_ "image/png"

	"fieldlift"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
	"fieldlift/internal/pageimage"
	"fieldlift/internal/reader"
)

func TestMain(m *testing.M) { os.Exit(apptest.Main(m)) }

// newReader is the service's own, in processes of this test program.
func newReader(t testing.TB) *reader.Reader {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := reader.New(reader.Options{Command: []string{program, app.ReaderChild}, CacheDir: filepath.Join(os.TempDir(), "fieldlift-test-cache")})
	t.Cleanup(r.Close)
	return r
}

type rig struct {
	*pageimage.Images
	blobs blob.Bucket
	dir   string
}

func newRig(t testing.TB, renderer pageimage.Renderer, change ...func(*pageimage.Options)) rig {
	t.Helper()
	blobs, err := blob.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := pageimage.Options{Blobs: blobs, Renderer: renderer, Dir: filepath.Join(t.TempDir(), "pages")}
	for _, c := range change {
		c(&o)
	}
	return rig{pageimage.New(o), blobs, o.Dir}
}

// keep puts a document's file into the bucket.
func (r rig) keep(t testing.TB, content []byte) pageimage.Source {
	t.Helper()
	d := fieldlift.Document{
		ID: fieldlift.NewID(fieldlift.DocumentPrefix), ExtractionID: fieldlift.NewID(fieldlift.ExtractionPrefix), AccountID: "usr_a", SHA256: "sum",
	}
	if err := r.blobs.Put(t.Context(), d.BlobKey(), bytes.NewReader(content), int64(len(content))); err != nil {
		t.Fatal(err)
	}
	return pageimage.OfDocument(d)
}

func TestPagesOfADocument(t *testing.T) {
	r := newRig(t, newReader(t))
	s := r.keep(t, apptest.PDF("one", "two"))
	sizes, err := r.Sizes(t.Context(), s)
	if err != nil || len(sizes) != 2 || sizes[1] != (reader.Size{Width: 595, Height: 842}) {
		t.Errorf("%v, %v", sizes, err)
	}
	for wish, want := range map[int]int{-5: 160, 100: 160, 1000: 1200, 1_000_000: 1800} {
		drawn, err := r.Page(t.Context(), s, 2, wish)
		if err != nil || drawn.ContentType != "image/png" {
			t.Fatal(drawn.ContentType, err)
		}
		if about, _, err := image.DecodeConfig(bytes.NewReader(drawn.Content)); err != nil || about.Width != want {
			t.Errorf("a width of %d wished for, %d got, %v", wish, about.Width, err)
		}
	}
	if _, err := r.Page(t.Context(), s, 3, 160); fieldlift.CodeOf(err) != fieldlift.InvalidPayload {
		t.Error(err)
	}
	if err := r.blobs.Delete(t.Context(), s.BlobKey); err != nil {
		t.Fatal(err)
	}
	other := s
	other.AccountID = "usr_b"
	if _, err := r.Page(t.Context(), other, 2, 160); fieldlift.CodeOf(err) != fieldlift.ResourceNotFound {
		t.Errorf("another account got what was kept: %v", err)
	}
}

// counting draws without a file, slowly, and counts.
type counting struct {
	drawn   atomic.Int64
	atOnce  atomic.Int64
	most    atomic.Int64
	release chan struct{} // nil: at once
	size    int
}

func (c *counting) Show(ctx context.Context, path string, _, _ int) (reader.PageImage, error) {
	if _, err := os.Stat(path); err != nil {
		return reader.PageImage{}, err
	}
	now := c.atOnce.Add(1)
	defer c.atOnce.Add(-1)
	for most := c.most.Load(); now > most && !c.most.CompareAndSwap(most, now); most = c.most.Load() {
	}
	if c.release != nil {
		select {
		case <-c.release:
		case <-ctx.Done():
			return reader.PageImage{}, ctx.Err()
		}
	}
	c.drawn.Add(1)
	return reader.PageImage{Content: bytes.Repeat([]byte{'x'}, max(c.size, 1)), ContentType: "image/png"}, nil
}

func (c *counting) Sizes(context.Context, string) ([]reader.Size, error) { return nil, nil }

func TestTheSamePageIsDrawnOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{release: make(chan struct{})}
		r := newRig(t, c)
		s := r.keep(t, []byte("file"))
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				if _, err := r.Page(t.Context(), s, 1, 800); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(c.release)
		all.Wait()
		if _, err := r.Page(t.Context(), s, 1, 800); err != nil || c.drawn.Load() != 1 {
			t.Errorf("drawn %d times, %v", c.drawn.Load(), err)
		}
	})
}

func TestOnlyAFewPagesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{release: make(chan struct{})}
		r := newRig(t, c, func(o *pageimage.Options) { o.Parallel = 3 })
		s := r.keep(t, []byte("file"))
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				if _, err := r.Page(t.Context(), s, n+1, 800); err != nil {
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		close(c.release)
		all.Wait()
		if c.most.Load() != 3 {
			t.Errorf("%d at once", c.most.Load())
		}
	})
}

func TestWhatNobodyWaitsForIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{release: make(chan struct{})}
		r := newRig(t, c)
		s := r.keep(t, []byte("file"))
		ctx, cancel := context.WithCancel(t.Context())
		var gone sync.WaitGroup
		gone.Go(func() {
			if _, err := r.Page(ctx, s, 1, 800); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
		synctest.Wait()
		cancel()
		gone.Wait()
		synctest.Wait()
		if c.atOnce.Load() != 0 || c.drawn.Load() != 0 {
			t.Error("it is still being drawn")
		}
		close(c.release)
		if _, err := r.Page(t.Context(), s, 1, 800); err != nil || c.drawn.Load() != 1 {
			t.Error(c.drawn.Load(), err)
		}
	})
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counting{size: 1000}
		r := newRig(t, c, func(o *pageimage.Options) { o.MaxBytes = 3500 })
		s := r.keep(t, []byte("file"))
		for n := range 10 {
			if _, err := r.Page(t.Context(), s, n+1, 800); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
		}
		if size := folderSize(t, r.dir); size > 3500 || size < 3000 {
			t.Errorf("%d bytes are kept", size)
		}
		for _, test := range []struct{ page, drawn int }{{10, 10}, {1, 11}} { // the last is there, the first is not
			if _, err := r.Page(t.Context(), s, test.page, 800); err != nil || c.drawn.Load() != int64(test.drawn) {
				t.Errorf("page %d: %d drawn, %v", test.page, c.drawn.Load(), err)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		go r.Run(ctx)
		time.Sleep(2 * time.Hour)
		cancel()
		synctest.Wait()
		if size := folderSize(t, r.dir); size != 0 {
			t.Errorf("%d bytes are kept for more than an hour", size)
		}
	})
}

func TestAFileLargerThanAllIsShownAndNotKept(t *testing.T) {
	r := newRig(t, &counting{}, func(o *pageimage.Options) { o.MaxBytes = 100 })
	s := r.keep(t, []byte(strings.Repeat("x", 1000)))
	if _, err := r.Page(t.Context(), s, 1, 800); err != nil {
		t.Error(err)
	}
	if size := folderSize(t, r.dir); size > 100 {
		t.Errorf("%d bytes are kept", size)
	}
}

func folderSize(t testing.TB, dir string) (size int64) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		about, err := entry.Info()
		if err != nil {
			t.Fatal(err)
		}
		size += about.Size()
	}
	return size
}

// BenchmarkPage shows a page of text: for the first time by a warm process, and
// once it is kept.
func BenchmarkPage(b *testing.B) {
	lines := strings.Repeat("The Borrower shall pay to the Lender on each payment date the amounts due\n", 40)
	r := newRig(b, newReader(b))
	file := apptest.PDF(lines, lines, lines)
	s := r.keep(b, file)
	if _, err := r.Page(b.Context(), s, 1, 1200); err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			s := r.keep(b, file)
			b.StartTimer()
			if _, err := r.Page(b.Context(), s, 2, 1200); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("kept", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Page(b.Context(), s, 1, 1200); err != nil {
				b.Fatal(err)
			}
		}
	})
}

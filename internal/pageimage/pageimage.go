// Package pageimage gives the pages of kept files as images for people to look
// at, in a few widths, and keeps some of them on the disk for a while.
//
// Who may see a page is its caller's to know. It draws nothing itself: files
// come from strangers, and what opens them runs in the reader's processes.
package pageimage

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/reader"
)

// Renderer draws pages.
type Renderer interface {
	Show(ctx context.Context, path string, number, width int) (reader.PageImage, error)
	Sizes(ctx context.Context, path string) ([]reader.Size, error)
}

// Options say where images come from, and where they are kept.
type Options struct {
	Blobs    blob.Bucket
	Renderer Renderer
	Dir      string           // of this process alone; it is made when it is needed, and is its caller's to remove
	MaxBytes int64            // kept at most; 256 MiB when 0
	Parallel int              // pages drawn at once; 2 when 0
	MaxAge   time.Duration    // of what is kept; an hour when 0
	Now      func() time.Time // nil: time.Now
}

// Images gives page images. It is safe for concurrent use.
type Images struct {
	blobs    blob.Bucket
	renderer Renderer
	kept     *shelf
	flights  flights
	places   chan struct{}
}

// New makes Images.
func New(o Options) *Images {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 256 << 20
	}
	if o.Parallel <= 0 {
		o.Parallel = 2
	}
	if o.MaxAge <= 0 {
		o.MaxAge = time.Hour // deleted documents should not live on here
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Images{
		blobs: o.Blobs, renderer: o.Renderer, places: make(chan struct{}, o.Parallel),
		kept:    &shelf{dir: o.Dir, most: o.MaxBytes, age: o.MaxAge, now: o.Now, things: map[string]*thing{}},
		flights: flights{under: map[string]*flight{}},
	}
}

// Source is a kept file.
type Source struct {
	AccountID string // images are never shared between accounts
	SHA256    string // of the content
	BlobKey   string
}

// OfDocument is the source of a document.
func OfDocument(d fieldlift.Document) Source { return Source{d.AccountID, d.SHA256, d.BlobKey()} }

// OfSample is the source of a sample.
func OfSample(s fieldlift.Sample) Source { return Source{s.AccountID, s.SHA256, s.BlobKey()} }

// name is what things of a source are kept under.
func (s Source) name() string {
	sum := sha256.Sum256([]byte(s.AccountID + "/" + s.SHA256 + "/" + s.BlobKey))
	return hex.EncodeToString(sum[:16])
}

// Widths are those in which pages are drawn, in pixels: a thumbnail, a column,
// a window, and a window of a fine screen.
var Widths = [...]int{160, 800, 1200, 1800}

// Width is the one of Widths that suits a wish.
func Width(wish int) int {
	for _, w := range Widths {
		if wish <= w {
			return w
		}
	}
	return Widths[len(Widths)-1]
}

// drawLimit bounds how long one image may take, with the wait for a place.
const drawLimit = time.Minute

// Page gives a page, counted from 1, about as wide as wished.
func (m *Images) Page(ctx context.Context, s Source, number, width int) (reader.PageImage, error) {
	width = Width(width)
	name := fmt.Sprintf("%s-%d-%d", s.name(), number, width)
	content, err := m.get(ctx, name, func(ctx context.Context) ([]byte, error) {
		var drawn reader.PageImage
		err := m.withFile(ctx, s, func(path string) (err error) {
			drawn, err = m.renderer.Show(ctx, path, number, width)
			return err
		})
		return drawn.Content, err
	})
	if err != nil {
		return reader.PageImage{}, err
	}
	kind := "image/png"
	if len(content) > 1 && content[0] == 0xff { // a JPEG begins so
		kind = "image/jpeg"
	}
	return reader.PageImage{Content: content, ContentType: kind}, nil
}

// Sizes gives the sizes of all pages, in points.
func (m *Images) Sizes(ctx context.Context, s Source) ([]reader.Size, error) {
	content, err := m.get(ctx, s.name()+"-sizes", func(ctx context.Context) ([]byte, error) {
		var sizes []reader.Size
		err := m.withFile(ctx, s, func(path string) (err error) {
			sizes, err = m.renderer.Sizes(ctx, path)
			return err
		})
		if err != nil {
			return nil, err
		}
		return json.Marshal(sizes)
	})
	if err != nil {
		return nil, err
	}
	var sizes []reader.Size
	return sizes, json.Unmarshal(content, &sizes)
}

// get gives what is kept under a name, or has it made, once for all who ask
// meanwhile.
func (m *Images) get(ctx context.Context, name string, produce func(context.Context) ([]byte, error)) ([]byte, error) {
	if content, ok := m.kept.get(name); ok {
		return content, nil
	}
	return m.flights.join(ctx, name, func(ctx context.Context) ([]byte, error) {
		if content, ok := m.kept.get(name); ok { // made a moment ago
			return content, nil
		}
		ctx, cancel := context.WithTimeout(ctx, drawLimit)
		defer cancel()
		select {
		case m.places <- struct{}{}:
			defer func() { <-m.places }()
		case <-ctx.Done():
			return nil, fieldlift.Errorf(fieldlift.ServiceUnavailable, "Too many pages are being drawn. Try again in a few seconds.")
		}
		content, err := produce(ctx)
		if err == nil {
			_ = m.kept.put(name, content) // a full disk only makes it slower
		}
		return content, err
	})
}

// withFile has a source's file used from the local disk. It is kept for the
// next page.
func (m *Images) withFile(ctx context.Context, s Source, use func(path string) error) error {
	name := s.name() + "-file"
	for {
		if path, release, ok := m.kept.hold(name); ok {
			defer release()
			return use(path)
		}
		if _, err := m.flights.join(ctx, name, func(ctx context.Context) ([]byte, error) { return nil, m.fetch(ctx, s, name) }); err != nil {
			return err
		}
	}
}

func (m *Images) fetch(ctx context.Context, s Source, name string) error {
	content, err := m.blobs.Open(ctx, s.BlobKey)
	if errors.Is(err, blob.ErrNotFound) {
		return fieldlift.Errorf(fieldlift.ResourceNotFound, "The document's file is no longer there.")
	}
	if err != nil {
		return err
	}
	defer content.Close()
	return m.kept.fill(name, func(path string) (int64, error) {
		file, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return 0, err
		}
		size, err := io.Copy(file, content)
		return size, errors.Join(err, file.Close())
	})
}

// sweepInterval is how often old images are looked for.
const sweepInterval = time.Minute

// Run drops images that have had their time, until ctx ends.
func (m *Images) Run(ctx context.Context) {
	ticker := time.NewTicker(sweepInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			m.kept.sweep()
		}
	}
}

// Package reader turns files into pages: it tells a file's kind by its content,
// counts its pages, reads words, rules, form fields, checkboxes and pictures off
// PDF pages, finds checkboxes in scans, draws any page as an image, and prepares
// it for a recogniser.
//
// Files come from strangers, so whatever parses them runs in child processes of
// this same program, which are killed when they take too long or too much
// memory, and replaced. The reader recognises no text in pictures and extracts
// nothing.
package reader

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/scan"
)

// Options say how files are read. The zero value of each but Command is its
// default.
type Options struct {
	Command   []string      // starts a child: program and arguments, such as /proc/self/exe reader-child
	CacheDir  string        // where compiled code is kept; "": the user's cache folder
	Children  int           // at most this many at once; 1 when 0
	Deadline  time.Duration // for one request to a child; 60 s when 0
	MaxPages  int           // of one file; 500 when 0
	MaxPixels int           // of one picture; 100 million when 0
	MaxMemory int64         // bytes that a child may hold; 1 GiB when 0
	Log       *slog.Logger
}

// Reader reads files. It is safe for concurrent use.
type Reader struct {
	options Options
	places  chan struct{} // a place for each child that may run
	start   sync.Mutex    // one child starts at a time: the first compiles for all

	mu       sync.Mutex
	idle     []*child
	busy     map[*child]bool
	closed   bool
	ownCache string // a cache folder that goes with the reader
}

// Info is what can be told of a file without reading it.
type Info struct {
	Kind        string // pdf, png, jpeg, webp, tiff, bmp, gif or heic
	ContentType string
	Pages       int
}

// New makes a reader. Children start on demand; Warm starts one beforehand.
func New(o Options) *Reader {
	if o.Children <= 0 {
		o.Children = 1
	}
	if o.Deadline <= 0 {
		o.Deadline = 60 * time.Second
	}
	if o.MaxPages <= 0 {
		o.MaxPages = 500
	}
	if o.MaxPixels <= 0 {
		o.MaxPixels = 100_000_000
	}
	if o.MaxMemory <= 0 {
		o.MaxMemory = 1 << 30
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Reader{options: o, places: make(chan struct{}, o.Children), busy: map[*child]bool{}}
}

// Warm starts a child, so that the first file need not wait for one. The very
// first on a machine compiles PDFium, which takes some seconds.
func (r *Reader) Warm(ctx context.Context) error {
	_, err := r.ask(ctx, request{Act: actWarm})
	return err
}

// Close ends all children; requests that are under way fail.
func (r *Reader) Close() {
	r.mu.Lock()
	r.closed = true
	var children []*child
	children = append(children, r.idle...)
	for c := range r.busy {
		children = append(children, c)
	}
	r.idle = nil
	cache := r.ownCache
	r.ownCache = ""
	r.mu.Unlock()
	for _, c := range children {
		c.kill()
	}
	if cache != "" {
		_ = os.RemoveAll(cache) // in the system's temporary folder: it goes anyway
	}
}

// Inspect tells a file's kind by its content, and counts its pages.
func (r *Reader) Inspect(ctx context.Context, path string) (Info, error) {
	kind, err := kindOf(path)
	if err != nil {
		return Info{}, err
	}
	answer, err := r.ask(ctx, request{Act: actInspect, Path: path, Kind: kind})
	if err != nil {
		return Info{}, err
	}
	return Info{Kind: kind, ContentType: contentTypes[kind], Pages: answer.Count}, nil
}

// Read reads all pages of a file. A page that is damaged beyond reading in a
// PDF whose others are sound is empty, as viewers show it.
func (r *Reader) Read(ctx context.Context, path string) (*page.Document, error) {
	kind, err := kindOf(path)
	if err != nil {
		return nil, err
	}
	answer, err := r.ask(ctx, request{Act: actRead, Path: path, Kind: kind})
	if err != nil {
		return nil, err
	}
	d := &page.Document{Kind: kind, Invoice: answer.Invoice, Pages: make([]page.Page, len(answer.Pages))}
	for n, p := range answer.Pages {
		d.Pages[n] = p.unpack()
	}
	if err := r.addPictureBoxes(ctx, path, d); err != nil {
		return nil, err
	}
	return d, nil
}

// Render draws a page, counted from 1, as a PNG, upright as a person sees it.
// Pictures are made smaller to come down to dpi, but never larger; PDF pages of
// enormous size are drawn at less than dpi.
func (r *Reader) Render(ctx context.Context, path string, number, dpi int) ([]byte, error) {
	kind, err := kindOf(path)
	if err != nil {
		return nil, err
	}
	if number < 1 || dpi < 1 {
		return nil, fieldlift.Errorf(fieldlift.InvalidPayload, "Pages are counted from 1, and drawn at 1 dpi or more.")
	}
	answer, err := r.ask(ctx, request{Act: actRender, Path: path, Kind: kind, Number: number, DPI: dpi})
	if err != nil {
		return nil, err
	}
	return answer.PNG, nil
}

// Scan draws a page, counted from 1, and prepares it for a recogniser. Turn is
// the degrees clockwise to turn it by, or scan.Unknown.
func (r *Reader) Scan(ctx context.Context, path string, number, turn int) (scan.Picture, error) {
	kind, err := kindOf(path)
	if err != nil {
		return scan.Picture{}, err
	}
	answer, err := r.ask(ctx, request{Act: actScan, Path: path, Kind: kind, Number: number, Turn: turn})
	return answer.Scan, err
}

// CacheDir is where compiled code is kept. It must not be a folder that others
// can write to: what lies there is run.
func (r *Reader) CacheDir() (string, error) {
	if r.options.CacheDir != "" {
		return r.options.CacheDir, nil
	}
	if dir, err := os.UserCacheDir(); err == nil {
		dir = filepath.Join(dir, "fieldlift")
		if os.MkdirAll(dir, 0o700) == nil {
			return dir, nil
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ownCache == "" {
		dir, err := os.MkdirTemp("", "fieldlift-cache-")
		if err != nil {
			return "", err
		}
		r.ownCache = dir
	}
	return r.ownCache, nil
}

package transcribe

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"slices"

	"fieldlift/internal/blob"
	"fieldlift/internal/page"
)

// Shelf keeps page models that were costly to read, each beside the file that
// it was read off: it belongs to that file alone and goes with it. Who has a
// file of the same content in the same account looks there before pages are
// recognised again.
type Shelf struct {
	Store Store
	Blobs blob.Bucket
	// Identity tells apart readers who may read the same file differently.
	Identity func(ctx context.Context) string
	Log      *slog.Logger
}

// Store is what this package asks of the store.
type Store interface {
	// SameContent gives the keys of page models that may be kept of files that
	// are the same to the byte.
	SameContent(ctx context.Context, accountID, sha256 string, most int) ([]string, error)
}

// kept is a page model as it lies on the shelf.
type kept struct {
	Identity string         `json:"identity"` // of who read it
	Document *page.Document `json:"document"`
}

const (
	// mostTwins is how many files of each kind with the same content are looked at.
	mostTwins = 3
	// mostKept bounds what is read back.
	mostKept = 512 << 20
)

// Find looks for what was read before off a file of this content, first under
// the keys that are given, and says where it was; nil when nothing was kept.
func (s *Shelf) Find(ctx context.Context, accountID, sha256 string, first ...string) (document *page.Document, at string, err error) {
	twins, err := s.Store.SameContent(ctx, accountID, sha256, mostTwins)
	if err != nil {
		return nil, "", err
	}
	for _, key := range slices.Concat(first, twins) {
		found, err := s.open(ctx, key)
		switch {
		case errors.Is(err, blob.ErrNotFound):
		case err != nil:
			s.Log.WarnContext(ctx, "what was read before cannot be used", "error", err)
		case found.Identity == s.Identity(ctx) && found.Document != nil:
			return found.Document, key, nil
		}
	}
	return nil, "", nil
}

func (s *Shelf) open(ctx context.Context, key string) (found kept, err error) {
	content, err := s.Blobs.Open(ctx, key)
	if err != nil {
		return found, err
	}
	defer content.Close()
	unpacked, err := gzip.NewReader(content)
	if err != nil {
		return found, err
	}
	return found, json.NewDecoder(io.LimitReader(unpacked, mostKept)).Decode(&found)
}

// Keep keeps what was costly to read. It is no loss when that fails.
func (s *Shelf) Keep(ctx context.Context, key string, document *page.Document) {
	if !slices.ContainsFunc(document.Pages, func(one page.Page) bool { return one.Reading.Languages != "" }) {
		return
	}
	var packed bytes.Buffer
	into := gzip.NewWriter(&packed)
	err := json.NewEncoder(into).Encode(kept{s.Identity(ctx), document})
	if err == nil {
		err = into.Close()
	}
	if err == nil {
		err = s.Blobs.Put(ctx, key, &packed, int64(packed.Len()))
	}
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, "what was read could not be kept", "error", err)
	}
}

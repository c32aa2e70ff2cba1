// Package blob keeps the files of the service under keys: in a folder of the
// machine, or in a bucket of any store that speaks S3. One set of tests holds
// both to the same behaviour.
//
// It knows nothing of what the files are or who owns them, keeps no record of
// them beside the files themselves, and never decides that one should go.
package blob

import (
	"context"
	"errors"
	"io"
	"iter"
	"path/filepath"
	"time"

	"fieldlift"
)

// Bucket keeps files under keys such as "ext_…/doc_…". No key may be a folder
// of another.
//
// An error that carries SERVICE_UNAVAILABLE says that the files are out of
// reach for now; what was asked may be asked again.
type Bucket interface {
	// Put keeps exactly size bytes of content, whole or not at all. A file that
	// is there already is replaced. Once Put returns, the file outlives a power cut.
	// What content itself fails with is returned as it is.
	Put(ctx context.Context, key string, content io.Reader, size int64) error

	// Open gives a file to read, or ErrNotFound. The context must last as long as
	// the reading does.
	Open(ctx context.Context, key string) (io.ReadCloser, error)

	// Delete removes files. One that is not there is no error.
	Delete(ctx context.Context, keys ...string) error

	// List gives all files whose keys begin with prefix, in any order, a few at a
	// time. Files that come or go meanwhile may be among them or not. It ends
	// with the first error.
	List(ctx context.Context, prefix string) iter.Seq2[Entry, error]

	// Check reports whether files can be written and removed, by doing so.
	Check(ctx context.Context) error
}

// Entry is a file as List finds it.
type Entry struct {
	Key     string
	Size    int64
	ModTime time.Time
}

// ErrNotFound says that there is no file under a key.
var ErrNotFound = errors.New("there is no such file")

// FolderName is the folder of files within the data folder.
const FolderName = "blobs"

// Open opens the bucket at an address such as
//
//	s3://bucket/prefix?endpoint=https://s3.example.com&region=eu-central-1&path_style=true
//
// where only the bucket is needed, or, when the address is empty, the folder
// within dataDir, which it makes if it is not there.
func Open(ctx context.Context, address, dataDir string) (Bucket, error) {
	if address == "" {
		return openDir(filepath.Join(dataDir, FolderName))
	}
	parsed, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	return openS3(ctx, parsed)
}

func unavailable(err error) error {
	return &fieldlift.Error{
		Code:    fieldlift.ServiceUnavailable,
		Message: "The file store is temporarily unavailable. Try again in a few seconds.",
		Err:     err,
	}
}

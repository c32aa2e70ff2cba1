package golden

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"fieldlift/internal/page"
)

// Cached is an Extractor that reads each file once and keeps its pages in a
// folder, so that the engine alone is measured from the second run on.
type Cached struct {
	Extractor
	Dir      string
	Revision string // of what reads: another one reads anew
}

// Read gives the pages that were kept, or reads and keeps them.
func (c Cached) Read(ctx context.Context, path string) (*page.Document, error) {
	name, err := c.name(path)
	if err != nil {
		return nil, err
	}
	if kept, err := load(name); err == nil {
		return kept, nil // whatever is wrong with it, it can be read again
	}
	document, err := c.Extractor.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := save(name, document); err != nil {
		return nil, fmt.Errorf("keep the pages that were read: %w", err)
	}
	return document, nil
}

// name is made of what the file holds and of what reads it.
func (c Cached) name(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	_, _ = io.WriteString(sum, "\x00"+c.Revision) // a hash takes everything
	return filepath.Join(c.Dir, hex.EncodeToString(sum.Sum(nil))+".pages"), nil
}

func load(name string) (*page.Document, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	var d page.Document
	return &d, gob.NewDecoder(unzipped).Decode(&d)
}

// save writes beside and renames, so that others never see half of it.
func save(name string, d *page.Document) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(name), ".pages-*")
	if err != nil {
		return err
	}
	zipped := gzip.NewWriter(file)
	err = errors.Join(gob.NewEncoder(zipped).Encode(d), zipped.Close(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

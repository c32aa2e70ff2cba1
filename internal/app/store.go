package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/store"
)

// Store is what the commands beside the service work on.
type Store = store.Store

// A database that is still starting, as in a machine that has just booted, is
// waited for this long.
const (
	startPatience = 30 * time.Second
	startPause    = 500 * time.Millisecond
)

// OpenStore opens the store and brings it up to date, for the service and for
// the commands beside it alike.
func OpenStore(ctx context.Context, c Config) (*Store, error) {
	opened, err := LookAtStore(ctx, c)
	if err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(startPatience); ; {
		err := opened.Migrate(ctx)
		if err == nil {
			return opened, nil
		}
		if fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable || time.Now().After(deadline) {
			opened.Close()
			return nil, err
		}
		c.Log.Warn("the database does not answer yet", "error", err)
		select {
		case <-ctx.Done():
			opened.Close()
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(startPause):
		}
	}
}

// UseStore opens a store that is there and up to date, for commands that must
// not make or change one in passing.
func UseStore(ctx context.Context, c Config) (*Store, error) {
	if !HasStore(c) {
		return nil, fmt.Errorf("there is no database in %s yet; \"fieldlift serve\" or \"fieldlift account create\" makes one", c.DataDir)
	}
	opened, err := LookAtStore(ctx, c)
	if err != nil {
		return nil, err
	}
	waiting, err := opened.Pending(ctx)
	if err == nil && waiting {
		err = errors.New("the database is not up to date with this program; \"fieldlift migrate\" or the start of the new server does that")
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

// UseSecrets is UseStore for commands that make secrets. On SQLite, where this
// is the machine that serves, it makes the key that they are sealed with.
func UseSecrets(ctx context.Context, c Config) (*Store, error) {
	if c.DatabaseURL == "" && HasStore(c) {
		if err := makeSecretKey(c); err != nil {
			return nil, err
		}
	}
	return UseStore(ctx, c)
}

// LookAtStore opens the store as it is, for commands that only look.
func LookAtStore(ctx context.Context, c Config) (*Store, error) {
	box, err := secretBox(c)
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, store.Options{
		DatabaseURL: c.DatabaseURL,
		DataDir:     c.DataDir,
		RateLimit:   c.RateLimit,
		SubmitLimit: c.SubmitLimit,
		Node:        nodeName(),
		Box:         box,
		Now:         c.Now,
		Log:         c.Log,
	})
}

// nodeName tells nodes apart for those who run them.
func nodeName() string {
	name, err := os.Hostname()
	if err != nil {
		return ""
	}
	return name
}

// CheckFiles reports whether the file store can be written to.
func CheckFiles(ctx context.Context, c Config) error {
	files, err := blob.Open(ctx, c.BlobURL, c.DataDir)
	if err != nil {
		return err
	}
	return files.Check(ctx)
}

// HasStore reports whether there is a store to look at: opening a SQLite store
// that is not there would make it.
func HasStore(c Config) bool {
	if c.DatabaseURL != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(c.DataDir, store.FileName))
	return err == nil
}

//go:build unix

package app

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lockFolder makes sure that one server alone works on a SQLite store: its
// rate windows are in its memory, and it takes all work to be its own. The
// system gives the lock back however the process ends.
func lockFolder(c Config) (unlock func(), err error) {
	if c.DatabaseURL != "" {
		return func() {}, nil
	}
	if err := os.MkdirAll(c.DataDir, 0o700); err != nil {
		return nil, fmt.Errorf("make the data folder: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(c.DataDir, "serve.lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		_ = file.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, fmt.Errorf("another server works on the data folder %s; several nodes need PostgreSQL", c.DataDir)
		}
		return nil, err
	}
	return func() { _ = file.Close() }, nil
}

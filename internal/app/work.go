package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/intake"
	"fieldlift/internal/keeper"
	"fieldlift/internal/process"
	"fieldlift/internal/reader"
)

// buildWork makes what takes documents in and works on them.
func (a *App) buildWork(ctx context.Context, registry *prometheus.Registry) error {
	var err error
	if a.blobs, err = blob.Open(ctx, a.config.BlobURL, a.config.DataDir); err != nil {
		return fmt.Errorf("open the file store: %w", err)
	}
	// What a process that was killed left half done on the disk. Where we are
	// the only one, all of it is: the next process has another number.
	leftover := a.spoolDir()
	if !a.store.Shared() {
		leftover = filepath.Dir(leftover)
	}
	if err := os.RemoveAll(leftover); err != nil {
		return fmt.Errorf("clear the spool folder: %w", err)
	}
	if a.reader, err = NewReader(a.config); err != nil {
		return err
	}
	a.keeper = &keeper.Keeper{
		Store: a.store, Blobs: a.blobs, Retention: a.config.Retention, Now: a.config.Now, Log: a.config.Log,
	}
	a.processor = &process.Processor{
		Store: a.store, Blobs: a.blobs, Reader: a.reader, Engine: layout.New(), SpoolDir: a.spoolDir(),
		Log: a.config.Log, Metrics: process.NewMetrics(registry), Now: a.config.Now,
	}
	if a.store.Shared() {
		return nil // the keeper finds what dead nodes left
	}
	// We are the only process: whatever was being worked on was ours, and we are not at it.
	lost, err := a.store.Recover(ctx, a.config.Now())
	if lost > 0 {
		a.config.Log.Info("work that was cut off goes on", "documents", lost)
	}
	if err != nil {
		return err
	}
	return a.store.RingIfWaiting(ctx)
}

// spoolDir is where files wait while they are read: each process has its own.
func (a *App) spoolDir() string {
	return filepath.Join(a.config.DataDir, "spool", fmt.Sprint(os.Getpid()))
}

func (a *App) newIntake() *intake.Intake {
	return &intake.Intake{
		Store: a.store, Inspector: a.reader, Blobs: a.blobs, SpoolDir: a.spoolDir(), Log: a.config.Log,
		Limits: intake.Limits{FileBytes: a.config.MaxFileBytes, RequestBytes: a.config.MaxRequestBytes, Files: fieldlift.MaxFiles},
	}
}

// NewReader makes the pool of processes that read files, for the service and
// for the command that extracts without one.
func NewReader(c Config) (*reader.Reader, error) {
	command := c.ReaderCommand
	if len(command) == 0 {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{program, ReaderChild}
	}
	cache := c.CacheDir
	if cache == "" {
		cache = filepath.Join(c.DataDir, "cache")
	}
	return reader.New(reader.Options{
		Command: command, CacheDir: cache, Children: c.Workers + 1,
		Deadline: c.ReaderDeadline, MaxMemory: c.ReaderMemory,
		MaxPages: c.MaxPages, MaxPixels: c.MaxPixels, Log: c.Log,
	}), nil
}

// ReaderChild is the hidden command of a process that reads files.
const ReaderChild = "reader-child"

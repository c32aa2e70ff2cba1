package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/detect"
	"fieldlift/internal/engine/layout"
	"fieldlift/internal/intake"
	"fieldlift/internal/keeper"
	"fieldlift/internal/pageimage"
	"fieldlift/internal/process"
	"fieldlift/internal/reader"
	"fieldlift/internal/transcribe"
)

// buildWork makes what takes documents in and works on them.
func (a *App) buildWork(ctx context.Context, registry *prometheus.Registry) error {
	var err error
	if a.blobs, err = blob.Open(ctx, a.config.BlobURL, a.config.DataDir); err != nil {
		return fmt.Errorf("open the file store: %w", err)
	}
	if err := a.clearSpool(); err != nil {
		return fmt.Errorf("clear the spool folder: %w", err)
	}
	config := a.config
	if config.CacheDir == "" {
		config.CacheDir = filepath.Join(config.DataDir, "cache")
	}
	if a.reader, err = newReader(config); err != nil {
		return err
	}
	a.recognizer = NewRecognizer(config)
	a.keeper = &keeper.Keeper{
		Store: a.store, Blobs: a.blobs, Retention: a.config.Retention, Memory: a.config.ActivityRetention, Now: a.config.Now, Log: a.config.Log,
	}
	settings, err := a.modelSettings(registry)
	if err != nil {
		return err
	}
	a.transcriber, err = newTranscriber(config, a.reader, a.recognizer, transcribe.NewMetrics(registry))
	if err != nil {
		return err
	}
	a.processor = &process.Processor{
		Store: a.store, Blobs: a.blobs, Engine: layout.New(), Model: settings, SpoolDir: a.spoolDir(), Reader: a.transcriber,
		Shelf: &transcribe.Shelf{Store: a.store, Blobs: a.blobs, Identity: a.transcriber.Identity, Log: a.config.Log},
		Log:   a.config.Log, Metrics: process.NewMetrics(registry), Now: a.config.Now,
	}
	a.images = pageimage.New(pageimage.Options{
		Blobs: a.blobs, Renderer: a.reader, Dir: filepath.Join(a.spoolDir(), "pages"), Parallel: shownAtOnce, Now: a.config.Now,
	})
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

// spoolAge is how old the spool of another process must be to be a dead one's.
const spoolAge = 24 * time.Hour

// clearSpool removes what processes that were killed left half done on the
// disk. The folder may be shared with nodes that live.
func (a *App) clearSpool() error {
	if !a.store.Shared() {
		return os.RemoveAll(filepath.Join(a.config.DataDir, spoolFolder))
	}
	entries, err := os.ReadDir(filepath.Join(a.config.DataDir, spoolFolder))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > spoolAge {
			_ = os.RemoveAll(filepath.Join(a.config.DataDir, spoolFolder, entry.Name())) // the next start tries again
		}
	}
	return nil
}

const spoolFolder = "spool"

// spoolDir is where files wait while they are read: each process has its own.
func (a *App) spoolDir() string {
	return filepath.Join(a.config.DataDir, spoolFolder, fmt.Sprintf("%d-%d", os.Getpid(), a.started.UnixNano()))
}

func (a *App) newIntake() *intake.Intake {
	return &intake.Intake{
		Store: a.store, Inspector: a.reader, Blobs: a.blobs, SpoolDir: a.spoolDir(), Log: a.config.Log,
		Limits: intake.Limits{FileBytes: a.config.MaxFileBytes, RequestBytes: a.config.MaxRequestBytes, Files: fieldlift.MaxFiles},
	}
}

// detections is how many samples are looked at at once, while clients wait;
// previews of what parsers would find are among them.
const detections = 2

// shownAtOnce is how many pages are drawn at once for people to look at.
const shownAtOnce = 2

// newSampler makes what reads samples as documents are read, scans included.
func (a *App) newSampler(in *intake.Intake) *intake.Sampler {
	return &intake.Sampler{
		Intake: in, Store: a.store, Reader: a.processor.Reader, Shelf: a.processor.Shelf,
		Detector:  &detector{detect.New(a.processor.Engine), a.processor, a.config.Log},
		Extractor: a.processor, Renderer: a.reader, Places: make(chan struct{}, detections),
	}
}

// newReader makes the pool of processes that read files, for the service and
// for the Extractor.
func newReader(c Config) (*reader.Reader, error) {
	command := c.ReaderCommand
	if len(command) == 0 {
		program, err := os.Executable()
		if err != nil {
			return nil, err
		}
		command = []string{program, ReaderChild}
	}
	return reader.New(reader.Options{
		Command: command, CacheDir: c.CacheDir, Children: c.Workers + 1 + detections + shownAtOnce,
		Deadline: c.ReaderDeadline, MaxMemory: c.ReaderMemory,
		MaxPages: c.MaxPages, MaxPixels: c.MaxPixels, Log: c.Log,
	}), nil
}

// ReaderChild is the hidden command of a process that reads files.
const ReaderChild = "reader-child"

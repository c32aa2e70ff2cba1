package app

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"time"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/telemetry"
)

// Machine tells of this process, and of what it stands on.
func (a *App) Machine(ctx context.Context) (m fieldlift.Machine, err error) {
	m = fieldlift.Machine{
		Version: fieldlift.Version, Revision: telemetry.Revision(), Node: nodeName(), Role: string(a.config.Role), Started: a.started,
		Database: a.store.Kind(), FilesPlace: "the data folder",
	}
	if a.config.Role != API {
		m.Workers = a.config.Workers
	}
	if a.config.BlobURL != "" {
		m.FilesPlace = "S3"
	}
	if m.DatabaseBytes, err = a.store.Size(ctx); err != nil {
		return m, err
	}
	counted, err := a.files.count(ctx, a.blobs)
	if err != nil { // what else there is to tell helps to find out why
		a.config.Log.WarnContext(ctx, "files could not be counted", "error", err)
	}
	m.Files, m.FilesBytes, m.FilesCut, m.FilesAt = counted.files, counted.bytes, counted.cut, counted.at
	m.SpoolBytes = folderSize(filepath.Join(a.config.DataDir, spoolFolder))
	free, known := FreeDisk(a.config.DataDir)
	m.DiskFree, m.DiskKnown = int64(free), known
	return m, nil
}

// Counting files means to look at each, so it is done seldom, and not for long.
const (
	countInterval = 5 * time.Minute
	countPatience = 2 * time.Second
)

// fileCounter remembers how many files there are.
type fileCounter struct {
	mutex sync.Mutex
	last  fileCount
}

type fileCount struct {
	files, bytes int64
	cut          bool
	at           time.Time // zero: not counted yet
}

func (c *fileCounter) count(ctx context.Context, bucket blob.Bucket) (fileCount, error) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if !c.last.at.IsZero() && time.Since(c.last.at) < countInterval {
		return c.last, nil
	}
	patient, cancel := context.WithTimeout(ctx, countPatience)
	defer cancel()
	counted := fileCount{at: time.Now()}
	for entry, err := range bucket.List(patient, "") {
		if patient.Err() != nil && ctx.Err() == nil {
			counted.cut = true
			break
		}
		if err != nil {
			return c.last, err
		}
		counted.files++
		counted.bytes += entry.Size
	}
	c.last = counted
	return counted, nil
}

// folderSize sums up the files in a folder and below. What comes and goes
// meanwhile is counted or not.
func folderSize(dir string) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		if info, err := entry.Info(); err == nil && info.Mode().IsRegular() {
			bytes += info.Size()
		}
		return nil
	})
	return bytes
}

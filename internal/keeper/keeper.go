// Package keeper does the upkeep that nobody asks for by a request: it gives
// the work of dead workers to living ones, and clears away what has had its
// time. What a document's fate is, the store decides.
package keeper

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"fieldlift"
	"fieldlift/internal/blob"
)

// Store is what this package asks of the store.
type Store interface {
	Recover(ctx context.Context, since time.Time) (int, error)
	RingIfWaiting(ctx context.Context) error
	ForgetWindows(ctx context.Context) error
	ForgetIdempotencyKeys(ctx context.Context) error
	ForgetEvents(ctx context.Context, before time.Time) error
	ForgetActivities(ctx context.Context, before time.Time) error
	ForgetSessions(ctx context.Context) error
	DeleteExtraction(ctx context.Context, accountID, id string) error
	Expired(ctx context.Context, before time.Time, most int) ([]fieldlift.Extraction, error)
	HasDocument(ctx context.Context, id string) (bool, error)
	ForgetSamples(ctx context.Context, before time.Time, most int) ([]fieldlift.Sample, error)
	HasSample(ctx context.Context, id string) (bool, error)
}

// Keeper does upkeep.
type Keeper struct {
	Store     Store
	Blobs     blob.Bucket
	Retention time.Duration // 0: results are kept for good
	Memory    time.Duration // how long who did what is remembered; 0: for good
	Now       func() time.Time
	Log       *slog.Logger
}

// How often things are done, and how long is long.
const (
	recoverInterval = 4 * time.Second
	deadAfter       = 12 * time.Second // three beats of a worker: with the interval, work resumes within 20 s
	expireInterval  = time.Minute
	clearInterval   = 10 * time.Minute
	orphanInterval  = time.Hour
	orphanAge       = 24 * time.Hour // no submission takes that long
	sampleAge       = 24 * time.Hour // of a deleted parser, where results are kept for good
	expireAtOnce    = 100
	eventAge        = 30 * 24 * time.Hour // how long the log of deliveries goes back
)

// Run does upkeep until ctx ends. What fails is told to the log and done again
// at its next turn.
func (k *Keeper) Run(ctx context.Context) {
	chores := k.chores()
	ended := make(chan struct{})
	for _, c := range chores {
		go func() {
			c.run(ctx, k.Log)
			ended <- struct{}{}
		}()
	}
	for range chores {
		<-ended
	}
}

// Once does every chore once, for those who do not want to wait for its turn.
func (k *Keeper) Once(ctx context.Context) error {
	var failed []error
	for _, c := range k.chores() {
		if err := c.do(ctx); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", c.of, err))
		}
	}
	return errors.Join(failed...)
}

func (k *Keeper) chores() []*chore {
	return []*chore{
		{"waiting documents", recoverInterval, k.recover},
		{"expired extractions", expireInterval, k.expire},
		{"rate windows", clearInterval, k.Store.ForgetWindows},
		{"idempotency keys", clearInterval, k.Store.ForgetIdempotencyKeys},
		{"samples of deleted parsers", clearInterval, k.forgetSamples},
		{"events", clearInterval, k.forgetEvents},
		{"activities", clearInterval, k.forgetActivities},
		{"sessions", clearInterval, k.Store.ForgetSessions},
		{"orphaned files", orphanInterval, k.sweep},
	}
}

// chore is something to be done again and again.
type chore struct {
	of    string
	every time.Duration
	do    func(context.Context) error
}

func (c *chore) run(ctx context.Context, log *slog.Logger) {
	ticker := time.NewTicker(c.every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := c.do(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "upkeep failed", "of", c.of, "error", err)
		}
	}
}

func (k *Keeper) recover(ctx context.Context) error {
	n, err := k.Store.Recover(ctx, k.Now().Add(-deadAfter))
	if n > 0 {
		k.Log.WarnContext(ctx, "documents of dead workers are given to others", "documents", n)
	}
	return errors.Join(err, k.Store.RingIfWaiting(ctx))
}

func (k *Keeper) forgetEvents(ctx context.Context) error {
	return k.Store.ForgetEvents(ctx, k.Now().Add(-eventAge))
}

func (k *Keeper) forgetActivities(ctx context.Context) error {
	if k.Memory == 0 {
		return nil
	}
	return k.Store.ForgetActivities(ctx, k.Now().Add(-k.Memory))
}

// expire removes extractions whose time of retention is over.
func (k *Keeper) expire(ctx context.Context) error {
	if k.Retention == 0 {
		return nil
	}
	for {
		expired, err := k.Store.Expired(ctx, k.Now().Add(-k.Retention), expireAtOnce)
		if err != nil || len(expired) == 0 {
			return err
		}
		for _, e := range expired {
			if err := k.Remove(ctx, e.AccountID, e.ID); err != nil {
				return err
			}
		}
	}
}

// Remove removes a finished extraction with its files for good.
func (k *Keeper) Remove(ctx context.Context, accountID, extractionID string) error {
	if err := k.Store.DeleteExtraction(ctx, accountID, extractionID); err != nil {
		return err
	}
	// The rows are gone; a file that stays is an orphan, and swept later.
	var keys []string
	for entry, err := range k.Blobs.List(ctx, extractionID+"/") {
		if err != nil {
			k.Log.WarnContext(ctx, "files could not be listed", "extraction_id", extractionID, "error", err)
			return nil
		}
		keys = append(keys, entry.Key)
	}
	if err := k.Blobs.Delete(ctx, keys...); err != nil {
		k.Log.WarnContext(ctx, "files could not be removed", "extraction_id", extractionID, "error", err)
	}
	return nil
}

// forgetSamples removes the samples of parsers that were deleted a while ago.
func (k *Keeper) forgetSamples(ctx context.Context) error {
	for {
		samples, err := k.Store.ForgetSamples(ctx, k.Now().Add(-cmp.Or(k.Retention, sampleAge)), expireAtOnce)
		if err != nil || len(samples) == 0 {
			return err
		}
		keys := make([]string, 0, len(samples))
		for _, s := range samples {
			keys = append(keys, s.BlobKey(), s.PagesKey())
		}
		// The rows are gone; a file that stays is an orphan, and swept later.
		if err := k.Blobs.Delete(ctx, keys...); err != nil {
			k.Log.WarnContext(ctx, "files of samples could not be removed", "error", err)
		}
	}
}

// sweep removes files that no document and no parser owns: what a crash left
// between keeping a file and accepting it.
func (k *Keeper) sweep(ctx context.Context) error {
	return errors.Join(
		k.sweepUnder(ctx, fieldlift.ExtractionPrefix, func(ctx context.Context, key string) (bool, error) {
			return k.Store.HasDocument(ctx, fieldlift.DocumentOfKey(key))
		}),
		k.sweepUnder(ctx, fieldlift.SamplePrefix, func(ctx context.Context, key string) (bool, error) {
			return k.Store.HasSample(ctx, fieldlift.SampleOfKey(key))
		}))
}

func (k *Keeper) sweepUnder(ctx context.Context, prefix string, known func(context.Context, string) (bool, error)) error {
	for entry, err := range k.Blobs.List(ctx, prefix) {
		if err != nil {
			return err
		}
		if k.Now().Sub(entry.ModTime) < orphanAge {
			continue
		}
		owned, err := known(ctx, entry.Key)
		if err != nil {
			return err
		}
		if !owned {
			if err := k.Blobs.Delete(ctx, entry.Key); err != nil {
				return err
			}
		}
	}
	return nil
}

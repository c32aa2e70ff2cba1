package keeper

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fieldlift"
	"fieldlift/internal/blob"
)

// awayStore is a store that is away; it counts who asks.
type awayStore struct {
	mu    sync.Mutex
	asked map[string]int
}

func (s *awayStore) note(what string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked == nil {
		s.asked = map[string]int{}
	}
	s.asked[what]++
	return errors.New("away")
}

func (s *awayStore) Recover(context.Context, time.Time) (int, error) { return 0, s.note("recover") }
func (s *awayStore) RingIfWaiting(context.Context) error             { return s.note("ring") }
func (s *awayStore) ForgetWindows(context.Context) error             { return s.note("windows") }
func (s *awayStore) ForgetIdempotencyKeys(context.Context) error     { return s.note("keys") }
func (s *awayStore) ForgetEvents(context.Context, time.Time) error   { return s.note("events") }
func (s *awayStore) ForgetSessions(context.Context) error            { return s.note("sessions") }
func (s *awayStore) ForgetActivities(context.Context, time.Time) error {
	return s.note("activities")
}

func (s *awayStore) DeleteExtraction(context.Context, string, string) error {
	return s.note("delete")
}

func (s *awayStore) Expired(context.Context, time.Time, int) ([]fieldlift.Extraction, error) {
	return nil, s.note("expired")
}

func (s *awayStore) ForgetSamples(context.Context, time.Time, int) ([]fieldlift.Sample, error) {
	return nil, s.note("samples")
}
func (s *awayStore) HasSample(context.Context, string) (bool, error)   { return false, nil }
func (s *awayStore) HasDocument(context.Context, string) (bool, error) { return false, nil }

func TestUpkeepGoesOnAfterFailures(t *testing.T) {
	files, err := blob.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		store := &awayStore{}
		keeper := Keeper{Store: store, Blobs: files, Retention: time.Hour, Memory: time.Hour, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		go keeper.Run(ctx)
		time.Sleep(35*time.Minute + time.Second)
		synctest.Wait()
		for what, want := range map[string]int{"recover": 525, "ring": 525, "windows": 3, "keys": 3, "samples": 3, "events": 3, "activities": 3, "sessions": 3, "expired": 35} {
			if store.asked[what] != want {
				t.Errorf("%s: %d times in 35 minutes, want %d", what, store.asked[what], want)
			}
		}
		cancel()
		synctest.Wait()
	})
}

func TestWorkOfADeadNodeIsResumedWithin20Seconds(t *testing.T) {
	if worst := deadAfter + recoverInterval; worst > 20*time.Second {
		t.Errorf("it may take %v", worst)
	}
}

func TestOrphansAreSwept(t *testing.T) {
	files, err := blob.Open(t.Context(), "", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	put := func(key string) {
		if err := files.Put(t.Context(), key, strings.NewReader("x"), 1); err != nil {
			t.Fatal(err)
		}
	}
	put("ext_1/doc_orphan")
	at := time.Now()
	keeper := Keeper{Store: &awayStore{}, Blobs: files, Now: func() time.Time { return at }, Log: slog.New(slog.DiscardHandler)}
	there := func() bool {
		content, err := files.Open(t.Context(), "ext_1/doc_orphan")
		if err == nil {
			_, _ = io.Copy(io.Discard, content)
			_ = content.Close()
		}
		return err == nil
	}
	if err := keeper.sweep(t.Context()); err != nil || !there() {
		t.Error("a file whose submission may be under way was removed: ", err)
	}
	at = at.Add(25 * time.Hour)
	if err := keeper.sweep(t.Context()); err != nil || there() {
		t.Error("an orphan was kept: ", err)
	}
}

package ocr

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var paper = Picture{Width: 2, Height: 2, Grey: []byte{0, 255, 255, 0}, Languages: []string{"eng"}}

// slowly recognises one word in a second and counts how often.
func slowly(ctx context.Context, runs *int) func() ([]Word, error) {
	return func() ([]Word, error) {
		*runs++
		select {
		case <-time.After(time.Second):
			return []Word{{Text: "Total"}}, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func TestSamePictureAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			f     flights
			runs  int
			asked sync.WaitGroup
		)
		for range 8 {
			asked.Go(func() {
				words, err := f.share(t.Context(), paper, slowly(t.Context(), &runs))
				if err != nil || len(words) != 1 {
					t.Errorf("%v %v", words, err)
				}
			})
			synctest.Wait()
		}
		asked.Wait()
		if runs != 1 || len(f.now) != 0 {
			t.Errorf("%d runs, %d flights", runs, len(f.now))
		}
		if _, err := f.share(t.Context(), paper, slowly(t.Context(), &runs)); err != nil || runs != 2 {
			t.Errorf("%d runs, %v: answers are not kept", runs, err)
		}
	})
}

func TestDifferentPicturesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inverse, wide, block, german := paper, paper, paper, paper
		inverse.Grey = []byte{255, 0, 0, 255}
		wide.Width, wide.Height = 4, 1
		block.Layout = Block
		german.Languages = []string{"deu"}
		var (
			f     flights
			runs  int
			asked sync.WaitGroup
		)
		for _, p := range []Picture{paper, inverse, wide, block, german} {
			asked.Go(func() { _, _ = f.share(t.Context(), p, slowly(t.Context(), &runs)) })
			synctest.Wait()
		}
		asked.Wait()
		if runs != 5 {
			t.Errorf("%d runs for 5 pictures", runs)
		}
	})
}

func TestFaultsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			f     flights
			asked sync.WaitGroup
			fault = errors.New("it ended badly")
		)
		for range 2 {
			asked.Go(func() {
				_, err := f.share(t.Context(), paper, func() ([]Word, error) {
					time.Sleep(time.Second)
					return nil, fault
				})
				if !errors.Is(err, fault) {
					t.Error(err)
				}
			})
		}
		asked.Wait()
	})
}

func TestWhoRecognisesGoesAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			f            flights
			runs         int
			asked        sync.WaitGroup
			ctx, goAway  = context.WithCancel(t.Context())
			patient, end = context.WithCancel(t.Context())
		)
		defer end()
		ask := func(ctx context.Context, want error) {
			asked.Go(func() {
				if _, err := f.share(ctx, paper, slowly(ctx, &runs)); !errors.Is(err, want) {
					t.Errorf("%v, want %v", err, want)
				}
			})
			synctest.Wait()
		}
		ask(ctx, context.Canceled)
		ask(t.Context(), nil)
		ask(patient, context.Canceled)
		end() // one who waits goes, and nobody minds
		synctest.Wait()
		goAway()
		asked.Wait()
		if runs != 2 {
			t.Errorf("%d runs", runs)
		}
	})
}

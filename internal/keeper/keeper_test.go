package keeper

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

type countingStore struct {
	Store
	runs int
}

func (s *countingStore) ForgetWindows(context.Context) error {
	s.runs++
	return errors.New("away")
}

func TestUpkeepGoesOnAfterAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		store := &countingStore{}
		keeper := Keeper{Store: store, Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		go keeper.Run(ctx)
		time.Sleep(35 * time.Minute)
		synctest.Wait()
		if store.runs != 3 {
			t.Errorf("%d runs in 35 minutes", store.runs)
		}
		cancel()
		synctest.Wait()
	})
}

// Package keeper does the upkeep that nobody asks for by a request: it clears
// away what has had its time. It decides nothing about what it clears; the
// store does.
package keeper

import (
	"context"
	"log/slog"
	"time"
)

// Store is what this package asks of the store.
type Store interface {
	ForgetWindows(ctx context.Context) error
}

// interval is how often upkeep is done.
const interval = 10 * time.Minute

// Run does upkeep until ctx ends. What fails is told to the log and tried
// again at the next turn.
func Run(ctx context.Context, store Store, log *slog.Logger) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if err := store.ForgetWindows(ctx); err != nil && ctx.Err() == nil {
			log.WarnContext(ctx, "upkeep failed", "of", "rate windows", "error", err)
		}
	}
}

package app

import (
	"context"
	"errors"

	"github.com/prometheus/client_golang/prometheus"

	"fieldlift"
	"fieldlift/internal/deliver"
	"fieldlift/internal/outbound"
	"fieldlift/internal/store"
)

// newReceivers makes the client that calls webhooks.
func newReceivers(c Config) *outbound.Client {
	return outbound.New(outbound.Options{Production: c.Env == Production, Allowed: c.WebhookNetworks, Resolver: c.Resolver})
}

// CheckWebhookURL reports what is wrong with a webhook's URL, for commands
// beside the service.
func CheckWebhookURL(ctx context.Context, c Config, url string) error {
	if found := newReceivers(c).Check(ctx, url); len(found) > 0 {
		return fieldlift.Invalid(found...)
	}
	return nil
}

// TestWebhook sends a webhook a test, for commands beside the service.
func TestWebhook(ctx context.Context, c Config, from *Store, w fieldlift.Webhook) (fieldlift.Attempt, error) {
	receivers := newReceivers(c)
	defer receivers.Close()
	d := &deliver.Deliverer{Store: from, Client: receivers, Log: c.Log, Now: c.Now}
	return d.Test(ctx, w.AccountID, w.Kind, w.ID)
}

// buildDeliveries makes what brings events to webhooks.
func (a *App) buildDeliveries(ctx context.Context, registry *prometheus.Registry) error {
	a.receivers = newReceivers(a.config)
	a.deliverer = &deliver.Deliverer{
		Store: a.store, Client: a.receivers, Schedule: a.config.WebhookRetries, SpoolDir: a.spoolDir(),
		Log: a.config.Log, Metrics: deliver.NewMetrics(registry), Now: a.config.Now,
	}
	err := a.store.AdoptKey(ctx)
	a.canSeal = err == nil
	if errors.Is(err, store.ErrOtherKey) && a.config.SecretKey == "" && a.config.SecretKeyFile == "" {
		a.config.Log.Warn("this node can neither make nor deliver webhooks: it has another secret key than the one that made this database's; give all nodes the same --secret-key")
		return nil
	}
	if err != nil || a.store.Shared() {
		return err
	}
	// We are the only process: whatever was being delivered was ours, and we are not at it.
	recovered, err := a.store.RecoverDeliveries(ctx)
	if recovered > 0 {
		a.config.Log.Info("deliveries that were cut off go on", "deliveries", recovered)
	}
	return err
}

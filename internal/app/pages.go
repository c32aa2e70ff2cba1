package app

import (
	"fieldlift/internal/dashboard"
	"fieldlift/internal/httpapi"
	"fieldlift/internal/intake"
)

// newPages makes the dashboard; a node that only works has none.
func (a *App) newPages(in *intake.Intake, sampler *intake.Sampler) (httpapi.Pages, error) {
	if a.config.Role == Worker {
		return nil, nil //nolint:nilnil // the interface takes nil for none
	}
	pages, err := dashboard.New(dashboard.Config{
		Store:         a.store,
		Intake:        in,
		Sampler:       sampler,
		Remover:       a.keeper,
		Images:        a.images,
		Files:         a.blobs,
		Receivers:     a.receivers,
		Tester:        a.deliverer,
		Machine:       a.Machine,
		SignUp:        a.config.SignUp,
		SignUpCredits: a.config.SignUpCredits,
		Production:    a.config.Env == Production,
		Models:        a.config.Model.Name != "",
		Budgets:       a.config.Model.budgets(),
		MaxWebhooks:   a.config.MaxWebhooks,
		Proxies:       a.config.TrustedProxies,
		Log:           a.config.Log,
		Now:           a.config.Now,
	})
	if err == nil {
		a.stopPages = pages.Stop
	}
	return pages, err
}

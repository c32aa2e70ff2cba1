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
	return dashboard.New(dashboard.Config{
		Store:         a.store,
		Intake:        in,
		Sampler:       sampler,
		Images:        a.images,
		SignUp:        a.config.SignUp,
		SignUpCredits: a.config.SignUpCredits,
		Production:    a.config.Env == Production,
		Receivers:     a.receivers,
		Tester:        a.deliverer,
		MaxWebhooks:   a.config.MaxWebhooks,
		Machine:       a.Machine,
		Log:           a.config.Log,
		Now:           a.config.Now,
	})
}

package app

import (
	"fieldlift/internal/dashboard"
	"fieldlift/internal/httpapi"
	"fieldlift/internal/intake"
)

// newPages makes the dashboard; a node that only works has none.
func (a *App) newPages(takesIn *intake.Intake) (httpapi.Pages, error) {
	if a.config.Role == Worker {
		return nil, nil //nolint:nilnil // the interface takes nil for none
	}
	return dashboard.New(dashboard.Config{
		Store:         a.store,
		Intake:        takesIn,
		Remover:       a.keeper,
		Images:        a.images,
		Files:         a.blobs,
		SignUp:        a.config.SignUp,
		SignUpCredits: a.config.SignUpCredits,
		Log:           a.config.Log,
		Now:           a.config.Now,
	})
}

package httpapi

import (
	"net/http"

	"fieldlift"
	"fieldlift/api"
)

func (s *Server) getMe(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	available, err := s.Store.Available(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, api.UserEnvelope{User: api.User{
		UserID:           c.Account.ID,
		Email:            c.Account.Email,
		Name:             c.Account.Name,
		CreditsAvailable: available,
		KeyName:          c.Key.Name,
		KeyExpiresAt:     api.Time{Time: c.Key.ExpiresAt},
		MemberSince:      api.Time{Time: c.Account.CreatedAt},
	}})
}

func (s *Server) getCredits(w http.ResponseWriter, r *http.Request, c fieldlift.Caller) error {
	balance, err := s.Store.Balance(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	credits := api.Credits{Available: balance.Available, Used: balance.Used, Purchases: []api.Purchase{}}
	for _, p := range balance.Purchases {
		credits.Purchases = append(credits.Purchases, api.Purchase{
			PurchaseID:       p.ID,
			Source:           string(p.Source),
			CreditsPurchased: p.Credits,
			CreditsRemaining: p.Remaining,
			PurchasedAt:      api.Time{Time: p.PurchasedAt},
			ExpiresAt:        api.Time{Time: p.ExpiresAt},
		})
	}
	return writeJSON(w, http.StatusOK, api.CreditsEnvelope{Credits: credits})
}

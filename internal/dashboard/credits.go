package dashboard

import (
	"net/http"
	"time"

	"fieldlift"
)

// creditPage is what stands on the page of credits.
type creditPage struct {
	Balance fieldlift.Balance
	Days    int
	Spent   int64 // in these days
	Lasts   int64 // so many days more, at that pace; 0: that cannot be told
	Chart   chart
	ByDay   []fieldlift.UsageDay // newest first, without those on which nothing was
	Soon    time.Time            // what ends before is about to
}

const (
	creditDays = 30
	// soonOver is when the end of a purchase is near.
	soonOver = 14 * 24 * time.Hour
)

func (s *Server) showCredits(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body := creditPage{Days: creditDays, Soon: s.Now().Add(soonOver)}
	var err error
	if body.Balance, err = s.Store.Balance(r.Context(), v.Account.ID); err != nil {
		return err
	}
	days, err := s.Store.Usage(r.Context(), v.Account.ID, fieldlift.LastDays(s.Now(), creditDays))
	if err != nil {
		return err
	}
	for _, d := range days {
		body.Spent += d.Credits
	}
	if body.Spent > 0 {
		body.Lasts = body.Balance.Available * creditDays / body.Spent
	}
	body.Chart = newChart("Credits", days, count, series{"good", "credits", func(d fieldlift.UsageDay) float64 { return float64(d.Credits) }})
	body.ByDay = notEmpty(days)
	return s.show(w, r, v, "credits", page{Title: "Credits", Section: "credits", Body: body})
}

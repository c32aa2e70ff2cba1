package dashboard

import (
	"net/http"
	"strconv"
	"time"

	"fieldlift"
)

// readExpiry reads when something ends from a form: never, after so many days,
// or with the end of a date, in UTC.
func readExpiry(r *http.Request, now time.Time) (time.Time, []fieldlift.Detail) {
	switch chosen := r.PostFormValue("expires"); chosen {
	case "", "never":
		return time.Time{}, nil
	case "date":
		day, err := time.Parse(time.DateOnly, r.PostFormValue("date"))
		end := day.AddDate(0, 0, 1)
		if err != nil || !end.After(now) || end.Year() > 9999 {
			return time.Time{}, []fieldlift.Detail{{Field: "date", Issue: "date", Message: "Choose a date that is not over yet."}}
		}
		return end, nil
	default:
		days, err := strconv.Atoi(chosen)
		if err != nil || days < 1 || days > 3650 {
			return time.Time{}, []fieldlift.Detail{{Field: "expires", Issue: "enum", Message: "Choose when it ends."}}
		}
		return now.AddDate(0, 0, days), nil
	}
}

package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"fieldlift"
)

// usagePage is what stands on the page of usage.
type usagePage struct {
	Days    int
	Choices []int
	Total   fieldlift.Usage
	Credits int64
	Charts  []chart
	ByDay   []fieldlift.UsageDay // newest first, without those on which nothing was
	Parsers []parserShare
	Models  []fieldlift.ModelDay // newest first
	Budgets []budget             // of the account, for models today
}

// parserShare is a parser's part of all pages.
type parserShare struct {
	fieldlift.ParserUsage
	Share float64 // of 1
}

var spans = []int{7, 30, 90, 365}

// readSpan reads for how many days figures are wanted.
func readSpan(r *http.Request, choices []int, usual int) int {
	if n, err := strconv.Atoi(r.URL.Query().Get("days")); err == nil && slices.Contains(choices, n) {
		return n
	}
	return usual
}

func (s *Server) showUsage(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body := usagePage{Days: readSpan(r, spans, 30), Choices: spans}
	span := fieldlift.LastDays(s.Now(), body.Days)
	days, err := s.Store.Usage(r.Context(), v.Account.ID, span)
	if err != nil {
		return err
	}
	parsers, err := s.Store.UsageByParser(r.Context(), v.Account.ID, span)
	if err != nil {
		return err
	}
	if body.Models, err = s.Store.ModelDays(r.Context(), v.Account.ID, span.First.Time()); err != nil {
		return err
	}
	body.Budgets = s.budgetsOf(s.Budgets.Account, body.Models)
	for _, d := range days {
		body.Total.Merge(d.Usage)
		body.Credits += d.Credits
	}
	for _, p := range parsers {
		share := parserShare{ParserUsage: p}
		if body.Total.Pages > 0 {
			share.Share = float64(p.Usage.Pages) / float64(body.Total.Pages)
		}
		body.Parsers = append(body.Parsers, share)
	}
	body.Charts = usageCharts(days)
	body.ByDay = notEmpty(days)
	return s.show(w, r, v, "usage", page{Title: "Usage", Section: "usage", Body: body})
}

func usageCharts(days []fieldlift.UsageDay) []chart {
	milliseconds := func(ms float64) string { return took(time.Duration(ms * float64(time.Millisecond))) }
	return []chart{
		newChart("Documents", days, count,
			series{"good", "completed", func(d fieldlift.UsageDay) float64 { return float64(d.Usage.Documents - d.Usage.Failures) }},
			series{"bad", "failed", func(d fieldlift.UsageDay) float64 { return float64(d.Usage.Failures) }}),
		newChart("Pages", days, count,
			series{"good", "pages", func(d fieldlift.UsageDay) float64 { return float64(d.Usage.Pages) }}),
		newChart("Time for a document", days, milliseconds,
			series{"good", "on average", func(d fieldlift.UsageDay) float64 { return float64(d.Usage.Mean().Milliseconds()) }}),
	}
}

// notEmpty gives the days on which something was, newest first.
func notEmpty(days []fieldlift.UsageDay) (list []fieldlift.UsageDay) {
	for _, d := range slices.Backward(days) {
		if d.Usage.Documents > 0 || d.Credits > 0 {
			list = append(list, d)
		}
	}
	return list
}

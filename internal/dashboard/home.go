package dashboard

import (
	"net/http"

	"fieldlift"
)

// home is what stands on the first page.
type home struct {
	Parsers     []fieldlift.Parser // the newest that know what to read
	Unready     *fieldlift.Parser  // one that does not, where there is no other
	Extractions []fieldlift.Extraction
	Look        []fieldlift.Document // what needs a look
	Available   int64
	Address     string
}

// IsNew tells whether nothing was ever sent.
func (h home) IsNew() bool { return len(h.Extractions) == 0 }

const (
	homeParsers     = 5
	homeExtractions = 8
	homeLook        = 6

	// doubtfulDocument is the confidence below which a document is pointed out. It
	// is a mean of its values': each of them may be doubtful in an otherwise good one.
	doubtfulDocument = 0.7
)

func (s *Server) showHome(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	ctx, account := r.Context(), v.Account.ID
	body := home{Address: baseURL(r)}
	parsers, _, err := s.Store.Parsers(ctx, account, fieldlift.Page{Limit: homeParsers})
	if err != nil {
		return err
	}
	for _, p := range parsers {
		if !p.Schema.IsZero() {
			body.Parsers = append(body.Parsers, p)
		}
	}
	if len(parsers) > 0 && len(body.Parsers) == 0 {
		body.Unready = &parsers[0]
	}
	if body.Extractions, _, err = s.Store.Extractions(ctx, account, fieldlift.ExtractionFilter{}, fieldlift.Page{Limit: homeExtractions}); err != nil {
		return err
	}
	if body.Look, err = s.Store.NeedLook(ctx, account, doubtfulDocument, homeLook); err != nil {
		return err
	}
	if body.Available, err = s.Store.Available(ctx, account); err != nil {
		return err
	}
	return s.show(w, r, v, "home", page{Title: "Home", Section: "home", Body: body})
}

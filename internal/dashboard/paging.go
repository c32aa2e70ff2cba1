package dashboard

import (
	"net/http"

	"fieldlift"
)

// paging leads from one part of a list to the next.
type paging struct {
	Newest string // the address of the beginning; "" when it is shown
	Older  string // the address of what follows; "" when nothing does
}

// readPart reads which part of a list an address asks for.
func readPart(r *http.Request, limit int, scope, prefix string) (fieldlift.Page, error) {
	part := fieldlift.Page{Limit: limit}
	text := r.URL.Query().Get("after")
	if text == "" {
		return part, nil
	}
	var err error
	part.After, err = fieldlift.DecodeCursor(text, scope, prefix)
	return part, err
}

// newPaging makes the links of a part that was read of the list at a path.
func newPaging(r *http.Request, path string, part fieldlift.Page, more bool, last fieldlift.Cursor, scope string) (p paging) {
	query := r.URL.Query()
	query.Del("done")
	query.Del("after")
	if !part.After.IsZero() {
		p.Newest = path + "?" + query.Encode()
	}
	if more {
		query.Set("after", last.Encode(scope))
		p.Older = path + "?" + query.Encode()
	}
	return p
}

package httpapi

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"fieldlift"
	"fieldlift/api"
)

// mostRows is the longest page of any list.
const mostRows = 100

// readQuery reads the query; net/url's own shortcut would pass over what it
// cannot read.
func readQuery(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, fieldlift.Errorf(fieldlift.InvalidPayload, "The query of the URL cannot be read: %v.", err)
	}
	return query, nil
}

// readPage reads limit and cursor. The scope names the list with its account
// and filters; a cursor of another scope is refused.
func readPage(query url.Values, usual int, scope, idPrefix string) (fieldlift.Page, error) {
	page := fieldlift.Page{Limit: usual}
	if query.Has("limit") {
		limit, err := strconv.Atoi(query.Get("limit"))
		if err != nil || strconv.Itoa(limit) != query.Get("limit") || limit < 1 || limit > mostRows {
			return page, fieldlift.Invalid(fieldlift.Detail{
				Field: "limit", Issue: "range", Message: fmt.Sprintf("limit must be a whole number from 1 to %d.", mostRows),
			})
		}
		page.Limit = limit
	}
	if query.Has("cursor") {
		var err error
		page.After, err = fieldlift.DecodeCursor(query.Get("cursor"), scope, idPrefix)
		return page, err
	}
	return page, nil
}

// pagination tells the client where the list goes on after the last row.
func pagination(page fieldlift.Page, more bool, last fieldlift.Cursor, scope string) api.Pagination {
	p := api.Pagination{Limit: page.Limit, HasNextPage: more}
	if more {
		p.NextCursor = new(last.Encode(scope))
	}
	return p
}

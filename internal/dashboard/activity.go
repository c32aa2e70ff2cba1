package dashboard

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"fieldlift"
)

// activityPage is what stands on the page of activity.
type activityPage struct {
	Group  string
	Groups []string
	List   []activityRow
	Paging paging
}

// activityRow is an activity as a person reads it.
type activityRow struct {
	fieldlift.Activity
	Who  string
	What string
	Link string // to what it was done to; "" where there is nothing to see
}

const activitiesAtOnce = 50

func (s *Server) showActivity(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	body := activityPage{Groups: fieldlift.ActGroups}
	if group := r.URL.Query().Get("group"); slices.Contains(body.Groups, group) {
		body.Group = group
	}
	scope := fmt.Sprintf("activity %s %q", v.Account.ID, body.Group)
	part, err := readPart(r, activitiesAtOnce, scope, fieldlift.ActivityPrefix)
	if err != nil {
		return err
	}
	list, more, err := s.Store.Activities(r.Context(), v.Account.ID, fieldlift.ActivityFilter{Group: body.Group}, part)
	if err != nil {
		return err
	}
	var last fieldlift.Cursor
	for _, a := range list {
		body.List = append(body.List, newActivityRow(a, v.Account.Email))
		last = fieldlift.Cursor{At: a.At, ID: a.ID}
	}
	body.Paging = newPaging(r, r.URL.Path, part, more, last, scope)
	return s.show(w, r, v, "activity", page{Title: "Activity", Section: "activity", Body: body})
}

func newActivityRow(a fieldlift.Activity, reader string) activityRow {
	row := activityRow{Activity: a, Who: a.Actor.String(), What: a.String()}
	if a.Actor.Kind == fieldlift.Person && a.Actor.Name == reader {
		row.Who = "You"
	}
	if strings.HasSuffix(string(a.Act), ".deleted") {
		return row
	}
	switch a.Act.Group() {
	case "parser":
		row.Link = "/parsers/" + a.Subject
	case "extraction", "document":
		row.Link = "/extractions/" + a.Subject
	case "webhook":
		row.Link = "/integrations/webhooks/" + a.Subject
	}
	return row
}

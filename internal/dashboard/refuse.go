package dashboard

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"fieldlift"
)

// statuses is the one table from codes to HTTP, for pages.
var statuses = map[fieldlift.Code]int{
	fieldlift.InvalidPayload:      http.StatusBadRequest,
	fieldlift.ParserNotConfigured: http.StatusBadRequest,
	fieldlift.SchemaAlreadyExists: http.StatusBadRequest,
	fieldlift.UnsupportedFileType: http.StatusBadRequest,
	fieldlift.PageCountFailed:     http.StatusBadRequest,
	fieldlift.Unauthorized:        http.StatusForbidden,
	fieldlift.InsufficientCredits: http.StatusPaymentRequired,
	fieldlift.ParserNotFound:      http.StatusNotFound,
	fieldlift.ResourceNotFound:    http.StatusNotFound,
	fieldlift.Conflict:            http.StatusConflict,
	fieldlift.RateLimited:         http.StatusTooManyRequests,
	fieldlift.InternalError:       http.StatusInternalServerError,
	fieldlift.ServiceUnavailable:  http.StatusServiceUnavailable,
}

// titles head the pages that tell of an error.
var titles = map[int]string{
	http.StatusForbidden:           "Not possible",
	http.StatusPaymentRequired:     "More credits are needed",
	http.StatusNotFound:            "Not found",
	http.StatusTooManyRequests:     "Too often",
	http.StatusInternalServerError: "Something went wrong",
	http.StatusServiceUnavailable:  "Away for a moment",
}

// fault is an error as pages and scripts are told it.
type fault struct {
	Status  int                `json:"-"`
	Code    fieldlift.Code     `json:"code"`
	Message string             `json:"message"`
	Details []fieldlift.Detail `json:"details,omitempty"`
}

// Of gives what is wrong with one thing that was entered.
func (f *fault) Of(field string) string {
	if f == nil {
		return ""
	}
	for _, d := range f.Details {
		if d.Field == field {
			return d.Message
		}
	}
	return ""
}

// tellable turns an error into what may be told; ok is false when it is not the
// person's doing, and better told by refuse.
func tellable(err error) (f *fault, ok bool) {
	told, ok := errors.AsType[*fieldlift.Error](err)
	if !ok || statuses[told.Code] >= http.StatusInternalServerError {
		return nil, false
	}
	return &fault{Status: statuses[told.Code], Code: told.Code, Message: told.Message, Details: told.Details}, true
}

// refuse answers with a page, or for our scripts with JSON, that tells of an
// error. What is not ours to tell is told to the log.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		return // the browser has gone
	}
	told, ok := errors.AsType[*fieldlift.Error](err)
	if !ok {
		told = &fieldlift.Error{Code: fieldlift.InternalError, Message: "Something went wrong here. The request id helps the operator to find out what: " + w.Header().Get("X-Request-Id") + ".", Err: err}
	}
	f := fault{Status: statuses[told.Code], Code: told.Code, Message: told.Message, Details: told.Details}
	if told.Err != nil {
		level := slog.LevelError
		if f.Status < http.StatusInternalServerError {
			level = slog.LevelInfo
		}
		s.Log.Log(r.Context(), level, "page failed", "code", told.Code, "error", told.Err)
	}
	if wantsJSON(r) {
		err = showJSON(w, f.Status, struct {
			Error fault `json:"error"`
		}{f})
	} else {
		title := titles[f.Status]
		if title == "" {
			title = "Not possible"
		}
		err = s.showStatus(w, r, v, f.Status, "error", page{Title: title, Body: f})
	}
	if err != nil {
		s.Log.ErrorContext(r.Context(), "an error could not be told", "error", err)
	}
}

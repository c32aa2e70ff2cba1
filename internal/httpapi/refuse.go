package httpapi

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"fieldlift"
	"fieldlift/api"
)

// statuses is the one table from codes to HTTP.
var statuses = map[fieldlift.Code]int{
	fieldlift.InvalidPayload:      http.StatusBadRequest,
	fieldlift.ParserNotConfigured: http.StatusBadRequest,
	fieldlift.SchemaAlreadyExists: http.StatusBadRequest,
	fieldlift.UnsupportedFileType: http.StatusBadRequest,
	fieldlift.PageCountFailed:     http.StatusBadRequest,
	fieldlift.Unauthorized:        http.StatusUnauthorized,
	fieldlift.InsufficientCredits: http.StatusPaymentRequired,
	fieldlift.ParserNotFound:      http.StatusNotFound,
	fieldlift.ResourceNotFound:    http.StatusNotFound,
	fieldlift.Conflict:            http.StatusConflict,
	fieldlift.RateLimited:         http.StatusTooManyRequests,
	fieldlift.InternalError:       http.StatusInternalServerError,
	fieldlift.ServiceUnavailable:  http.StatusServiceUnavailable,
}

// statusError is an error whose status HTTP knows better than its code: the
// specification has no code of its own for 405 and 413.
type statusError struct {
	status int
	error
}

func (e statusError) Unwrap() error { return e.error }

// statusClientGone is what nginx, too, logs for a client that did not wait.
const statusClientGone = 499

// unavailableSeconds is how long to wait for a database that is away.
const unavailableSeconds = 5

// refuse answers with an error. What is not ours to tell is told to the log.
func (s *Server) refuse(x *exchange, r *http.Request, err error) {
	if errors.Is(err, context.Canceled) && r.Context().Err() != nil {
		// The client has gone. One that only stopped sending must not take silence for success.
		x.WriteHeader(statusClientGone)
		return
	}
	told, ok := errors.AsType[*fieldlift.Error](err)
	if !ok {
		told = &fieldlift.Error{
			Code:    fieldlift.InternalError,
			Message: "Something went wrong here. The request id helps the operator to find out what.",
			Err:     err,
		}
	}
	status := statuses[told.Code]
	if e, ok := errors.AsType[statusError](err); ok {
		status = e.status
	}
	if told.Err != nil {
		level := slog.LevelError
		if status < http.StatusInternalServerError {
			level = slog.LevelInfo // the client's doing; who sends bad files must not wake an operator
		}
		s.Log.Log(r.Context(), level, "request failed", "code", told.Code, "error", told.Err)
	}
	if status == http.StatusServiceUnavailable {
		x.Header().Set("Retry-After", strconv.Itoa(unavailableSeconds))
	}
	body := api.ErrorBody{Code: string(told.Code), Message: told.Message, RequestID: x.id}
	for _, d := range told.Details {
		body.Details = append(body.Details, api.ErrorDetail(d))
	}
	if err := writeJSON(x, status, api.ErrorEnvelope{Error: body}); err != nil {
		s.Log.ErrorContext(r.Context(), "an error could not be answered", "error", err)
	}
}

// unmatched answers a path that is not there, or not with this method. The
// mux knows which; only its words are replaced.
func (s *Server) unmatched(x *exchange, r *http.Request, answer http.Handler) {
	probe := probe{header: http.Header{}}
	answer.ServeHTTP(&probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		if s.Pages != nil && !isV1(r.URL.Path) && strings.Contains(r.Header.Get("Accept"), "text/html") {
			s.Pages.NotFound(x, r)
			return
		}
		s.refuse(x, r, fieldlift.Errorf(fieldlift.ResourceNotFound, "There is nothing at %s.", r.URL.Path))
		return
	}
	allowed := probe.header.Get("Allow")
	x.Header().Set("Allow", allowed)
	s.refuse(x, r, statusError{http.StatusMethodNotAllowed, fieldlift.Errorf(fieldlift.InvalidPayload,
		"%s is not possible here; use %s.", r.Method, allowed)})
}

// probe takes an answer's status and header and lets its body go.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(status int)      { p.status = status }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

package httpapi

import (
	"context"
	"log/slog"
	"net/http"
	"strings"

	"fieldlift"
	"fieldlift/internal/ratelimit"
	"fieldlift/internal/telemetry"
)

// isV1 tells the paths for which a key is needed, whether they exist or not.
func isV1(path string) bool { return path == "/v1" || strings.HasPrefix(path, "/v1/") }

// admit lets a request with a valid key and room in its window pass, with the
// caller noted; another is answered here, and nil is returned.
func (s *Server) admit(x *exchange, r *http.Request) *http.Request {
	ctx, cancel := context.WithTimeout(r.Context(), requestTimeout)
	defer cancel()
	caller, window, known, err := s.Store.Admit(ctx, fieldlift.Knock{
		FullKey: r.Header.Get("X-API-Key"),
		Address: s.addressBucket(r),
		Submits: x.route == "POST /v1/extractions",
	})
	window.SetHeaders(x.Header())
	switch {
	case err != nil:
		s.refuse(x, r, err)
		return nil
	case !window.Allowed():
		by := "address"
		if known {
			by, x.caller = "key", caller
		}
		s.refuseOverLimit(x, r, window, by)
		return nil
	case !known:
		// One answer for missing, unknown, revoked and expired: a stranger learns nothing.
		s.refuse(x, r, fieldlift.Errorf(fieldlift.Unauthorized, "A valid API key is needed in the header X-API-Key."))
		return nil
	}
	x.caller = caller
	acting := fieldlift.WithActor(r.Context(), fieldlift.Actor{Kind: fieldlift.APIKey, Name: caller.Key.Name})
	return r.WithContext(telemetry.With(acting, slog.String("account_id", caller.Account.ID)))
}

// countAddress counts a request outside of /v1 that matches nothing, so that
// guessing paths is bounded too.
func (s *Server) countAddress(x *exchange, r *http.Request) bool {
	window, err := s.Store.CountAddress(r.Context(), s.addressBucket(r))
	window.SetHeaders(x.Header())
	// The path is unknown whether the database can count or not.
	if err == nil && !window.Allowed() {
		s.refuseOverLimit(x, r, window, "address")
		return false
	}
	return true
}

func (s *Server) refuseOverLimit(x *exchange, r *http.Request, window ratelimit.Window, by string) {
	s.metrics.rateLimited.WithLabelValues(by).Inc()
	seconds := window.RetryAfter(s.Now())
	x.Header().Set("Retry-After", itoa(seconds))
	s.refuse(x, r, fieldlift.Errorf(fieldlift.RateLimited,
		"The limit of %d requests a minute is reached. Try again in %d seconds.", window.Limit, seconds))
}

func (s *Server) addressBucket(r *http.Request) string {
	address := ratelimit.ClientAddress(r, s.Proxies)
	if !address.IsValid() {
		return "ip:unknown" // a connection without an address, such as a socket file
	}
	return ratelimit.AddressBucket(address)
}

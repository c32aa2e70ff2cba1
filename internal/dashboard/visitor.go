package dashboard

import (
	"net/http"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/ratelimit"
)

// The cookie's names: with the prefix browsers hold to its being sent over
// HTTPS, to this host only.
const (
	sessionCookie       = "fieldlift_session"
	secureSessionCookie = "__Host-" + sessionCookie
)

// isSecure reports whether the browser came by HTTPS, here or up to a proxy.
// Who makes the header up only keeps his own browser from signing in.
func isSecure(r *http.Request) bool {
	return r.TLS != nil || strings.EqualFold(r.Header.Get("X-Forwarded-Proto"), "https")
}

func cookieName(r *http.Request) string {
	if isSecure(r) {
		return secureSessionCookie
	}
	return sessionCookie
}

// visitor tells who sends a request, by the session's secret in its cookie.
func (s *Server) visitor(r *http.Request) (fieldlift.Visitor, bool, error) {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return fieldlift.Visitor{}, false, nil //nolint:nilerr // there is no cookie
	}
	return s.Store.Visitor(r.Context(), cookie.Value, s.address(r))
}

// newSession describes the browser that sends a request.
func (s *Server) newSession(r *http.Request, accountID string) fieldlift.Session {
	agent := strings.ToValidUTF8(r.UserAgent(), "")
	if runes := []rune(agent); len(runes) > fieldlift.MaxAgent {
		agent = string(runes[:fieldlift.MaxAgent])
	}
	return fieldlift.Session{AccountID: accountID, Agent: agent, Address: s.address(r)}
}

// keepSession gives the browser the secret of its session.
func (s *Server) keepSession(w http.ResponseWriter, r *http.Request, token string) {
	//nolint:gosec // without HTTPS a secure cookie would never come back
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: token, Path: "/", HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteLaxMode,
		Expires: s.Now().Add(fieldlift.SessionLongest),
	})
}

// dropSession has the browser forget its secret.
func dropSession(w http.ResponseWriter, r *http.Request) {
	//nolint:gosec // as in keepSession
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Path: "/", HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteLaxMode,
		Expires: time.Unix(1, 0), MaxAge: -1,
	})
}

// address is where a request comes from, without its port.
func (s *Server) address(r *http.Request) string {
	address := ratelimit.ClientAddress(r, s.Proxies)
	if !address.IsValid() {
		return "unknown" // a connection without an address, such as a socket file
	}
	return address.String()
}

// neighbourhood is what tries from an address count as: one IPv6 customer
// commands many addresses.
func (s *Server) neighbourhood(r *http.Request) string {
	address := ratelimit.ClientAddress(r, s.Proxies)
	if !address.IsValid() {
		return "unknown"
	}
	return ratelimit.AddressBucket(address)
}

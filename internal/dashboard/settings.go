package dashboard

import (
	"net/http"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/password"
)

// settings is what stands on the page of settings.
type settings struct {
	Name     string
	Sessions []fieldlift.Session
	Fault    *fault
}

func (s *Server) showSettings(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.showSettingsWith(w, r, v, settings{Name: v.Account.Name})
}

func (s *Server) showSettingsWith(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, body settings) error {
	var err error
	if body.Sessions, err = s.Store.Sessions(r.Context(), v.Account.ID); err != nil {
		return err
	}
	status := http.StatusOK
	if body.Fault != nil {
		status = body.Fault.Status
	}
	return s.showStatus(w, r, v, status, "settings", page{Title: "Settings", Section: "settings", Body: body})
}

// told ends what a form of the settings asked for: on the page again, with what
// was wrong or what was done.
func (s *Server) told(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, body settings, err error, done string) error {
	if f, ok := tellable(err); ok {
		body.Fault = f
		return s.showSettingsWith(w, r, v, body)
	}
	if err != nil {
		return err
	}
	return goTo(w, r, "/settings", done)
}

func (s *Server) rename(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	name := strings.TrimSpace(r.PostFormValue("name"))
	var err error
	if found := fieldlift.CheckName("name", name, fieldlift.MaxKeyName); found != nil {
		err = fieldlift.Invalid(found...)
	} else {
		_, err = s.Store.UpdateAccount(r.Context(), v.Account.ID, fieldlift.AccountChange{Name: &name})
	}
	return s.told(w, r, v, settings{Name: name}, err, "renamed")
}

func (s *Server) changePassword(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	err := s.replacePassword(r, v)
	return s.told(w, r, v, settings{Name: v.Account.Name}, err, "password-changed")
}

// replacePassword asks for the present password first: an unattended browser
// must not be enough to take an account over.
func (s *Server) replacePassword(r *http.Request, v fieldlift.Visitor) error {
	throttles := fieldlift.SignInThrottles(v.Account.Email, s.neighbourhood(r))
	if err := s.throttle(r.Context(), throttles); err != nil {
		return err
	}
	account, err := s.Store.AccountByEmail(r.Context(), v.Account.Email)
	if err != nil {
		return err
	}
	matches := false
	if err := s.hash(r.Context(), func() { matches = password.Matches(account.PasswordHash, r.PostFormValue("current")) }); err != nil {
		return err
	}
	if !matches {
		return fieldlift.Invalid(fieldlift.Detail{Field: "current", Issue: "wrong", Message: "That is not your present password."})
	}
	hash, err := s.newHash(r, r.PostFormValue("password"))
	if err != nil {
		return err
	}
	if err := s.Store.Relieve(r.Context(), throttles); err != nil {
		return err
	}
	return s.Store.ChangePassword(r.Context(), v.Account.ID, hash, v.Session.ID)
}

func (s *Server) endSession(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	id := r.PathValue("session")
	if id == v.Session.ID {
		return s.signOut(w, r, v)
	}
	if err := s.Store.EndSession(r.Context(), v.Account.ID, id, fieldlift.SessionRevoked); err != nil {
		return err
	}
	return goTo(w, r, "/settings", "session-ended")
}

func (s *Server) endOtherSessions(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := s.Store.EndOtherSessions(r.Context(), v.Account.ID, v.Session.ID); err != nil {
		return err
	}
	return goTo(w, r, "/settings", "sessions-ended")
}

// appearanceCookie keeps whether a browser shows pages light or dark: that is
// the screen's affair, not the account's.
const appearanceCookie = "fieldlift_appearance"

func appearance(r *http.Request) string {
	cookie, err := r.Cookie(appearanceCookie)
	if err != nil || cookie.Value != "light" && cookie.Value != "dark" {
		return ""
	}
	return cookie.Value
}

func (s *Server) setAppearance(w http.ResponseWriter, r *http.Request, _ fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	//nolint:gosec // without HTTPS a secure cookie would never come back
	cookie := &http.Cookie{Name: appearanceCookie, Path: "/", HttpOnly: true, Secure: isSecure(r), SameSite: http.SameSiteLaxMode}
	switch chosen := r.PostFormValue("appearance"); chosen {
	case "light", "dark":
		cookie.Value, cookie.Expires = chosen, s.Now().Add(365*24*time.Hour)
	default:
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
	return goTo(w, r, "/settings", "appearance-set")
}

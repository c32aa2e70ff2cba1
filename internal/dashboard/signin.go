package dashboard

import (
	"context"
	"net/http"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/password"
)

// signInForm is what stands in the forms for signing in and up.
type signInForm struct {
	Email, Name string
	Next        string // where to go on
	Fault       *fault
}

func (s *Server) showSignIn(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	next := localPath(r.URL.Query().Get("next"))
	if v.Account.ID != "" {
		return goTo(w, r, next, "")
	}
	return s.show(w, r, v, "signin", page{Title: "Sign in", Body: signInForm{Next: next}})
}

// signIn opens a session for who knows an account's password. One answer tells
// of an unknown address and of a wrong password, and takes as long.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	form := signInForm{Email: r.PostFormValue("email"), Next: localPath(r.PostFormValue("next"))}
	account, err := s.authenticate(r, form.Email, r.PostFormValue("password"))
	if err == nil {
		err = s.openSession(w, r, account)
	}
	if f, ok := tellable(err); ok {
		form.Fault = f
		return s.showStatus(w, r, v, f.Status, "signin", page{Title: "Sign in", Body: form})
	}
	if err != nil {
		return err
	}
	return goTo(w, r, form.Next, "")
}

// noHash is what the passwords of unknown accounts are held against, so that
// they take as long to be refused.
const noHash = "$argon2id$v=19$m=65536,t=3,p=4$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

func (s *Server) authenticate(r *http.Request, email, secret string) (fieldlift.Account, error) {
	refused := fieldlift.Errorf(fieldlift.Unauthorized, "The e-mail address or the password is not right.")
	email, err := fieldlift.ParseEmail(email)
	if err != nil {
		return fieldlift.Account{}, err
	}
	throttles := fieldlift.SignInThrottles(email, s.neighbourhood(r))
	if err := s.throttle(r.Context(), throttles); err != nil {
		return fieldlift.Account{}, err
	}
	account, err := s.Store.AccountByEmail(r.Context(), email)
	if err != nil && fieldlift.CodeOf(err) != fieldlift.ResourceNotFound {
		return fieldlift.Account{}, err
	}
	hash := account.PasswordHash
	if hash == "" {
		hash = noHash
	}
	matches := false
	if err := s.hash(r.Context(), func() { matches = password.Matches(hash, secret) }); err != nil {
		return fieldlift.Account{}, err
	}
	if !matches || account.PasswordHash == "" {
		if account.ID != "" {
			s.Store.NoteRefusal(account.ID)
		}
		return fieldlift.Account{}, refused
	}
	return account, s.Store.Relieve(r.Context(), throttles)
}

// throttle refuses what is tried too often.
func (s *Server) throttle(ctx context.Context, throttles []fieldlift.Throttle) error {
	wait, err := s.Store.Throttle(ctx, throttles)
	if err != nil || wait <= 0 {
		return err
	}
	return fieldlift.Errorf(fieldlift.RateLimited, "That was tried too often. Try again in %s.", shortSpan(wait))
}

// shortSpan is span for waits, which may be seconds.
func shortSpan(d time.Duration) string {
	if d < time.Minute {
		return plural(int64(d/time.Second)+1, "second", "seconds")
	}
	return span(d + time.Minute/2)
}

// hash works on a password when there is a place for it.
func (s *Server) hash(ctx context.Context, work func()) error {
	select {
	case s.hashing <- struct{}{}:
	case <-ctx.Done():
		return &fieldlift.Error{Code: fieldlift.ServiceUnavailable, Message: "Too many people are signing in right now. Try again in a moment.", Err: ctx.Err()}
	}
	defer func() { <-s.hashing }()
	work()
	return nil
}

func (s *Server) openSession(w http.ResponseWriter, r *http.Request, account fieldlift.Account) error {
	token := fieldlift.NewSessionToken()
	if _, err := s.Store.OpenSession(acting(r.Context(), account), s.newSession(r, account.ID), token); err != nil {
		return err
	}
	s.keepSession(w, r, token)
	return nil
}

func (s *Server) signOut(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := s.Store.EndSession(r.Context(), v.Account.ID, v.Session.ID, fieldlift.SignedOut); err != nil {
		return err
	}
	dropSession(w, r)
	return goTo(w, r, "/sign-in", "signed-out")
}

// localPath keeps links in forms from leading to other sites.
func localPath(path string) string {
	if !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//") || strings.ContainsAny(path, "\\\r\n\t") {
		return "/"
	}
	return path
}

// mostForm bounds a form without files.
const mostForm = 1 << 20

// readForm reads a form without files.
func readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, mostForm)
	if err := r.ParseForm(); err != nil {
		return &fieldlift.Error{Code: fieldlift.InvalidPayload, Message: "The form could not be read. Try again.", Err: err}
	}
	return nil
}

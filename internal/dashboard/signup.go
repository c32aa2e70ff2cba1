package dashboard

import (
	"net/http"
	"strings"

	"fieldlift"
	"fieldlift/internal/password"
)

func (s *Server) showSignUp(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	switch {
	case v.Account.ID != "":
		return goTo(w, r, "/", "")
	case !s.SignUp:
		return noSignUp
	}
	return s.show(w, r, v, "signup", page{Title: "Create an account", Body: signInForm{}})
}

var noSignUp = fieldlift.Errorf(fieldlift.ResourceNotFound, "Accounts are made by the operator of this service. Ask for one, and sign in here.")

// signUp makes an account and opens its first session.
func (s *Server) signUp(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if !s.SignUp {
		return noSignUp
	}
	if err := readForm(w, r); err != nil {
		return err
	}
	form := signInForm{Email: r.PostFormValue("email"), Name: strings.TrimSpace(r.PostFormValue("name"))}
	token := fieldlift.NewSessionToken()
	err := s.createAccount(r, form, token)
	if f, ok := tellable(err); ok {
		form.Fault = f
		return s.showStatus(w, r, v, f.Status, "signup", page{Title: "Create an account", Body: form})
	}
	if err != nil {
		return err
	}
	s.keepSession(w, r, token)
	return goTo(w, r, "/", "")
}

func (s *Server) createAccount(r *http.Request, form signInForm, token string) error {
	email, err := fieldlift.ParseEmail(form.Email)
	if err != nil {
		return err
	}
	if form.Name != "" {
		if found := fieldlift.CheckName("name", form.Name, fieldlift.MaxKeyName); found != nil {
			return fieldlift.Invalid(found...)
		}
	}
	if err := s.throttle(r.Context(), fieldlift.SignUpThrottles(s.neighbourhood(r))); err != nil {
		return err
	}
	hash, err := s.newHash(r, r.PostFormValue("password"))
	if err != nil {
		return err
	}
	account := fieldlift.Account{Email: email, Name: form.Name, PasswordHash: hash}
	_, err = s.Store.SignUp(acting(r.Context(), account), account, s.SignUpCredits, s.newSession(r, ""), token)
	return err
}

// newHash hashes a password that is to be kept.
func (s *Server) newHash(r *http.Request, secret string) (hash string, err error) {
	if full := s.hash(r.Context(), func() { hash, err = password.Hash(secret) }); full != nil {
		return "", full
	}
	return hash, err
}

package dashboard

import (
	"net/http"
	"slices"
	"strings"

	"fieldlift"
)

// keyPage is what stands on the page of API keys.
type keyPage struct {
	Working []fieldlift.Key
	Ended   []endedKey
	Name    string // as entered
	Expires string
	Date    string
	Full    string // a key that was just made: shown this once
	URL     string // where this service answers
	Fault   *fault
}

// endedKey is a key that works no more.
type endedKey struct {
	fieldlift.Key
	Expired bool // by itself; else it was revoked
}

func (s *Server) showKeys(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	return s.showKeysWith(w, r, v, keyPage{})
}

func (s *Server) showKeysWith(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor, body keyPage) error {
	keys, err := s.Store.Keys(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	slices.Reverse(keys) // newest first
	for _, k := range keys {
		if k.Works(s.Now()) {
			body.Working = append(body.Working, k)
		} else {
			body.Ended = append(body.Ended, endedKey{k, k.RevokedAt.IsZero() || k.RevokedAt.Equal(k.ExpiresAt)})
		}
	}
	body.URL = origin(r)
	status := http.StatusOK
	switch {
	case body.Fault != nil:
		status = body.Fault.Status
	case body.Full != "":
		status = http.StatusCreated
	}
	return s.showStatus(w, r, v, status, "keys", page{Title: "API keys", Section: "integrations", Body: body})
}

// createKey makes a key and shows it on the page that answers, never again.
func (s *Server) createKey(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := readForm(w, r); err != nil {
		return err
	}
	body := keyPage{Name: strings.TrimSpace(r.PostFormValue("name")), Expires: r.PostFormValue("expires"), Date: r.PostFormValue("date")}
	found := fieldlift.CheckName("name", body.Name, fieldlift.MaxKeyName)
	expires, wrong := readExpiry(r, s.Now())
	if found = append(found, wrong...); len(found) > 0 {
		body.Fault, _ = tellable(fieldlift.Invalid(found...))
		return s.showKeysWith(w, r, v, body)
	}
	full := fieldlift.NewFullKey(s.Production)
	_, err := s.Store.CreateKey(r.Context(), fieldlift.Key{AccountID: v.Account.ID, Name: body.Name, ExpiresAt: expires}, full)
	if f, ok := tellable(err); ok {
		body.Fault = f
		return s.showKeysWith(w, r, v, body)
	}
	if err != nil {
		return err
	}
	return s.showKeysWith(w, r, v, keyPage{Full: full})
}

func (s *Server) revokeKey(w http.ResponseWriter, r *http.Request, v fieldlift.Visitor) error {
	if err := s.Store.RevokeKeyByID(r.Context(), v.Account.ID, r.PathValue("key")); err != nil {
		return err
	}
	return goTo(w, r, "/integrations/keys", "key-revoked")
}

// origin is how a browser calls this service.
func origin(r *http.Request) string {
	if isSecure(r) {
		return "https://" + r.Host
	}
	return "http://" + r.Host
}

package fieldlift

import (
	"net/mail"
	"strings"
	"time"
	"unicode/utf8"
)

// Account owns everything else; its id is the user_id of the interface.
type Account struct {
	ID           string
	Email        string // normalised, unique
	Name         string // "" when none was given
	PasswordHash string // "" when the account cannot sign in
	Admin        bool   // runs the service, and sees figures of all accounts
	CreatedAt    time.Time
}

// AccountChange holds what an update sets; nil leaves a thing as it is.
type AccountChange struct {
	Name         *string
	PasswordHash *string
	Admin        *bool
}

// ParseEmail checks an e-mail address and brings it to the form in which
// accounts are compared: trimmed, in lower case.
func ParseEmail(s string) (string, error) {
	valid := utf8.ValidString(s) // before anything mends it
	s = strings.ToLower(strings.TrimSpace(s))
	address, err := mail.ParseAddress(s)
	if err != nil || !valid || address.Address != s || len(s) > 254 || strings.ContainsFunc(s, isControl) {
		return "", Invalid(Detail{Field: "email", Issue: "format", Message: "email must be an e-mail address such as ada@example.com."})
	}
	return s, nil
}

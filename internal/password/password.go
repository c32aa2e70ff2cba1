// Package password hashes and checks the passwords of accounts with argon2id.
// It keeps nothing and knows nothing of accounts or sessions.
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/crypto/argon2"

	"fieldlift"
)

// RFC 9106's second recommended setting, for machines where 2 GiB a sign-in
// are not to be had.
const (
	passes      = 3
	memoryKiB   = 64 << 10
	threads     = 4
	saltLength  = 16
	hashLength  = 32
	minLength   = 8
	maxLength   = 1000
	description = "$argon2id$v=%d$m=%d,t=%d,p=%d$"
)

// Hash makes the text under which a password is kept.
func Hash(password string) (string, error) {
	if n := utf8.RuneCountInString(password); n < minLength || n > maxLength {
		return "", fieldlift.Invalid(fieldlift.Detail{
			Field: "password", Issue: "length",
			Message: fmt.Sprintf("password must have %d to %d characters.", minLength, maxLength),
		})
	}
	salt := make([]byte, saltLength)
	_, _ = rand.Read(salt) // never fails: crypto/rand ends the program instead
	sum := argon2.IDKey([]byte(password), salt, passes, memoryKiB, threads, hashLength)
	text := base64.RawStdEncoding
	return fmt.Sprintf(description, argon2.Version, memoryKiB, passes, threads) +
		text.EncodeToString(salt) + "$" + text.EncodeToString(sum), nil
}

// Matches reports whether a password is the one that was hashed. Hashes made
// with other settings are still understood, so that ours can be raised.
func Matches(hash, password string) bool {
	parts := strings.Split(hash, "$") // "", argon2id, v=, m=,t=,p=, salt, sum
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var version int
	var memory, time uint32
	var lanes uint8
	if _, err := fmt.Sscanf(parts[2], "v=%d", &version); err != nil || version != argon2.Version {
		return false
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &memory, &time, &lanes); err != nil || time == 0 || lanes == 0 {
		return false
	}
	salt, err := base64.RawStdEncoding.DecodeString(parts[4])
	if err != nil {
		return false
	}
	sum, err := base64.RawStdEncoding.DecodeString(parts[5])
	if err != nil || len(sum) == 0 {
		return false
	}
	again := argon2.IDKey([]byte(password), salt, time, memory, lanes, uint32(len(sum)))
	return subtle.ConstantTimeCompare(sum, again) == 1
}

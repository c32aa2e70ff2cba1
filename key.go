package fieldlift

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"time"
)

// Key is an API key as it is kept: never the full key, only its hash.
type Key struct {
	ID         string
	AccountID  string
	Name       string // the label its owner gave it
	Hint       string // the first characters of the full key, to tell keys apart
	CreatedAt  time.Time
	ExpiresAt  time.Time // zero: never
	RevokedAt  time.Time // zero: not revoked
	LastUsedAt time.Time // zero: never; exact to a minute
}

// Works reports whether requests with the key are answered.
func (k Key) Works(now time.Time) bool {
	return k.RevokedAt.IsZero() && (k.ExpiresAt.IsZero() || k.ExpiresAt.After(now))
}

// Knock is a request at the door.
type Knock struct {
	FullKey string // as given; it may be anything
	Address string // the bucket of the client's address
	Submits bool   // it counts as a submission too
}

// Caller is who a valid key stands for.
type Caller struct {
	Account Account // without its password
	Key     Key
}

const (
	livePrefix     = "svc_live_"
	testPrefix     = "svc_test_"
	keyRandom      = 30
	keyChecksum    = 6
	keyHintLength  = len(livePrefix) + 4
	base62Alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	// MaxKeyName is the longest label of a key, in characters.
	MaxKeyName = 100
)

// NewFullKey makes the secret text of a key: a prefix that secret scanners
// know, 30 random characters, and a checksum that lets a mistyped key be
// refused without asking the database.
func NewFullKey(production bool) string {
	prefix := testPrefix
	if production {
		prefix = livePrefix
	}
	text := prefix + RandomText(keyRandom)
	return text + checksum(text)
}

// WellFormedKey reports whether s could be a full key at all.
func WellFormedKey(s string) bool {
	if !strings.HasPrefix(s, livePrefix) && !strings.HasPrefix(s, testPrefix) {
		return false
	}
	body := len(s) - keyChecksum
	return body == len(livePrefix)+keyRandom && checksum(s[:body]) == s[body:]
}

// HashKey gives the form in which a full key is stored and found. A fast hash
// is right here: a key holds 178 random bits, so it cannot be guessed.
func HashKey(full string) string {
	sum := sha256.Sum256([]byte(full))
	return hex.EncodeToString(sum[:])
}

// KeyHint gives the part of a full key that may be shown again.
func KeyHint(full string) string {
	return full[:min(len(full), keyHintLength)]
}

// RandomText makes n random letters and digits, each equally likely.
func RandomText(n int) string {
	text := make([]byte, 0, n)
	var random [64]byte
	for len(text) < n {
		_, _ = rand.Read(random[:]) // never fails: crypto/rand ends the program instead
		for _, b := range random {
			// 248 is the largest multiple of 62 in a byte: above it some characters would be likelier.
			if b < 248 && len(text) < n {
				text = append(text, base62Alphabet[b%62])
			}
		}
	}
	return string(text)
}

func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [keyChecksum]byte
	for i := len(digits) - 1; i >= 0; i-- {
		digits[i] = base62Alphabet[sum%62]
		sum /= 62
	}
	return string(digits[:])
}

// Package seal keeps secrets that the service must be able to read again, such
// as the keys of signatures, from whoever reads only the database: AES-256-GCM
// with a key that is not in it. Where that key comes from is not its business.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
)

// keyBytes is how long a key is.
const keyBytes = 32

// Box seals and opens with one key.
type Box struct {
	aead        cipher.AEAD
	fingerprint string
}

var errKey = errors.New("a key of 32 bytes is needed, as 64 hex digits or in base64; \"openssl rand -hex 32\" makes one")

// New makes a Box from a key's text: 64 hex digits, or base64 of 32 bytes.
func New(text string) (*Box, error) {
	text = strings.TrimSpace(text)
	key, err := hex.DecodeString(text)
	if err != nil {
		key, err = base64.StdEncoding.DecodeString(text)
	}
	if err != nil || len(key) != keyBytes {
		return nil, errKey
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(append([]byte("fieldlift sealing key "), key...))
	return &Box{aead, hex.EncodeToString(sum[:8])}, nil
}

// NewKey makes the text of a new key.
func NewKey() string {
	var key [keyBytes]byte
	_, _ = rand.Read(key[:]) // never fails: crypto/rand ends the program instead
	return hex.EncodeToString(key[:])
}

// Fingerprint tells keys apart without telling anything else of them.
func (b *Box) Fingerprint() string { return b.fingerprint }

// version begins every sealed text, for the day when there is another way.
const version = "v1:"

// Seal makes a text that only Open with the same key and the same place gives
// back: what is sealed for one row and column cannot be moved to another.
func (b *Box) Seal(secret, place string) string {
	sealed := b.aead.Seal(nil, nil, []byte(secret), []byte(place)) //nolint:gosec // G407: this AEAD makes its nonce itself, a random one
	return version + base64.RawStdEncoding.EncodeToString(sealed)
}

var errOpen = errors.New("a secret cannot be opened: it was sealed with another key, or was changed")

// Open gives the secret of a sealed text.
func (b *Box) Open(sealed, place string) (string, error) {
	text, found := strings.CutPrefix(sealed, version)
	if !found {
		return "", errOpen
	}
	box, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		return "", errOpen
	}
	secret, err := b.aead.Open(nil, nil, box, []byte(place))
	if err != nil {
		return "", errOpen
	}
	return string(secret), nil
}

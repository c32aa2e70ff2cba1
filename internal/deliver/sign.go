package deliver

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"net/http"
	"strconv"
	"time"

	"fieldlift"
)

// signer signs a body that is written to it. X-Service-Signature is keyed with
// the secret's text and covers the body; webhook-signature is that of Standard
// Webhooks, keyed with the bytes that the text stands for, and covers id and
// time as well. After a rotation the latter holds a signature of each secret that is valid.
type signer struct {
	id, timestamp string
	static        string
	service       hash.Hash
	standard      []hash.Hash
}

func newSigner(secrets fieldlift.WebhookSecrets, eventID string, at time.Time) (*signer, error) {
	s := &signer{
		id: eventID, timestamp: strconv.FormatInt(at.Unix(), 10), static: secrets.Static,
		service: hmac.New(sha256.New, []byte(secrets.Signing)),
	}
	for _, secret := range append([]string{secrets.Signing}, secrets.Former...) {
		key, err := fieldlift.SigningKey(secret)
		if err != nil {
			return nil, fmt.Errorf("read a signing secret: %w", err)
		}
		one := hmac.New(sha256.New, key)
		_, _ = one.Write([]byte(s.id + "." + s.timestamp + ".")) // a hash never fails
		s.standard = append(s.standard, one)
	}
	return s, nil
}

func (s *signer) Write(text []byte) (int, error) {
	_, _ = s.service.Write(text) // a hash never fails
	for _, one := range s.standard {
		_, _ = one.Write(text)
	}
	return len(text), nil
}

// sign sets the header's lines for what was written.
func (s *signer) sign(header http.Header) {
	header.Set("X-Service-Signature", hex.EncodeToString(s.service.Sum(nil)))
	header.Set("Webhook-Id", s.id)
	header.Set("Webhook-Timestamp", s.timestamp)
	signatures := ""
	for i, one := range s.standard {
		if i > 0 {
			signatures += " "
		}
		signatures += "v1," + base64.StdEncoding.EncodeToString(one.Sum(nil))
	}
	header.Set("Webhook-Signature", signatures)
	if s.static != "" {
		header.Set("X-Webhook-Secret", s.static)
	}
}

package api

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// ErrNotVerified is the answer of VerifyWebhook to a request that must not be
// trusted.
var ErrNotVerified = errors.New("the webhook's signature is missing or wrong")

// ErrTooOld is the answer of VerifyWebhook to a request that was signed too
// long ago, or too far in the future: perhaps one that somebody sends again.
var ErrTooOld = errors.New("the webhook was not signed just now")

// webhookTolerance is how far the clocks of sender and receiver may differ.
const webhookTolerance = 5 * time.Minute

// VerifyWebhook reports whether a request to your server came from the service,
// unchanged and just now. The body is the raw one, before any parsing; the
// secret is the webhook's signing_secret. For 24 hours after a rotation the
// secret before it is taken, too.
//
// It looks at the headers of Standard Webhooks, which cover the time as well.
func VerifyWebhook(header http.Header, body []byte, secret string) error {
	return verifyWebhook(header, body, secret, time.Now())
}

func verifyWebhook(header http.Header, body []byte, secret string, now time.Time) error {
	id, timestamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 || id == "" {
		return ErrNotVerified
	}
	mac := hmac.New(sha256.New, key)
	_, _ = mac.Write([]byte(id + "." + timestamp + ".")) // a hash never fails
	_, _ = mac.Write(body)
	want := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	verified := false
	for signature := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
		verified = hmac.Equal([]byte(signature), want) || verified
	}
	if !verified {
		return ErrNotVerified
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > webhookTolerance {
		return ErrTooOld
	}
	return nil
}

package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// signatureVector is one of testdata/webhook_signatures.json, which was
// computed by another program and is there for receivers in any language.
type signatureVector struct {
	Name      string `json:"name"`
	Secret    string `json:"signing_secret"`
	Previous  string `json:"previous_secret"`
	ID        string `json:"webhook_id"`
	Timestamp string `json:"webhook_timestamp"`
	Body      string `json:"body"`
	Signature string `json:"webhook_signature"`
	Service   string `json:"x_service_signature"`
}

func signatureVectors(t *testing.T) []signatureVector {
	t.Helper()
	text, err := os.ReadFile("testdata/webhook_signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []signatureVector
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) == 0 {
		t.Fatal(len(vectors), err)
	}
	return vectors
}

func (v signatureVector) header() http.Header {
	h := http.Header{}
	h.Set("webhook-id", v.ID)
	h.Set("webhook-timestamp", v.Timestamp)
	h.Set("webhook-signature", v.Signature)
	return h
}

func TestVerifyWebhook(t *testing.T) {
	for _, v := range signatureVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			seconds, err := strconv.ParseInt(v.Timestamp, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			at := time.Unix(seconds, 0)
			for _, secret := range []string{v.Secret, v.Previous} {
				if secret == "" {
					continue
				}
				if err := verifyWebhook(v.header(), []byte(v.Body), secret, at.Add(4*time.Minute)); err != nil {
					t.Error(err)
				}
			}
			for _, late := range []time.Duration{6 * time.Minute, -6 * time.Minute} {
				if err := verifyWebhook(v.header(), []byte(v.Body), v.Secret, at.Add(late)); !errors.Is(err, ErrTooOld) {
					t.Errorf("%v late: %v", late, err)
				}
			}
			for what, change := range map[string]func(*signatureVector){
				"another body":      func(v *signatureVector) { v.Body += "x" },
				"another id":        func(v *signatureVector) { v.ID += "x" },
				"no id":             func(v *signatureVector) { v.ID = "" },
				"another time":      func(v *signatureVector) { v.Timestamp = "1" + v.Timestamp },
				"no signature":      func(v *signatureVector) { v.Signature = "" },
				"half a signature":  func(v *signatureVector) { v.Signature = v.Signature[:20] },
				"another version":   func(v *signatureVector) { v.Signature = strings.ReplaceAll(v.Signature, "v1,", "v2,") },
				"another secret":    func(v *signatureVector) { v.Secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=" },
				"no secret":         func(v *signatureVector) { v.Secret = "" },
				"something for one": func(v *signatureVector) { v.Secret = "not base64!" },
			} {
				changed := v
				change(&changed)
				if err := verifyWebhook(changed.header(), []byte(changed.Body), changed.Secret, at); !errors.Is(err, ErrNotVerified) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}

func FuzzVerifyWebhook(f *testing.F) {
	f.Add("evt_1", "1778000000", "v1,AAAA v1,BBBB", []byte("{}"), "whsec_AAAA")
	f.Fuzz(func(t *testing.T, id, timestamp, signature string, body []byte, secret string) {
		v := signatureVector{ID: id, Timestamp: timestamp, Signature: signature}
		if err := VerifyWebhook(v.header(), body, secret); err == nil {
			t.Errorf("%q is verified", signature)
		}
	})
}

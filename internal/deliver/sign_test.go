package deliver

import (
	"encoding/json"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"fieldlift"
)

// TestSignatureVectors holds signatures against those that another program has
// computed, and that the tests of receivers use too.
func TestSignatureVectors(t *testing.T) {
	text, err := os.ReadFile("../../api/testdata/webhook_signatures.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []struct {
		Name      string `json:"name"`
		Secret    string `json:"signing_secret"`
		Previous  string `json:"previous_secret"`
		ID        string `json:"webhook_id"`
		Timestamp string `json:"webhook_timestamp"`
		Body      string `json:"body"`
		Service   string `json:"x_service_signature"`
		Standard  string `json:"webhook_signature"`
	}
	if err := json.Unmarshal(text, &vectors); err != nil || len(vectors) == 0 {
		t.Fatal(len(vectors), err)
	}
	for _, v := range vectors {
		t.Run(v.Name, func(t *testing.T) {
			seconds, err := strconv.ParseInt(v.Timestamp, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			secrets := fieldlift.WebhookSecrets{Signing: v.Secret}
			if v.Previous != "" {
				secrets.Former = []string{v.Previous}
			}
			signed, err := newSigner(secrets, v.ID, time.Unix(seconds, 0))
			if err != nil {
				t.Fatal(err)
			}
			for i := range len(v.Body) { // in whatever pieces it comes
				_, _ = signed.Write([]byte(v.Body[i : i+1]))
			}
			header := http.Header{}
			signed.sign(header)
			if header.Get("X-Service-Signature") != v.Service || header.Get("webhook-signature") != v.Standard ||
				header.Get("webhook-id") != v.ID || header.Get("webhook-timestamp") != v.Timestamp || header.Values("X-Webhook-Secret") != nil {
				t.Errorf("%v", header)
			}
		})
	}
}

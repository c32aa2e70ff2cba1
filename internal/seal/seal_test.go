package seal

import (
	"encoding/base64"
	"encoding/hex"
	"strings"
	"testing"
)

func newBox(t testing.TB, key string) *Box {
	t.Helper()
	box, err := New(key)
	if err != nil {
		t.Fatal(err)
	}
	return box
}

func TestSealedTextsAreOpenedOnlyByTheirKeyAtTheirPlace(t *testing.T) {
	box, other := newBox(t, NewKey()), newBox(t, NewKey())
	sealed := box.Seal("a secret", "whk_1 signing")
	if strings.Contains(sealed, "a secret") || sealed == box.Seal("a secret", "whk_1 signing") {
		t.Errorf("%q tells something", sealed)
	}
	if secret, err := box.Open(sealed, "whk_1 signing"); err != nil || secret != "a secret" {
		t.Errorf("%q, %v", secret, err)
	}
	if _, err := box.Open(sealed, "whk_2 signing"); err == nil {
		t.Error("it is opened at another place")
	}
	if _, err := other.Open(sealed, "whk_1 signing"); err == nil {
		t.Error("it is opened with another key")
	}
	for _, broken := range []string{"", "v1:", "v1:!", "v2:" + sealed[3:], sealed[:len(sealed)-1], sealed + "A"} {
		if _, err := box.Open(broken, "whk_1 signing"); err == nil {
			t.Errorf("%q is opened", broken)
		}
	}
}

func TestKeysHaveOneOfTwoForms(t *testing.T) {
	key := NewKey()
	raw, err := hex.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	box := newBox(t, key)
	if other := newBox(t, " "+base64.StdEncoding.EncodeToString(raw)+"\n"); other.Fingerprint() != box.Fingerprint() {
		t.Error("the two forms of a key are two keys")
	}
	if other := newBox(t, NewKey()); other.Fingerprint() == box.Fingerprint() {
		t.Error("two keys have one fingerprint")
	}
	for _, wrong := range []string{"", "secret", key[2:], key + "00", base64.StdEncoding.EncodeToString(raw[1:])} {
		if _, err := New(wrong); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}

func FuzzOpen(f *testing.F) {
	box := newBox(f, NewKey())
	f.Add(box.Seal("x", "p"))
	f.Add("v1:")
	f.Fuzz(func(t *testing.T, text string) {
		if secret, err := box.Open(text, "another place"); err == nil {
			t.Errorf("%q gave %q", text, secret)
		}
	})
}

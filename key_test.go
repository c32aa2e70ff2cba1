package fieldlift

import (
	"regexp"
	"strings"
	"testing"
)

func TestFullKeys(t *testing.T) {
	form := regexp.MustCompile(`^svc_(live|test)_[0-9A-Za-z]{36}$`)
	seen := map[string]bool{}
	for i := range 1000 {
		key := NewFullKey(i%2 == 0)
		if !form.MatchString(key) || seen[key] || !WellFormedKey(key) {
			t.Fatalf("%s is no good key", key)
		}
		seen[key] = true
		if hint := KeyHint(key); len(hint) > 14 || !strings.HasPrefix(key, hint) {
			t.Errorf("the hint %s tells too much", hint)
		}
	}
}

func TestMistypedKeysAreRefused(t *testing.T) {
	key := NewFullKey(true)
	for i := range key {
		other := byte('a')
		if key[i] == 'a' {
			other = 'b'
		}
		if mistyped := key[:i] + string(other) + key[i+1:]; WellFormedKey(mistyped) {
			t.Errorf("%s passes for %s", mistyped, key)
		}
	}
	for _, bad := range []string{"", "svc_live_", key + "0", key[:len(key)-1], " " + key, strings.Replace(key, "live", "test", 1)} {
		if WellFormedKey(bad) {
			t.Errorf("%q passes", bad)
		}
	}
}

func TestHashKey(t *testing.T) {
	// sha256sum of "svc_test_x", computed elsewhere.
	const want = "6cb53bd479c171460056e404500f926d2d0a584f4b15cb8ec8bca6b7e2029f3a"
	if got := HashKey("svc_test_x"); got != want {
		t.Errorf("got %s", got)
	}
}

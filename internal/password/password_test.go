package password

import (
	"strings"
	"testing"
)

func TestHashAndMatch(t *testing.T) {
	hash, err := Hash("correct horse ünï")
	if err != nil || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=4$") || strings.Contains(hash, "horse") {
		t.Fatalf("%s, %v", hash, err)
	}
	if !Matches(hash, "correct horse ünï") {
		t.Error("the right password is refused")
	}
	for _, wrong := range []string{"", "correct horse", "Correct horse ünï"} {
		if Matches(hash, wrong) {
			t.Errorf("%q is taken", wrong)
		}
	}
	if again, _ := Hash("correct horse ünï"); again == hash {
		t.Error("two hashes of one password are the same")
	}
}

// A hash made by the reference implementation with other settings:
// echo -n password | argon2 somesalt -id -t 2 -m 16 -p 1 -l 32
func TestForeignHash(t *testing.T) {
	const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
	if !Matches(hash, "password") || Matches(hash, "Password") {
		t.Error("the reference implementation's hash is not understood")
	}
}

func TestHashesThatAreNone(t *testing.T) {
	for _, hash := range []string{"", "x", "$argon2id$v=19$m=1,t=0,p=0$AA$AA", "$argon2i$v=19$m=65536,t=3,p=4$AAAA$AAAA", "$argon2id$v=18$m=65536,t=3,p=4$AAAA$AAAA", "$argon2id$v=19$m=65536,t=3,p=4$AAAA$"} {
		if Matches(hash, "password") {
			t.Errorf("%q matches", hash)
		}
	}
}

func TestLengths(t *testing.T) {
	for _, bad := range []string{"", "1234567", strings.Repeat("x", 1001)} {
		if _, err := Hash(bad); err == nil {
			t.Errorf("a password of %d characters is taken", len(bad))
		}
	}
}

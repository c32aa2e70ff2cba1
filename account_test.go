package fieldlift

import "testing"

func TestParseEmail(t *testing.T) {
	if got, err := ParseEmail("  Ada.Lovelace@Example.COM "); err != nil || got != "ada.lovelace@example.com" {
		t.Errorf("%q, %v", got, err)
	}
	for _, bad := range []string{"", "ada", "ada@", "@example.com", "Ada <ada@example.com>", "a@b@c", "a\x00@example.com", "a@example.com, b@example.com"} {
		if got, err := ParseEmail(bad); err == nil {
			t.Errorf("%q is taken as %q", bad, got)
		}
	}
}

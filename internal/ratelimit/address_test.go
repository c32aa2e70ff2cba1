package ratelimit

import (
	"net/http"
	"net/netip"
	"testing"
)

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	for _, c := range []struct {
		peer      string
		forwarded []string
		want      string
	}{
		{"192.0.2.1:80", nil, "192.0.2.1"},
		{"192.0.2.1:80", []string{"198.51.100.7"}, "192.0.2.1"}, // not trusted
		{"10.0.0.1:80", nil, "10.0.0.1"},
		{"10.0.0.1:80", []string{"198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:80", []string{"203.0.113.9, 198.51.100.7, 10.0.0.2"}, "198.51.100.7"}, // what the client wrote itself does not count
		{"10.0.0.1:80", []string{"203.0.113.9", "198.51.100.7"}, "198.51.100.7"},
		{"10.0.0.1:80", []string{"nonsense"}, "10.0.0.1"},
		{"[::ffff:10.0.0.1]:80", []string{"2001:db8::1"}, "2001:db8::1"},
		{"@", []string{"198.51.100.7"}, "invalid IP"},
	} {
		r := &http.Request{RemoteAddr: c.peer, Header: http.Header{"X-Forwarded-For": c.forwarded}}
		if got := ClientAddress(r, proxies).String(); got != c.want {
			t.Errorf("from %s by %q: %s, want %s", c.peer, c.forwarded, got, c.want)
		}
	}
}

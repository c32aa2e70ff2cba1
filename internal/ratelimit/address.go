package ratelimit

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// ClientAddress tells where a request comes from: the other end of the
// connection, or, when that is a proxy that is trusted, the address that it
// names in X-Forwarded-For. Whoever is not trusted can write anything there.
// It is not valid for a connection without an address, such as a socket file.
func ClientAddress(r *http.Request, proxies []netip.Prefix) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := peer.Addr().Unmap().WithZone("")
	// The nearest proxy wrote last.
	named := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for _, text := range slices.Backward(named) {
		trusted := slices.ContainsFunc(proxies, func(p netip.Prefix) bool { return p.Contains(address) })
		next, err := netip.ParseAddr(strings.TrimSpace(text))
		if !trusted || err != nil {
			break
		}
		address = next.Unmap().WithZone("")
	}
	return address
}

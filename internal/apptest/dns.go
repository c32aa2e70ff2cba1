package apptest

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
)

// NewResolver gives a resolver that answers for any host with the IPv4
// addresses in turn, and with the last one from then on: names that change their mind.
func NewResolver(t testing.TB, addresses ...string) *net.Resolver {
	t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	var asked atomic.Int64
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return // the test is over
			}
			answer := answerName(query[:n], func() netip.Addr {
				return netip.MustParseAddr(addresses[min(int(asked.Add(1)), len(addresses))-1])
			})
			_, _ = server.WriteTo(answer, from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// answerName answers a query of DNS for an IPv4 address, and any other with
// nothing.
func answerName(query []byte, next func() netip.Addr) []byte {
	const header, typeA = 12, 1
	end := header
	for query[end] != 0 { // the labels of the name
		end += int(query[end]) + 1
	}
	asked := binary.BigEndian.Uint16(query[end+1:])
	answer := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}, query[header:end+5]...)
	if asked != typeA {
		return answer
	}
	answer[7] = 1 // one answer: the name above, its address, not to be remembered
	answer = append(answer, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(answer, next().AsSlice()...)
}

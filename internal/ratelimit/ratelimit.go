// Package ratelimit holds the arithmetic of fixed rate windows, the headers
// that show them, and a counter for a service that runs as one process.
//
// A window opens with the first request of its bucket and lasts for a fixed
// time. Services of several nodes count in the database; that is package
// store's affair.
package ratelimit

import (
	"math"
	"net/http"
	"net/netip"
	"strconv"
	"time"
)

// Period is how long a window lasts.
const Period = time.Minute

// Window is the state of a bucket's window after a request was counted in it.
type Window struct {
	Limit    int
	Used     int64
	ResetsAt time.Time
}

// Allowed reports whether the request that was just counted is within the limit.
func (w Window) Allowed() bool { return w.Used <= int64(w.Limit) }

// Remaining tells how many more requests the window takes.
func (w Window) Remaining() int64 { return max(0, int64(w.Limit)-w.Used) }

// SetHeaders shows the window to the client, in the very spelling of the
// specification, which http.Header's own methods would change.
func (w Window) SetHeaders(h http.Header) {
	h["X-RateLimit-Limit"] = []string{strconv.Itoa(w.Limit)}
	h["X-RateLimit-Remaining"] = []string{strconv.FormatInt(w.Remaining(), 10)}
	h["X-RateLimit-Reset"] = []string{strconv.FormatInt(w.resetSecond(), 10)}
}

// RetryAfter tells how many seconds a refused client should wait, at least one.
func (w Window) RetryAfter(now time.Time) int64 {
	return max(1, int64(math.Ceil(w.ResetsAt.Sub(now).Seconds())))
}

// resetSecond is rounded up: a client that waits for it finds the window open.
func (w Window) resetSecond() int64 {
	return w.ResetsAt.Add(time.Second - 1).Unix()
}

// AddressBucket names the bucket of a client's address. One IPv6 customer
// commands a whole /64, so that is what counts as one address.
func AddressBucket(address netip.Addr) string {
	address = address.Unmap().WithZone("")
	if address.Is6() {
		if prefix, err := address.Prefix(64); err == nil {
			return "ip:" + prefix.String()
		}
	}
	return "ip:" + address.String()
}

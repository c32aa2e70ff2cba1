package ratelimit

import (
	"fmt"
	"net/netip"
	"testing"
	"time"
)

func TestWindowOpensWithTheFirstRequest(t *testing.T) {
	m := NewMemory(10)
	start := time.Date(2026, 1, 1, 0, 0, 59, 0, time.UTC) // no whole minute: windows are each bucket's own
	for i := int64(1); i <= 3; i++ {
		w := m.Count("a", 2, start.Add(time.Duration(i)*time.Second))
		if w.Used != i || !w.ResetsAt.Equal(start.Add(61*time.Second)) || w.Allowed() != (i <= 2) || w.Remaining() != max(0, 2-i) {
			t.Errorf("request %d: %+v", i, w)
		}
	}
	if w := m.Count("a", 2, start.Add(61*time.Second)); w.Used != 1 {
		t.Errorf("the window did not open again: %+v", w)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	m := NewMemory(100)
	now := time.Unix(1_000_000, 0)
	known := m.Count("known", 10, now)
	for i := range 10_000 {
		m.Count(fmt.Sprint(i), 10, now)
	}
	if len(m.buckets) > 101 {
		t.Errorf("%d buckets are kept", len(m.buckets))
	}
	if w := m.Count("late", 10, now); w.Allowed() {
		t.Error("those who found no place are not limited")
	}
	if w := m.Count("known", 10, now); w.Used != known.Used+1 {
		t.Error("a bucket that had a place lost it")
	}
	m.Count("later", 10, now.Add(2*Period))
	if len(m.buckets) != 1 {
		t.Errorf("%d buckets are kept after their time", len(m.buckets))
	}
}

func TestRetryAfter(t *testing.T) {
	w := Window{ResetsAt: time.Unix(100, 1)}
	for _, test := range []struct{ now, want int64 }{{40, 61}, {99, 2}, {100, 1}, {101, 1}, {500, 1}} {
		if got := w.RetryAfter(time.Unix(test.now, 0)); got != test.want {
			t.Errorf("at %d: %d, want %d", test.now, got, test.want)
		}
	}
}

func TestAddressBucket(t *testing.T) {
	for _, test := range []struct{ address, want string }{
		{"192.0.2.7", "ip:192.0.2.7"},
		{"::ffff:192.0.2.7", "ip:192.0.2.7"},
		{"2001:db8:1:2:3:4:5:6", "ip:2001:db8:1:2::/64"},
		{"2001:db8:1:2::1%eth0", "ip:2001:db8:1:2::/64"},
	} {
		if got := AddressBucket(netip.MustParseAddr(test.address)); got != test.want {
			t.Errorf("%s: %s, want %s", test.address, got, test.want)
		}
	}
}

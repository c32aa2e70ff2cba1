package ratelimit

import (
	"sync"
	"time"
)

// Memory counts windows in this process. It holds at most a fixed number of
// buckets; when more are live at once, the rest share one.
type Memory struct {
	most int

	mu      sync.Mutex
	buckets map[string]bucket
	sweepAt time.Time
}

type bucket struct {
	used     int64
	resetsAt time.Time
}

// overflow is the bucket of those who come when all places are taken.
const overflow = ""

// NewMemory makes a counter that holds at most that many buckets.
func NewMemory(most int) *Memory {
	return &Memory{most: most, buckets: map[string]bucket{}}
}

// Count counts a request at the given time and gives the bucket's window.
func (m *Memory) Count(name string, limit int, now time.Time) Window {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep(now)
	b, known := m.buckets[name]
	if !known && len(m.buckets) >= m.most {
		name = overflow
		b = m.buckets[name]
	}
	if !now.Before(b.resetsAt) {
		b = bucket{resetsAt: now.Add(Period)}
	}
	b.used++
	m.buckets[name] = b
	return Window{Limit: limit, Used: b.used, ResetsAt: b.resetsAt}
}

// sweep forgets closed windows, once a period, so that memory follows the
// clients of the last two minutes.
func (m *Memory) sweep(now time.Time) {
	if now.Before(m.sweepAt) {
		return
	}
	m.sweepAt = now.Add(Period)
	for name, b := range m.buckets {
		if !now.Before(b.resetsAt) {
			delete(m.buckets, name)
		}
	}
}

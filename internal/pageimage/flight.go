package pageimage

import (
	"context"
	"sync"
)

// flights lets several who want the same thing at once have it made once.
type flights struct {
	mu    sync.Mutex
	under map[string]*flight
}

// flight is something that is being made. It is given up when nobody waits for
// it any more: who leafs through a document leaves pages behind.
type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	content []byte
	err     error
}

// join waits for what is being made under a name, or has it made.
func (f *flights) join(ctx context.Context, name string, produce func(context.Context) ([]byte, error)) ([]byte, error) {
	f.mu.Lock()
	one := f.under[name]
	if one == nil {
		work, cancel := context.WithCancel(context.WithoutCancel(ctx))
		one = &flight{cancel: cancel, done: make(chan struct{})}
		f.under[name] = one
		go func() {
			one.content, one.err = produce(work)
			f.land(name, one)
			close(one.done)
			cancel()
		}()
	}
	one.waiting++
	f.mu.Unlock()
	select {
	case <-one.done:
		return one.content, one.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.waiting--; one.waiting == 0 {
		one.cancel()
		if f.under[name] == one { // who comes now begins anew
			delete(f.under, name)
		}
	}
	return nil, ctx.Err()
}

func (f *flights) land(name string, one *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.under[name] == one {
		delete(f.under, name)
	}
}

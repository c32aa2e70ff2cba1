package ocr

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
)

// flights are pictures that are being recognised. Who asks for one of them
// waits for the same answer: the same file often comes twice at once, for two
// parsers or by a client that tried again.
type flights struct {
	mu  sync.Mutex
	now map[picture]*flight
}

// picture tells pictures apart by what they show and how they are to be read.
type picture [sha256.Size]byte

// flight is one recognition, for all who wait for it.
type flight struct {
	landed chan struct{}
	words  []Word // nobody changes them
	err    error
}

// errAborted is how a flight ends that brought no answer.
var errAborted = errors.New("the recognition was aborted")

func identify(p Picture) picture {
	sum := sha256.New()
	_, _ = fmt.Fprintf(sum, "%d %d %d %d %q\n", p.Width, p.Height, p.DPI, p.Layout, p.Languages)
	_, _ = sum.Write(p.Grey)
	return picture(sum.Sum(nil))
}

// share has a picture recognised, unless another does so already. One who goes
// away takes his flight with him; then the next of those who wait begins anew.
func (f *flights) share(ctx context.Context, p Picture, recognise func() ([]Word, error)) ([]Word, error) {
	for id := identify(p); ; {
		flying, mine := f.board(id)
		if mine {
			defer f.land(id, flying)
			words, err := recognise()
			if err == nil || ctx.Err() == nil {
				flying.words, flying.err = words, err
			}
			return words, err
		}
		select {
		case <-flying.landed:
			if !errors.Is(flying.err, errAborted) {
				return flying.words, flying.err
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// board gives the flight of a picture, and whether it is a new one.
func (f *flights) board(id picture) (flying *flight, mine bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if flying = f.now[id]; flying != nil {
		return flying, false
	}
	if f.now == nil {
		f.now = map[picture]*flight{}
	}
	flying = &flight{landed: make(chan struct{}), err: errAborted}
	f.now[id] = flying
	return flying, true
}

func (f *flights) land(id picture, flying *flight) {
	f.mu.Lock()
	delete(f.now, id)
	f.mu.Unlock()
	close(flying.landed)
}

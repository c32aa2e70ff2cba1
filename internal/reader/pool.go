package reader

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// startLimit is for starting a child. It is apart from the deadline of requests
// because compiling PDFium for the first time is no document's fault.
const startLimit = 5 * time.Minute

// ask has a child answer, waiting for one to be free.
func (r *Reader) ask(ctx context.Context, q request) (response, error) {
	select {
	case r.places <- struct{}{}:
		defer func() { <-r.places }()
	case <-ctx.Done():
		return response{}, fmt.Errorf("waiting to read the file: %w", ctx.Err())
	}
	q = r.withLimits(q)
	answer, err := r.askOnce(ctx, q)
	if errors.Is(err, errDied) && ctx.Err() == nil {
		// It may have been anyone's doing, such as the kernel's for want of memory elsewhere.
		answer, err = r.askOnce(ctx, q)
	}
	if err != nil {
		return response{}, r.explain(ctx, q, err)
	}
	return answer, answer.err()
}

func (r *Reader) askOnce(ctx context.Context, q request) (response, error) {
	c, err := r.take(ctx)
	if err != nil {
		return response{}, fmt.Errorf("%w: %w", errNotStarted, err)
	}
	defer r.giveBack(c)
	return c.ask(ctx, q, r.options.Deadline)
}

// withLimits adds what every request to a child carries.
func (r *Reader) withLimits(q request) request {
	q.MaxPages, q.MaxPixels, q.MaxMemory = r.options.MaxPages, r.options.MaxPixels, r.options.MaxMemory
	return q
}

// explain says what a child's end means for the one who asked.
func (r *Reader) explain(ctx context.Context, q request, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("reading the file: %w", ctx.Err())
	}
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	if closed {
		return errClosed
	}
	r.options.Log.WarnContext(ctx, "a reading process ended early", "act", string(q.Act), "kind", q.Kind, "error", err)
	switch {
	case errors.Is(err, errNotStarted):
		return err // no fault of the file's
	case errors.Is(err, errDeadline):
		return tookTooLong(q.Kind, err)
	case errors.Is(err, errMemory):
		return tookTooMuchMemory(q.Kind, err)
	}
	return crashed(q.Kind, err)
}

// take gives an idle child or starts one.
func (r *Reader) take(ctx context.Context) (*child, error) {
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		return nil, errClosed
	}
	for len(r.idle) > 0 {
		c := r.idle[len(r.idle)-1]
		r.idle = r.idle[:len(r.idle)-1]
		if c.ended() {
			continue
		}
		r.busy[c] = true
		r.mu.Unlock()
		return c, nil
	}
	r.mu.Unlock()
	return r.startChild(ctx)
}

// startChild starts a child and waits until it is ready to work.
func (r *Reader) startChild(ctx context.Context) (*child, error) {
	dir, err := r.CacheDir()
	if err != nil {
		return nil, fmt.Errorf("no folder for compiled code: %w", err)
	}
	r.start.Lock()
	defer r.start.Unlock()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("waiting to read the file: %w", ctx.Err())
	}
	c, err := startChild(r.options.Command, r.options.MaxMemory)
	if err != nil {
		return nil, fmt.Errorf("cannot start a reading process: %w", err)
	}
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		c.kill()
		return nil, errClosed
	}
	r.busy[c] = true
	r.mu.Unlock()

	began := time.Now()
	answer, err := c.ask(ctx, r.withLimits(request{Act: actWarm, CacheDir: dir}), startLimit)
	if err == nil {
		err = answer.err()
	}
	if err != nil {
		c.kill()
		r.giveBack(c)
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, fmt.Errorf("a reading process did not become ready: %w", err)
	}
	r.options.Log.DebugContext(ctx, "a reading process is ready", "pid", c.pid(), "took", time.Since(began))
	return c, nil
}

// giveBack keeps a child for the next request, unless it ended or has grown so
// fat that it would get the next file refused.
func (r *Reader) giveBack(c *child) {
	r.mu.Lock()
	delete(r.busy, c)
	keep := !r.closed && !c.ended()
	if keep && residentMemory(c.pid()) > r.options.MaxMemory/2 {
		keep = false
	}
	if keep {
		r.idle = append(r.idle, c)
	}
	r.mu.Unlock()
	if !keep {
		c.kill()
	}
}

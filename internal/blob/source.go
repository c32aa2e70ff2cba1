package blob

import (
	"context"
	"fmt"
	"io"
	"sync"
)

// source is the content of a Put. It ends with the context, and remembers the
// content's own failure, which is the caller's affair and not the store's.
type source struct {
	ctx     context.Context
	content io.Reader

	mutex  sync.Mutex // HTTP clients read from goroutines of their own
	failed error
}

func (s *source) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.content.Read(p)
	if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF itself
		s.mutex.Lock()
		s.failed = err
		s.mutex.Unlock()
	}
	return n, err
}

func (s *source) failure() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.failed
}

// copyTo copies exactly size bytes. Whether it was the content that failed,
// failure tells.
func (s *source) copyTo(w io.Writer, size int64) error {
	n, err := io.Copy(w, io.LimitReader(s, size))
	if err != nil {
		return err
	}
	if n < size {
		return fmt.Errorf("the content has %d bytes instead of %d: %w", n, size, io.ErrUnexpectedEOF)
	}
	if n, err := s.Read(make([]byte, 1)); n > 0 {
		return fmt.Errorf("the content has more than %d bytes", size)
	} else if err != nil && err != io.EOF { //nolint:errorlint // readers return io.EOF itself
		return err
	}
	return nil
}

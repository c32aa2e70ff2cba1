package pageimage

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// shelf keeps things in a folder: so many bytes in all, the one that was used
// longest ago goes first, and none stays longer than its time.
type shelf struct {
	dir  string
	most int64
	age  time.Duration
	now  func() time.Time

	parts atomic.Int64

	mu     sync.Mutex
	things map[string]*thing
	bytes  int64
}

type thing struct {
	size int64
	made time.Time
	used time.Time
	held int // by so many; it does not go meanwhile
}

func (s *shelf) path(name string) string { return filepath.Join(s.dir, name) }

// get reads a thing.
func (s *shelf) get(name string) ([]byte, bool) {
	path, release, ok := s.hold(name)
	if !ok {
		return nil, false
	}
	defer release()
	content, err := os.ReadFile(path)
	return content, err == nil
}

// hold keeps a thing from going until it is released.
func (s *shelf) hold(name string) (path string, release func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.things[name]
	if one == nil || s.now().Sub(one.made) > s.age {
		return "", nil, false
	}
	one.used = s.now()
	one.held++
	return s.path(name), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		one.held--
		s.tidy()
	}, true
}

func (s *shelf) put(name string, content []byte) error {
	return s.fill(name, func(path string) (int64, error) {
		return int64(len(content)), os.WriteFile(path, content, 0o600)
	})
}

// fill has a thing written and keeps it.
func (s *shelf) fill(name string, write func(path string) (int64, error)) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	part := s.path(name) + ".part" + strconv.FormatInt(s.parts.Add(1), 10) // another's, given up, may still be written
	size, err := write(part)
	if err == nil {
		err = os.Rename(part, s.path(name))
	}
	if err != nil {
		_ = os.Remove(part)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.things[name]; old != nil {
		s.bytes -= old.size
	}
	s.things[name] = &thing{size: size, made: s.now(), used: s.now()}
	s.bytes += size
	s.tidy(name)
	return nil
}

// sweep drops what has had its time.
func (s *shelf) sweep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tidy()
}

// tidy drops what has had its time, and what was used longest ago until the
// rest has room. What came last stays, however large: somebody waits for it.
func (s *shelf) tidy(last ...string) {
	for name, one := range s.things {
		if one.held == 0 && s.now().Sub(one.made) > s.age {
			s.drop(name)
		}
	}
	for s.bytes > s.most {
		oldest := ""
		for name, one := range s.things {
			if one.held == 0 && (len(last) == 0 || name != last[0]) && (oldest == "" || one.used.Before(s.things[oldest].used)) {
				oldest = name
			}
		}
		if oldest == "" {
			return
		}
		s.drop(oldest)
	}
}

func (s *shelf) drop(name string) {
	s.bytes -= s.things[name].size
	delete(s.things, name)
	_ = os.Remove(s.path(name)) // the folder goes with the process
}

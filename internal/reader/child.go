package reader

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// Why a child ended without an answer.
var (
	errDeadline = errors.New("no answer within the deadline")
	errMemory   = errors.New("over its memory")
	errDied     = errors.New("it died by itself")

	errNotStarted = errors.New("no reading process could be started")
	errClosed     = errors.New("the reader is closed")
)

// memoryInterval is how often a working child's memory is looked at.
const memoryInterval = 50 * time.Millisecond

// child is a process that reads files, one request at a time.
type child struct {
	command   *exec.Cmd
	stdin     io.WriteCloser
	to        *gob.Encoder
	from      *gob.Decoder
	complaint *tail
	maxMemory int64
	done      chan struct{} // closed when the process has ended
	waitErr   error         // readable once done is closed
}

// startChild starts a process by the given command. It gets no environment to
// speak of: a process that parses strangers' files need not know our secrets.
func startChild(command []string, maxMemory int64) (*child, error) {
	if len(command) == 0 {
		return nil, errors.New("no command given")
	}
	cmd := exec.Command(command[0], command[1:]...) //nolint:gosec,noctx // our own program; it outlives the request that started it
	cmd.Env = []string{
		"LANG=C.UTF-8",
		// Collect garbage seldom, because that waits for calls into PDFium to end,
		// but before the parent finds the process too fat.
		"GOGC=800",
		fmt.Sprintf("GOMEMLIMIT=%d", maxMemory/10*7),
	}
	cmd.SysProcAttr = ownGroup()
	complaint := &tail{}
	cmd.Stderr = complaint
	cmd.WaitDelay = time.Second
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{
		command: cmd, stdin: stdin, to: gob.NewEncoder(stdin), from: gob.NewDecoder(stdout),
		complaint: complaint, maxMemory: maxMemory, done: make(chan struct{}),
	}
	go func() {
		c.waitErr = cmd.Wait()
		close(c.done)
	}()
	return c, nil
}

// ask sends a request and waits for its answer. A child that gives none in time
// or grows over its memory is killed; so is one whose asker went away, because
// there is no other way to stop what it does.
func (c *child) ask(ctx context.Context, q request, limit time.Duration) (response, error) {
	type outcome struct {
		answer response
		err    error
	}
	answered := make(chan outcome, 1)
	go func() {
		var o outcome
		if o.err = c.to.Encode(q); o.err == nil {
			o.err = c.from.Decode(&o.answer)
		}
		answered <- o
	}()
	deadline := time.NewTimer(limit)
	defer deadline.Stop()
	look := time.NewTicker(memoryInterval)
	defer look.Stop()
	for {
		select {
		case o := <-answered:
			if o.err != nil {
				return response{}, fmt.Errorf("%w: %w", errDied, c.autopsy(o.err))
			}
			return o.answer, nil
		case <-look.C:
			if memory := residentMemory(c.pid()); memory > c.maxMemory {
				c.kill()
				return response{}, fmt.Errorf("%w: %d bytes", errMemory, memory)
			}
		case <-deadline.C:
			c.kill()
			return response{}, fmt.Errorf("%w of %s", errDeadline, limit)
		case <-ctx.Done():
			c.kill()
			return response{}, ctx.Err()
		}
	}
}

// autopsy says why a child gave no proper answer.
func (c *child) autopsy(err error) error {
	c.kill()
	complaint := c.complaint.String()
	if killedFromOutside(c.waitErr) || strings.Contains(complaint, "out of memory") {
		err = errMemory // it was the kernel, or Go itself, that found it too fat
	}
	return fmt.Errorf("%w: %w: %s", err, c.waitErr, complaint)
}

// kill ends the process with all it may have started, and waits for its end.
func (c *child) kill() {
	if !c.ended() {
		killGroup(c.pid())
	}
	<-c.done
}

func (c *child) ended() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

func (c *child) pid() int { return c.command.Process.Pid }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 4 << 10
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p[max(0, len(p)-most):]...)
	t.text = t.text[max(0, len(t.text)-most):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

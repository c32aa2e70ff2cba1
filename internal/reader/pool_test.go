package reader_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/reader"
)

// sound checks that a file which nothing is wrong with is read.
func sound(t *testing.T, r *reader.Reader) {
	t.Helper()
	d, err := r.Read(t.Context(), write(t, "sound", makePDF([]sheet{{content: show("F1", 12, 72, 700, "Hello")}})))
	if err != nil || texts(d.Pages[0]) != "Hello" {
		t.Errorf("a sound file: %v, %v", d, err)
	}
}

func TestMishapsAreContained(t *testing.T) {
	file := makePDF([]sheet{{}})
	for name, c := range map[string]struct {
		deadline time.Duration
		memory   int64
		message  string
	}{
		"please-hang":  {300 * time.Millisecond, 0, "The PDF takes too long to read."},
		"please-eat":   {time.Minute, 300 << 20, "The PDF takes too much memory to read."},
		"please-crash": {time.Minute, 0, "The PDF could not be read: it broke the program that tried."},
		"please-panic": {time.Minute, 0, "The PDF is damaged or of a variety that cannot be read."},
	} {
		t.Run(name, func(t *testing.T) {
			r := setup(t, mishaps(c.deadline, c.memory))
			path := write(t, name, file)
			for range 2 {
				_, err := r.Inspect(t.Context(), path)
				refused(t, err, fieldlift.PageCountFailed, c.message)
				_, err = r.Read(t.Context(), path)
				refused(t, err, fieldlift.PageCountFailed, c.message)
			}
			if name != "please-hang" { // whose deadline a busy machine may miss for sound files too
				sound(t, r)
			}
			noChildren(t, r)
		})
	}
}

func TestWhoGoesAwayIsNotWaitedFor(t *testing.T) {
	r := setup(t, mishaps(time.Minute, 0))
	if err := r.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err := r.Read(ctx, write(t, "please-hang", makePDF([]sheet{{}})))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 30*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
	sound(t, r)
}

func TestClosingEndsWhatIsUnderWay(t *testing.T) {
	r := setup(t, mishaps(time.Minute, 0))
	if err := r.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := write(t, "please-hang", makePDF([]sheet{{}}))
	ended := make(chan error, 1)
	go func() {
		_, err := r.Read(t.Context(), path)
		ended <- err
	}()
	r.Close()
	if err := <-ended; err == nil {
		t.Error("a reader that is closed has read a file")
	}
	if _, err := r.Read(t.Context(), path); err == nil {
		t.Error("a closed reader reads")
	}
	noChildren(t, r)
}

func TestManyAtOnce(t *testing.T) {
	r := setup(t)
	var files sync.WaitGroup
	for n := range 20 {
		want := fmt.Sprintf("Number%d", n)
		path := write(t, "a.pdf", makePDF([]sheet{{content: show("F1", 12, 72, 700, want)}}))
		files.Go(func() {
			if d, err := r.Read(t.Context(), path); err != nil || texts(d.Pages[0]) != want {
				t.Errorf("%s: %v, %v", want, d, err)
			}
		})
	}
	files.Wait()
	if n := len(children(t)); n == 0 || n > 2 {
		t.Errorf("%d children", n)
	}
}

func TestWithoutAProgramThereIsAnError(t *testing.T) {
	path := write(t, "a.pdf", makePDF([]sheet{{}}))
	for _, command := range [][]string{nil, {"/nowhere/fieldlift"}, {"/bin/true"}} {
		r := setup(t, func(o *reader.Options) { o.Command = command })
		if _, err := r.Inspect(t.Context(), path); err == nil || fieldlift.CodeOf(err) != fieldlift.InternalError {
			t.Errorf("%v: %v", command, err)
		}
	}
}

// noChildren checks that closing leaves no process behind.
func noChildren(t *testing.T, r *reader.Reader) {
	t.Helper()
	r.Close()
	if left := children(t); len(left) > 0 {
		t.Errorf("processes are left behind: %v", left)
	}
}

// children lists this program's child processes.
func children(t *testing.T) []string {
	t.Helper()
	lists, err := filepath.Glob("/proc/" + strconv.Itoa(os.Getpid()) + "/task/*/children")
	if err != nil || len(lists) == 0 {
		t.Skip("the system does not list child processes")
	}
	var all []string
	for _, list := range lists {
		text, _ := os.ReadFile(list) // a thread may end meanwhile
		all = append(all, strings.Fields(string(text))...)
	}
	return all
}

package reader_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/reader"
)

// The test program is its own child, as the service is.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 {
		run := map[string]func() error{
			"reader-child": func() error { return reader.RunChild(os.Stdin, os.Stdout) },
			"mishap-child": func() error { return reader.RunMishapChild(os.Stdin, os.Stdout) },
		}[os.Args[1]]
		if run != nil {
			if err := run(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(m.Run())
}

// setup gives a reader that ends with the test. Its cache of compiled code is
// the user's: compiling anew would take each run many seconds.
func setup(t testing.TB, change ...func(*reader.Options)) *reader.Reader {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	o := reader.Options{Command: []string{program, "reader-child"}, Children: 2}
	for _, c := range change {
		c(&o)
	}
	r := reader.New(o)
	t.Cleanup(r.Close)
	return r
}

// mishaps makes children that fail when a file's name asks for it.
func mishaps(deadline time.Duration, memory int64) func(*reader.Options) {
	return func(o *reader.Options) {
		o.Command[1] = "mishap-child"
		o.Deadline, o.MaxMemory, o.Children = deadline, memory, 1
	}
}

func write(t testing.TB, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// refused checks that err is ours, with the given code and message.
func refused(t testing.TB, err error, code fieldlift.Code, message string) {
	t.Helper()
	e, ok := errors.AsType[*fieldlift.Error](err)
	if !ok || e.Code != code || e.Message != message {
		t.Errorf("got %v, want %s: %s", err, code, message)
	}
}

package ocr_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"fieldlift"
	"fieldlift/internal/ocr"
)

// program writes a script that stands in for tesseract where the real one
// would have to misbehave.
func program(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tesseract")
	text := "#!/bin/sh\ncase \"$1\" in\n--version) echo tesseract 5.0; exit;;\n--list-langs) echo eng; exit;;\nesac\n" + script
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil { //nolint:gosec // it is to be run
		t.Fatal(err)
	}
	return path
}

var paper = ocr.Picture{Width: 64, Height: 32, Grey: bytes.Repeat([]byte{255}, 64*32), DPI: 200}

func TestEmptyPaper(t *testing.T) {
	words, err := ocr.New(ocr.Options{}).Recognize(t.Context(), paper)
	if err != nil || len(words) != 0 {
		t.Errorf("%v %v", words, err)
	}
}

func TestDeadlineKillsAllOfIt(t *testing.T) {
	pid := filepath.Join(t.TempDir(), "pid")
	slow := program(t, "sleep 300 & echo $! >"+pid+".new; mv "+pid+".new "+pid+"; wait\n")
	r := ocr.New(ocr.Options{Program: slow, Deadline: 500 * time.Millisecond})
	_, err := r.Recognize(t.Context(), paper)
	told, ok := errors.AsType[*fieldlift.Error](err)
	if !ok || told.Code != fieldlift.PageCountFailed || told.Message != "The text of a page takes too long to be recognised." {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(pid)
	if err != nil {
		t.Fatal(err)
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); alive(child); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d, which it had started, still runs", child)
		}
	}
}

// alive tells a process that runs from one that is gone, or waits for its
// parent to notice that it is.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(text), ") Z ")
}

func TestAskerGoesAway(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := ocr.New(ocr.Options{Program: program(t, "exec sleep 300\n")}).Recognize(ctx, paper)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

func TestFaultsAreNotTheFiles(t *testing.T) {
	for name, script := range map[string]string{
		"it writes nonsense":    "cat >/dev/null; printf '5\\t1\\n'\n",
		"it writes without end": "cat >/dev/null; while :; do echo 0123456789012345678901234567890123456789012345678901234567890123456789; done | head -c 9000000\n",
	} {
		_, err := ocr.New(ocr.Options{Program: program(t, script)}).Recognize(t.Context(), paper)
		if err == nil || fieldlift.CodeOf(err) != fieldlift.InternalError {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestItDiesOnAPage(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		code   fieldlift.Code
	}{
		"always, by itself": {"cat >/dev/null; echo oh no >&2; exit 3\n", fieldlift.PageCountFailed},
		"always, killed":    {"cat >/dev/null; kill -KILL $$\n", fieldlift.PageCountFailed},
		"once":              {"cat >/dev/null; if mkdir " + filepath.Join(t.TempDir(), "been") + "; then exit 3; fi\n", ""},
	} {
		_, err := ocr.New(ocr.Options{Program: program(t, c.script)}).Recognize(t.Context(), paper)
		if c.code == "" && err != nil || c.code != "" && fieldlift.CodeOf(err) != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A program that is there but cannot be asked is not missing, and it is asked
// again at once.
func TestItCannotBeAsked(t *testing.T) {
	path := program(t, "")
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	replace := func(text []byte) {
		if err := os.WriteFile(path, text, 0o700); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
	}
	replace([]byte("#!/bin/sh\nexit 1\n"))
	r := ocr.New(ocr.Options{Program: path})
	if _, err := r.Recognize(t.Context(), paper); fieldlift.CodeOf(err) != fieldlift.ServiceUnavailable {
		t.Errorf("%v", err)
	}
	if found := r.Installed(t.Context()); found.Err == nil || found.Advice() != "" {
		t.Errorf("%+v", found)
	}
	replace(sound)
	if languages, err := r.Languages(t.Context()); err != nil || len(languages) != 1 {
		t.Errorf("%v %v", languages, err)
	}
}

func TestWhatIsMissing(t *testing.T) {
	for name, c := range map[string]struct {
		options ocr.Options
		advice  string
	}{
		"nothing":           {ocr.Options{Program: program(t, "")}, ""},
		"the program":       {ocr.Options{Program: filepath.Join(t.TempDir(), "nowhere")}, "On Debian and Ubuntu: apt-get install tesseract-ocr"},
		"a language":        {ocr.Options{Program: program(t, ""), Languages: []string{"eng", "chi_sim"}}, "On Debian and Ubuntu: apt-get install tesseract-ocr-chi-sim"},
		"all the languages": {ocr.Options{Program: program(t, ""), Languages: []string{"deu"}}, "On Debian and Ubuntu: apt-get install tesseract-ocr-deu"},
	} {
		r := ocr.New(c.options)
		if advice := r.Installed(t.Context()).Advice(); advice != c.advice {
			t.Errorf("%s: %q", name, advice)
		}
		_, err := r.Languages(t.Context())
		if refused := name == "the program" || name == "all the languages"; refused != (err != nil) {
			t.Errorf("%s: %v", name, err)
		} else if refused && (fieldlift.CodeOf(err) != fieldlift.UnsupportedFileType || !strings.Contains(err.Error(), c.advice+".")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

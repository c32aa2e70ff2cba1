package httpapi_test

import (
	"bufio"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
)

const (
	// What a hostile file may take to be answered, and to be worked on: the
	// reader's deadline, the start of another child, and room for a busy machine.
	hostileDeadline = 10 * time.Second
	hostilePatience = 30 * time.Second
	// What a good file may take at any time.
	goodPatience = 10 * time.Second
	// By how much the service may grow. The readers' memory is not its own.
	mostGrowth = 200 << 20
)

// siege is a service under attack, and what was measured of it.
type siege struct {
	*apptest.App
	parser string
	before int64 // memory
	peak   atomic.Int64
	kept   int // files that were accepted
}

func besiege(t *testing.T) *siege {
	t.Helper()
	s := &siege{App: apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) {
		c.ReaderDeadline, c.ReaderMemory, c.Workers = hostileDeadline, 512<<20, 2
	}))}
	s.parser = s.NewParser(t, "Invoices", invoiceFields...)
	s.good(t) // starts a reader, which may have to compile first
	debug.FreeOSMemory()
	s.before = memoryOf(t, os.Getpid())
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
				s.peak.Store(max(s.peak.Load(), memoryOf(t, os.Getpid())))
			}
		}
	}()
	return s
}

// good has a good file read and gives the time it took.
func (s *siege) good(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	x := s.Accepted(t, s.parser, invoice("GOOD-1"))
	s.kept++
	if d := s.Finished(t, x.ExtractionID).Documents[0]; !strings.Contains(string(d.ExtractedData), "GOOD-1") {
		t.Fatalf("a good file is %s with %s", d.Status, d.ExtractedData)
	}
	return time.Since(began)
}

// attack submits a file and gives the code of its refusal, or what became of
// it when it was accepted.
func (s *siege) attack(t *testing.T, f apptest.File) (code string, d api.Result) {
	t.Helper()
	began := time.Now()
	answer := s.Submit(t, []string{"parser_id", s.parser}, []apptest.File{f})
	took := time.Since(began)
	if took > hostilePatience {
		t.Errorf("it took %s to be answered", took)
	}
	if answer.Status != 202 {
		refusal := apptest.Into[api.ErrorEnvelope](t, answer).Error
		if answer.Status != 400 || !slices.Contains([]string{unsupported, unreadable, overLimit}, refusal.Code) {
			t.Errorf("%d %s", answer.Status, answer.Text)
		}
		if !strings.Contains(refusal.Message, f.Name) || len(refusal.Details) != 1 || refusal.Details[0].Field != "files[0]" {
			t.Errorf("the file is not named: %s", answer.Text)
		}
		isPlain(t, refusal.Message)
		t.Logf("%s after %s: %s", refusal.Code, took.Round(time.Millisecond), refusal.Message)
		return refusal.Code, d
	}
	s.kept++
	x := apptest.Into[api.AcceptedEnvelope](t, answer).Extraction
	began = time.Now()
	results := s.Finished(t, x.ExtractionID)
	worked := time.Since(began)
	if worked > hostilePatience {
		t.Errorf("it took %s to be worked on", worked)
	}
	d = results.Documents[0]
	switch {
	case results.Status != d.Status || d.Status != "completed" && d.Status != "failed":
		t.Errorf("the extraction is %s, the document %s", results.Status, d.Status)
	case d.Status == "failed" && d.ErrorMessage == nil:
		t.Error("nobody is told why it failed")
	case d.Status == "failed":
		isPlain(t, *d.ErrorMessage)
		t.Logf("%d pages after %s, failed after %s: %s", x.PageCount, took.Round(time.Millisecond), worked.Round(time.Millisecond), *d.ErrorMessage)
	default:
		t.Logf("%d pages after %s, completed after %s", x.PageCount, took.Round(time.Millisecond), worked.Round(time.Millisecond))
	}
	return taken, d
}

// isPlain wants a sentence that was written for people.
func isPlain(t *testing.T, sentence string) {
	t.Helper()
	if !strings.HasSuffix(sentence, ".") || strings.ContainsAny(sentence, "\n\t") || len(sentence) > 300 {
		t.Errorf("%q is no plain sentence", sentence)
	}
	for _, inner := range []string{"panic", "goroutine", "wasm", "fault in the service", "exit status", "/tmp", "error"} {
		if strings.Contains(sentence, inner) {
			t.Errorf("%q tells of our insides", sentence)
		}
	}
}

// lift ends the siege: the service must stand as before it.
func (s *siege) lift(t *testing.T) {
	t.Helper()
	var slowest time.Duration
	for range 5 {
		slowest = max(slowest, s.good(t))
	}
	if slowest > goodPatience {
		t.Errorf("afterwards a good file takes %s", slowest)
	}
	if left := filesBelow(t, filepath.Join(s.Config.DataDir, "spool")); len(left) > 0 {
		t.Errorf("files are left in the spool folder: %v", left)
	}
	kept := slices.DeleteFunc(filesBelow(t, filepath.Join(s.Config.DataDir, blob.FolderName)), func(path string) bool {
		return strings.HasSuffix(path, ".pages") // what was recognised lies beside its file
	})
	if len(kept) != s.kept {
		t.Errorf("%d files are kept of %d that were accepted", len(kept), s.kept)
	}
	if n := len(readers(t)); n > s.Config.Workers+1 {
		t.Errorf("%d readers are running", n)
	}
	s.Stop()
	if left := readers(t); len(left) > 0 {
		t.Errorf("readers outlive the service: %v", left)
	}
	debug.FreeOSMemory()
	grown := memoryOf(t, os.Getpid()) - s.before
	if max(grown, s.peak.Load()-s.before) > mostGrowth {
		t.Error("the service has grown too large")
	}
	t.Logf("the slowest good file took %s; memory grew by %d MB at its peak and %d MB for good",
		slowest.Round(time.Millisecond), (s.peak.Load()-s.before)>>20, grown>>20)
}

func TestHostileFiles(t *testing.T) {
	s := besiege(t)
	for _, f := range hostileFiles() {
		t.Run(f.name, func(t *testing.T) {
			code, _ := s.attack(t, apptest.File{Name: f.name, Content: f.content()})
			if !slices.Contains(f.codes, code) {
				t.Errorf("it is answered with %q, want one of %q", code, f.codes)
			}
			if took := s.good(t); took > goodPatience {
				t.Errorf("the next file takes %s", took)
			}
		})
	}
	s.lift(t)
}

// TestHostileEvaluationFiles sends what others found to be hurtful. The files
// are not ours to keep: they stand beside the repository, or nowhere.
func TestHostileEvaluationFiles(t *testing.T) {
	root := os.Getenv("FIELDLIFT_EVAL")
	if root == "" {
		root = "../../../shared/eval"
	}
	root = filepath.Join(root, "hostile")
	manifest, err := os.Open(filepath.Join(root, "manifest.jsonl"))
	if err != nil {
		t.Skip("there are no files for evaluation: ", err)
	}
	defer manifest.Close()
	s := besiege(t)
	for lines := bufio.NewScanner(manifest); lines.Scan(); {
		var entry struct{ File, Category, Expect string }
		if err := json.Unmarshal(lines.Bytes(), &entry); err != nil {
			t.Fatal(err)
		}
		t.Run(entry.File, func(t *testing.T) {
			content, err := os.ReadFile(filepath.Join(root, entry.File))
			if err != nil {
				t.Fatal(err)
			}
			code, d := s.attack(t, apptest.File{Name: entry.File, Content: content})
			switch {
			case entry.Category == "encrypted_needs_password":
				if code != unreadable {
					t.Errorf("it needs a password, and is answered with %q", code)
				}
			case strings.HasPrefix(entry.Expect, "opens without a password"), entry.Category == "odd_but_valid", entry.Category == "active_content":
				if code != taken || d.Status != "completed" {
					t.Errorf("it is a good file, and is answered with %q and %q", code, d.Status)
				}
			}
		})
	}
	s.lift(t)
}

func filesBelow(t *testing.T, root string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			found = append(found, path)
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return found
}

// memoryOf is how much memory a process holds, 0 where /proc does not tell.
func memoryOf(t testing.TB, pid int) int64 {
	t.Helper()
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0
	}
	pages, err := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	if err != nil {
		t.Error(err)
	}
	return pages * int64(os.Getpagesize())
}

// readers are the processes that this one has started to read files, none
// where /proc does not tell.
func readers(t *testing.T) []string {
	t.Helper()
	var found []string
	statuses, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range statuses {
		status, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(status), "\nPPid:\t"+strconv.Itoa(os.Getpid())+"\n") {
			continue // it has ended meanwhile, or is another's
		}
		command, err := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if err == nil && strings.Contains(string(command), app.ReaderChild) {
			found = append(found, filepath.Base(filepath.Dir(path)))
		}
	}
	return found
}

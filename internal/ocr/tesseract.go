package ocr

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"fieldlift"
)

// Options say how tesseract is run. The zero value of each is its default.
type Options struct {
	Program   string        // "tesseract", found in PATH, when ""
	Languages []string      // the ones wanted, the usual first; eng when empty
	Parallel  int           // processes at once; the number of cores when 0
	Deadline  time.Duration // for one picture; 60 s when 0
}

// Tesseract recognises text by the program of that name. It is safe for
// concurrent use; all users of one share its bound of processes.
type Tesseract struct {
	options Options
	places  chan struct{}
	flights flights

	mu    sync.Mutex
	asked time.Time
	found Installation
}

// New makes a recogniser. Nothing is started yet; the program may be missing.
func New(o Options) *Tesseract {
	if o.Program == "" {
		o.Program = "tesseract"
	}
	if len(o.Languages) == 0 {
		o.Languages = []string{"eng"}
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.NumCPU()
	}
	if o.Deadline <= 0 {
		o.Deadline = 60 * time.Second
	}
	return &Tesseract{options: o, places: make(chan struct{}, o.Parallel)}
}

// modes are how tesseract counts its page segmentation.
var modes = map[Layout]string{Page: "3", Block: "6", Sparse: "11"}

// Recognize has tesseract read a picture, once for all who ask at the same time.
func (t *Tesseract) Recognize(ctx context.Context, p Picture) ([]Word, error) {
	installed, err := t.Languages(ctx)
	if err != nil {
		return nil, err
	}
	if len(p.Languages) == 0 {
		p.Languages = installed[:1]
	}
	return t.flights.share(ctx, p, func() ([]Word, error) { return t.recognize(ctx, p) })
}

func (t *Tesseract) recognize(ctx context.Context, p Picture) ([]Word, error) {
	select {
	case t.places <- struct{}{}:
		defer func() { <-t.places }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	limited, cancel := context.WithTimeout(ctx, t.options.Deadline)
	defer cancel()
	args := []string{"stdin", "stdout", "--psm", modes[p.Layout], "--dpi", strconv.Itoa(min(max(p.DPI, 70), 2400)), "-l", joined(p.Languages), "tsv"}
	out, err := t.run(limited, portable(p), args...)
	if died(err) && limited.Err() == nil {
		out, err = t.run(limited, portable(p), args...) // it may have been killed for what others do
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, &fieldlift.Error{
			Code: fieldlift.PageCountFailed, Err: err,
			Message: "The text of a page takes too long to be recognised.",
		}
	case died(err):
		return nil, &fieldlift.Error{
			Code: fieldlift.PageCountFailed, Err: err,
			Message: "The text of a page could not be recognised: tesseract failed on it twice.",
		}
	case err != nil:
		return nil, fmt.Errorf("recognise a page: %w", err)
	}
	words, err := ParseTSV(bytes.NewReader(out))
	if err != nil {
		return nil, fmt.Errorf("read what tesseract wrote: %w", err)
	}
	return words, nil
}

// died tells whether the program was started and came to a bad end.
func died(err error) bool {
	_, ok := errors.AsType[*exec.ExitError](err)
	return ok
}

// portable writes a picture as PGM, which takes no work to write or read.
func portable(p Picture) io.Reader {
	head := fmt.Sprintf("P5\n%d %d\n255\n", p.Width, p.Height)
	return io.MultiReader(strings.NewReader(head), bytes.NewReader(p.Grey))
}

// mostOutput bounds what is kept of an answer.
const mostOutput = 8 << 20

// run runs tesseract and gives what it writes. It gets one thread, because
// several cost twice the processor time for little, and pages are read beside
// each other anyway; and of the environment only what it needs.
func (t *Tesseract) run(ctx context.Context, stdin io.Reader, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, t.options.Program, args...) //nolint:gosec // the operator's program, our arguments
	command.Env = []string{"OMP_THREAD_LIMIT=1", "LC_ALL=C.UTF-8"}
	if folder, ok := os.LookupEnv("TESSDATA_PREFIX"); ok {
		command.Env = append(command.Env, "TESSDATA_PREFIX="+folder)
	}
	command.SysProcAttr = ownGroup()
	command.Cancel = func() error { return killGroup(command.Process.Pid) }
	command.WaitDelay = time.Second
	out, complaint := &bounded{most: mostOutput}, &bounded{most: 4 << 10}
	command.Stdin, command.Stdout, command.Stderr = stdin, out, complaint
	err := command.Run()
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %s", t.options.Program, err, strings.TrimSpace(complaint.String()))
	}
	if out.over {
		return nil, errors.New("tesseract wrote more than any page holds")
	}
	return out.Bytes(), nil
}

// bounded keeps the first bytes that are written to it.
type bounded struct {
	bytes.Buffer
	most int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.Len()
	b.over = b.over || len(p) > room
	b.Buffer.Write(p[:min(len(p), room)])
	return len(p), nil
}

// Installation is what is there of tesseract.
type Installation struct {
	Version   string   // "" when the program is missing, or could not be asked
	Languages []string // of those wanted
	Missing   []string // of those wanted
	Err       error    // why it could not be asked, though it is there
}

// askInterval is how long an answer holds: a program may be installed while we
// run.
const askInterval = time.Minute

// Installed asks tesseract what is there, at most every minute. When it cannot
// be asked, what it said before holds.
func (t *Tesseract) Installed(ctx context.Context) Installation {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.asked.IsZero() || time.Since(t.asked) > askInterval {
		found := t.ask(context.WithoutCancel(ctx)) // who asks may go away
		if found.Err != nil && t.asked.IsZero() {
			return found
		}
		if found.Err == nil {
			t.found = found
		}
		t.asked = time.Now()
	}
	return t.found
}

func (t *Tesseract) ask(ctx context.Context) Installation {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	version, err := t.run(ctx, nil, "--version")
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return Installation{Missing: t.options.Languages}
	}
	if err != nil {
		return Installation{Err: err}
	}
	list, err := t.run(ctx, nil, "--list-langs")
	if err != nil {
		return Installation{Err: err}
	}
	first, _, _ := strings.Cut(string(version), "\n")
	found := Installation{Version: strings.TrimPrefix(first, "tesseract ")}
	there := strings.Fields(string(list))
	for _, language := range t.options.Languages {
		if slices.Contains(there, language) {
			found.Languages = append(found.Languages, language)
		} else {
			found.Missing = append(found.Missing, language)
		}
	}
	return found
}

// Languages are the wanted ones that are installed.
func (t *Tesseract) Languages(ctx context.Context) ([]string, error) {
	found := t.Installed(ctx)
	if found.Err != nil {
		return nil, &fieldlift.Error{
			Code: fieldlift.ServiceUnavailable, Err: found.Err,
			Message: "The program that reads pictures cannot be run at the moment. Try again later.",
		}
	}
	if len(found.Languages) == 0 {
		return nil, &fieldlift.Error{
			Code:    fieldlift.UnsupportedFileType,
			Message: "The document has pages without text of their own, and nothing is installed that reads pictures. " + found.Advice() + ".",
		}
	}
	return found.Languages, nil
}

// Advice says how to get what is missing; "" when nothing is, as far as is known.
func (i Installation) Advice() string {
	if i.Err != nil {
		return ""
	}
	var packages []string
	if i.Version == "" {
		packages = append(packages, "tesseract-ocr")
	}
	for _, language := range i.Missing {
		if language != "eng" || i.Version != "" { // comes with the program
			packages = append(packages, "tesseract-ocr-"+strings.ReplaceAll(strings.ToLower(language), "_", "-"))
		}
	}
	if len(packages) == 0 {
		return ""
	}
	return "On Debian and Ubuntu: apt-get install " + strings.Join(packages, " ")
}

// Identity is the program's version and the languages.
func (t *Tesseract) Identity(ctx context.Context) string {
	found := t.Installed(ctx)
	return "tesseract " + found.Version + " " + joined(found.Languages)
}

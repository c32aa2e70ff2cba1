package cli

import (
	"io"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows a person how far a batch is. Without a terminal to show it
// on, it does nothing.
type progress struct {
	mu  sync.Mutex // the bar and the output may share a terminal
	bar *progressbar.ProgressBar
}

func newProgress(w io.Writer, doing string, files int) *progress {
	if !isTerminal(w) {
		return &progress{}
	}
	bar := progressbar.NewOptions(files, progressbar.OptionSetWriter(w), progressbar.OptionSetDescription(doing),
		progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish())
	_ = bar.RenderBlank() // a terminal that has gone is noticed by what matters more
	return &progress{bar: bar}
}

// step says that one more file is done.
func (p *progress) step() {
	if p.bar != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.bar.Add(1)
	}
}

// end takes the bar away.
func (p *progress) end() {
	if p.bar != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.bar.Exit()
		_ = p.bar.Clear()
	}
}

// over gives a writer that takes the bar out of the way of what is written;
// the next step shows it again.
func (p *progress) over(w io.Writer) io.Writer {
	if p.bar == nil {
		return w
	}
	return writerFunc(func(b []byte) (int, error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		_ = p.bar.Clear()
		return w.Write(b)
	})
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

// isTerminal tells whether a person looks at what is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

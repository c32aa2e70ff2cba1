package ocreval

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"fieldlift/internal/ocr"
	"fieldlift/internal/page"
)

// plain is what tesseract reads off a picture by itself. It is asked for places
// too, so that lines are put together in the same way as ours.
func (b *Bench) plain(ctx context.Context, path string, oneThread bool) ([]string, error) {
	command := exec.CommandContext(ctx, "tesseract", path, "-", "-l", strings.Join(b.Languages, "+"), "tsv") //nolint:gosec // a file that the user named
	command.Env = os.Environ()
	if oneThread {
		command.Env = append(command.Env, "OMP_THREAD_LIMIT=1")
	}
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		return nil, fmt.Errorf("plain tesseract: %w: %s", err, complaint.String())
	}
	words, err := ocr.ParseTSV(&out)
	if err != nil {
		return nil, err
	}
	var p page.Page
	for _, w := range words {
		p.Words = append(p.Words, page.Word{Text: w.Text, Box: page.Box{
			X0: float64(w.X0), Y0: float64(w.Y0), X1: float64(w.X1), Y1: float64(w.Y1),
		}})
	}
	return textOf(p), nil
}

package transcribe

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io"
	"runtime/debug"
	"strings"

	"fieldlift/internal/einvoice"
	"fieldlift/internal/ocr"
	"fieldlift/internal/onnx"
	"fieldlift/internal/page"
	"fieldlift/internal/reader"
	"fieldlift/internal/scan"
)

//go:embed *.go
var source embed.FS

// revision names the code that reads files. It is made of the code itself, so
// that nobody can forget to count it up when the same file may be read
// differently.
func revision() string {
	sum := sha256.New()
	for _, files := range []embed.FS{einvoice.Source(), page.Source(), scan.Source(), onnx.Source(), ocr.Source(), reader.Source(), source} {
		addCode(sum, files)
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			_, _ = io.WriteString(sum, d.Path+"@"+d.Version+"\n") // a hash takes everything
		}
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// addCode writes a package's code, without its tests.
func addCode(w io.Writer, files embed.FS) {
	entries, _ := files.ReadDir(".") // embedded: it is there
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			text, _ := files.ReadFile(e.Name())
			_, _ = w.Write(text)
		}
	}
}

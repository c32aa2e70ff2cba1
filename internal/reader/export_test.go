package reader

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Sniff is sniff, for the fuzzer.
var Sniff = sniff

// RunMishapChild is RunChild, except that the name of a file may ask for a
// mishap.
func RunMishapChild(stdin io.Reader, stdout io.Writer) error {
	w := &worker{}
	return serve(stdin, stdout, func(q request) (response, error) {
		switch filepath.Base(q.Path) {
		case "please-hang":
			for { //nolint:revive,staticcheck // as a decoder does that goes in circles
			}
		case "please-crash":
			os.Exit(3)
		case "please-panic":
			panic("as asked for")
		case "please-eat":
			for eaten := [][]byte{}; ; {
				bite := make([]byte, 8<<20)
				for n := 0; n < len(bite); n += 512 {
					bite[n] = 1
				}
				eaten = append(eaten, bite)
				if len(eaten) > 1<<20 {
					return response{}, errors.New("nobody stopped it")
				}
			}
		}
		return w.answer(q)
	})
}

// PDFiumWasm is the module that go-pdfium embeds.
func PDFiumWasm() []byte { return pdfiumWasm }

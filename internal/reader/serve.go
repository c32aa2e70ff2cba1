package reader

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"runtime/debug"

	"fieldlift"
	"fieldlift/internal/scan"
)

// RunChild is the main loop of a child process: it answers requests until its
// input ends.
func RunChild(stdin io.Reader, stdout io.Writer) error {
	volunteer()
	// What libraries print must not get between the answers.
	os.Stdout = os.Stderr
	w := &worker{}
	return serve(stdin, stdout, w.answer)
}

// serve has each request answered. Whatever a decoder panics over is the fault
// of the file that it was given.
func serve(stdin io.Reader, stdout io.Writer, answer func(request) (response, error)) error {
	from, to := gob.NewDecoder(stdin), gob.NewEncoder(stdout)
	for {
		var q request
		if err := from.Decode(&q); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("reading a request: %w", err)
		}
		a, err := guarded(q, answer)
		if err != nil {
			a = failure(err)
		}
		if err := to.Encode(a); err != nil {
			return fmt.Errorf("writing an answer: %w", err)
		}
	}
}

func guarded(q request, answer func(request) (response, error)) (a response, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = damaged(q.Kind, fmt.Errorf("panic: %v\n%s", p, bytes.TrimSpace(debug.Stack())))
		}
	}()
	return answer(q)
}

// worker does a child's work. It keeps the compiled PDFium between files.
type worker struct {
	pdfium *pdfium
}

func (w *worker) answer(q request) (response, error) {
	if q.Act == actWarm {
		return response{}, w.warm(q)
	}
	f, err := os.Open(q.Path)
	if err != nil {
		return response{}, fmt.Errorf("cannot open the file: %w", err)
	}
	defer f.Close()
	if q.Kind != kindPDF {
		return answerImage(f, q)
	}
	if w.pdfium == nil {
		return response{}, errors.New("a PDF came before PDFium was ready")
	}
	d, err := w.pdfium.open(f)
	if err != nil {
		return response{}, err
	}
	defer d.close()
	return w.pdfium.answer(f, d, q)
}

func (w *worker) warm(q request) (err error) {
	if w.pdfium == nil && q.CacheDir != "" {
		w.pdfium, err = newPDFium(q.CacheDir, q.MaxMemory)
	}
	return err
}

// answer answers a request about a PDF, of which d is an open instance.
func (p *pdfium) answer(f *os.File, d *document, q request) (response, error) {
	count, err := d.pageCount(q.MaxPages)
	if err != nil {
		return response{}, err
	}
	switch q.Act {
	case actInspect:
		return response{Count: count}, nil
	case actRead:
		pages, err := p.read(f, d, count)
		if err != nil {
			return response{}, err
		}
		return response{Pages: pages, Invoice: d.invoice()}, nil
	case actBoxes:
		boxes, err := d.boxes(q)
		return response{Boxes: boxes}, err
	case actRender:
		if q.Number > count {
			return response{}, noSuchPage(q.Number, count)
		}
		png, err := d.render(q.Number-1, q.DPI, q.MaxPixels)
		return response{PNG: png}, err
	case actSizes:
		sizes, err := d.sizes(count)
		return response{Sizes: sizes}, err
	case actShow:
		if q.Number > count {
			return response{}, noSuchPage(q.Number, count)
		}
		shown, err := d.show(q.Number-1, q.Width, q.MaxPixels)
		return response{Image: shown}, err
	case actScan:
		if q.Number > count {
			return response{}, noSuchPage(q.Number, count)
		}
		s, ok := d.openPage(q.Number - 1)
		if !ok {
			return response{Scan: scan.Picture{Blank: true}}, d.failure() // as it is read, too
		}
		s.close()
		var prepared scan.Picture
		err := d.draw(q.Number-1, scanDPI, min(q.MaxPixels, mostDrawn), func(_ *sheet, img *image.RGBA) error {
			prepared = prepare(luminance(img), scanDPI, q.Turn)
			return nil
		})
		return response{Scan: prepared}, err
	}
	return response{}, unknownAct(q.Act)
}

func unknownAct(a act) error {
	return fieldlift.Errorf(fieldlift.InternalError, "The reader was asked for %q, which it does not know.", a)
}

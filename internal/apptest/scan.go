package apptest

import (
	"bytes"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"fieldlift/internal/app"
	"fieldlift/internal/ocreval"
	"fieldlift/internal/reader"
)

// Scan prints the first page of a PDF and scans it, at 200 dpi, lying on the
// glass turned clockwise by so many degrees. It is a PNG without any text.
func Scan(t testing.TB, pdf []byte, degrees float64) []byte {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := reader.New(reader.Options{Command: []string{program, app.ReaderChild}, CacheDir: filepath.Join(os.TempDir(), "fieldlift-test-cache")})
	defer r.Close()
	path := filepath.Join(t.TempDir(), "print.pdf")
	if err := os.WriteFile(path, pdf, 0o600); err != nil {
		t.Fatal(err)
	}
	drawn, err := r.Render(t.Context(), path, 1, 200)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	grey := image.NewGray(img.Bounds())
	draw.Draw(grey, grey.Bounds(), img, img.Bounds().Min, draw.Src)
	var b bytes.Buffer
	if err := png.Encode(&b, ocreval.Rotate(grey, degrees, 255)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

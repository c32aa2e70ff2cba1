package httpapi_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/draw"

	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/ocr"
)

// coarse is a scan of so few pixels that its words are doubtful.
func coarse(t *testing.T, pdf []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(apptest.Scan(t, pdf, 0)))
	if err != nil {
		t.Fatal(err)
	}
	const less = 4
	small := image.NewGray(image.Rect(0, 0, img.Bounds().Dx()/less, img.Bounds().Dy()/less))
	draw.BiLinear.Scale(small, small.Rect, img, img.Bounds(), draw.Src, nil)
	var b bytes.Buffer
	if err := png.Encode(&b, small); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestDoubtfulScansAreLookedAtTwice reads a bad scan without and with the models
// for a second look.
func TestDoubtfulScansAreLookedAtTwice(t *testing.T) {
	const models = "/usr/local/share/fieldlift/ocr"
	if _, err := os.Stat(models); err != nil {
		t.Skip("tools/models has not been run: ", err)
	}
	// Compiling takes longer than an extraction is waited for where cores are busy.
	look, err := ocr.NewSecondLook(ocr.SecondLookOptions{Folder: models, CacheDir: filepath.Join(os.TempDir(), "fieldlift-test-cache")})
	if err != nil {
		t.Fatal(err)
	}
	if err := look.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	scan := coarse(t, letterOf("SC-4711"))
	var sure []float64
	for _, folder := range []string{"", models} {
		a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.OCRModels = folder }))
		parser := a.NewParser(t, "Invoices", invoiceFields...)
		x := a.Accepted(t, parser, apptest.File{Name: "scan.png", Content: scan})
		d := a.Finished(t, x.ExtractionID).Documents[0]
		if len(d.Pages) != 1 || d.Pages[0].Source != "ocr" {
			t.Fatalf("%s %+v", d.Status, d.Pages)
		}
		sure = append(sure, d.Pages[0].Confidence)
	}
	if sure[0] > 0.9 || sure[1] < sure[0]+0.03 {
		t.Errorf("read once by %v, twice by %v", sure[0], sure[1])
	}
}

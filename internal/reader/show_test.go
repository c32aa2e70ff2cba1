package reader_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"testing"

	"fieldlift"
	"fieldlift/internal/reader"
)

func shown(t testing.TB, r *reader.Reader, path string, number, width int) (image.Image, reader.PageImage) {
	t.Helper()
	drawn, err := r.Show(t.Context(), path, number, width)
	if err != nil {
		t.Fatal(err)
	}
	img, kind, err := image.Decode(bytes.NewReader(drawn.Content))
	if err != nil || "image/"+kind != drawn.ContentType {
		t.Fatalf("%s is %s: %v", drawn.ContentType, kind, err)
	}
	return img, drawn
}

// The places of words and values are fractions of the page as it is shown,
// whatever the file says of how it lies.
func TestPagesAreShownAsTheirBoxesLie(t *testing.T) {
	r := setup(t)
	for _, rotate := range []int{0, 90, 180, 270} {
		t.Run(fmt.Sprint("a PDF turned by ", rotate), func(t *testing.T) {
			path := write(t, "a.pdf", makePDF([]sheet{{content: show("F1", 40, 200, 500, "Upright"), rotate: rotate, cropBox: "100 200 500 800"}}))
			d, err := r.Read(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			img, _ := shown(t, r, path, 1, 600)
			want, dark := word(t, d.Pages[0], "Upright").Box, darkBox(img)
			if dark.X0 < want.X0-0.02 || dark.Y0 < want.Y0-0.02 || dark.X1 > want.X1+0.02 || dark.Y1 > want.Y1+0.02 {
				t.Errorf("the ink is at %+v, the word at %+v", dark, want)
			}
			sizes, err := r.Sizes(t.Context(), path)
			if err != nil || len(sizes) != 1 || sizes[0].Width != d.Pages[0].Width || sizes[0].Height != d.Pages[0].Height {
				t.Errorf("%+v, %v", sizes, err)
			}
			if b := img.Bounds(); b.Dx() != 600 || math.Abs(float64(b.Dy())-600*sizes[0].Height/sizes[0].Width) > 1 {
				t.Errorf("%v", b)
			}
		})
	}
	for orientation := uint16(1); orientation <= 8; orientation++ {
		t.Run(fmt.Sprint("a photograph of orientation ", orientation), func(t *testing.T) {
			path := write(t, "a.jpg", withEXIF(jpegOf(t, mark(400, 200)), orientation))
			sizes, err := r.Sizes(t.Context(), path)
			if err != nil || len(sizes) != 1 || (sizes[0].Width < sizes[0].Height) != (orientation >= 5) {
				t.Fatalf("%+v, %v", sizes, err)
			}
			small, _ := shown(t, r, path, 1, 100)
			if b := small.Bounds(); b.Dx() != 100 || math.Abs(float64(b.Dy())-100*sizes[0].Height/sizes[0].Width) > 1 {
				t.Errorf("%v", b)
			}
			large, _ := shown(t, r, path, 1, 5000)
			rendered := render(t, r, path, 1, 200)
			if large.Bounds() != rendered.Bounds() {
				t.Errorf("%v, rendered as %v", large.Bounds(), rendered.Bounds())
			}
			a, b := darkBox(large), darkBox(rendered)
			near(t, "left", a.X0, b.X0, 0.01)
			near(t, "top", a.Y0, b.Y0, 0.01)
		})
	}
}

func TestPhotographsAreShownAsJPEG(t *testing.T) {
	r := setup(t)
	noise := image.NewRGBA(image.Rect(0, 0, 300, 300))
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise.Pix {
		noise.Pix[i] = byte(random.Uint32())
	}
	for y := range 300 {
		for x := range 300 {
			c := noise.RGBAAt(x, y)
			noise.SetRGBA(x, y, color.RGBA{c.R, c.G, c.B, 255})
		}
	}
	if _, drawn := shown(t, r, write(t, "a", pngOf(t, noise)), 1, 300); drawn.ContentType != "image/jpeg" {
		t.Error(drawn.ContentType)
	}
	if _, drawn := shown(t, r, write(t, "b", pngOf(t, mark(300, 300))), 1, 300); drawn.ContentType != "image/png" {
		t.Error(drawn.ContentType)
	}
}

func TestPagesThatCannotBeShown(t *testing.T) {
	r := setup(t)
	path := write(t, "a.pdf", makePDF([]sheet{{}, {mediaBox: "0 0 20000 3"}, {mediaBox: "0 0 3 20000"}}))
	for _, number := range []int{2, 3} { // a thread, lying and standing
		if img, _ := shown(t, r, path, number, 1600); img.Bounds().Empty() || img.Bounds().Dx()*img.Bounds().Dy() > 12_000_000 {
			t.Errorf("%v", img.Bounds())
		}
	}
	_, err := r.Show(t.Context(), path, 4, 100)
	refused(t, err, fieldlift.InvalidPayload, "There is no page 4; the file has 3.")
	for _, wrong := range [][2]int{{0, 100}, {1, 0}} {
		_, err := r.Show(t.Context(), path, wrong[0], wrong[1])
		refused(t, err, fieldlift.InvalidPayload, "Pages are counted from 1, and shown at least 1 pixel wide.")
	}
}

// BenchmarkShow shows a page full of text by a warm child, as large as a
// window has room for, and as a thumbnail.
func BenchmarkShow(b *testing.B) {
	path := write(b, "a.pdf", benchmarkFile())
	r := setup(b, func(o *reader.Options) { o.Children = 1 })
	if err := r.Warm(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, width := range []int{160, 1200, 1600} {
		b.Run(fmt.Sprint(width), func(b *testing.B) {
			for b.Loop() {
				drawn, err := r.Show(b.Context(), path, 3, width)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportMetric(float64(len(drawn.Content)), "bytes/image")
			}
		})
	}
	b.Run("sizes", func(b *testing.B) {
		for b.Loop() {
			if _, err := r.Sizes(b.Context(), path); err != nil {
				b.Fatal(err)
			}
		}
	})
}

package reader_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math/rand/v2"
	"testing"

	"fieldlift"
)

// paper is a page of 6 x 3 inches at 200 dpi, grey as scans are.
func paper() *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 1200, 600))
	random := rand.New(rand.NewPCG(1, 2))
	for n := range img.Pix {
		img.Pix[n] = byte(215 + random.IntN(20))
	}
	return img
}

func bar(img *image.Gray, x0, y0, x1, y1 int) {
	draw.Draw(img, image.Rect(x0, y0, x1, y1), image.NewUniform(color.Gray{40}), image.Point{}, draw.Src)
}

func square(img *image.Gray, x, y, side, thick int) {
	bar(img, x, y, x+side, y+thick)
	bar(img, x, y+side-thick, x+side, y+side)
	bar(img, x, y, x+thick, y+side)
	bar(img, x+side-thick, y, x+side, y+side)
}

// slash draws from the lower left to the upper right.
func slash(img *image.Gray, x, y, length int) {
	for n := range length {
		bar(img, x+n, y-n, x+n+3, y-n+3)
	}
}

func TestBoxesInPictures(t *testing.T) {
	for name, c := range map[string]struct {
		draw func(img *image.Gray)
		want string
	}{
		"nothing":         {func(*image.Gray) {}, ""},
		"an empty box":    {func(img *image.Gray) { square(img, 100, 100, 28, 2) }, "-"},
		"a thick one":     {func(img *image.Gray) { square(img, 100, 100, 28, 4) }, "-"},
		"a tick":          {func(img *image.Gray) { square(img, 100, 100, 28, 2); slash(img, 108, 118, 14) }, "x"},
		"one that leaves": {func(img *image.Gray) { square(img, 100, 100, 28, 2); slash(img, 110, 120, 35) }, "x"},
		"a speck of dirt": {func(img *image.Gray) { square(img, 100, 100, 28, 2); bar(img, 112, 112, 114, 113) }, "-"},
		"two of them": {func(img *image.Gray) {
			square(img, 100, 100, 28, 2)
			square(img, 100, 200, 40, 3)
			bar(img, 110, 210, 130, 230)
		}, "-x"},
		"a bullet":            {func(img *image.Gray) { bar(img, 100, 100, 124, 124) }, ""},
		"too small, too wide": {func(img *image.Gray) { square(img, 100, 100, 12, 2); square(img, 200, 100, 80, 2) }, ""},
		"an open one": {func(img *image.Gray) {
			square(img, 100, 100, 28, 2)
			draw.Draw(img, image.Rect(126, 90, 150, 140), image.White, image.Point{}, draw.Src)
		}, ""},
		"cells for letters": {func(img *image.Gray) {
			for n := range 5 {
				square(img, 100+30*n, 100, 32, 2)
			}
		}, ""},
		"a table": {func(img *image.Gray) {
			for n := range 6 {
				bar(img, 100, 100+30*n, 252, 102+30*n)
				bar(img, 100+30*n, 100, 102+30*n, 252)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			img := paper()
			c.draw(img)
			p := read(t, pngOf(t, img)).Pages[0]
			if got := ticks(p); got != c.want {
				t.Errorf("got %q, want %q: %+v", got, c.want, p.Checkboxes)
			}
			for _, b := range p.Checkboxes {
				if b.Source != fieldlift.SourceOCR || b.Confidence < 0.5 || b.Confidence > 0.9 {
					t.Errorf("%+v", b)
				}
				near(t, "left", b.Box.X0, 100./1200, 0.003)
			}
		})
	}
}

func TestBoxesInScannedPDFs(t *testing.T) {
	img := paper()
	square(img, 300, 150, 28, 2)
	slash(img, 308, 168, 14)
	scan := stream("/Type /XObject /Subtype /Image /Width 1200 /Height 600 /ColorSpace /DeviceGray /BitsPerComponent 8", string(img.Pix))
	var sheets []sheet
	for range 10 { // more than one request's
		sheets = append(sheets, sheet{mediaBox: "0 0 432 216", content: "q 432 0 0 216 0 0 cm /Scan Do Q", pictures: "/Scan 8 0 R"})
	}
	sheets = append(sheets, sheet{mediaBox: "0 0 432 216", content: "q 108 0 0 54 0 0 cm /Scan Do Q", pictures: "/Scan 8 0 R"})
	for n, p := range read(t, makePDF(sheets, scan)).Pages {
		want := "x"
		if n == 10 {
			want = "" // a small picture on a page is no scan
		}
		if got := ticks(p); got != want {
			t.Fatalf("page %d: got %q, want %q: %+v", n+1, got, want, p.Checkboxes)
		}
		if want != "" {
			near(t, "left", p.Checkboxes[0].Box.X0, 0.25, 0.003)
			near(t, "top", p.Checkboxes[0].Box.Y0, 0.25, 0.006)
		}
	}
}

func TestManyBoxesInPictures(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 3000, 3000))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for n := range 5000 {
		square(img, 10+n%70*42, 10+n/70*42, 24, 2)
	}
	if n := len(read(t, pngOf(t, img)).Pages[0].Checkboxes); n != 1000 {
		t.Error(fmt.Sprint(n, " boxes"))
	}
}

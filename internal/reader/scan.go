package reader

import (
	"image"
	"math"

	"golang.org/x/image/draw"

	"fieldlift/internal/scan"
)

// scanDPI is at which PDF pages are drawn for a recogniser.
const scanDPI = 300

// prepare prepares a picture of the given resolution.
func prepare(img *image.Gray, dpi float64, turn int) scan.Picture {
	p := scan.Prepare(img, scan.Options{Turn: turn})
	p.DPI = int(math.Round(dpi * p.Scale))
	return p
}

// scan decodes a picture and prepares it, upright as its file says it is.
func (p picture) scan(q request) (scan.Picture, error) {
	img, err := p.pixels(q.Kind)
	if err != nil {
		return scan.Picture{}, err
	}
	x, y, known := p.resolution()
	grey := square(luminance(img), x, y)
	prepared := prepare(p.orientation.uprightGrey(grey), max(x, y), q.Turn)
	prepared.Assumed = !known
	return prepared, nil
}

// square makes pixels as high as they are wide: those of a fax are not.
func square(img *image.Gray, x, y float64) *image.Gray {
	if math.Abs(x/y-1) < 0.05 {
		return img
	}
	width, height := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	if x > y {
		height *= x / y
	} else {
		width *= y / x
	}
	if width*height > mostDrawn {
		return img // a strange file; its letters stay as they are
	}
	out := image.NewGray(image.Rect(0, 0, int(width), int(height)))
	draw.BiLinear.Scale(out, out.Rect, img, img.Rect, draw.Src, nil)
	return out
}

// luminance gives a picture in shades of grey, on white paper where it is
// transparent. What a JPEG holds is taken as it is, without a copy.
func luminance(img image.Image) *image.Gray {
	b := img.Bounds()
	size := image.Rect(0, 0, b.Dx(), b.Dy())
	switch img := img.(type) {
	case *image.Gray:
		return &image.Gray{Pix: img.Pix[img.PixOffset(b.Min.X, b.Min.Y):], Stride: img.Stride, Rect: size}
	case *image.YCbCr:
		return &image.Gray{Pix: img.Y[img.YOffset(b.Min.X, b.Min.Y):], Stride: img.YStride, Rect: size}
	}
	out := image.NewGray(size)
	const rows = 64 // at a time: a second picture in colours would be too much memory
	strip := image.NewRGBA(image.Rect(0, 0, b.Dx(), rows))
	for y := 0; y < b.Dy(); y += rows {
		draw.Draw(strip, strip.Rect, image.White, image.Point{}, draw.Src)
		draw.Draw(strip, strip.Rect, img, image.Pt(b.Min.X, b.Min.Y+y), draw.Over)
		into := out.Pix[y*out.Stride : min((y+rows)*out.Stride, len(out.Pix))]
		for i := range into {
			p := strip.Pix[4*i:][:3]
			into[i] = byte((19595*uint32(p[0]) + 38470*uint32(p[1]) + 7471*uint32(p[2]) + 1<<15) >> 16)
		}
	}
	return out
}

// uprightGrey is upright for shades of grey.
func (o orientation) uprightGrey(img *image.Gray) *image.Gray {
	if o < 2 || o > 8 {
		return img
	}
	width, height := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, width, height))
	if o.sideways() {
		out = image.NewGray(image.Rect(0, 0, height, width))
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			fromX, fromY := o.source(x, y, width, height)
			out.Pix[y*out.Stride+x] = img.Pix[fromY*img.Stride+fromX]
		}
	}
	return out
}

package reader

import (
	"bytes"
	"cmp"
	"errors"
	"image"
	"image/png"
	"math"
)

// mostDrawn is how many pixels a drawn page has at most: an A2 sheet at 300 dpi.
// More would leave a child no memory to work with.
const mostDrawn = 36_000_000

// render draws a page, by its number from 0, as a PNG.
func (d *document) render(n, dpi, maxPixels int) (png []byte, err error) {
	err = d.draw(n, dpi, min(maxPixels, mostDrawn), func(_ *sheet, img *image.RGBA) error {
		png, err = encode(img)
		return err
	})
	return png, err
}

// draw draws a page, by its number from 0, and has the picture used while it is
// in PDFium's memory.
func (d *document) draw(n, dpi, most int, use func(*sheet, *image.RGBA) error) error {
	s, ok := d.openPage(n)
	if !ok {
		return damaged(kindPDF, cmp.Or(d.err, errors.New("the page cannot be loaded")))
	}
	defer s.close()
	width, height := pixels(s, dpi, most)
	return d.drawSheet(s, width, height, func(img *image.RGBA) error { return use(s, img) })
}

// drawSheet draws an open page in a size.
func (d *document) drawSheet(s *sheet, width, height int, use func(*image.RGBA) error) error {
	const (
		withAlpha        = 4
		white            = 0xffffffff
		withAnnotations  = 0x01
		reverseByteOrder = 0x10 // red first, as Go has it
	)
	stride := width * 4
	buffer := d.allocate(uint64(stride * height))
	bitmap := d.call("FPDFBitmap_CreateEx", uint64(width), uint64(height), withAlpha, uint64(buffer), uint64(stride))
	d.call("FPDFBitmap_FillRect", bitmap, 0, 0, uint64(width), uint64(height), white)
	d.call("FPDF_RenderPageBitmap", bitmap, s.handle, 0, 0, uint64(width), uint64(height), 0, withAnnotations|reverseByteOrder)
	view := d.at(buffer, uint32(stride*height))
	if err := d.failure(); err != nil {
		return err
	}
	err := use(&image.RGBA{Pix: view, Stride: stride, Rect: image.Rect(0, 0, width, height)})
	d.call("FPDFBitmap_Destroy", bitmap)
	d.call("free", uint64(buffer))
	return err
}

// pixels is the size at which a page is drawn: at dpi, or at less to stay within
// the most pixels.
func pixels(s *sheet, dpi, most int) (width, height int) {
	w, h := s.size()
	scale := float64(dpi) / 72
	if area := w * h * scale * scale; area > float64(most) {
		scale *= math.Sqrt(float64(most) / area)
	}
	side := func(points float64) int { return int(min(max(math.Floor(points*scale), 1), float64(most))) }
	width, height = side(w), side(h)
	// A sheet as thin as a thread is one pixel across however it is scaled.
	return width, min(height, max(most/width, 1))
}

// encode writes an image as PNG, fast rather than small, and in shades of grey
// when that is all it has: what reads it next is spared two thirds.
func encode(img image.Image) ([]byte, error) {
	if rgba, ok := img.(*image.RGBA); ok && isGrey(rgba) {
		img = grey(rgba)
	}
	var b bytes.Buffer
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	return b.Bytes(), err
}

func isGrey(img *image.RGBA) bool {
	for p := img.Pix; len(p) >= 4; p = p[4:] {
		if p[0] != p[1] || p[1] != p[2] || p[3] != 0xff {
			return false
		}
	}
	return true
}

func grey(img *image.RGBA) *image.Gray {
	out := image.NewGray(img.Rect)
	for n := range out.Pix {
		out.Pix[n] = img.Pix[4*n]
	}
	return out
}

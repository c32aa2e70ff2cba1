package reader

import (
	"image"

	"fieldlift/internal/page"
)

// Bounds for pictures that may be one of a box to tick: their sides in points,
// their pixels, and how many of a page are looked at.
const (
	largestBoxPicture = 1.5 * largestBox
	mostBoxPixels     = 400 * 400
	mostBoxPictures   = 200
)

// boxPicture looks whether a small picture on the page shows a box to tick, as
// word processors make them of what was drawn or pasted.
func (w *drawing) boxPicture(handle uint64, r rectangle, at page.Box) {
	long, short := max(r.x1-r.x0, r.y1-r.y0), min(r.x1-r.x0, r.y1-r.y0)
	if short < smallestPictureBox || long > largestBoxPicture || long > 1.5*short || w.boxPictures >= mostBoxPictures {
		return
	}
	w.boxPictures++
	if w.call("FPDFImageObj_GetImagePixelSize", handle, w.out(0), w.out(1)) == 0 || w.size32(0)*w.size32(2) > mostBoxPixels {
		return
	}
	bitmap := w.call("FPDFImageObj_GetBitmap", handle)
	if bitmap == 0 {
		return
	}
	if img := w.shadesOf(bitmap); img != nil {
		if found := pictureBoxes(img, r.x1-r.x0); len(found) == 1 {
			c := found[0]
			c.Box = page.Box{
				X0: at.X0 + c.Box.X0*at.Width(), Y0: at.Y0 + c.Box.Y0*at.Height(),
				X1: at.X0 + c.Box.X1*at.Width(), Y1: at.Y0 + c.Box.Y1*at.Height(),
			}
			w.squares.pictured = append(w.squares.pictured, c)
		}
	}
	w.call("FPDFBitmap_Destroy", bitmap)
}

// size32 is an unsigned number that a call gave back, by its place in fours of
// bytes; what is too large to be multiplied is cut.
func (w *drawing) size32(n uint32) int {
	v, _ := w.memory.ReadUint32Le(w.scratch + 4*n)
	return int(min(v, 1<<20))
}

// shadesOf copies a bitmap of PDFium's in shades of grey; nil for formats that
// it does not have them in.
func (w *drawing) shadesOf(bitmap uint64) *image.Gray {
	width, height := w.number("FPDFBitmap_GetWidth", bitmap), w.number("FPDFBitmap_GetHeight", bitmap)
	stride := w.number("FPDFBitmap_GetStride", bitmap)
	bytes := map[int]int{1: 1, 2: 3, 3: 4, 4: 4}[w.number("FPDFBitmap_GetFormat", bitmap)] // of a pixel
	if bytes == 0 || width <= 0 || height <= 0 || width*height > mostBoxPixels || stride < width*bytes {
		return nil
	}
	pix := w.at(uint32(w.call("FPDFBitmap_GetBuffer", bitmap)), uint32(stride*height))
	if pix == nil {
		return nil
	}
	out := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		row := pix[y*stride:]
		for x := range width {
			if p := row[x*bytes:]; bytes == 1 {
				out.Pix[y*out.Stride+x] = p[0]
			} else { // blue comes first
				out.Pix[y*out.Stride+x] = byte((int(p[0]) + 6*int(p[1]) + 3*int(p[2])) / 10)
			}
		}
	}
	return out
}

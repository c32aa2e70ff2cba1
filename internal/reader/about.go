package reader

import (
	"bufio"
	"encoding/binary"
	"image"
	"io"
	"os"
)

// about is what a picture says of itself besides its pixels. All of it is
// optional: what cannot be read is as if it were not there.
type about struct {
	dpiX, dpiY  float64 // 0: unknown
	orientation orientation
}

// orientation is how a stored picture must be turned to stand upright, in EXIF's
// counting from 1; anything else is upright already.
type orientation int

// sideways tells whether width and height change places.
func (o orientation) sideways() bool { return o >= 5 && o <= 8 }

// upright turns and mirrors a picture as its orientation says.
func (o orientation) upright(img *image.RGBA) *image.RGBA {
	if o < 2 || o > 8 {
		return img
	}
	width, height := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	if o.sideways() {
		out = image.NewRGBA(image.Rect(0, 0, height, width))
	}
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			fromX, fromY := o.source(x, y, width, height)
			copy(out.Pix[y*out.Stride+4*x:][:4], img.Pix[fromY*img.Stride+4*fromX:][:4])
		}
	}
	return out
}

// source is where in the stored picture of the given size the upright one has
// its pixel from.
func (o orientation) source(x, y, width, height int) (int, int) {
	switch o {
	case 2:
		return width - 1 - x, y
	case 3:
		return width - 1 - x, height - 1 - y
	case 4:
		return x, height - 1 - y
	case 5:
		return y, x
	case 6:
		return y, height - 1 - x
	case 7:
		return width - 1 - y, height - 1 - x
	case 8:
		return width - 1 - y, x
	}
	return x, y
}

const (
	metresPerInch      = 0.0254
	centimetresPerInch = 2.54
)

// aboutFile looks for what a file says of its picture.
func aboutFile(f *os.File, kind string) about {
	switch kind {
	case kindJPEG:
		return aboutJPEG(io.NewSectionReader(f, 0, 1<<40))
	case kindPNG:
		return aboutPNG(io.NewSectionReader(f, 0, 1<<40))
	case kindBMP:
		head := make([]byte, 46)
		if _, err := f.ReadAt(head, 0); err != nil {
			return about{}
		}
		return about{
			dpiX: float64(binary.LittleEndian.Uint32(head[38:])) * metresPerInch,
			dpiY: float64(binary.LittleEndian.Uint32(head[42:])) * metresPerInch,
		}
	}
	return about{}
}

// aboutJPEG goes through the segments before the pixels. EXIF's resolution
// gives way to JFIF's where both are there.
func aboutJPEG(r io.Reader) about {
	var a about
	in := bufio.NewReader(r)
	if _, err := in.Discard(2); err != nil {
		return a
	}
	for {
		var head [4]byte
		if _, err := io.ReadFull(in, head[:]); err != nil || head[0] != 0xff || head[1] == 0xda {
			return a
		}
		body := make([]byte, max(int(binary.BigEndian.Uint16(head[2:]))-2, 0))
		if _, err := io.ReadFull(in, body); err != nil {
			return a
		}
		switch {
		case head[1] == 0xe0 && len(body) >= 12 && string(body[:5]) == "JFIF\x00":
			x, y := float64(binary.BigEndian.Uint16(body[8:])), float64(binary.BigEndian.Uint16(body[10:]))
			switch body[7] {
			case 1:
				a.dpiX, a.dpiY = x, y
			case 2:
				a.dpiX, a.dpiY = x*centimetresPerInch, y*centimetresPerInch
			}
		case head[1] == 0xe1 && len(body) >= 14 && string(body[:6]) == "Exif\x00\x00":
			exif := aboutEXIF(body[6:])
			if a.orientation == 0 {
				a.orientation = exif.orientation
			}
			if a.dpiX == 0 {
				a.dpiX, a.dpiY = exif.dpiX, exif.dpiY
			}
		}
	}
}

// aboutPNG looks for the chunk of the pixels' size.
func aboutPNG(r io.Reader) about {
	in := bufio.NewReader(r)
	if _, err := in.Discard(8); err != nil {
		return about{}
	}
	for {
		var head [8]byte
		if _, err := io.ReadFull(in, head[:]); err != nil {
			return about{}
		}
		length, kind := binary.BigEndian.Uint32(head[:]), string(head[4:])
		switch {
		case kind == "IDAT" || kind == "IEND" || length > 1<<30:
			return about{}
		case kind == "pHYs" && length == 9:
			var body [9]byte
			if _, err := io.ReadFull(in, body[:]); err != nil || body[8] != 1 {
				return about{}
			}
			return about{
				dpiX: float64(binary.BigEndian.Uint32(body[:])) * metresPerInch,
				dpiY: float64(binary.BigEndian.Uint32(body[4:])) * metresPerInch,
			}
		}
		if _, err := in.Discard(int(length) + 4); err != nil {
			return about{}
		}
	}
}

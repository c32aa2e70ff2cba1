package reader

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"image"
	"image/color"
	"image/jpeg"
	"math"

	"fieldlift"
)

// Size is that of a page in points, as a person sees it.
type Size struct {
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// PageImage is a page as it is shown to people.
type PageImage struct {
	Content     []byte
	ContentType string // image/png or image/jpeg
}

// Sizes gives the sizes of a file's pages, without reading them.
func (r *Reader) Sizes(ctx context.Context, path string) ([]Size, error) {
	kind, err := kindOf(path)
	if err != nil {
		return nil, err
	}
	answer, err := r.ask(ctx, request{Act: actSizes, Path: path, Kind: kind})
	return answer.Sizes, err
}

// Show draws a page, counted from 1, so many pixels wide, for people to look
// at: upright by the file's own word and with filled-in forms, as the boxes of
// its words are. Pictures are not made larger than they are.
func (r *Reader) Show(ctx context.Context, path string, number, width int) (PageImage, error) {
	kind, err := kindOf(path)
	if err != nil {
		return PageImage{}, err
	}
	if number < 1 || width < 1 {
		return PageImage{}, fieldlift.Errorf(fieldlift.InvalidPayload, "Pages are counted from 1, and shown at least 1 pixel wide.")
	}
	answer, err := r.ask(ctx, request{Act: actShow, Path: path, Kind: kind, Number: number, Width: width})
	return answer.Image, err
}

// mostShown is how many pixels a page is shown with, at most.
const mostShown = 12_000_000

// sizes asks for the sizes of all pages. One that does not tell has the size
// that it is read with.
func (d *document) sizes(count int) ([]Size, error) {
	sizes := make([]Size, count)
	for n := range sizes {
		sizes[n] = Size{letterWidth, letterHeight}
		if d.call("FPDF_GetPageSizeByIndexF", d.handle, uint64(n), d.out(0)) == 0 {
			continue
		}
		if width, height := d.float32(0), d.float32(1); width > 0 && height > 0 {
			sizes[n] = Size{width, height}
		}
	}
	return sizes, d.failure()
}

// show draws a page, by its number from 0, so many pixels wide.
func (d *document) show(n, width, maxPixels int) (shown PageImage, err error) {
	s, ok := d.openPage(n)
	if !ok {
		return shown, damaged(kindPDF, cmp.Or(d.err, errors.New("the page cannot be loaded")))
	}
	s.fields() // prints what is filled in without being drawn
	s = d.flatten(s, n)
	defer s.close()
	w, h := s.size()
	width, height := fit(width, w, h, min(maxPixels, mostShown))
	err = d.drawSheet(s, width, height, func(img *image.RGBA) error {
		shown, err = imageOf(img)
		return err
	})
	return shown, err
}

// fit is the size in pixels of a page of a width, within the most pixels.
func fit(width int, pageWidth, pageHeight float64, most int) (w, h int) {
	scale := float64(width) / pageWidth
	if area := float64(width) * pageHeight * scale; area > float64(most) {
		scale *= math.Sqrt(float64(most) / area)
	}
	side := func(points float64) int { return int(min(max(math.Round(points*scale), 1), float64(most))) }
	w = side(pageWidth)
	return w, min(side(pageHeight), max(most/w, 1))
}

// show decodes a picture and draws it upright, so many pixels wide.
func (p picture) show(q request) (PageImage, error) {
	img, err := p.pixels(q.Kind)
	if err != nil {
		return PageImage{}, err
	}
	pageWidth, pageHeight := p.size()
	across := p.width
	if p.orientation.sideways() {
		across = p.height
	}
	w, h := fit(min(q.Width, across), pageWidth, pageHeight, min(q.MaxPixels, mostShown))
	if p.orientation.sideways() {
		w, h = h, w
	}
	b := img.Bounds()
	return imageOf(p.orientation.upright(shrink(img, float64(w)/float64(b.Dx()), float64(h)/float64(b.Dy()))))
}

// imageOf writes a page for browsers. Print and drawings are small and sharp as
// PNG; photographs are neither, and become JPEG.
func imageOf(img *image.RGBA) (PageImage, error) {
	const photograph = 0.4 // bytes a pixel
	if isGrey(img) {
		shades := grey(img)
		if isPrint(shades) {
			content, err := encode(fewShades(shades))
			return PageImage{content, "image/png"}, err
		}
	}
	content, err := encode(img)
	if err != nil || float64(len(content)) < photograph*float64(len(img.Pix)/4) {
		return PageImage{content, "image/png"}, err
	}
	var b bytes.Buffer
	err = jpeg.Encode(&b, img, &jpeg.Options{Quality: 82})
	return PageImage{b.Bytes(), "image/jpeg"}, err
}

// isPrint tells a page of black on white, with no more grey than the edges of
// letters have, from a photograph.
func isPrint(img *image.Gray) bool {
	const edges = 0.15
	between := 0
	for _, v := range img.Pix {
		if v > 0x20 && v < 0xe0 {
			between++
		}
	}
	return float64(between) < edges*float64(len(img.Pix))
}

// fewShades brings an image to 16 shades of grey: nobody sees the difference in
// print, and it takes half the time and half the bytes.
func fewShades(img *image.Gray) *image.Paletted {
	const step = 17 // 16 shades from 0 to 255
	out := image.NewPaletted(img.Rect, nil)
	for shade := 0; shade <= 0xff; shade += step {
		out.Palette = append(out.Palette, color.Gray{uint8(shade)})
	}
	for n, v := range img.Pix {
		out.Pix[n] = uint8((int(v) + step/2) / step)
	}
	return out
}

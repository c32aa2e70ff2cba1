package reader

import (
	"context"
	"errors"
	"image"
	"math"
	"slices"

	"fieldlift"
	"fieldlift/internal/page"
)

// scanShare is how much of a page must be picture for its boxes to be looked for
// there: scans, with or without a layer of text.
const scanShare = 0.6

// scansAtOnce is how many pages one request is for: drawing takes its time, and
// each request has the same.
const scansAtOnce = 8

// addPictureBoxes has the pages that are pictures looked at for boxes to tick. A
// picture that cannot be drawn has none: whoever reads its text will say so.
func (r *Reader) addPictureBoxes(ctx context.Context, path string, d *page.Document) error {
	var scans []int
	for _, p := range d.Pages {
		if p.Images >= scanShare {
			scans = append(scans, p.Number)
		}
	}
	for numbers := range slices.Chunk(scans, scansAtOnce) {
		answer, err := r.ask(ctx, request{Act: actBoxes, Path: path, Kind: d.Kind, Numbers: numbers})
		if _, ofTheFile := errors.AsType[*fieldlift.Error](err); ofTheFile {
			r.options.Log.DebugContext(ctx, "no boxes looked for in pictures", "error", err)
			return nil
		}
		if err != nil {
			return err
		}
		for n, found := range answer.Boxes {
			p := &d.Pages[numbers[n]-1]
			for _, c := range found {
				if !slices.ContainsFunc(p.Checkboxes, func(o page.Checkbox) bool { return o.Box.Holds(c.Box) }) {
					p.Checkboxes = append(p.Checkboxes, c)
				}
			}
			sortCheckboxes(p.Checkboxes)
		}
	}
	return nil
}

// boxes looks for boxes to tick in pages as they are drawn.
func (d *document) boxes(q request) ([][]page.Checkbox, error) {
	found := make([][]page.Checkbox, len(q.Numbers))
	for n, number := range q.Numbers {
		err := d.draw(number-1, boxesDPI, min(q.MaxPixels, boxesPixels), func(s *sheet, img *image.RGBA) error {
			width, _ := s.size()
			found[n] = pictureBoxes(shades(img), width)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

// boxesIn looks for boxes to tick in pictures.
func boxesIn(pictures []picture, q request) ([][]page.Checkbox, error) {
	found := make([][]page.Checkbox, len(q.Numbers))
	for n, number := range q.Numbers {
		p := pictures[number-1]
		img, err := p.grey(q)
		if err != nil {
			return nil, err
		}
		width, _ := p.size()
		found[n] = pictureBoxes(img, width)
	}
	return found, nil
}

// grey decodes a picture to shades of grey, at about the resolution at which
// boxes are looked for. For most it takes a fraction of what drawing would.
func (p picture) grey(q request) (*image.Gray, error) {
	x, y, _ := p.resolution()
	if p.orientation >= 2 || math.Abs(x-y) > 0.1*x {
		q.DPI = boxesDPI
		img, err := p.draw(q)
		if err != nil {
			return nil, err
		}
		return shades(img), nil
	}
	img, err := p.decode()
	if err != nil {
		return nil, damaged(q.Kind, err)
	}
	b := img.Bounds()
	if b.Empty() {
		return nil, damaged(q.Kind, errors.New("the picture is empty"))
	}
	step := max(min(int(x/boxesDPI), b.Dx(), b.Dy()), 1)
	switch img := img.(type) {
	case *image.Gray:
		return thin(img.Pix, img.Stride, img.Rect, step), nil
	case *image.YCbCr:
		return thin(img.Y, img.YStride, img.Rect, step), nil
	}
	return shades(shrink(img, 1/float64(step), 1/float64(step))), nil
}

// thin makes one pixel of a square of them, as light as they are together. The
// pixels are those of a picture that fills its rows from the left.
func thin(pix []byte, stride int, r image.Rectangle, step int) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, r.Dx()/step, r.Dy()/step))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			sum := 0
			for line := range step {
				for _, v := range pix[(y*step+line)*stride+x*step:][:step] {
					sum += int(v)
				}
			}
			out.Pix[y*out.Stride+x] = byte(sum / (step * step))
		}
	}
	return out
}

// shades brings a picture to shades of grey.
func shades(img *image.RGBA) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range out.Rect.Dy() {
		row := img.Pix[y*img.Stride:]
		for x := range out.Rect.Dx() {
			out.Pix[y*out.Stride+x] = byte((3*int(row[4*x]) + 6*int(row[4*x+1]) + int(row[4*x+2])) / 10)
		}
	}
	return out
}

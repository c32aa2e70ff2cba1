package reader

import (
	"bytes"
	"image"
	"math"

	"fieldlift"
	"fieldlift/internal/page"
)

// boxesDPI is the resolution at which boxes are looked for in pictures. Their
// sides are then some 20 to 50 pixels long.
const (
	boxesDPI    = 200
	boxesPixels = 16_000_000 // at most: an A2 sheet has not many more
)

// In points: what is smaller may as well be a letter, and how far around a place
// its paper is looked at.
const (
	smallestPictureBox = 6.9
	surroundings       = 12.5
)

// fewestPixels of a side tell a box from a letter at all.
const fewestPixels = 15

// whole is how much of a side must be there, and crowded how much ink beside the
// box makes it a letter in a word.
const (
	whole   = 0.9
	crowded = 0.2
)

// How sure a box in a picture is one, and rightly read.
const (
	surePicture     = 0.8
	surePictureLess = 0.6
)

// How dark the inside of a box is. What is darker than full is a bullet.
const (
	emptyShare  = 0.015
	tickedShare = 0.05
	fullShare   = 0.75
)

// pictureBoxes finds boxes to tick in the picture of a page: four straight sides
// of about one length, with sharp corners and nothing close to them. The page's width, in points, tells how
// large they may be.
func pictureBoxes(img *image.Gray, pageWidth float64) []page.Checkbox {
	scale := float64(img.Rect.Dx()) / pageWidth // pixels to the point
	s := boxSearch{
		ink:      darker(img, int(math.Round(surroundings*scale))),
		smallest: max(int(math.Ceil(smallestPictureBox*scale)), fewestPixels),
		largest:  int(largestBox * scale),
	}
	for y := range s.ink.height {
		s.row(s.ink.near(y), y)
	}
	return s.found
}

// boxSearch is the search for boxes in one picture.
type boxSearch struct {
	ink               bitmap
	smallest, largest int // sides, in pixels
	found             []page.Checkbox
}

// row looks for the sides of boxes in a row of pixels. A missing pixel does not
// end a line.
func (s *boxSearch) row(row []byte, y int) {
	for x := 0; x < len(row); {
		skip := bytes.IndexByte(row[x:], ink)
		if skip < 0 {
			return
		}
		from := x + skip
		x = len(row)
		if length := bytes.Index(row[from:], []byte{0, 0}); length >= 0 {
			x = from + length
		} else if row[x-1] == 0 {
			x--
		}
		s.side(from, x, y)
	}
}

// side looks whether a horizontal line, from x0 to before x1, is the upper or
// the lower side of a box. A tick often goes over one of them, and seldom both.
func (s *boxSearch) side(x0, x1, y int) {
	length := x1 - x0
	if length < s.smallest || length > s.largest || len(s.found) >= mostSquares {
		return
	}
	nearest, farthest := length*4/5, length*5/4
	if s.upright(x0, x1, y, y+nearest) {
		for bottom := y + farthest; bottom >= y+nearest; bottom-- {
			if s.ink.across(x0, x1, bottom) >= whole {
				s.box(x0, y, x1, bottom+1)
			}
		}
	}
	if s.upright(x0, x1, y-nearest, y) {
		for top := y - farthest; top <= y-nearest; top++ {
			if s.ink.across(x0, x1, top) >= whole {
				s.box(x0, top, x1, y+2)
			}
		}
	}
}

// upright tells whether lines go down at both ends of a horizontal one. Few
// letters have any, so that asking first saves most of the search.
func (s *boxSearch) upright(x0, x1, y0, y1 int) bool {
	border := max((x1-x0)/12, 2)
	return s.ink.down(x0, border, y0, y1) >= whole-0.05 && s.ink.down(x1-border, border, y0, y1) >= whole-0.05
}

// box adds the box with these corners if its sides are there and it stands
// alone.
func (s *boxSearch) box(x0, y0, x1, y1 int) {
	border := max((x1-x0)/12, 2)
	if y1-y0 < s.smallest || s.ink.down(x0, border, y0, y1) < whole || s.ink.down(x1-border, border, y0, y1) < whole {
		return
	}
	sharp := s.sharpCorners(x0, y0, x1, y1, border)
	if sharp < 3 || sharp < 4 && s.above(x0, y0, x1) || s.bulges(x0, y0, x1, y1) || s.goesOn(x0, y0, x1, y1) {
		return
	}
	width, height := float64(s.ink.width), float64(s.ink.height)
	box := page.Box{X0: float64(x0) / width, Y0: float64(y0) / height, X1: float64(x1) / width, Y1: float64(y1) / height}
	for _, other := range s.found {
		if other.Box.Holds(box) {
			return
		}
	}
	inside := s.inside(x0, y0, x1, y1)
	if inside > fullShare {
		return
	}
	confidence := surePicture
	if sharp < 4 || inside > emptyShare && inside < tickedShare {
		confidence = surePictureLess // a letter perhaps; dirt, or a thin stroke
	}
	s.found = append(s.found, page.Checkbox{
		Box: box, Checked: inside > (emptyShare+tickedShare)/2, Confidence: confidence, Source: fieldlift.SourceOCR,
	})
}

// sharpCorners counts them. Most letters have two at most.
func (s *boxSearch) sharpCorners(x0, y0, x1, y1, border int) int {
	sharp := 0
	for _, x := range [...]int{x0, x1 - border} {
		for _, y := range [...]int{y0, y1 - border} {
			if s.ink.share(x, y, x+border, y+border) > 0.5 {
				sharp++
			}
		}
	}
	return sharp
}

// bulges tells whether there is more ink close to the sides: letters are round,
// and have others beside them. To the upper right a tick may leave the box.
func (s *boxSearch) bulges(x0, y0, x1, y1 int) bool {
	far, low := max((x1-x0)/5, 3), y1-(y1-y0)/3
	return s.ink.share(x0-3, y0, x0-1, y1) > crowded || s.ink.share(x0-far, y0, x0-1, y1) > crowded ||
		s.ink.share(x1+1, low, x1+3, y1) > crowded || s.ink.share(x1+1, low, x1+far, y1) > crowded ||
		s.ink.share(x0, y1+1, x1, y1+3) > crowded
}

// above tells whether there is more ink above the upper side than a tick's.
func (s *boxSearch) above(x0, y0, x1 int) bool {
	return s.ink.share(x0, y0-3, x1-(x1-x0)/3, y0-1) > crowded
}

// goesOn tells whether the sides do: then they belong to a table, or to a row of
// cells for letters. The upper right is a tick's again.
func (s *boxSearch) goesOn(x0, y0, x1, y1 int) bool {
	on, border := max((x1-x0)/3, 4), max((x1-x0)/7, 2)
	return max(
		s.ink.across(x0-on, x0-border/2, y0), s.ink.across(x0-on, x0-border/2, y1-1), s.ink.across(x1+border/2, x1+on, y1-1),
		s.ink.down(x0, border, y0-on, y0-border/2), s.ink.down(x0, border, y1+border/2, y1+on), s.ink.down(x1-border, border, y1+border/2, y1+on),
	) > 0.7
}

// inside is the share of ink within the box's sides, however thick these are.
func (s *boxSearch) inside(x0, y0, x1, y1 int) float64 {
	const line = 0.6 // of a row or column that is part of a side
	left, top, right, bottom := x0, y0, x1, y1
	for at := range (x1 - x0) / 4 {
		if s.ink.share(x0+at, y0, x0+at+1, y1) > line {
			left = x0 + at + 1
		}
		if s.ink.share(x1-at-1, y0, x1-at, y1) > line {
			right = x1 - at - 1
		}
		if s.ink.share(x0, y0+at, x1, y0+at+1) > line {
			top = y0 + at + 1
		}
		if s.ink.share(x0, y1-at-1, x1, y1-at) > line {
			bottom = y1 - at - 1
		}
	}
	margin := max((x1-x0)/12, 1)
	return s.ink.share(left+margin, top+margin, right-margin, bottom-margin)
}

// ink is what a bitmap has for a pixel that is; the others are 0.
const ink = 1

// bitmap tells which pixels of a picture are ink.
type bitmap struct {
	width, height int
	dark          []byte
	two           []byte // the last answer of near
}

// darker takes for ink what is clearly darker than its surroundings, so that
// shadows and grey paper are none.
func darker(img *image.Gray, reach int) bitmap {
	const share = 82 // percent of the surroundings' lightness
	b := bitmap{width: img.Rect.Dx(), height: img.Rect.Dy()}
	b.dark, b.two = make([]byte, b.width*b.height), make([]byte, b.width)
	// sums[y][x] is the sum of all pixels above and to the left. It may overflow;
	// differences come out right all the same.
	stride := b.width + 1
	sums := make([]uint32, stride*(b.height+1))
	for y := range b.height {
		var row uint32
		above, into := sums[y*stride+1:][:b.width], sums[(y+1)*stride+1:][:b.width]
		for x, v := range img.Pix[y*img.Stride:][:b.width] {
			row += uint32(v)
			into[x] = above[x] + row
		}
	}
	for y := range b.height {
		top, bottom := max(y-reach, 0), min(y+reach+1, b.height)
		above, below := sums[top*stride:][:stride], sums[bottom*stride:][:stride]
		into := b.dark[y*b.width:][:b.width]
		for x, v := range img.Pix[y*img.Stride:][:b.width] {
			left, right := max(x-reach, 0), min(x+reach+1, b.width)
			sum := below[right] - below[left] - above[right] + above[left]
			if 100*int(v)*(bottom-top)*(right-left) < share*int(sum) {
				into[x] = ink
			}
		}
	}
	return b
}

// at tells whether there is ink; beyond the edges there is none.
func (b bitmap) at(x, y int) bool {
	return x >= 0 && y >= 0 && x < b.width && y < b.height && b.dark[y*b.width+x] == ink
}

// near has ink where a row or the one below it has: lines are not quite
// straight. It holds until the next call.
func (b bitmap) near(y int) []byte {
	row := b.dark[y*b.width:][:b.width]
	if y+1 == b.height {
		return row
	}
	below := b.dark[(y+1)*b.width:][:b.width]
	two := b.two[:len(row)]
	for x := range row {
		two[x] = row[x] | below[x]
	}
	return two
}

// across is the share of ink on the way from x0 to before x1.
func (b bitmap) across(x0, x1, y int) float64 {
	n := 0
	for x := x0; x < x1; x++ {
		if b.at(x, y) || b.at(x, y-1) {
			n++
		}
	}
	return float64(n) / float64(max(x1-x0, 1))
}

// down is the share of ink on the way from y0 to before y1, anywhere within a
// width from x on.
func (b bitmap) down(x, width, y0, y1 int) float64 {
	n := 0
	for y := y0; y < y1; y++ {
		for at := x; at < x+width; at++ {
			if b.at(at, y) {
				n++
				break
			}
		}
	}
	return float64(n) / float64(max(y1-y0, 1))
}

// share is that of ink in an area; beyond the edges there is none.
func (b bitmap) share(x0, y0, x1, y1 int) float64 {
	n := 0
	if left, right := max(x0, 0), min(x1, b.width); left < right {
		for y := max(y0, 0); y < min(y1, b.height); y++ {
			for _, v := range b.dark[y*b.width+left : y*b.width+right] {
				n += int(v)
			}
		}
	}
	return float64(n) / float64(max((x1-x0)*(y1-y0), 1))
}

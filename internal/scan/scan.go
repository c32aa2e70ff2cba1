// Package scan prepares the picture of a page for a recogniser: upright, level,
// dark on light, evenly lit, without the dark that surrounds the paper, and of
// the size at which letters are read best. It also finds the ruling lines.
//
// It works on pixels alone: it decodes no files, recognises no text, and cannot
// tell by itself whether a page of capitals and digits stands on its head.
package scan

import (
	"image"
	"math"
)

// Picture is a page's picture, prepared.
type Picture struct {
	Width, Height int
	Grey          []byte  // row by row, 0 black
	DPI           int     // of the prepared picture, if the one who had it prepared knows
	Assumed       bool    // that is a guess: the file does not tell
	Scale         float64 // its pixels for one of the picture that it was made from

	Blank  bool    // there is nothing on the page to be read; then there are no pixels
	Turned int     // degrees clockwise that it was turned by, so that lines run across: 0, 90, 180 or 270
	Skew   float64 // degrees clockwise that lines were slanted by after that, which is undone
	Even   bool    // its light was evened

	// Upright is how much speaks for the page not standing on its head: 0 says
	// nothing either way, 1 is certain, -1 is certain that it does.
	Upright float64
	// Across is how much speaks for lines running across and not up and down,
	// with the same scale.
	Across float64
	Letter float64 // the height of most letters, in pixels

	Rules []Rule
}

// Rule is a ruling line of the prepared picture, in its pixels.
type Rule struct {
	X0, Y0, X1, Y1 int
	Vertical       bool
}

// Options say how a picture is prepared.
type Options struct {
	// Turn is the quarter turns, clockwise in degrees, to make; Unknown finds out
	// whether lines run up and down.
	Turn      int
	MaxPixels int // of the prepared picture; 16 million when 0
}

// Unknown says that it is not known how a page must be turned.
const Unknown = -1

// Prepare prepares a picture.
func Prepare(img *image.Gray, o Options) Picture {
	if o.MaxPixels <= 0 {
		o.MaxPixels = 16_000_000
	}
	small, factor := reduce(img, analysed)
	if lightOnDark(small) {
		small, img = inverted(small), inverted(img)
	}
	light := lightOf(small)
	ink := light.ink(small)
	marks := marksOf(ink)
	letters := marks.letters(ink.Rect.Dx(), ink.Rect.Dy())
	if len(letters) < fewestLetters {
		return Picture{Blank: marks.blank(), Turned: max(o.Turn, 0), Scale: 1}.of(img, o)
	}

	across, along := stance(letters, false), stance(letters, true)
	p := Picture{Across: across.against(along)}
	chosen := across
	switch {
	case o.Turn == Unknown && p.Across < -doubt(img), o.Turn == 90, o.Turn == 270:
		p.Turned, chosen = 90, along
	}
	p.Upright = chosen.upright
	if o.Turn == 180 || o.Turn == 270 {
		p.Turned += 180
		p.Upright = -p.Upright
	}
	if math.Abs(chosen.skew) >= leastSkew {
		p.Skew = math.Round(chosen.skew*100) / 100
	}
	p.Letter = letterHeight(letters, p.Turned%180 == 90) * float64(factor)

	if light.uneven() {
		p.Even = true
		img = light.even(img, factor)
	}
	img = marks.cutBorder(img, factor)
	width, height := canvas(float64(img.Rect.Dx()), float64(img.Rect.Dy()), p.Skew)
	p.Scale = scaleFor(p.Letter, width*height, o.MaxPixels)
	p = p.draw(img)
	p.Letter *= p.Scale
	p.Rules = findRules(p)
	return p
}

// doubt is how much must speak for lines that run up and down to believe it: of
// a long receipt, which hardly anybody lays across, more than of a sheet. Where
// letters have a grid, as cash registers print them, they pile up in columns too.
func doubt(img *image.Gray) float64 {
	if img.Rect.Dy() > 2*img.Rect.Dx() {
		return 0.5
	}
	return 0
}

const (
	analysed      = 1600 // the longer side of a sheet in the picture that is looked at, in pixels
	fewestLetters = 3
	leastSkew     = 0.3 // degrees; recognisers do not mind less, and turning blurs
)

// of draws a picture of which nothing is known but its size.
func (p Picture) of(img *image.Gray, o Options) Picture {
	if p.Blank {
		return p
	}
	p.Scale = min(1, math.Sqrt(float64(o.MaxPixels)/float64(img.Rect.Dx()*img.Rect.Dy())))
	return p.draw(img)
}

// The heights of letters that recognisers read well, in pixels.
const (
	smallLetter  = 12
	wantedLetter = 20
	largeLetter  = 22
	mostGrowth   = 3
)

// scaleFor is how much larger or smaller a picture should be.
func scaleFor(letter, pixels float64, mostPixels int) float64 {
	scale := 1.0
	if letter > 0 && (letter < smallLetter || letter > largeLetter) {
		scale = min(wantedLetter/letter, mostGrowth)
	}
	return min(scale, math.Sqrt(float64(mostPixels)/pixels))
}

package page

import "math"

// Stance is how a page lies in its file when a person has to turn the sheet to
// read it. The page model is upright and level; values are shown on the page
// as it was uploaded.
type Stance struct {
	Rotation int     `json:"rotation"` // degrees clockwise that make it upright: 0, 90, 180 or 270
	Skew     float64 `json:"skew"`     // degrees clockwise that its lines slant by after that
	Width    float64 `json:"width"`    // of the page as uploaded, in points
	Height   float64 `json:"height"`
}

// turned is the size of the page after its rotation.
func (s Stance) turned() (width, height float64) {
	if s.Rotation%180 != 0 {
		return s.Height, s.Width
	}
	return s.Width, s.Height
}

// Level is the size of the sheet on which the whole page lies upright and
// level.
func (s Stance) Level() (width, height float64) {
	w, h := s.turned()
	sin, cos := math.Sincos(math.Abs(s.Skew) * math.Pi / 180)
	return w*cos + h*sin, w*sin + h*cos
}

// straight tells whether the page lies as it was uploaded.
func (s Stance) straight() bool { return s.Rotation == 0 && s.Skew == 0 }

// Uploaded brings a box of the upright, level page to the page as it was
// uploaded.
func (s Stance) Uploaded(b Box) Box {
	if s.straight() {
		return b
	}
	width, height := s.Level()
	sin, cos := math.Sincos(s.Skew * math.Pi / 180)
	return b.through(width, height, s.Width, s.Height, func(x, y float64) (float64, float64) {
		x, y = x*cos-y*sin, x*sin+y*cos
		switch s.Rotation {
		case 90:
			return y, -x
		case 180:
			return -x, -y
		case 270:
			return -y, x
		}
		return x, y
	})
}

// Upright brings a box of the page as it was uploaded to the upright, level
// one.
func (s Stance) Upright(b Box) Box {
	if s.straight() {
		return b
	}
	width, height := s.Level()
	sin, cos := math.Sincos(s.Skew * math.Pi / 180)
	return b.through(s.Width, s.Height, width, height, func(x, y float64) (float64, float64) {
		switch s.Rotation {
		case 90:
			x, y = -y, x
		case 180:
			x, y = -x, -y
		case 270:
			x, y = y, -x
		}
		return x*cos + y*sin, -x*sin + y*cos
	})
}

// through is the smallest box that holds b after its corners were moved, from
// a page of one size to one of another; both are in points from the middle.
func (b Box) through(fromWidth, fromHeight, toWidth, toHeight float64, move func(x, y float64) (float64, float64)) Box {
	out := Box{X0: math.Inf(1), Y0: math.Inf(1), X1: math.Inf(-1), Y1: math.Inf(-1)}
	for _, corner := range [4][2]float64{{b.X0, b.Y0}, {b.X1, b.Y0}, {b.X0, b.Y1}, {b.X1, b.Y1}} {
		x, y := move((corner[0]-0.5)*fromWidth, (corner[1]-0.5)*fromHeight)
		x, y = x/toWidth+0.5, y/toHeight+0.5
		out = out.Union(Box{x, y, x, y})
	}
	return Box{max(out.X0, 0), max(out.Y0, 0), min(out.X1, 1), min(out.Y1, 1)}
}

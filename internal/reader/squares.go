package reader

import (
	"math"

	"fieldlift/internal/page"
)

// Bounds for what may be a box to tick, in points, and for their number on a
// page.
const (
	smallestBox = 5.0
	largestBox  = 20.0
	mostSquares = 1_000
	mostStrokes = 400
)

// squares are small drawings on a page: boxes that may be there to be ticked,
// and what may be their ticks.
type squares struct {
	frames []frame
	marks  []mark
	// strokes are straight lines as short as a box's side that do not belong to a
	// frame: four of them may be one.
	strokes []page.Rule
	// pictured are boxes that small pictures show.
	pictured []page.Checkbox
}

// frame is the outline of a box, or of a circle, that something fits in.
type frame struct {
	box   page.Box
	round bool
}

// mark is a drawing that may be a tick, a dot, or the filling of a box.
type mark struct {
	box   page.Box
	solid bool // a box or circle filled with something dark
}

// small keeps the outlines of a path that are small enough to be boxes or
// ticks.
func (w *drawing) small(handle uint64, outlines []outline, filled, stroked bool) {
	lightness := -1.0 // not yet known
	for n, o := range outlines {
		r := o.bounds()
		long, short := max(r.x1-r.x0, r.y1-r.y0), min(r.x1-r.x0, r.y1-r.y0)
		if !(long <= 1.5*largestBox && long >= smallestBox/4) {
			continue
		}
		if lightness < 0 {
			lightness = 1
			if filled {
				lightness = w.lightness(handle)
			}
		}
		framed, round := o.framed()
		fits := short >= smallestBox && long <= largestBox && long <= 4./3*short
		switch {
		case framed && short <= thickest || len(o.points) == 2 && straight(o.points[0], o.points[1]):
			w.keepStroke(r)
		case framed && lightness <= 0.5 && n+1 < len(outlines) && hollows(outlines[n+1].bounds(), r) && fits:
			w.keepFrame(r, round)
			return // the next outline is its inner edge
		case framed && lightness <= 0.5:
			w.keepMark(r, true)
		case framed && fits && (stroked || w.squares.uncovers(w.box(r))):
			w.keepFrame(r, round)
		case !framed && (stroked || lightness <= 0.5):
			w.keepMark(r, false)
		}
	}
}

// hollows tells whether a box leaves but the border of the one around it.
func hollows(in, out rectangle) bool {
	const slack = 0.1
	inside := in.x0 >= out.x0-slack && in.y0 >= out.y0-slack && in.x1 <= out.x1+slack && in.y1 <= out.y1+slack
	return inside && (in.x1-in.x0)*(in.y1-in.y0) >= 0.5*(out.x1-out.x0)*(out.y1-out.y0)
}

// uncovers tells whether a light box lies on the dark one that was drawn last,
// so that of that one the border is left; then it is no mark.
func (s *squares) uncovers(light page.Box) bool {
	if len(s.marks) == 0 || !s.marks[len(s.marks)-1].solid {
		return false
	}
	dark := s.marks[len(s.marks)-1].box
	if !hollows(rectangle{light.X0, light.Y0, light.X1, light.Y1}, rectangle{dark.X0, dark.Y0, dark.X1, dark.Y1}) || !dark.Holds(light) {
		return false
	}
	s.marks = s.marks[:len(s.marks)-1]
	return true
}

func (w *drawing) keepStroke(r rectangle) {
	box, ok := visible(w.box(r))
	if long := max(r.x1-r.x0, r.y1-r.y0); !ok || long < smallestBox || long > largestBox || len(w.squares.strokes) > mostStrokes {
		return
	}
	pageWidth, pageHeight := w.size()
	w.squares.strokes = append(w.squares.strokes,
		page.Rule{Box: box, Vertical: box.Height()*pageHeight > box.Width()*pageWidth})
}

func (w *drawing) keepFrame(r rectangle, round bool) {
	if box, ok := visible(w.box(r)); ok && len(w.squares.frames) < mostSquares {
		w.squares.frames = append(w.squares.frames, frame{box, round})
	}
}

func (w *drawing) keepMark(r rectangle, solid bool) {
	if max(r.x1-r.x0, r.y1-r.y0) > 1.5*largestBox || len(w.squares.marks) >= mostSquares {
		return
	}
	if box, ok := visible(w.box(r)); ok {
		w.squares.marks = append(w.squares.marks, mark{box, solid})
	}
}

func area(b page.Box) float64 { return b.Width() * b.Height() }

func (o outline) bounds() rectangle {
	first := o.points[0]
	r := rectangle{first.x, first.y, first.x, first.y}
	for _, p := range o.points {
		r = r.with(p.x, p.y)
	}
	return r
}

// framed tells whether an outline goes around along its bounds: a box, one with
// rounded corners, or a circle. The points that steer the curves of a circle
// lie on its bounds, too.
func (o outline) framed() (framed, round bool) {
	if len(o.points) < 4 || len(o.points) > 20 {
		return false, false
	}
	r := o.bounds()
	slack := 0.1 * max(r.x1-r.x0, r.y1-r.y0)
	var left, right, bottom, top, curves int
	for n, p := range o.points {
		west, east, south, north := p.x-r.x0 <= slack, r.x1-p.x <= slack, p.y-r.y0 <= slack, r.y1-p.y <= slack
		if !west && !east && !south && !north || n > 0 && !o.curved[n] && !straight(o.points[n-1], p) {
			return false, false
		}
		if o.curved[n] {
			curves++
		}
		left, right, bottom, top = left+one(west), right+one(east), bottom+one(south), top+one(north)
	}
	return min(left, right, bottom, top) >= 2, curves+2 >= len(o.points)
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// assembled finds frames whose sides were drawn one by one.
func (s squares) assembled(width, height float64) []frame {
	const slack = 1.0 // points
	if len(s.strokes) > mostStrokes {
		return nil // a scale or a grid
	}
	near := func(a, b, unit float64) bool { return math.Abs(a-b)*unit <= slack }
	lies := func(b page.Box, y float64) bool { // whether a stroke is a frame's side at that height
		for _, h := range s.strokes {
			if !h.Vertical && near(h.Box.CenterY(), y, height) && near(h.Box.X0, b.X0, width) && near(h.Box.X1, b.X1, width) {
				return true
			}
		}
		return false
	}
	var found []frame
	for n, left := range s.strokes {
		for _, right := range s.strokes[n+1:] {
			a, b := left.Box, right.Box
			if !left.Vertical || !right.Vertical || !near(a.Y0, b.Y0, height) || !near(a.Y1, b.Y1, height) {
				continue
			}
			box := page.Box{X0: min(a.CenterX(), b.CenterX()), X1: max(a.CenterX(), b.CenterX()), Y0: a.Y0, Y1: a.Y1}
			wide, high := box.Width()*width, box.Height()*height
			if max(wide, high) <= 4./3*min(wide, high) && lies(box, box.Y0) && lies(box, box.Y1) {
				found = append(found, frame{box: box})
			}
		}
	}
	return found
}

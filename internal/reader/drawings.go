package reader

import (
	"math"

	"fieldlift/internal/page"
)

// Bounds for pages that are one big drawing: tables are made of less.
const (
	mostObjects  = 50_000
	mostSegments = 100_000
	mostRules    = 5_000
	mostNesting  = 8
)

// In points: what is thicker is no rule but a box, what is shorter no rule but
// a dot.
const (
	thickest = 3.0
	shortest = 3.0
)

// The types of page objects and path segments.
const (
	objectText  = 1
	objectPath  = 2
	objectImage = 3
	objectForm  = 5

	segmentLine = 0
	segmentMove = 2
)

// drawings goes through what is drawn on the page: the straight lines, what may
// be boxes to tick, and the share of the page that pictures cover.
func (s *sheet) drawings() *drawing {
	w := &drawing{sheet: s}
	n := s.number("FPDFPage_CountObjects", s.handle)
	for at := range n {
		w.object(s.call("FPDFPage_GetObject", s.handle, uint64(at)), matrix{a: 1, d: 1}, 0)
		if w.spent() {
			break
		}
	}
	w.pictures = min(w.pictures, 1)
	return w
}

// covered is the share of the page's texts that a scan was laid over.
func (w *drawing) covered() float64 { return float64(w.under) / max(float64(w.texts), 1) }

// drawing is the reading of one page's drawings.
type drawing struct {
	*sheet
	rules             []page.Rule
	squares           squares
	pictures          float64 // summed shares
	objects, segments int     // seen so far
	boxPictures       int     // looked at so far
	texts, under      int     // text objects seen so far, and those that a picture of the whole page came after
}

func (w *drawing) spent() bool {
	return w.err != nil || w.objects > mostObjects || w.segments > mostSegments || len(w.rules) > mostRules
}

// object reads one object; m brings its coordinates to the page's.
func (w *drawing) object(handle uint64, m matrix, depth int) {
	if handle == 0 || depth > mostNesting || w.spent() {
		return
	}
	w.objects++
	switch w.number("FPDFPageObj_GetType", handle) {
	case objectText:
		w.texts++
	case objectPath:
		w.path(handle, m)
	case objectImage:
		w.image(handle, m)
	case objectForm:
		if w.call("FPDFPageObj_GetMatrix", handle, w.out(0)) == 0 {
			return
		}
		inner := w.instance.matrix().then(m)
		for at := range w.number("FPDFFormObj_CountObjects", handle) {
			w.object(w.call("FPDFFormObj_GetObject", handle, uint64(at)), inner, depth+1)
			if w.spent() {
				return
			}
		}
	}
}

// image adds the share of the page that a picture covers.
func (w *drawing) image(handle uint64, m matrix) {
	if w.call("FPDFPageObj_GetBounds", handle, w.out(0), w.out(1), w.out(2), w.out(3)) == 0 {
		return
	}
	// The four floats lie 8 bytes apart: left, bottom, right, top.
	r := m.rectangle(rectangle{w.float32(0), w.float32(2), w.float32(4), w.float32(6)})
	if box, ok := visible(w.box(r)); ok {
		share := box.Width() * box.Height()
		w.pictures += share
		if share >= scanShare {
			w.under = w.texts
		}
		w.keepMark(r, false)
		w.boxPicture(handle, r, box)
	}
}

// path reads the straight lines of a path: those that are stroked, and thin or
// visible boxes that are filled.
func (w *drawing) path(handle uint64, m matrix) {
	if w.call("FPDFPath_GetDrawMode", handle, w.out(0), w.out(1)) == 0 {
		return
	}
	view := w.at(w.scratch, 12)
	if view == nil {
		return
	}
	filled, stroked := view[0] != 0, view[8] != 0
	if !filled && !stroked || w.call("FPDFPageObj_GetMatrix", handle, w.out(0)) == 0 {
		return
	}
	m = w.instance.matrix().then(m)
	width := 0.0
	if stroked && w.call("FPDFPageObj_GetStrokeWidth", handle, w.out(0)) != 0 {
		width = w.float32(0) * math.Sqrt(math.Abs(m.a*m.d-m.b*m.c))
	}
	outlines := w.outlines(handle, m)
	w.small(handle, outlines, filled, stroked)
	for _, outline := range outlines {
		if stroked {
			w.stroke(outline, width)
		} else if r, ok := outline.rectangle(); ok {
			w.fill(handle, r)
		}
	}
}

type point struct{ x, y float64 }

// outline is a part of a path that is drawn without lifting the pen.
type outline struct {
	points []point
	curved []bool // whether the way to the point of the same index is a curve
}

// outlines gives the parts of a path in the page's coordinates.
func (w *drawing) outlines(handle uint64, m matrix) []outline {
	var parts []outline
	for at := range w.number("FPDFPath_CountSegments", handle) {
		w.segments++
		if w.spent() {
			return nil
		}
		segment := w.call("FPDFPath_GetPathSegment", handle, uint64(at))
		if w.call("FPDFPathSegment_GetPoint", segment, w.out(0), w.out(1)) == 0 {
			return nil
		}
		x, y := m.apply(w.float32(0), w.float32(2))
		kind := w.number("FPDFPathSegment_GetType", segment)
		if kind == segmentMove || len(parts) == 0 {
			parts = append(parts, outline{})
		}
		last := &parts[len(parts)-1]
		last.points = append(last.points, point{x, y})
		last.curved = append(last.curved, kind != segmentLine && kind != segmentMove)
		if w.call("FPDFPathSegment_GetClose", segment) != 0 {
			last.points = append(last.points, last.points[0])
			last.curved = append(last.curved, false)
		}
	}
	return parts
}

// rectangle tells whether an outline is one with upright sides.
func (o outline) rectangle() (rectangle, bool) {
	if len(o.points) < 4 || len(o.points) > 6 {
		return rectangle{}, false
	}
	first := o.points[0]
	r := rectangle{first.x, first.y, first.x, first.y}
	for n, p := range o.points {
		if o.curved[n] || n > 0 && !straight(o.points[n-1], p) {
			return rectangle{}, false
		}
		r = r.with(p.x, p.y)
	}
	return r, true
}

// straight tells whether a line runs along one of the page's axes.
func straight(a, b point) bool {
	const slack = 0.5 // points
	return math.Abs(a.x-b.x) < slack || math.Abs(a.y-b.y) < slack
}

// stroke adds the lines of an outline that run along the page's axes.
func (w *drawing) stroke(o outline, width float64) {
	if width > thickest {
		return
	}
	for n := 1; n < len(o.points); n++ {
		a, b := o.points[n-1], o.points[n]
		if !o.curved[n] && straight(a, b) {
			w.rule(rectangle{min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y)}, width)
		}
	}
}

// fill adds a thin filled box as a rule, and the edges of a larger one. Boxes
// in white, and those that are the paper itself, have no edges to be seen.
func (w *drawing) fill(handle uint64, r rectangle) {
	if r.x1-r.x0 <= thickest || r.y1-r.y0 <= thickest {
		w.rule(r, 0)
		return
	}
	box := w.box(r)
	if box.Width() > 0.95 && box.Height() > 0.95 || w.white(handle) {
		return
	}
	w.rule(rectangle{r.x0, r.y0, r.x1, r.y0}, 0)
	w.rule(rectangle{r.x0, r.y1, r.x1, r.y1}, 0)
	w.rule(rectangle{r.x0, r.y0, r.x0, r.y1}, 0)
	w.rule(rectangle{r.x1, r.y0, r.x1, r.y1}, 0)
}

// white tells whether an object is filled with white or nearly so, or with
// nothing.
func (w *drawing) white(handle uint64) bool { return w.lightness(handle) >= 0.985 }

// lightness of what an object is filled with: 0 is black, 1 white or nothing.
func (w *drawing) lightness(handle uint64) float64 {
	if w.call("FPDFPageObj_GetFillColor", handle, w.out(0), w.out(1), w.out(2), w.out(3)) == 0 {
		return 0
	}
	view := w.at(w.scratch, 32)
	if view == nil || view[24] == 0 { // its alpha
		return 1
	}
	return float64(min(view[0], view[8], view[16])) / 0xff
}

// rule adds a line of the given width around the middle of r, unless it is too
// short or out of sight.
func (w *drawing) rule(r rectangle, width float64) {
	if max(r.x1-r.x0, r.y1-r.y0) < shortest {
		return
	}
	if r.x1-r.x0 >= r.y1-r.y0 {
		r.y0, r.y1 = r.y0-width/2, r.y1+width/2
	} else {
		r.x0, r.x1 = r.x0-width/2, r.x1+width/2
	}
	pageWidth, pageHeight := w.size()
	if box, ok := visible(w.box(r)); ok {
		w.rules = append(w.rules, page.Rule{Box: box, Vertical: box.Height()*pageHeight > box.Width()*pageWidth})
	}
}

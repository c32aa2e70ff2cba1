package reader

import (
	"fieldlift/internal/page"
)

// The size of a page that does not tell its own, as PDFium assumes it.
const (
	letterWidth  = 612
	letterHeight = 792
)

// sheet is an open page of a PDF, with the way from its coordinates to
// fractions of the page as displayed.
type sheet struct {
	*document
	handle                   uint64
	left, bottom, right, top float64 // the visible part, in the page's coordinates
	turns                    int     // by quarters, clockwise
}

// openPage loads a page, by its number from 0.
func (d *document) openPage(n int) (*sheet, bool) {
	handle := d.call("FPDF_LoadPage", d.handle, uint64(n))
	if handle == 0 {
		return nil, false
	}
	s := &sheet{document: d, handle: handle, right: letterWidth, top: letterHeight}
	if d.call("FPDF_GetPageBoundingBox", handle, d.out(0)) != 0 {
		left, top, right, bottom := d.float32(0), d.float32(1), d.float32(2), d.float32(3)
		if right > left && top > bottom {
			s.left, s.bottom, s.right, s.top = left, bottom, right, top
		}
	}
	s.turns = d.number("FPDFPage_GetRotation", handle) & 3
	return s, d.err == nil
}

func (s *sheet) close() { s.call("FPDF_ClosePage", s.handle) }

// flatten makes filled-in form fields and notes part of the page, so that they
// are read as what else is printed there.
func (d *document) flatten(s *sheet, n int) *sheet {
	const normalDisplay, flattened = 0, 1
	if d.number("FPDFPage_GetAnnotCount", s.handle) == 0 {
		return s
	}
	if d.number("FPDFPage_Flatten", s.handle, normalDisplay) != flattened {
		return s
	}
	again, ok := d.openPage(n)
	if !ok {
		return s
	}
	s.close()
	return again
}

// size is the page's, in points, as displayed.
func (s *sheet) size() (width, height float64) {
	width, height = s.right-s.left, s.top-s.bottom
	if s.turns%2 == 1 {
		width, height = height, width
	}
	return width, height
}

// rectangle is in the page's own coordinates: points, from the bottom left,
// before any rotation.
type rectangle struct{ x0, y0, x1, y1 float64 }

func (r rectangle) union(o rectangle) rectangle {
	return rectangle{min(r.x0, o.x0), min(r.y0, o.y0), max(r.x1, o.x1), max(r.y1, o.y1)}
}

func (r rectangle) with(x, y float64) rectangle {
	return r.union(rectangle{x, y, x, y})
}

// box brings a rectangle to fractions of the page as displayed.
func (s *sheet) box(r rectangle) page.Box {
	width, height := s.right-s.left, s.top-s.bottom
	u0, u1 := (r.x0-s.left)/width, (r.x1-s.left)/width
	v0, v1 := (s.top-r.y1)/height, (s.top-r.y0)/height
	switch s.turns {
	case 1:
		return page.Box{X0: 1 - v1, Y0: u0, X1: 1 - v0, Y1: u1}
	case 2:
		return page.Box{X0: 1 - u1, Y0: 1 - v1, X1: 1 - u0, Y1: 1 - v0}
	case 3:
		return page.Box{X0: v0, Y0: 1 - u1, X1: v1, Y1: 1 - u0}
	}
	return page.Box{X0: u0, Y0: v0, X1: u1, Y1: v1}
}

// visible clips a box to the page; false when nothing of it is left.
func visible(b page.Box) (page.Box, bool) {
	b = page.Box{X0: max(b.X0, 0), Y0: max(b.Y0, 0), X1: min(b.X1, 1), Y1: min(b.Y1, 1)}
	return b, b.X0 <= b.X1 && b.Y0 <= b.Y1 // false for NaN too
}

// matrix is an affine transformation, as PDF has them.
type matrix struct{ a, b, c, d, e, f float64 }

func (m matrix) apply(x, y float64) (float64, float64) {
	return m.a*x + m.c*y + m.e, m.b*x + m.d*y + m.f
}

// then is m followed by n.
func (m matrix) then(n matrix) matrix {
	return matrix{
		a: m.a*n.a + m.b*n.c, b: m.a*n.b + m.b*n.d,
		c: m.c*n.a + m.d*n.c, d: m.c*n.b + m.d*n.d,
		e: m.e*n.a + m.f*n.c + n.e, f: m.e*n.b + m.f*n.d + n.f,
	}
}

// rectangle is the smallest that holds r, transformed.
func (m matrix) rectangle(r rectangle) rectangle {
	x, y := m.apply(r.x0, r.y0)
	out := rectangle{x, y, x, y}
	for _, corner := range [][2]float64{{r.x1, r.y0}, {r.x0, r.y1}, {r.x1, r.y1}} {
		x, y := m.apply(corner[0], corner[1])
		out = out.with(x, y)
	}
	return out
}

// matrix reads a transformation that a call has put into the scratch memory.
func (i *instance) matrix() matrix {
	return matrix{i.float32(0), i.float32(1), i.float32(2), i.float32(3), i.float32(4), i.float32(5)}
}

package page_test

import (
	"fmt"
	"math"
	"testing"

	"fieldlift/internal/page"
)

func TestStance(t *testing.T) {
	upright := page.Box{X0: 0.1, Y0: 0.2, X1: 0.3, Y1: 0.25}
	for _, c := range []struct {
		rotation int
		want     page.Box // on the page as uploaded
	}{
		{0, upright},
		{90, page.Box{X0: 0.2, Y0: 0.7, X1: 0.25, Y1: 0.9}}, // it lies on its left side
		{180, page.Box{X0: 0.7, Y0: 0.75, X1: 0.9, Y1: 0.8}},
		{270, page.Box{X0: 0.75, Y0: 0.1, X1: 0.8, Y1: 0.3}},
	} {
		s := page.Stance{Rotation: c.rotation, Width: 600, Height: 800}
		got := s.Uploaded(upright)
		if far(got, c.want) > 1e-9 {
			t.Errorf("%d: %v, want %v", c.rotation, got, c.want)
		}
		if back := s.Upright(got); far(back, upright) > 1e-9 {
			t.Errorf("%d: back to %v", c.rotation, back)
		}
	}
}

func TestStanceOfASlantingPage(t *testing.T) {
	for _, rotation := range []int{0, 90, 180, 270} {
		for _, skew := range []float64{-10, 0.5, 8} {
			t.Run(fmt.Sprint(rotation, skew), func(t *testing.T) {
				s := page.Stance{Rotation: rotation, Skew: skew, Width: 600, Height: 800}
				dot := page.Box{X0: 0.4, Y0: 0.6, X1: 0.4, Y1: 0.6}
				if back := s.Upright(s.Uploaded(dot)); far(back, dot) > 1e-9 {
					t.Errorf("%v came back as %v", dot, back)
				}
				width, height := s.Level()
				if width*height <= 600*800 {
					t.Errorf("a sheet of %g x %g does not hold the page", width, height)
				}
				for _, corner := range []page.Box{{}, {X0: 1, Y0: 1, X1: 1, Y1: 1}} {
					if b := s.Uploaded(s.Upright(corner)); far(b, corner) > 1e-9 {
						t.Errorf("the corner %v came back as %v", corner, b)
					}
				}
			})
		}
	}
}

func far(a, b page.Box) float64 {
	return max(math.Abs(a.X0-b.X0), math.Abs(a.Y0-b.Y0), math.Abs(a.X1-b.X1), math.Abs(a.Y1-b.Y1))
}

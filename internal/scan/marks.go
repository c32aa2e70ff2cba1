package scan

import (
	"image"
	"slices"
)

// mark is ink that hangs together, as a letter does.
type mark struct {
	x0, y0, x1, y1 int // x1 and y1 are the last pixel's
	ink            int // pixels
}

func (m mark) width() int  { return m.x1 - m.x0 + 1 }
func (m mark) height() int { return m.y1 - m.y0 + 1 }

// marks are all marks of a reduced picture, with the runs that they consist of.
type marks struct {
	all  []mark
	runs []run
}

// run is a stretch of ink in one row.
type run struct {
	y, x0, x1 int
	mark      int // index of its mark; while they are being found, of a run that it hangs together with
}

// mostRuns bounds the work on pictures that are nothing but noise.
const mostRuns = 2_000_000

// marksOf finds the marks of a picture in black and white.
func marksOf(ink *image.Gray) marks {
	var runs []run
	root := func(i int) int {
		for runs[i].mark != i {
			runs[i].mark = runs[runs[i].mark].mark
			i = runs[i].mark
		}
		return i
	}
	width := ink.Rect.Dx()
	above, aboveEnd := 0, 0
	for y := range ink.Rect.Dy() {
		row := ink.Pix[y*ink.Stride:][:width]
		first := len(runs)
		for x := 0; x < width; x++ {
			if row[x] != 0 {
				continue
			}
			from := x
			for x < width && row[x] == 0 {
				x++
			}
			runs = append(runs, run{y, from, x - 1, len(runs)})
		}
		if len(runs) > mostRuns {
			return marks{}
		}
		// Join with the runs of the row above that touch, corners included.
		a := above
		for i := first; i < len(runs); i++ {
			for a < aboveEnd && runs[a].x1+1 < runs[i].x0 {
				a++
			}
			for b := a; b < aboveEnd && runs[b].x0 <= runs[i].x1+1; b++ {
				if from, to := root(i), root(b); from != to {
					runs[max(from, to)].mark = min(from, to)
				}
			}
		}
		above, aboveEnd = first, len(runs)
	}
	return gather(runs, root)
}

func gather(runs []run, root func(int) int) marks {
	found := marks{runs: runs}
	index := make([]int, len(runs))
	for i := range runs {
		r := root(i)
		if r == i {
			index[i] = len(found.all)
			found.all = append(found.all, mark{runs[i].x0, runs[i].y, runs[i].x1, runs[i].y, 0})
		}
		index[i] = index[r]
		m := &found.all[index[i]]
		m.x0, m.x1, m.y1 = min(m.x0, runs[i].x0), max(m.x1, runs[i].x1), max(m.y1, runs[i].y)
		m.ink += runs[i].x1 - runs[i].x0 + 1
	}
	for i := range runs {
		runs[i].mark = index[i]
	}
	return found
}

// blank tells whether not even a speck is there that could be a letter.
func (m marks) blank() bool {
	return !slices.ContainsFunc(m.all, func(one mark) bool { return max(one.width(), one.height()) >= 5 })
}

// letters are the marks that may be letters, or words whose letters touch.
func (m marks) letters(width, height int) []mark {
	var found []mark
	for _, one := range m.all {
		long, short := max(one.width(), one.height()), min(one.width(), one.height())
		if long < 5 || short < 2 || long > max(width, height)/5 || short > max(width, height)/12 {
			continue
		}
		if one.ink*12 < one.width()*one.height() { // the outline of a box
			continue
		}
		if long > 12*short { // a dash or a piece of a rule
			continue
		}
		found = append(found, one)
	}
	return found
}

// letterHeight is the height of most letters, in pixels of the reduced picture.
func letterHeight(letters []mark, sideways bool) float64 {
	heights := make([]int, 0, len(letters))
	for _, l := range letters {
		h, w := l.height(), l.width()
		if sideways {
			h, w = w, h
		}
		if h*4 >= w { // else a dash, or a word that has grown together
			heights = append(heights, h)
		}
	}
	if len(heights) == 0 {
		return 0
	}
	slices.Sort(heights)
	return float64(heights[len(heights)/2])
}

// cutBorder paints what is dark along the edges of the picture white: the lid
// of the scanner, the table under the paper. Letters never reach that far.
func (m marks) cutBorder(img *image.Gray, factor int) *image.Gray {
	width, height := img.Rect.Dx()/factor, img.Rect.Dy()/factor
	cut := map[int]bool{}
	for i, one := range m.all {
		touches := one.x0 == 0 || one.y0 == 0 || one.x1 >= width-1 || one.y1 >= height-1
		if touches && (one.width()*4 > width || one.height()*4 > height) && one.ink*3 > one.width()+one.height() {
			cut[i] = true
		}
	}
	if len(cut) == 0 {
		return img
	}
	out := &image.Gray{Pix: slices.Clone(img.Pix), Stride: img.Stride, Rect: img.Rect}
	for _, r := range m.runs {
		if !cut[r.mark] {
			continue
		}
		// A pixel more to each side: edges are blurred.
		x0, x1 := max((r.x0-1)*factor, 0), min((r.x1+2)*factor, img.Rect.Dx())
		for y := max((r.y-1)*factor, 0); y < min((r.y+2)*factor, img.Rect.Dy()); y++ {
			row := out.Pix[y*out.Stride:][x0:x1]
			for x := range row {
				row[x] = 255
			}
		}
	}
	return out
}

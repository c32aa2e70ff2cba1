package scan

import (
	"image"
	"slices"
)

// light is how bright the paper is, in every part of a reduced picture.
type light struct {
	columns, rows int
	paper         []float64 // by block, row by row
	brightest     float64
}

const (
	block = 16 // pixels of the reduced picture
	// Dark parts that are narrower than this many blocks to both sides are print
	// and not shadow.
	narrow = 4
	// Paper in the deepest shadow still has this share of the brightest's light;
	// what is darker is no shadow.
	deepest = 0.4
)

func lightOf(img *image.Gray) light {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	l := light{columns: (width + block - 1) / block, rows: (height + block - 1) / block}
	l.paper = make([]float64, l.columns*l.rows)
	for row := range l.rows {
		for column := range l.columns {
			l.paper[row*l.columns+column] = brightness(img, column*block, row*block)
		}
	}
	l.close()
	l.smooth()
	sorted := slices.Sorted(slices.Values(l.paper))
	l.brightest = sorted[len(sorted)*19/20]
	for i, p := range l.paper {
		l.paper[i] = max(p, deepest*l.brightest, 1)
	}
	return l
}

// brightness is what nine tenths of a block's pixels do not pass.
func brightness(img *image.Gray, x0, y0 int) float64 {
	var counts [256]int
	total := 0
	for y := y0; y < min(y0+block, img.Rect.Dy()); y++ {
		for _, v := range img.Pix[y*img.Stride+x0 : y*img.Stride+min(x0+block, img.Rect.Dx())] {
			counts[v]++
			total++
		}
	}
	seen := 0
	for v, n := range counts {
		seen += n
		if seen*10 >= total*9 {
			return float64(v)
		}
	}
	return 255
}

// close fills what is dark but narrow, such as a heading on black.
func (l *light) close() {
	l.spread(func(a, b float64) float64 { return max(a, b) })
	l.spread(func(a, b float64) float64 { return min(a, b) })
}

func (l *light) spread(pick func(a, b float64) float64) {
	l.along(l.columns, 1, l.rows, l.columns, pick)
	l.along(l.rows, l.columns, l.columns, 1, pick)
}

// along spreads values within lines of so many blocks, step apart.
func (l *light) along(length, step, lines, next int, pick func(a, b float64) float64) {
	line := make([]float64, length)
	for n := range lines {
		for i := range line {
			line[i] = l.paper[n*next+i*step]
		}
		for i := range line {
			best := line[i]
			for j := max(i-narrow, 0); j <= min(i+narrow, length-1); j++ {
				best = pick(best, line[j])
			}
			l.paper[n*next+i*step] = best
		}
	}
}

// smooth takes the means of neighbours.
func (l *light) smooth() {
	before := slices.Clone(l.paper)
	for row := range l.rows {
		for column := range l.columns {
			sum, n := 0.0, 0.0
			for r := max(row-1, 0); r <= min(row+1, l.rows-1); r++ {
				for c := max(column-1, 0); c <= min(column+1, l.columns-1); c++ {
					sum += before[r*l.columns+c]
					n++
				}
			}
			l.paper[row*l.columns+column] = sum / n
		}
	}
}

// uneven tells whether the light varies so much that letters in the shadow are
// as dark as paper elsewhere.
func (l light) uneven() bool {
	sorted := slices.Sorted(slices.Values(l.paper))
	return sorted[len(sorted)/50] < 0.8*l.brightest
}

// at is the paper's brightness at a place of the reduced picture, between the
// middles of blocks in proportion.
func (l light) at(x, y float64) float64 {
	x, y = x/block-0.5, y/block-0.5
	x, y = min(max(x, 0), float64(l.columns-1)), min(max(y, 0), float64(l.rows-1))
	column, row := min(int(x), max(l.columns-2, 0)), min(int(y), max(l.rows-2, 0))
	right, below := min(column+1, l.columns-1), min(row+1, l.rows-1)
	fx, fy := x-float64(column), y-float64(row)
	upper := l.paper[row*l.columns+column]*(1-fx) + l.paper[row*l.columns+right]*fx
	lower := l.paper[below*l.columns+column]*(1-fx) + l.paper[below*l.columns+right]*fx
	return upper*(1-fy) + lower*fy
}

// each calls do with every pixel's light, row by row; factor is how much larger
// the picture is than the reduced one.
func (l light) each(width, height, factor int, do func(at int, paper float64)) {
	const stride = 8 // the light is computed for every so many pixels; it hardly changes between
	for y := range height {
		v := float64(y) / float64(factor)
		for x := 0; x < width; x += stride {
			paper := l.at((float64(x)+stride/2)/float64(factor), v)
			for at := x; at < min(x+stride, width); at++ {
				do(y*width+at, paper)
			}
		}
	}
}

// even brings the paper to one brightness everywhere.
func (l light) even(img *image.Gray, factor int) *image.Gray {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, width, height))
	l.each(width, height, factor, func(at int, paper float64) {
		v := float64(img.Pix[at/width*img.Stride+at%width])
		out.Pix[at] = byte(min(v*245/paper, 255))
	})
	return out
}

// ink is the picture in black (0) and white (255): what is markedly darker than
// its paper is ink.
func (l light) ink(img *image.Gray) *image.Gray {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	out := image.NewGray(image.Rect(0, 0, width, height))
	var counts [256]int
	l.each(width, height, 1, func(at int, paper float64) {
		share := byte(min(float64(img.Pix[at/width*img.Stride+at%width])*200/paper, 255))
		out.Pix[at] = share
		counts[share]++
	})
	limit := byte(min(max(threshold(counts), 90), 170))
	for i, v := range out.Pix {
		if v <= limit {
			out.Pix[i] = 0
		} else {
			out.Pix[i] = 255
		}
	}
	return out
}

// threshold is Otsu's: it parts the values into two groups that differ most.
func threshold(counts [256]int) int {
	total, sum := 0.0, 0.0
	for v, n := range counts {
		total += float64(n)
		sum += float64(v) * float64(n)
	}
	best, at := -1.0, 127
	below, belowSum := 0.0, 0.0
	for v, n := range counts {
		below += float64(n)
		belowSum += float64(v) * float64(n)
		if below == 0 || below == total {
			continue
		}
		apart := belowSum/below - (sum-belowSum)/(total-below)
		if between := below * (total - below) * apart * apart; between > best {
			best, at = between, v
		}
	}
	return at
}

package scan

import "image"

// lightOnDark tells whether a page is a negative: dark paper with light print on
// it. White paper on a dark table is none, because there is paper between its
// letters; nor is a page in dim light, whose print is darker still.
func lightOnDark(small *image.Gray) bool {
	var counts [256]int
	for y := range small.Rect.Dy() {
		for _, v := range small.Pix[y*small.Stride:][:small.Rect.Dx()] {
			counts[v]++
		}
	}
	darkest, paper, lightest := quantile(counts, 0.02), quantile(counts, 0.5), quantile(counts, 0.995)
	if paper >= dark || lightest-paper < 2*(paper-darkest) || lightest-paper < leastContrast {
		return false
	}
	limit := byte((paper + lightest) / 2)
	blocks, light := 0, 0
	for y := 0; y+block <= small.Rect.Dy(); y += block {
		for x := 0; x+block <= small.Rect.Dx(); x += block {
			blocks++
			if isLight(small, x, y, limit) {
				light++
			}
		}
	}
	return light*mostLight <= blocks
}

const (
	leastContrast = 40 // of light print, in shades of grey
	mostLight     = 20 // one part in so many of a negative may be light throughout, such as a label
)

// isLight tells whether nearly all of a block is light.
func isLight(img *image.Gray, x0, y0 int, limit byte) bool {
	below := 0
	for y := y0; y < y0+block; y++ {
		for _, v := range img.Pix[y*img.Stride+x0:][:block] {
			if v < limit {
				below++
			}
		}
	}
	return below*10 < block*block
}

// quantile is the value that a share of all does not pass.
func quantile(counts [256]int, share float64) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	seen := 0
	for v, n := range counts {
		if seen += n; float64(seen) >= share*float64(total) {
			return v
		}
	}
	return len(counts) - 1
}

// inverted gives a picture with light and dark exchanged.
func inverted(img *image.Gray) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, img.Rect.Dx(), img.Rect.Dy()))
	for y := range out.Rect.Dy() {
		row := out.Pix[y*out.Stride:][:out.Rect.Dx()]
		for x, v := range img.Pix[y*img.Stride:][:len(row)] {
			row[x] = 255 - v
		}
	}
	return out
}

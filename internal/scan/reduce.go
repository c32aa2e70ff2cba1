package scan

import (
	"image"
	"math"
)

// reduce makes a picture smaller by a whole factor, so that it has at most as
// many pixels as a sheet of paper whose longer side has longest, by averaging.
// Noise goes with it. Long receipts may be longer: their letters would be too
// small to tell anything.
func reduce(img *image.Gray, longest int) (*image.Gray, int) {
	width, height := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	area := float64(longest) * float64(longest) / math.Sqrt2
	factor := int(math.Ceil(min(max(width, height)/float64(longest), math.Sqrt(width*height/area))))
	return shrink(img, factor), max(factor, 1)
}

func shrink(img *image.Gray, factor int) *image.Gray {
	if factor <= 1 {
		return img
	}
	width, height := max(img.Rect.Dx()/factor, 1), max(img.Rect.Dy()/factor, 1)
	out := image.NewGray(image.Rect(0, 0, width, height))
	sums := make([]uint32, width)
	for y := range height {
		clear(sums)
		rows := 0
		for dy := range factor {
			if y*factor+dy >= img.Rect.Dy() {
				break
			}
			rows++
			row := img.Pix[(y*factor+dy)*img.Stride:][:img.Rect.Dx()]
			for x := range sums {
				from := min(x*factor, len(row)-1)
				for _, v := range row[from:min(from+factor, len(row))] {
					sums[x] += uint32(v)
				}
			}
		}
		for x, sum := range sums {
			out.Pix[y*out.Stride+x] = byte(sum / uint32(rows*min(factor, img.Rect.Dx())))
		}
	}
	return out
}

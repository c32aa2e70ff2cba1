package ocreval

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"math"
	"math/rand/v2"
)

// kind is a way in which pages come out of scanners and telephones.
type kind struct {
	name    string
	dpi     int
	quality int // of the JPEG; 0: a PNG
	distort func(*image.Gray) *image.Gray
	// hard are the kinds on which preparation must pay.
	hard bool
	long bool // of a long receipt, and not of the usual pages
}

func kinds() []kind {
	same := func(img *image.Gray) *image.Gray { return img }
	rotated := func(degrees float64) func(*image.Gray) *image.Gray {
		return func(img *image.Gray) *image.Gray { return Rotate(img, degrees, 255) }
	}
	return []kind{
		{"150 dpi", 150, 0, same, false, false},
		{"200 dpi", 200, 0, same, false, false},
		{"300 dpi", 300, 0, same, false, false},
		{"blurred", 200, 0, func(img *image.Gray) *image.Gray { return blur(img, 3) }, false, false},
		{"noisy", 200, 0, func(img *image.Gray) *image.Gray { return noise(img, 60, 0.01) }, false, false},
		{"rotated 1.3°", 200, 0, rotated(1.3), false, false},
		{"rotated 8°", 200, 0, rotated(8), true, false},
		{"rotated 90°", 200, 0, rotated(90), true, false},
		{"rotated 180°", 200, 0, rotated(180), true, false},
		{"rotated 270°", 200, 0, rotated(270), true, false},
		{"JPEG 40", 200, 40, same, false, false},
		{"shadowed", 200, 85, shadow, true, false},
		{"photograph", 200, 70, photograph, true, false},
		{"inverted", 200, 0, invert, false, false},
		{"long receipt", 200, 0, same, false, true},
	}
}

// encoded gives the picture as a file.
func (k kind) encoded(img *image.Gray) ([]byte, error) {
	var b bytes.Buffer
	if k.quality > 0 {
		err := jpeg.Encode(&b, img, &jpeg.Options{Quality: k.quality})
		return b.Bytes(), err
	}
	err := (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, img)
	return b.Bytes(), err
}

// grey gives any picture in shades of grey.
func grey(img image.Image) *image.Gray {
	if g, ok := img.(*image.Gray); ok {
		return g
	}
	b := img.Bounds()
	out := image.NewGray(image.Rect(0, 0, b.Dx(), b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			out.Set(x, y, img.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return out
}

// Rotate turns a picture clockwise, on paper large enough to hold it.
func Rotate(img *image.Gray, degrees float64, paper byte) *image.Gray {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	width := int(math.Round(w*math.Abs(cos) + h*math.Abs(sin)))
	height := int(math.Round(w*math.Abs(sin) + h*math.Abs(cos)))
	out := image.NewGray(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			dx, dy := float64(x)+0.5-float64(width)/2, float64(y)+0.5-float64(height)/2
			out.Pix[y*out.Stride+x] = between(img, dx*cos+dy*sin+w/2-0.5, -dx*sin+dy*cos+h/2-0.5, paper)
		}
	}
	return out
}

// between is the brightness at a place between pixels.
func between(img *image.Gray, x, y float64, paper byte) byte {
	column, row := int(math.Floor(x)), int(math.Floor(y))
	fx, fy := x-float64(column), y-float64(row)
	at := func(column, row int) float64 {
		if column < 0 || row < 0 || column >= img.Rect.Dx() || row >= img.Rect.Dy() {
			return float64(paper)
		}
		return float64(img.Pix[row*img.Stride+column])
	}
	return byte(math.Round((at(column, row)*(1-fx)+at(column+1, row)*fx)*(1-fy) + (at(column, row+1)*(1-fx)+at(column+1, row+1)*fx)*fy))
}

// invert exchanges light and dark.
func invert(img *image.Gray) *image.Gray {
	out := image.NewGray(img.Rect)
	for i, v := range img.Pix {
		out.Pix[i] = 255 - v
	}
	return out
}

// blur takes means over squares of the given side, twice.
func blur(img *image.Gray, side int) *image.Gray {
	for range 2 {
		out := image.NewGray(img.Rect)
		for y := range img.Rect.Dy() {
			for x := range img.Rect.Dx() {
				sum, n := 0, 0
				for dy := -side / 2; dy <= side/2; dy++ {
					for dx := -side / 2; dx <= side/2; dx++ {
						if p := image.Pt(x+dx, y+dy); p.In(img.Rect) {
							sum += int(img.Pix[p.Y*img.Stride+p.X])
							n++
						}
					}
				}
				out.Pix[y*out.Stride+x] = byte(sum / n)
			}
		}
		img = out
	}
	return img
}

// noise adds grain of the given strength, and specks to a share of the pixels.
func noise(img *image.Gray, grain float64, specks float64) *image.Gray {
	r := rand.New(rand.NewPCG(3, 5)) //nolint:gosec // the same noise each time is wanted
	out := image.NewGray(img.Rect)
	for i, v := range img.Pix {
		level := float64(v) + (r.Float64()-0.5)*grain
		if r.Float64() < specks {
			level = 255 * float64(r.IntN(2))
		}
		out.Pix[i] = byte(min(max(level, 0), 255))
	}
	return out
}

// shadow darkens a page towards one corner, with an edge as a hand throws it.
func shadow(img *image.Gray) *image.Gray {
	out := image.NewGray(img.Rect)
	w, h := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			u, v := float64(x)/w, float64(y)/h
			light := 1 - 0.45*(u+v)/2
			light *= 1 - 0.35/(1+math.Exp(-(u+0.4*v-0.9)*25))
			out.Pix[y*out.Stride+x] = byte(float64(img.Pix[y*img.Stride+x]) * light)
		}
	}
	return out
}

// photograph lays the page on a dark table, a little askew, in uneven light.
func photograph(img *image.Gray) *image.Gray {
	margin := img.Rect.Dx() / 12
	table := image.NewGray(image.Rect(0, 0, img.Rect.Dx()+2*margin, img.Rect.Dy()+2*margin))
	for i := range table.Pix {
		table.Pix[i] = 60
	}
	for y := range img.Rect.Dy() {
		copy(table.Pix[(y+margin)*table.Stride+margin:], img.Pix[y*img.Stride:][:img.Rect.Dx()])
	}
	return noise(blur(shadow(Rotate(table, -3.4, 60)), 1), 24, 0)
}

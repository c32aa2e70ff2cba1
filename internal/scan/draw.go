package scan

import (
	"image"
	"math"
)

// draw turns, levels and scales the picture.
func (p Picture) draw(img *image.Gray) Picture {
	scale := p.Scale
	if factor := int(1 / scale); factor > 1 {
		img = shrink(img, factor)
		scale *= float64(factor)
	}
	img = turn(img, p.Turned)
	if p.Skew == 0 && math.Abs(scale-1) < 0.01 {
		p.Width, p.Height, p.Grey = img.Rect.Dx(), img.Rect.Dy(), packed(img)
		return p
	}
	width, height := float64(img.Rect.Dx()), float64(img.Rect.Dy())
	wide, high := canvas(width, height, p.Skew)
	p.Width, p.Height = max(int(math.Round(scale*wide)), 1), max(int(math.Round(scale*high)), 1)
	sin, cos := math.Sincos(p.Skew * math.Pi / 180)
	p.Grey = make([]byte, p.Width*p.Height)
	// Backwards: for each pixel, where it comes from.
	stepX, stepY := cos/scale, sin/scale
	for y := range p.Height {
		dx, dy := 0.5-float64(p.Width)/2, float64(y)+0.5-float64(p.Height)/2
		fromX := dx*stepX - dy*stepY + width/2 - 0.5
		fromY := dx*stepY + dy*stepX + height/2 - 0.5
		row := p.Grey[y*p.Width:][:p.Width]
		for x := range row {
			row[x] = sample(img, fromX, fromY)
			fromX += stepX
			fromY += stepY
		}
	}
	return p
}

// canvas is the size of the paper that holds a picture which is tilted.
func canvas(width, height, degrees float64) (float64, float64) {
	sin, cos := math.Sincos(math.Abs(degrees) * math.Pi / 180)
	return width*cos + height*sin, width*sin + height*cos
}

// sample is the brightness between pixels; beyond the picture is paper.
func sample(img *image.Gray, x, y float64) byte {
	const one = 256 // fixed point
	fx, fy := int(math.Floor(x*one)), int(math.Floor(y*one))
	column, row := fx>>8, fy>>8
	fx, fy = fx&255, fy&255
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if column < -1 || row < -1 || column >= width || row >= height {
		return 255
	}
	if column < 0 || row < 0 || column+1 >= width || row+1 >= height {
		column, row = min(max(column, 0), width-1), min(max(row, 0), height-1)
		return img.Pix[row*img.Stride+column]
	}
	at := img.Pix[row*img.Stride+column:]
	upper := int(at[0])*(one-fx) + int(at[1])*fx
	at = at[img.Stride:]
	lower := int(at[0])*(one-fx) + int(at[1])*fx
	return byte((upper*(one-fy) + lower*fy + one*one/2) >> 16)
}

// packed gives the pixels without gaps between rows.
func packed(img *image.Gray) []byte {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	if img.Stride == width {
		return img.Pix[:width*height]
	}
	out := make([]byte, 0, width*height)
	for y := range height {
		out = append(out, img.Pix[y*img.Stride:][:width]...)
	}
	return out
}

// turn turns a picture clockwise by quarters.
func turn(img *image.Gray, degrees int) *image.Gray {
	width, height := img.Rect.Dx(), img.Rect.Dy()
	switch degrees {
	case 90, 270:
		out := image.NewGray(image.Rect(0, 0, height, width))
		for y := range width {
			row := out.Pix[y*out.Stride:][:height]
			if degrees == 90 {
				for x := range row {
					row[x] = img.Pix[(height-1-x)*img.Stride+y]
				}
			} else {
				for x := range row {
					row[x] = img.Pix[x*img.Stride+width-1-y]
				}
			}
		}
		return out
	case 180:
		return &image.Gray{Pix: reversed(packed(img)), Stride: width, Rect: image.Rect(0, 0, width, height)}
	}
	return img
}

// reversed turns pixels by 180°: the last one is the first.
func reversed(pix []byte) []byte {
	out := make([]byte, len(pix))
	for i, v := range pix {
		out[len(pix)-1-i] = v
	}
	return out
}

// HeadDown gives the picture turned by another 180°.
func (p Picture) HeadDown() Picture {
	p.Turned = (p.Turned + 180) % 360
	p.Upright = -p.Upright
	p.Grey = reversed(p.Grey)
	rules := make([]Rule, len(p.Rules))
	for i, r := range p.Rules {
		rules[i] = Rule{p.Width - r.X1, p.Height - r.Y1, p.Width - r.X0, p.Height - r.Y0, r.Vertical}
	}
	p.Rules = rules
	return p
}

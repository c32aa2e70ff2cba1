package scan_test

import (
	"image"
	"image/color"
	"testing"

	"fieldlift/internal/scan"
)

func white(width, height int) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 255
	}
	return img
}

func TestBlankPages(t *testing.T) {
	speck := white(800, 1000)
	speck.SetGray(300, 300, color.Gray{})
	for name, img := range map[string]*image.Gray{"white": white(800, 1000), "a speck": speck, "one pixel": white(1, 1)} {
		if p := scan.Prepare(img, scan.Options{Turn: scan.Unknown}); !p.Blank || len(p.Grey) != 0 {
			t.Errorf("%s is not blank: %+v", name, p)
		}
	}
}

// Whatever comes in, the picture is whole and within its bounds.
func FuzzPrepare(f *testing.F) {
	f.Add([]byte{0, 255, 255, 0, 1, 2, 3, 4, 5, 200}, uint16(3), uint16(3), -1)
	f.Add([]byte{255, 255, 0, 255, 0, 0, 255}, uint16(90), uint16(70), 90)
	f.Add([]byte{9}, uint16(300), uint16(1), 270)
	f.Fuzz(func(t *testing.T, pattern []byte, width, height uint16, turn int) {
		if len(pattern) == 0 {
			return
		}
		img := image.NewGray(image.Rect(0, 0, int(width%400)+1, int(height%400)+1))
		for i := range img.Pix {
			img.Pix[i] = pattern[(i+i/7)%len(pattern)]
		}
		turn = []int{scan.Unknown, 0, 90, 180, 270}[((turn%5)+5)%5]
		const most = 50_000
		p := scan.Prepare(img, scan.Options{Turn: turn, MaxPixels: most})
		if p.Blank {
			return
		}
		if p.Width < 1 || p.Height < 1 || len(p.Grey) != p.Width*p.Height || len(p.Grey) > most+p.Width+p.Height {
			t.Fatalf("%d x %d with %d pixels", p.Width, p.Height, len(p.Grey))
		}
		for _, r := range p.Rules {
			if r.X0 < 0 || r.Y0 < 0 || r.X1 > p.Width || r.Y1 > p.Height || r.X0 >= r.X1 || r.Y0 >= r.Y1 {
				t.Errorf("%+v on %d x %d", r, p.Width, p.Height)
			}
		}
		if strip, from := p.Strip(); len(strip.Grey) != strip.Width*strip.Height || from+strip.Height > p.Height {
			t.Errorf("a strip of %d rows from %d of %d", strip.Height, from, p.Height)
		}
		if twice := p.HeadDown().HeadDown(); string(twice.Grey) != string(p.Grey) || twice.Turned != p.Turned {
			t.Error("turned twice by 180°, it is another")
		}
	})
}

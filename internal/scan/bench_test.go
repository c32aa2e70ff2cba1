package scan_test

import (
	"image/color"
	"testing"

	"fieldlift/internal/scan"
)

// BenchmarkPrepare prepares an A4 page at 300 dpi that is full of something
// like letters.
func BenchmarkPrepare(b *testing.B) {
	img := white(2480, 3508)
	for y := 200; y < 3300; y += 50 {
		for x := 200; x < 2280; x += 24 {
			for dy := range 20 + 10*(x/24%3/2) {
				for dx := range 12 {
					if (dx+dy)%7 < 3 {
						img.SetGray(x+dx, y-dy, color.Gray{Y: 20})
					}
				}
			}
		}
	}
	for b.Loop() {
		scan.Prepare(img, scan.Options{Turn: scan.Unknown})
	}
}

package transcribe

import (
	"math"
	"testing"

	"fieldlift/internal/page"
	"fieldlift/internal/scan"
)

// TestAllOfAPageIsTurned has a page that lies on its side: what the reader found
// in its picture has to stand beside the words that were recognised.
func TestAllOfAPageIsTurned(t *testing.T) {
	box := page.Box{X0: 0.1, Y0: 0.2, X1: 0.15, Y1: 0.25}
	p := page.Page{
		Number: 1, Width: 600, Height: 400,
		Rules: []page.Rule{{Box: box}}, Checkboxes: []page.Checkbox{{Box: box}}, Fields: []page.FormField{{Box: box}},
	}
	stance := page.Stance{Rotation: 90, Width: p.Width, Height: p.Height}
	want := stance.Upright(box)
	join(&p, scan.Picture{Turned: 90, Width: 400, Height: 600, DPI: 72}, nil, "")
	for name, got := range map[string]page.Box{"rule": p.Rules[0].Box, "checkbox": p.Checkboxes[0].Box, "field": p.Fields[0].Box} {
		if got != want {
			t.Errorf("the %s is at %+v, want %+v", name, got, want)
		}
	}
	back := p.Reading.Uploaded(want)
	if math.Abs(back.X0-box.X0) > 1e-9 || math.Abs(back.Y1-box.Y1) > 1e-9 {
		t.Errorf("the way back leads to %+v", back)
	}
}

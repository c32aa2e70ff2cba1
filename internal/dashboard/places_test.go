package dashboard_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/jpeg"
	_ "image/png"
	"net/http"
	"strings"
	"testing"

	"fieldlift/internal/apptest"
)

// photograph makes a JPEG of a scan whose file says, as cameras write it, how it
// must be turned to stand upright: 6 is a quarter clockwise.
func photograph(t testing.TB, scan []byte, orientation uint16) []byte {
	t.Helper()
	img, _, err := image.Decode(bytes.NewReader(scan))
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, &jpeg.Options{Quality: 95}); err != nil {
		t.Fatal(err)
	}
	block := []byte("Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00")
	block = binary.LittleEndian.AppendUint32(block, uint32(orientation))
	block = append(block, 0, 0, 0, 0)
	head := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(block)+2))
	return bytes.Join([][]byte{file.Bytes()[:2], head, block, file.Bytes()[2:]}, nil)
}

// TestPlacesLieOnThePageAsItIsShown: however a page lies in its file, the
// boxes of values hold print on the image that is shown, and little around
// them.
func TestPlacesLieOnThePageAsItIsShown(t *testing.T) {
	d := newDesk(t, apptest.OnSQLite(t))
	p := d.PagesOf(t, d.person)
	for name, file := range map[string][]byte{
		"a text":                   bill("INV-1"),
		"a scan on its side":       apptest.Scan(t, bill("INV-1"), 90),
		"a slanted scan":           apptest.Scan(t, bill("INV-1"), 3),
		"a photograph on its side": photograph(t, apptest.Scan(t, bill("INV-1"), 270), 6),
	} {
		t.Run(name, func(t *testing.T) {
			path := d.done(t, apptest.File{Name: "file", Content: file})
			document := d.document(t, path)
			shown := p.Get(t, path+"/pages/1?width=1200")
			if shown.Status != http.StatusOK {
				t.Fatalf("%d %s", shown.Status, shown.Body)
			}
			img, _, err := image.Decode(strings.NewReader(shown.Body))
			if err != nil {
				t.Fatal(err)
			}
			for _, pointer := range []string{"/invoice_number", "/total", "/items/2/amount"} {
				m := document.FieldMetadata[pointer]
				if len(m.Boxes) == 0 {
					t.Errorf("%s has no place", pointer)
					continue
				}
				if share := ink(img, m.Boxes[0]); share < 0.05 {
					t.Errorf("%s: %.3f of its box %v is ink", pointer, share, m.Boxes[0])
				}
			}
		})
	}
}

// ink is the share of a box that is dark.
func ink(img image.Image, box [4]float64) float64 {
	b := img.Bounds()
	at := func(share float64, length int) int { return int(share * float64(length)) }
	dark, all := 0, 0
	for y := at(box[1], b.Dy()); y < at(box[3], b.Dy()); y++ {
		for x := at(box[0], b.Dx()); x < at(box[2], b.Dx()); x++ {
			all++
			if color.GrayModel.Convert(img.At(b.Min.X+x, b.Min.Y+y)).(color.Gray).Y < 160 {
				dark++
			}
		}
	}
	return float64(dark) / float64(max(all, 1))
}

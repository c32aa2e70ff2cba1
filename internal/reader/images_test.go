package reader_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/bmp"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/reader"
)

// mark is a white picture with a black square near its top left corner.
func mark(width, height int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(width/10, height/10, width/10+16, height/10+16), image.Black, image.Point{}, draw.Src)
	return img
}

// darkBox is where an image is dark, in fractions of it.
func darkBox(img image.Image) page.Box {
	b := img.Bounds()
	var dark image.Rectangle
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			if color.GrayModel.Convert(img.At(x, y)).(color.Gray).Y < 128 {
				dark = dark.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	w, h := float64(b.Dx()), float64(b.Dy())
	return page.Box{X0: float64(dark.Min.X) / w, Y0: float64(dark.Min.Y) / h, X1: float64(dark.Max.X) / w, Y1: float64(dark.Max.Y) / h}
}

func encoded(t testing.TB, encode func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func pngOf(t testing.TB, img image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
}

func jpegOf(t testing.TB, img image.Image) []byte {
	return encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, img, &jpeg.Options{Quality: 95}) })
}

// withEXIF puts a block with an orientation behind a JPEG's first marker.
func withEXIF(file []byte, orientation uint16) []byte {
	block := []byte("Exif\x00\x00")
	block = append(block, tiffOf(entry{274, 3, 1, uint32(orientation)})...)
	segment := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(block)+2))
	return bytes.Join([][]byte{file[:2], segment, block, file[2:]}, nil)
}

type entry struct {
	tag, kind    uint16
	count, value uint32
}

// tiffOf makes a little-endian TIFF header with one directory.
func tiffOf(entries ...entry) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	return appendDirectory(b, 0, entries...)
}

func appendDirectory(b []byte, next uint32, entries ...entry) []byte {
	b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, e.tag)
		b = binary.LittleEndian.AppendUint16(b, e.kind)
		b = binary.LittleEndian.AppendUint32(b, e.count)
		b = binary.LittleEndian.AppendUint32(b, e.value)
	}
	return binary.LittleEndian.AppendUint32(b, next)
}

// tiffFile makes a TIFF of grey frames, each width x height pixels, 100 dpi. The
// last directory points to the given one of the frames, or to none when it is 0.
func tiffFile(frames int, width, height uint32, loopTo int) []byte {
	const short, long, fraction = 3, 4, 5
	pixels := make([]byte, width*height)
	b := []byte("II*\x00")
	const entries, dpiAt = 11, 8
	start := uint32(dpiAt + 8 + len(pixels))
	length := uint32(2 + 12*entries + 4)
	b = binary.LittleEndian.AppendUint32(b, start)
	b = binary.LittleEndian.AppendUint32(b, 100)
	b = binary.LittleEndian.AppendUint32(b, 1)
	b = append(b, pixels...)
	for n := range frames {
		next := start + length*uint32(n+1)
		if n == frames-1 {
			next = 0
			if loopTo > 0 {
				next = start + length*uint32(loopTo-1)
			}
		}
		b = appendDirectory(b, next,
			entry{256, long, 1, width}, entry{257, long, 1, height}, entry{258, short, 1, 8}, entry{259, short, 1, 1},
			entry{262, short, 1, 1}, entry{273, long, 1, dpiAt + 8}, entry{278, long, 1, height},
			entry{279, long, 1, width * height}, entry{282, fraction, 1, dpiAt}, entry{283, fraction, 1, dpiAt},
			entry{296, short, 1, 2})
	}
	return b
}

func TestImages(t *testing.T) {
	img := mark(400, 200)
	for kind, c := range map[string]struct {
		file          []byte
		contentType   string
		width, height float64 // points
		pages         int
	}{
		"png":  {pngOf(t, img), "image/png", 144, 72, 1},
		"jpeg": {jpegOf(t, img), "image/jpeg", 144, 72, 1},
		"gif":  {encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, img, nil) }), "image/gif", 144, 72, 1},
		"bmp":  {encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, img) }), "image/bmp", 144, 72, 1},
		"tiff": {tiffFile(3, 400, 200, 0), "image/tiff", 288, 144, 3},
	} {
		t.Run(kind, func(t *testing.T) {
			path := write(t, "no-name-for-it", c.file)
			r := setup(t)
			info, err := r.Inspect(t.Context(), path)
			if err != nil || info != (reader.Info{Kind: kind, ContentType: c.contentType, Pages: c.pages}) {
				t.Errorf("%+v, %v", info, err)
			}
			d, err := r.Read(t.Context(), path)
			if err != nil || d.Kind != kind || len(d.Pages) != c.pages {
				t.Fatal(d, err)
			}
			for n, p := range d.Pages {
				if p.Number != n+1 || p.Width != c.width || p.Height != c.height || p.Images != 1 || len(p.Words) > 0 || len(p.Rules) > 0 {
					t.Errorf("%+v", p)
				}
			}
			drawn := render(t, r, path, c.pages, 200)
			if b := drawn.Bounds(); b.Dx() != 400 || b.Dy() != 200 {
				t.Errorf("drawn as %v", b)
			}
			if kind != "tiff" {
				near(t, "left", darkBox(drawn).X0, 0.1, 0.01)
				near(t, "top", darkBox(drawn).Y0, 0.1, 0.01)
			}
			if b := render(t, r, path, 1, 600).Bounds(); b.Dx() != 400 {
				t.Errorf("drawn larger than it is: %v", b)
			}
			if b := render(t, r, path, 1, 50).Bounds(); float64(b.Dx()) != c.width*50/72 || float64(b.Dy()) != c.height*50/72 {
				t.Errorf("drawn at 50 dpi as %v", b)
			}
			_, err = r.Render(t.Context(), path, c.pages+1, 72)
			refused(t, err, fieldlift.InvalidPayload, fmt.Sprintf("There is no page %d; the file has %d.", c.pages+1, c.pages))
		})
	}
}

func TestOrientationIsUndone(t *testing.T) {
	// The square's corner by EXIF's definition of where row 0 and column 0 are.
	for orientation, corner := range map[uint16]string{
		1: "top left", 2: "top right", 3: "bottom right", 4: "bottom left",
		5: "top left", 6: "top right", 7: "bottom right", 8: "bottom left", 9: "top left",
	} {
		path := write(t, "a", withEXIF(jpegOf(t, mark(400, 200)), orientation))
		r := setup(t)
		d, err := r.Read(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		drawn := render(t, r, path, 1, 200)
		width, height := 400, 200
		if orientation >= 5 && orientation <= 8 {
			width, height = 200, 400
		}
		if b := drawn.Bounds(); b.Dx() != width || b.Dy() != height {
			t.Errorf("%d: drawn as %v", orientation, b)
		}
		if p := d.Pages[0]; p.Width != float64(width)*72/200 || p.Height != float64(height)*72/200 {
			t.Errorf("%d: %g x %g", orientation, p.Width, p.Height)
		}
		dark, got := darkBox(drawn), "top"
		if dark.Y0 > 0.5 {
			got = "bottom"
		}
		if dark.X0 > 0.5 {
			got += " right"
		} else {
			got += " left"
		}
		if got != corner {
			t.Errorf("%d: the square is at the %s, not the %s", orientation, got, corner)
		}
	}
}

func TestResolutionIsBelievedWhenItMakesAPage(t *testing.T) {
	for dpi, want := range map[int]float64{300: 2400 * 72 / 300, 100: 2400 * 72 / 100, 72: 2400 * 72 / 200} {
		perMetre := binary.BigEndian.AppendUint32(nil, uint32(float64(dpi)/0.0254+0.5))
		chunk := append(append([]byte("pHYs"), append(perMetre, perMetre...)...), 1)
		chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk))
		chunk = append([]byte{0, 0, 0, 9}, chunk...)
		file := pngOf(t, image.NewGray(image.Rect(0, 0, 2400, 100)))
		file = bytes.Join([][]byte{file[:33], chunk, file[33:]}, nil)
		near(t, fmt.Sprint(dpi), read(t, file).Pages[0].Width, want, 0.1)
	}
}

func TestTIFFWhoseFramesGoInCircles(t *testing.T) {
	if d := read(t, tiffFile(3, 40, 40, 2)); len(d.Pages) != 3 {
		t.Errorf("%d pages", len(d.Pages))
	}
}

func TestOversizedImages(t *testing.T) {
	header := []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\x0d")
	chunk := []byte("IHDR\x00\x00\xea\x60\x00\x00\xea\x60\x08\x06\x00\x00\x00") // 60000 x 60000, RGBA
	file := binary.BigEndian.AppendUint32(append(header, chunk...), crc32.ChecksumIEEE(chunk))
	file = append(file, "\x00\x00\x00\x00IDAT"...)
	for name, c := range map[string]struct {
		file    []byte
		message string
	}{
		"png":  {file, "The image has 60000 x 60000 pixels; the limit is 100000000 pixels."},
		"tiff": {bytes.Replace(tiffFile(1, 40, 40, 0), []byte("\x04\x00\x01\x00\x00\x00\x28\x00\x00\x00"), []byte("\x04\x00\x01\x00\x00\x00\x00\x00\x40\x00"), 2), "The image has 4194304 x 4194304 pixels; the limit is 100000000 pixels."},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a", c.file)
			r := setup(t)
			_, err := r.Inspect(t.Context(), path)
			refused(t, err, fieldlift.InvalidPayload, c.message)
			_, err = r.Render(t.Context(), path, 1, 72)
			refused(t, err, fieldlift.InvalidPayload, c.message)
		})
	}
	many := setup(t, func(o *reader.Options) { o.MaxPages = 2 })
	_, err := many.Inspect(t.Context(), write(t, "a", tiffFile(3, 40, 40, 0)))
	refused(t, err, fieldlift.InvalidPayload, "The file has more than 2 pages, which is the limit.")
}

func TestDamagedImages(t *testing.T) {
	noise := image.NewGray(image.Rect(0, 0, 300, 300))
	for n := range noise.Pix {
		noise.Pix[n] = byte(n * n / 7)
	}
	for kind, file := range map[string][]byte{
		"PNG": pngOf(t, noise), "JPEG": jpegOf(t, noise), "TIFF": tiffFile(1, 300, 300, 0),
		"BMP": encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, noise) }),
		"GIF": encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, noise, nil) }),
	} {
		message := "The " + kind + " image is damaged or of a variety that cannot be read."
		t.Run(kind, func(t *testing.T) {
			r := setup(t)
			_, err := r.Inspect(t.Context(), write(t, "head", file[:18]))
			refused(t, err, fieldlift.PageCountFailed, message)
			_, err = r.Render(t.Context(), write(t, "half", file[:len(file)/2]), 1, 72)
			refused(t, err, fieldlift.PageCountFailed, message)
		})
	}
}

func render(t *testing.T, r *reader.Reader, path string, number, dpi int) image.Image {
	t.Helper()
	drawn, err := r.Render(t.Context(), path, number, dpi)
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(drawn))
	if err != nil {
		t.Fatal(err)
	}
	return img
}

// Go cannot write these kinds; the modules that read them bring examples.
func TestKindsThatOnlyOthersWrite(t *testing.T) {
	for kind, c := range map[string]struct{ module, file string }{
		"heic": {"github.com/gen2brain/heic", "testdata/test8.heic"},
		"webp": {"golang.org/x/image", "testdata/blue-purple-pink-large.lossless.webp"},
	} {
		t.Run(kind, func(t *testing.T) {
			folder, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", c.module).Output()
			path := filepath.Join(strings.TrimSpace(string(folder)), c.file)
			if _, statErr := os.Stat(path); err != nil || statErr != nil {
				t.Skip("the module's example is not there")
			}
			r := setup(t)
			info, err := r.Inspect(t.Context(), path)
			if err != nil || info != (reader.Info{Kind: kind, ContentType: "image/" + kind, Pages: 1}) {
				t.Errorf("%+v, %v", info, err)
			}
			d, err := r.Read(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if b := render(t, r, path, 1, 200).Bounds(); float64(b.Dx())*72/200 != d.Pages[0].Width {
				t.Errorf("%v for a page of %g x %g", b, d.Pages[0].Width, d.Pages[0].Height)
			}
		})
	}
}

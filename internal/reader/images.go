package reader

import (
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"

	"github.com/gen2brain/heic"
	"github.com/hhrutter/tiff"
	"golang.org/x/image/bmp"
	"golang.org/x/image/draw"
	"golang.org/x/image/webp"

	"fieldlift/internal/page"
)

// assumedDPI is for pictures that do not tell theirs.
const assumedDPI = 200

// picture is one page of an image file, before its pixels are decoded.
type picture struct {
	width, height int // as stored
	about
	decode func() (image.Image, error)
}

// answerImage reads a file that is one picture or, as TIFF can be, several.
func answerImage(f *os.File, q request) (response, error) {
	pictures, err := openImage(f, q)
	if err != nil {
		return response{}, err
	}
	switch q.Act {
	case actInspect:
		return response{Count: len(pictures)}, nil
	case actRead:
		pages := make([]packedPage, len(pictures))
		for n, p := range pictures {
			width, height := p.size()
			pages[n] = pack(page.Page{Number: n + 1, Width: width, Height: height, Images: 1})
		}
		return response{Pages: pages}, nil
	case actBoxes:
		boxes, err := boxesIn(pictures, q)
		return response{Boxes: boxes}, err
	case actRender:
		if q.Number > len(pictures) {
			return response{}, noSuchPage(q.Number, len(pictures))
		}
		png, err := pictures[q.Number-1].render(q)
		return response{PNG: png}, err
	case actSizes:
		sizes := make([]Size, len(pictures))
		for n, p := range pictures {
			sizes[n].Width, sizes[n].Height = p.size()
		}
		return response{Sizes: sizes}, nil
	case actShow:
		if q.Number > len(pictures) {
			return response{}, noSuchPage(q.Number, len(pictures))
		}
		shown, err := pictures[q.Number-1].show(q)
		return response{Image: shown}, err
	case actScan:
		if q.Number > len(pictures) {
			return response{}, noSuchPage(q.Number, len(pictures))
		}
		prepared, err := pictures[q.Number-1].scan(q)
		return response{Scan: prepared}, err
	}
	return response{}, unknownAct(q.Act)
}

// openImage reads the headers of a file's pictures. Sizes are checked here,
// before a decoder believes them and asks for memory.
func openImage(f *os.File, q request) ([]picture, error) {
	var pictures []picture
	var err error
	if q.Kind == kindTIFF {
		pictures, err = openTIFF(f, q.MaxPages)
	} else {
		pictures, err = openSingle(f, q.Kind)
	}
	if err != nil {
		return nil, err
	}
	for _, p := range pictures {
		if p.width <= 0 || p.height <= 0 {
			return nil, damaged(q.Kind, fmt.Errorf("a size of %d x %d", p.width, p.height))
		}
		if p.width > q.MaxPixels/p.height {
			return nil, tooManyPixels(p.width, p.height, q.MaxPixels)
		}
	}
	return pictures, nil
}

// openSingle reads the header of a file that is one picture; of a GIF that is
// several, it is the first.
func openSingle(f *os.File, kind string) ([]picture, error) {
	decoder := map[string]struct {
		config func(io.Reader) (image.Config, error)
		decode func(io.Reader) (image.Image, error)
	}{
		kindPNG:  {png.DecodeConfig, png.Decode},
		kindJPEG: {jpeg.DecodeConfig, jpeg.Decode},
		kindGIF:  {gif.DecodeConfig, gif.Decode},
		kindWebP: {webp.DecodeConfig, webp.Decode},
		kindBMP:  {bmp.DecodeConfig, bmp.Decode},
		kindHEIC: {heic.DecodeConfig, heic.Decode},
	}[kind]
	config, err := decoder.config(f)
	if err != nil {
		return nil, damaged(kind, err)
	}
	p := picture{width: config.Width, height: config.Height}
	p.about = aboutFile(f, kind)
	p.decode = func() (image.Image, error) {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, err
		}
		return decoder.decode(f)
	}
	return []picture{p}, nil
}

// openTIFF reads the headers of all frames.
func openTIFF(f *os.File, maxPages int) ([]picture, error) {
	frames, err := tiffFrames(f, maxPages)
	if err != nil {
		return nil, err
	}
	pictures := make([]picture, len(frames))
	for n, offset := range frames {
		config, err := tiff.DecodeConfigAt(f, offset)
		if err != nil {
			return nil, damaged(kindTIFF, err)
		}
		pictures[n] = picture{
			width: config.Width, height: config.Height, about: aboutFrame(f, offset),
			decode: func() (image.Image, error) { return tiff.DecodeAt(f, offset) },
		}
	}
	return pictures, nil
}

// size is the picture's in points, as a person sees it.
func (p picture) size() (width, height float64) {
	x, y, _ := p.resolution()
	width, height = float64(p.width)*72/x, float64(p.height)*72/y
	if p.orientation.sideways() {
		width, height = height, width
	}
	return width, height
}

// resolution is in dots per inch. What a file says is believed when it makes a
// page of a size that there is: cameras write 72 without meaning it. Else it is
// not known, but assumed.
func (p picture) resolution() (x, y float64, known bool) {
	const smallest, largest = 1, 30 // inches
	wide, high := float64(p.width)/p.dpiX, float64(p.height)/p.dpiY
	if long := max(wide, high); long >= smallest && long <= largest && p.dpiX > 0 && p.dpiY > 0 {
		return p.dpiX, p.dpiY, true
	}
	return assumedDPI, assumedDPI, false
}

// pixels decodes a picture.
func (p picture) pixels(kind string) (image.Image, error) {
	img, err := p.decode()
	if err != nil {
		return nil, damaged(kind, err)
	}
	// A GIF's first frame may claim another size than its header did.
	if b := img.Bounds(); b.Empty() {
		return nil, damaged(kind, errors.New("the picture is empty"))
	}
	return img, nil
}

// render decodes a picture and draws it upright, as a PNG.
func (p picture) render(q request) ([]byte, error) {
	img, err := p.draw(q)
	if err != nil {
		return nil, err
	}
	return encode(img)
}

// draw decodes a picture and draws it upright.
func (p picture) draw(q request) (*image.RGBA, error) {
	img, err := p.pixels(q.Kind)
	if err != nil {
		return nil, err
	}
	x, y, _ := p.resolution()
	return p.orientation.upright(shrink(img, float64(q.DPI)/x, float64(q.DPI)/y)), nil
}

// shrink brings a picture onto white paper, smaller by the given factors if they
// are below 1, and to no more pixels than any page is drawn with.
func shrink(img image.Image, scaleX, scaleY float64) *image.RGBA {
	b := img.Bounds()
	scaleX, scaleY = min(scaleX, 1), min(scaleY, 1)
	if drawn := float64(b.Dx()) * float64(b.Dy()) * scaleX * scaleY; drawn > mostDrawn {
		less := math.Sqrt(mostDrawn / drawn)
		scaleX, scaleY = scaleX*less, scaleY*less
	}
	width := max(int(math.Round(float64(b.Dx())*scaleX)), 1)
	height := max(int(math.Round(float64(b.Dy())*scaleY)), 1)
	out := image.NewRGBA(image.Rect(0, 0, width, height))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	if width == b.Dx() && height == b.Dy() {
		draw.Draw(out, out.Rect, img, b.Min, draw.Over)
	} else {
		draw.BiLinear.Scale(out, out.Rect, img, b, draw.Over, nil)
	}
	return out
}

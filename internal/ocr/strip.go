package ocr

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/image/draw"

	"fieldlift/internal/onnx"
)

// letter is what a network sees somewhere in a strip of text.
type letter struct {
	text       string // a space, too
	at         float64
	confidence float64
}

// network reads strips of text: a picture of some words on one line.
type network struct {
	session *onnx.Session
	letters []string // by class; class 0 is nothing
}

// The files of a network that knows the letters of English.
const (
	englishModel   = "en_PP-OCRv4_rec_infer.onnx"
	englishLetters = "en_dict.txt"
)

// stripHeight is what the network was trained for.
const stripHeight = 48

// openNetwork loads a network from the folder of models.
func openNetwork(ctx context.Context, runtime *onnx.Runtime, folder string) (*network, error) {
	model, err := os.ReadFile(filepath.Join(folder, englishModel)) //nolint:gosec // the operator's folder
	if err != nil {
		return nil, err
	}
	list, err := os.ReadFile(filepath.Join(folder, englishLetters)) //nolint:gosec // the operator's folder
	if err != nil {
		return nil, err
	}
	session, err := runtime.NewSession(ctx, model)
	if err != nil {
		return nil, err
	}
	return &network{session, lettersOf(list)}, nil
}

// lettersOf reads the list of letters, one a line. What the network adds to it
// itself: nothing before, a space after.
func lettersOf(list []byte) []string {
	letters := []string{""}
	for line := range bytes.Lines(list) {
		letters = append(letters, strings.TrimRight(string(line), "\r\n"))
	}
	return append(letters, " ")
}

// narrowest is the narrowest strip that the network can make something of.
const narrowest = 32

// read reads a strip. Places are fractions of its width.
func (n *network) read(ctx context.Context, strip *image.Gray) ([]letter, error) {
	width := max(strip.Rect.Dx()*stripHeight/strip.Rect.Dy(), 1)
	scaled := image.NewGray(image.Rect(0, 0, width, stripHeight))
	draw.BiLinear.Scale(scaled, scaled.Rect, strip, strip.Rect, draw.Src, nil)
	padded := max(width, narrowest)
	data := make([]float32, 3*stripHeight*padded) // what is beyond the strip is grey, as in training
	for y := range stripHeight {
		for x, v := range scaled.Pix[y*scaled.Stride:][:width] {
			for colour := range 3 {
				data[(colour*stripHeight+y)*padded+x] = float32(v)/127.5 - 1
			}
		}
	}
	out, err := n.session.Run(ctx, onnx.Tensor{Shape: []int{1, 3, stripHeight, padded}, Data: data})
	if err != nil {
		return nil, err
	}
	if len(out.Shape) != 3 || out.Shape[2] != len(n.letters) {
		return nil, fmt.Errorf("the network gives %v, which does not go with its %d letters", out.Shape, len(n.letters))
	}
	return n.decode(out, float64(padded)/float64(width)), nil
}

// decode takes from each step the likeliest letter; the same in a row is one.
func (n *network) decode(out onnx.Tensor, stretch float64) (letters []letter) {
	steps, classes := out.Shape[1], out.Shape[2]
	last := 0
	for step := range steps {
		best, confidence := 0, float32(-1)
		for class, p := range out.Data[step*classes:][:classes] {
			if p > confidence {
				best, confidence = class, p
			}
		}
		switch best {
		case 0:
		case last:
			l := &letters[len(letters)-1]
			l.confidence = max(l.confidence, float64(confidence))
		default:
			at := (float64(step) + 0.5) / float64(steps) * stretch
			letters = append(letters, letter{n.letters[best], at, float64(confidence)})
		}
		last = best
	}
	return letters
}

func (n *network) close(ctx context.Context) error { return n.session.Close(ctx) }

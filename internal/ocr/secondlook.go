package ocr

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"fieldlift/internal/onnx"
)

// SecondLook reads again, by a neural network, the words of which the first
// recogniser is not sure. It is safe for concurrent use.
type SecondLook struct {
	options  SecondLookOptions
	identity string
	places   chan struct{}

	mu      sync.Mutex
	opened  bool
	runtime *onnx.Runtime
	err     error
	idle    []*network
}

// SecondLookOptions say by what is looked.
type SecondLookOptions struct {
	Folder   string // of the models
	CacheDir string // for compiled code
	Parallel int    // pages at once
	Log      *slog.Logger
}

// NewSecondLook makes a second look. Nothing is loaded yet; an error says which
// of the models is missing.
func NewSecondLook(o SecondLookOptions) (*SecondLook, error) {
	sum := sha256.New()
	for _, name := range []string{onnx.RuntimeFile, englishModel, englishLetters} {
		if err := add(sum, filepath.Join(o.Folder, name)); err != nil {
			return nil, fmt.Errorf("the models for a second look at scans: %w", err)
		}
	}
	return &SecondLook{options: o, identity: hex.EncodeToString(sum.Sum(nil)), places: make(chan struct{}, max(o.Parallel, 1))}, nil
}

func add(to io.Writer, file string) error {
	f, err := os.Open(file) //nolint:gosec // the operator's folder
	if err != nil {
		return err
	}
	defer f.Close() //nolint:errcheck // it was only read
	_, err = io.Copy(to, f)
	return err
}

// Identity is that of the models.
func (s *SecondLook) Identity() string { return s.identity }

const (
	// wellRead is how surely a page is read, on average, that is left as it is:
	// what is doubtful on a clean page is mostly right.
	wellRead = 0.92
	// doubted is below what confidence a word of other pages is looked at again.
	doubted = 0.9
	// mostLooking bounds what is looked at of a page, in pixels of strips: a
	// page of bad print takes some twenty seconds of a processor, not minutes.
	mostLooking = 30_000
)

// Read looks again at the doubtful words of a picture and gives all its words.
// What cannot be looked at stays as it was.
func (s *SecondLook) Read(ctx context.Context, p Picture, words []Word) []Word {
	if _, mean := Quality(words); mean >= wellRead || !slices.Contains(p.Languages, "eng") {
		return words
	}
	spans := doubtful(p, words)
	if len(spans) == 0 {
		return words
	}
	better, err := s.read(ctx, p, words, spans)
	if err != nil {
		if ctx.Err() == nil {
			s.options.Log.WarnContext(ctx, "A scan could not be looked at a second time", "error", err)
		}
		return words
	}
	return better
}

func (s *SecondLook) read(ctx context.Context, p Picture, words []Word, spans []span) ([]Word, error) {
	select {
	case s.places <- struct{}{}:
		defer func() { <-s.places }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n, err := s.take(ctx)
	if err != nil {
		return nil, err
	}
	words = slices.Clone(words)
	for _, span := range spans {
		if err := ctx.Err(); err != nil {
			s.put(n)
			return nil, err
		}
		letters, err := n.read(ctx, span.cut(p))
		if err != nil {
			_ = n.close(ctx) // it is spoiled
			return nil, err
		}
		span.settle(words, letters)
	}
	s.put(n)
	return words, nil
}

// Warm loads what is needed, so that the first page does not have to wait.
func (s *SecondLook) Warm(ctx context.Context) error {
	n, err := s.take(ctx)
	if err == nil {
		s.put(n)
	}
	return err
}

// take gives a network that nobody uses.
func (s *SecondLook) take(ctx context.Context) (*network, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.opened {
		s.opened = true
		s.runtime, s.err = onnx.Open(context.WithoutCancel(ctx), filepath.Join(s.options.Folder, onnx.RuntimeFile), s.options.CacheDir)
	}
	if s.err != nil {
		return nil, s.err
	}
	if last := len(s.idle) - 1; last >= 0 {
		n := s.idle[last]
		s.idle = s.idle[:last]
		return n, nil
	}
	return openNetwork(context.WithoutCancel(ctx), s.runtime, s.options.Folder)
}

func (s *SecondLook) put(n *network) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.idle = append(s.idle, n)
}

// span is a run of doubtful words on a line.
type span struct {
	words []int // by number, from left to right
	box   image.Rectangle
	doubt float64
}

// doubtful finds what is to be looked at again, the most doubtful first where
// it is too much.
func doubtful(p Picture, words []Word) []span {
	byLine := map[int][]int{}
	var lines []int
	for i, w := range words {
		if byLine[w.Line] == nil {
			lines = append(lines, w.Line)
		}
		byLine[w.Line] = append(byLine[w.Line], i)
	}
	var spans []span
	for _, line := range lines {
		on := byLine[line]
		slices.SortStableFunc(on, func(a, b int) int { return cmp.Compare(words[a].X0, words[b].X0) })
		spans = append(spans, runs(p, words, on)...)
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.doubt, b.doubt) })
	room := mostLooking
	for i, s := range spans {
		if room -= s.box.Dx() * stripHeight / s.box.Dy(); room < 0 {
			return spans[:i]
		}
	}
	return spans
}

// runs are the doubtful words of a line, those next to each other together: a
// network reads words better that it sees whole and among others.
func runs(p Picture, words []Word, line []int) (spans []span) {
	last := -1
	for at, i := range line {
		w := words[i]
		if w.Confidence >= doubted || !strings.ContainsFunc(w.Text, isAlphanumeric) {
			continue
		}
		box := image.Rect(w.X0, w.Y0, w.X1, w.Y1)
		if s := len(spans) - 1; s >= 0 && last == at-1 && w.X0-spans[s].box.Max.X < 2*box.Dy() {
			spans[s].words = append(spans[s].words, i)
			spans[s].box = spans[s].box.Union(box)
			spans[s].doubt = min(spans[s].doubt, w.Confidence)
		} else {
			spans = append(spans, span{[]int{i}, box, w.Confidence})
		}
		last = at
	}
	for i := range spans {
		margin := max(2, spans[i].box.Dy()/7)
		spans[i].box = spans[i].box.Inset(-margin).Intersect(image.Rect(0, 0, p.Width, p.Height))
	}
	return slices.DeleteFunc(spans, func(s span) bool { return s.box.Dx() < 4 || s.box.Dy() < 4 })
}

// cut is the span's part of a picture.
func (s span) cut(p Picture) *image.Gray {
	whole := &image.Gray{Pix: p.Grey, Stride: p.Width, Rect: image.Rect(0, 0, p.Width, p.Height)}
	return whole.SubImage(s.box).(*image.Gray)
}

// settle decides for each word between what was read first and now.
func (s span) settle(words []Word, letters []letter) {
	texts := make([]strings.Builder, len(s.words))
	sums, counts := make([]float64, len(s.words)), make([]float64, len(s.words))
	for _, l := range letters {
		if strings.TrimSpace(l.text) == "" {
			continue
		}
		x := float64(s.box.Min.X) + l.at*float64(s.box.Dx())
		nearest, distance := 0, float64(s.box.Dx())
		for i, word := range s.words {
			w := words[word]
			if d := max(float64(w.X0)-x, x-float64(w.X1), 0); d < distance {
				nearest, distance = i, d
			}
		}
		texts[nearest].WriteString(l.text)
		sums[nearest] += l.confidence
		counts[nearest]++
	}
	for i, word := range s.words {
		if counts[i] > 0 {
			words[word].settle(texts[i].String(), sums[i]/counts[i])
		}
	}
}

// marks end words; small as they are, the network often misses them.
const marks = ".,:;"

// settle takes another reading of a word if it is surer. Two that agree are
// surer together.
func (w *Word) settle(text string, confidence float64) {
	first, second := strings.TrimRight(w.Text, marks), strings.TrimRight(text, marks)
	switch {
	case first == second:
		w.Confidence = max(w.Confidence, confidence)
	case believed(first, second, w.Confidence, confidence):
		w.Text, w.Confidence = second+w.Text[len(first):], confidence
	}
}

// believed tells whether the second of two readings of a word is the better
// one.
func believed(first, second string, firstly, secondly float64) bool {
	letters, others := utf8.RuneCountInString(second), utf8.RuneCountInString(first)
	switch {
	case 2*letters < others: // half the word was not seen
		return false
	case letters == others && mixed(first) != mixed(second): // 5PEED is SPEED
		return mixed(first)
	}
	return secondly > firstly
}

// mixed tells whether a word has letters and digits.
func mixed(s string) bool {
	return strings.ContainsFunc(s, unicode.IsLetter) && strings.ContainsFunc(s, unicode.IsDigit)
}

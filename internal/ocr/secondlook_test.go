package ocr

import (
	"image"
	"image/color"
	"image/draw"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

func TestTheSurerReadingWins(t *testing.T) {
	for _, test := range []struct {
		name              string
		first, second     string
		firstly, secondly float64
		want              string
		surely            float64
	}{
		{"surer", "TALAH", "JALAN", 0.6, 0.9, "JALAN", 0.9},
		{"less sure", "JALAN", "TALAH", 0.6, 0.5, "JALAN", 0.6},
		{"both agree", "JALAN", "JALAN", 0.6, 0.9, "JALAN", 0.9},
		{"both agree, but for the mark that is easily missed", "JALAN,", "JALAN", 0.6, 0.9, "JALAN,", 0.9},
		{"the mark stays", "TALAH,", "JALAN.", 0.6, 0.9, "JALAN,", 0.9},
		{"half of it was not seen", "SUBANG", "SU", 0.4, 0.9, "SUBANG", 0.4},
		{"a digit among letters", "SPEED", "5PEED", 0.4, 0.9, "SPEED", 0.4},
		{"a letter among digits", "4l150", "41150", 0.8, 0.7, "41150", 0.7},
		{"more was seen", "4150", "41150", 0.5, 0.9, "41150", 0.9},
	} {
		w := Word{Text: test.first, Confidence: test.firstly}
		w.settle(test.second, test.secondly)
		if w.Text != test.want || w.Confidence != test.surely {
			t.Errorf("%s: %q by %v, want %q by %v", test.name, w.Text, w.Confidence, test.want, test.surely)
		}
	}
}

func word(text string, x, line int, confidence float64) Word {
	return Word{Text: text, X0: x, Y0: 20 * line, X1: x + 40, Y1: 20*line + 14, Line: line, Confidence: confidence}
}

func TestDoubtfulWords(t *testing.T) {
	p := Picture{Width: 400, Height: 400, Grey: make([]byte, 400*400)}
	words := []Word{
		word("sure", 10, 1, 0.95), word("un", 60, 1, 0.5), word("sure", 110, 1, 0.8), word("afar", 300, 1, 0.7),
		word("---", 10, 2, 0.1), word("worst", 60, 3, 0.2),
	}
	var got []string
	for _, s := range doubtful(p, words) {
		var texts []string
		for _, i := range s.words {
			texts = append(texts, words[i].Text)
		}
		got = append(got, strings.Join(texts, " "))
		if !s.box.In(image.Rect(0, 0, p.Width, p.Height)) {
			t.Errorf("%v leaves the picture", s.box)
		}
	}
	if want := "worst|un sure|afar"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", strings.Join(got, "|"), want)
	}
}

func TestHowMuchIsLookedAtIsBounded(t *testing.T) {
	p := Picture{Width: 4000, Height: 100_000}
	var words []Word
	for line := range 4000 {
		words = append(words, word("x", 10, line, 0.5))
	}
	pixels := 0
	for _, s := range doubtful(p, words) {
		pixels += s.box.Dx() * stripHeight / s.box.Dy()
	}
	if pixels == 0 || pixels > mostLooking {
		t.Errorf("%d pixels are looked at", pixels)
	}
}

func TestLettersOf(t *testing.T) {
	if got := lettersOf([]byte("a\r\nb\n#")); strings.Join(got, "|") != "|a|b|#| " {
		t.Errorf("%q", got)
	}
}

// printed draws words in a row, as they would be printed, and gives their boxes.
func printed(t *testing.T, texts ...string) (Picture, []Word) {
	t.Helper()
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: 30, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	paper := image.NewGray(image.Rect(0, 0, 900, 80))
	draw.Draw(paper, paper.Rect, image.White, image.Point{}, draw.Src)
	pen := font.Drawer{Dst: paper, Src: image.NewUniform(color.Black), Face: face, Dot: fixed.P(20, 50)}
	var words []Word
	for _, text := range texts {
		from := pen.Dot.X.Round()
		pen.DrawString(text)
		words = append(words, Word{Text: text, X0: from, Y0: 25, X1: pen.Dot.X.Round(), Y1: 57, Line: 1, Confidence: 0.3})
		pen.Dot.X += fixed.I(12)
	}
	return Picture{Width: 900, Height: 80, Grey: paper.Pix, Languages: []string{"eng"}}, words
}

// modelsFolder is where tools/models puts them.
const modelsFolder = "/usr/local/share/fieldlift/ocr"

func TestSecondLook(t *testing.T) {
	if _, err := os.Stat(modelsFolder); err != nil {
		t.Skip("tools/models has not been run: ", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	look, err := NewSecondLook(SecondLookOptions{
		Folder: modelsFolder, CacheDir: filepath.Join(cache, "fieldlift"), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	p, printedWords := printed(t, "Invoice", "No.", "4711-B", "Total", "1,234.50")
	misread := append([]Word{}, printedWords...)
	misread[0].Text, misread[2].Text, misread[4].Text = "lnvaice", "A711-8", "l.234"
	misread[3].Text, misread[3].Confidence = "untouched", 0.97
	got := look.Read(t.Context(), p, misread)
	for i, want := range []string{"Invoice", "No.", "4711-B", "untouched", "1,234.50"} {
		if got[i].Text != want || got[i].Confidence < 0.5 {
			t.Errorf("%q by %v, want %q", got[i].Text, got[i].Confidence, want)
		}
	}
	if misread[0].Text != "lnvaice" {
		t.Error("the caller's words were changed")
	}
	p.Languages = []string{"deu"}
	if got := look.Read(t.Context(), p, misread); got[0].Text != "lnvaice" {
		t.Error("a language was read that the network has no letters for")
	}
}

func TestModelsThatAreMissing(t *testing.T) {
	if _, err := NewSecondLook(SecondLookOptions{Folder: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "ort-wasm-simd.wasm") {
		t.Errorf("%v", err)
	}
}

// TestBrokenModelsLoseNothing: what was read first stays.
func TestBrokenModelsLoseNothing(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"ort-wasm-simd.wasm", englishModel, englishLetters} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("broken"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var log strings.Builder
	look, err := NewSecondLook(SecondLookOptions{Folder: folder, CacheDir: t.TempDir(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	p, words := printed(t, "Invoice")
	if got := look.Read(t.Context(), p, words); len(got) != 1 || got[0] != words[0] {
		t.Errorf("%v", got)
	}
	if !strings.Contains(log.String(), "is not that of onnxruntime-web") {
		t.Errorf("the log says %q", log.String())
	}
}

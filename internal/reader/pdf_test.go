package reader_test

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/reader"
)

func TestPDFiumIsWhereWeExpectIt(t *testing.T) {
	if wasm := reader.PDFiumWasm(); !bytes.HasPrefix(wasm, []byte("\x00asm")) {
		t.Fatalf("go-pdfium no longer keeps its module in the variable webassembly.pdfiumWasm (%d bytes found): "+
			"find where the upgrade has put it, and mend the go:linkname in pdfium.go", len(wasm))
	}
}

func TestWords(t *testing.T) {
	content := show("F1", 12, 72, 700, "Invoice No. (42) due") + show("F2", 18, 72, 650, "Total") +
		"BT /F1 1 Tf 10 0 0 10 300 600 Tm (Scaled) Tj ET\n" +
		show("F1", 10, 400, 500, "left") + show("F1", 10, 500, 500, "right") +
		show("F1", 10, 100, 2000, "unseen")
	d := read(t, makePDF([]sheet{{content: content}}))
	if d.Kind != "pdf" || len(d.Pages) != 1 {
		t.Fatalf("%s with %d pages", d.Kind, len(d.Pages))
	}
	p := d.Pages[0]
	if p.Number != 1 || p.Width != 595 || p.Height != 842 || p.Images != 0 {
		t.Errorf("page %d is %g x %g with images %g", p.Number, p.Width, p.Height, p.Images)
	}
	if got, want := texts(p), "Invoice No. (42) due Total Scaled left right"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, w := range p.Words {
		if w.Source != fieldlift.SourceText || w.Confidence != 1 || w.Bold != (w.Text == "Total") {
			t.Errorf("%+v", w)
		}
	}
	total := word(t, p, "Total")
	if total.Size != 18 || word(t, p, "Scaled").Size != 10 {
		t.Errorf("sizes %g, %g", total.Size, word(t, p, "Scaled").Size)
	}
	// The box reaches around the base line, and no further than the letters.
	near(t, "left", total.Box.X0, 72./595, 0.005)
	near(t, "right", total.Box.X1, (72.+44)/595, 0.01)
	if base := (842. - 650) / 842; total.Box.Y0 > base-0.012 || total.Box.Y1 < base || total.Box.Height() > 25./842 {
		t.Errorf("%+v is not around %g", total.Box, base)
	}
}

func TestRotationAndCropAreUndone(t *testing.T) {
	// The same word printed so that it stands upright at the same place of the
	// displayed page, whatever the page's rotation: 100 points from the left and
	// 50 from the top of the visible part, which is 400 x 600 as displayed.
	for _, c := range []struct {
		rotate  int
		cropBox string
		matrix  string
	}{
		{0, "10 20 410 620", "1 0 0 1 110 570"},
		{90, "10 20 610 420", "0 1 -1 0 60 120"},
		{180, "10 20 410 620", "-1 0 0 -1 310 70"},
		{270, "10 20 610 420", "0 -1 1 0 560 320"},
		{-90, "10 20 610 420", "0 -1 1 0 560 320"},
	} {
		t.Run(fmt.Sprint(c.rotate), func(t *testing.T) {
			content := fmt.Sprintf("BT /F1 12 Tf %s Tm (Upright) Tj ET\n", c.matrix)
			file := makePDF([]sheet{{content: content, rotate: c.rotate, mediaBox: "0 0 700 700", cropBox: c.cropBox}})
			p := read(t, file).Pages[0]
			if p.Width != 400 || p.Height != 600 {
				t.Errorf("%g x %g", p.Width, p.Height)
			}
			w := word(t, p, "Upright")
			near(t, "left", w.Box.X0, 100./400, 0.005)
			near(t, "width", w.Box.Width(), 42./400, 0.01)
			near(t, "bottom", w.Box.Y1, 52.5/600, 0.002)
			near(t, "height", w.Box.Height(), 12./600, 0.001)
			if w.Size != 12 {
				t.Errorf("size %g", w.Size)
			}

			drawn, err := setup(t).Render(t.Context(), write(t, "a.pdf", file), 1, 72)
			if err != nil {
				t.Fatal(err)
			}
			img, err := png.Decode(bytes.NewReader(drawn))
			if err != nil {
				t.Fatal(err)
			}
			if b := img.Bounds(); b.Dx() != 400 || b.Dy() != 600 {
				t.Errorf("drawn as %v", b)
			}
			dark := darkBox(img)
			near(t, "left of the ink", dark.X0, w.Box.X0, 0.01)
			near(t, "right of the ink", dark.X1, w.Box.X1, 0.01)
			if dark.Y0 < w.Box.Y0-0.005 || dark.Y1 > w.Box.Y1+0.005 {
				t.Errorf("ink from %g to %g, box from %g to %g", dark.Y0, dark.Y1, w.Box.Y0, w.Box.Y1)
			}
		})
	}
}

func TestRulesAndPictures(t *testing.T) {
	p := read(t, makePDF([]sheet{{content: strings.Join([]string{
		"1 w 50 800 m 250 800 l S",                   // a stroke
		"60 700 0.5 80 re f",                         // a thin box, upright
		"300 300 100 50 re S",                        // a frame: four
		"0.9 g 300 400 100 50 re f 0 g",              // a shaded box: four
		"1 g 300 500 100 50 re f 0 g",                // a white one: none
		"0 0 595 842 re W n",                         // a clip: none
		"100 100 m 200 200 l S",                      // a slanted line: none
		"100 100 m 150 200 250 200 300 100 c S",      // a curve: none
		"q 2 0 0 1 10 20 cm /Fm Do Q",                // in a form: one, of 200 points
		"q 297.5 0 0 421 0 0 cm /Im Do Q",            // a quarter of the page
		"q 100 0 0 100 -50 -50 cm /Im Do Q /Self Do", // mostly out of sight
	}, "\n")}})).Pages[0]
	if len(p.Rules) != 11 {
		t.Errorf("%d rules: %+v", len(p.Rules), p.Rules)
	}
	near(t, "pictures", p.Images, 0.25+2500./(595*842), 0.001)
	first, second, inForm := p.Rules[0], p.Rules[1], p.Rules[len(p.Rules)-1]
	if first.Vertical || !second.Vertical || inForm.Vertical {
		t.Errorf("%+v %+v %+v", first, second, inForm)
	}
	near(t, "x0", first.Box.X0, 50./595, 1e-6)
	near(t, "x1", first.Box.X1, 250./595, 1e-6)
	near(t, "y", first.Box.CenterY(), 42./842, 1e-6)
	near(t, "thickness", first.Box.Height(), 1./842, 1e-6)
	near(t, "height", second.Box.Height(), 80./842, 1e-6)
	near(t, "x0 in the form", inForm.Box.X0, 10./595, 1e-6)
	near(t, "x1 in the form", inForm.Box.X1, 210./595, 1e-6)
	near(t, "y in the form", inForm.Box.CenterY(), 822./842, 1e-6)
}

func TestFilledFormFieldsAreRead(t *testing.T) {
	file := makePDF([]sheet{{content: show("F1", 12, 72, 700, "Name"), annotations: "8 0 R"}},
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Ada) /F 4 /Rect [150 690 300 710] /AP << /N 9 0 R >> >>",
		"<< /Type /XObject /Subtype /Form /BBox [0 0 150 20] /Resources << /Font << /F1 3 0 R >> >> /Length 36 >>\n"+
			"stream\nBT /F1 12 Tf 2 5 Td (Lovelace) Tj ET\nendstream")
	p := read(t, file).Pages[0]
	if got := texts(p); got != "Name Lovelace" {
		t.Fatalf("got %q", got)
	}
	near(t, "left", word(t, p, "Lovelace").Box.X0, 152.7/595, 0.002)
}

func TestManyPages(t *testing.T) {
	var sheets []sheet
	for n := range 12 {
		sheets = append(sheets, sheet{content: show("F1", 12, 72, 700, fmt.Sprintf("Page%d", n+1))})
	}
	path := write(t, "a.pdf", makePDF(sheets))
	r := setup(t)
	info, err := r.Inspect(t.Context(), path)
	if err != nil || info != (reader.Info{Kind: "pdf", ContentType: "application/pdf", Pages: 12}) {
		t.Errorf("%+v, %v", info, err)
	}
	d, err := r.Read(t.Context(), path)
	if err != nil || len(d.Pages) != 12 {
		t.Fatal(d, err)
	}
	for n, p := range d.Pages {
		if want := fmt.Sprintf("Page%d", n+1); p.Number != n+1 || texts(p) != want {
			t.Errorf("page %d says %q", p.Number, texts(p))
		}
	}
	_, err = r.Render(t.Context(), path, 13, 72)
	refused(t, err, fieldlift.InvalidPayload, "There is no page 13; the file has 12.")

	few := setup(t, func(o *reader.Options) { o.MaxPages = 11 })
	_, err = few.Inspect(t.Context(), path)
	refused(t, err, fieldlift.InvalidPayload, "The file has more than 11 pages, which is the limit.")
}

func TestPDFBehindJunk(t *testing.T) {
	file := append([]byte(strings.Repeat("junk\n", 150)), makePDF([]sheet{{content: show("F1", 12, 72, 700, "Found")}})...)
	if got := texts(read(t, file).Pages[0]); got != "Found" {
		t.Errorf("got %q", got)
	}
}

func TestEnormousPagesAreDrawnSmaller(t *testing.T) {
	for _, box := range []string{"0 0 14400 14400", "0 0 1 14400", "0 0 100000000 100000000"} {
		drawn, err := setup(t).Render(t.Context(), write(t, "a.pdf", makePDF([]sheet{{mediaBox: box}})), 1, 600)
		if err != nil {
			t.Errorf("%s: %v", box, err)
			continue
		}
		config, err := png.DecodeConfig(bytes.NewReader(drawn))
		if err != nil || config.Width*config.Height > 36_000_000 {
			t.Errorf("%s: %d x %d, %v", box, config.Width, config.Height, err)
		}
	}
}

func TestDamagedPDFs(t *testing.T) {
	whole := makePDF([]sheet{{content: show("F1", 12, 72, 700, "Hello")}})
	const damagedMessage = "The PDF is damaged or of a variety that cannot be read."
	for name, c := range map[string]struct {
		file    []byte
		message string
	}{
		"a header and no more": {[]byte("%PDF-1.7\n"), damagedMessage},
		"cut early":            {whole[:60], damagedMessage},
		"no pages":             {makePDF(nil), "The PDF has no pages."},
		"pages that are not there": {bytes.Replace(bytes.Replace(whole, []byte("/Kids [8 0 R]"), []byte("/Kids [5 0 R]"), 1),
			[]byte("/Count 1"), []byte("/Count 3"), 1), damagedMessage},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "a.pdf", c.file)
			r := setup(t)
			_, err := r.Inspect(t.Context(), path)
			refused(t, err, fieldlift.PageCountFailed, c.message)
			_, err = r.Read(t.Context(), path)
			refused(t, err, fieldlift.PageCountFailed, c.message)
			_, err = r.Render(t.Context(), path, 1, 72)
			refused(t, err, fieldlift.PageCountFailed, c.message)
		})
	}
	t.Run("one without its index is mended", func(t *testing.T) {
		cut := whole[:bytes.LastIndex(whole, []byte("xref\n0"))]
		cut = append(cut, []byte("trailer << /Root 1 0 R >>")...)
		if got := texts(read(t, cut).Pages[0]); got != "Hello" {
			t.Errorf("got %q", got)
		}
	})
}

func read(t *testing.T, file []byte) *page.Document {
	t.Helper()
	d, err := setup(t).Read(t.Context(), write(t, "file", file))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func texts(p page.Page) string {
	var all []string
	for _, w := range p.Words {
		all = append(all, w.Text)
	}
	return strings.Join(all, " ")
}

func word(t *testing.T, p page.Page, text string) page.Word {
	t.Helper()
	for _, w := range p.Words {
		if w.Text == text {
			return w
		}
	}
	t.Fatalf("no word %q in %q", text, texts(p))
	return page.Word{}
}

func near(t *testing.T, what string, got, want, slack float64) {
	t.Helper()
	if !(math.Abs(got-want) <= slack) {
		t.Errorf("%s: %g, want %g", what, got, want)
	}
}

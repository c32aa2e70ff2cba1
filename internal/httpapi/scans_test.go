package httpapi_test

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"fieldlift/api"
	"fieldlift/internal/app"
	"fieldlift/internal/apptest"
	"fieldlift/internal/blob"
)

// letterOf is an invoice with enough prose on it to tell how it lies.
func letterOf(number string) []byte {
	return apptest.PDF("ACME Tools Ltd\nInvoice Number: " + number + "\nInvoice Date: 2026-05-03\nTotal: 1,234.50\n\n" +
		"Thank you for your order. The goods described below have been\ndispatched today, and should be with you before the end of the week.\n" +
		"Please pay within thirty days of the date of this invoice.")
}

func TestScans(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser := a.NewParser(t, "Invoices", invoiceFields...)
	asPrinted := a.Accepted(t, parser, apptest.File{Name: "print.pdf", Content: letterOf("SC-4711")})
	printed := a.Finished(t, asPrinted.ExtractionID).Documents[0]
	if p := printed.Pages[0]; len(printed.Pages) != 1 || p.Source != "text" || p.Confidence != 1 || p.Page != 1 || p.DPI != 0 {
		t.Errorf("%+v", printed.Pages)
	}
	for _, c := range []struct {
		lies     float64 // degrees clockwise
		rotation int
		skew     float64
	}{{0, 0, 0}, {90, 270, 0}, {180, 180, 0}, {270, 90, 0}, {6, 0, 6}, {84, 270, -6}} {
		t.Run(fmt.Sprintf("a sheet that lies at %g°", c.lies), func(t *testing.T) {
			x := a.Accepted(t, parser, apptest.File{Name: "scan.png", Content: apptest.Scan(t, letterOf("SC-4711"), c.lies)})
			d := a.Finished(t, x.ExtractionID).Documents[0]
			if string(d.ExtractedData) != string(printed.ExtractedData) {
				t.Errorf("%s, want %s", d.ExtractedData, printed.ExtractedData)
			}
			if len(d.Pages) != 1 {
				t.Fatalf("%+v", d.Pages)
			}
			p := d.Pages[0]
			if p.Source != "ocr" || p.Rotation != c.rotation || math.Abs(p.Skew-c.skew) > 0.3 || p.Languages != "eng" || p.DPI != 0 || p.Confidence < 0.8 || p.Reason == "" {
				t.Errorf("%+v", p)
			}
			for pointer, m := range d.FieldMetadata {
				if m.Source != "ocr" || len(m.Boxes) == 0 {
					t.Fatalf("%s: %+v", pointer, m)
				}
				wantNear(t, pointer, m.Boxes[0], lying(printed.FieldMetadata[pointer].Boxes[0], c.lies))
			}
		})
	}
}

// lying is where a box of an upright A4 page is when the sheet lies at an
// angle, in fractions of the picture that holds it.
func lying(box [4]float64, degrees float64) [4]float64 {
	const width, height = 595, 842
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	w, h := width*math.Abs(cos)+height*math.Abs(sin), width*math.Abs(sin)+height*math.Abs(cos)
	out := [4]float64{1, 1, 0, 0}
	for _, corner := range [4][2]int{{0, 1}, {2, 1}, {0, 3}, {2, 3}} {
		x, y := (box[corner[0]]-0.5)*width, (box[corner[1]]-0.5)*height
		u, v := (x*cos-y*sin)/w+0.5, (x*sin+y*cos)/h+0.5
		out = [4]float64{min(out[0], u), min(out[1], v), max(out[2], u), max(out[3], v)}
	}
	return out
}

func wantNear(t *testing.T, name string, got, want [4]float64) {
	t.Helper()
	for i := range got {
		if math.Abs(got[i]-want[i]) > 0.012 {
			t.Errorf("%s is at %.3f, want %.3f", name, got, want)
			return
		}
	}
}

func TestWhatWasRecognisedIsKept(t *testing.T) {
	onEachWithFiles(t, func(t *testing.T, on apptest.Option) {
		a := apptest.Start(t, on)
		scan := apptest.File{Name: "scan.png", Content: apptest.Scan(t, apptest.Invoice("K-1"), 0)}
		first := a.Accepted(t, a.NewParser(t, "One", api.Field{Name: "invoice_number"}), scan)
		if d := a.Finished(t, first.ExtractionID).Documents[0]; !strings.Contains(string(d.ExtractedData), "K-1") {
			t.Fatalf("%s", d.ExtractedData)
		}
		if n := recognised(t, a); n != "1" {
			t.Fatalf("%s pages were recognised", n)
		}
		second := a.Accepted(t, a.NewParser(t, "Two", api.Field{Name: "total", Type: "number"}), scan)
		if d := a.Finished(t, second.ExtractionID).Documents[0]; !strings.Contains(string(d.ExtractedData), "1234.5") || d.Pages[0].Source != "ocr" {
			t.Errorf("%s %+v", d.ExtractedData, d.Pages)
		}
		if n := recognised(t, a); n != "1" {
			t.Errorf("the same file was recognised again for another parser: %s", n)
		}

		t.Run("it goes with its document, and the other keeps its own", func(t *testing.T) {
			a.Send(t, "DELETE", "/v1/extractions/"+first.ExtractionID, nil).WantStatus(t, http.StatusNoContent)
			if a.Config.BlobURL == "" {
				for _, path := range filesBelow(t, filepath.Join(a.Config.DataDir, blob.FolderName)) {
					if strings.Contains(path, first.ExtractionID) {
						t.Errorf("%s is left", path)
					}
				}
			}
			third := a.Accepted(t, a.NewParser(t, "Three", api.Field{Name: "invoice_number"}), scan)
			a.Finished(t, third.ExtractionID)
			if n := recognised(t, a); n != "1" {
				t.Errorf("%s pages were recognised", n)
			}
		})
		t.Run("another account has it recognised for itself", func(t *testing.T) {
			stranger := a.NewAccount(t, "eve@example.com", 10)
			theirs := *a
			theirs.Account, theirs.Key = stranger, a.NewKey(t, stranger, "theirs")
			x := theirs.Accepted(t, theirs.NewParser(t, "Mine", api.Field{Name: "total", Type: "number"}), scan)
			theirs.Finished(t, x.ExtractionID)
			if n := recognised(t, a); n != "2" {
				t.Errorf("%s pages were recognised", n)
			}
		})
	})
}

// recognised tells how many pages were recognised.
func recognised(t *testing.T, a *apptest.App) string {
	t.Helper()
	text := a.Send(t, "GET", "/metrics", nil).WantStatus(t, http.StatusOK).Text
	_, after, _ := strings.Cut(text, "\nfieldlift_ocr_pages_total ")
	count, _, _ := strings.Cut(after, "\n")
	return count
}

func TestFieldsOfAScanAreDetected(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser := a.NewParser(t, "Bills")
	scan := apptest.Scan(t, bill, 0)
	first := detected(t, detect(t, a, parser, detectForm(scan)))
	found := properties(t, first.Schema)
	if found["invoice_number"].Type != "string" || found["invoice_date"].Format != "date" || found["line_items"].Type != "array" {
		t.Errorf("%v", found)
	}
	x := a.Accepted(t, parser, apptest.File{Name: "scan.png", Content: scan})
	if d := a.Finished(t, x.ExtractionID).Documents[0]; !strings.Contains(string(d.ExtractedData), `"A-4711"`) {
		t.Errorf("%s", d.ExtractedData)
	}
	detected(t, detect(t, a, parser, map[string]any{"sample_file_id": first.SampleFileID, "replace_existing_schema": true}))
	if n := recognised(t, a); n != "1" {
		t.Errorf("%s pages were recognised: what was read off the sample is not used again", n)
	}
	detected(t, detect(t, a, parser, detectForm(bill, "replace_existing_schema", "true")))
	for _, path := range filesBelow(t, filepath.Join(a.Config.DataDir, blob.FolderName)) {
		if strings.Contains(path, first.SampleFileID) {
			t.Errorf("%s is left of a sample that was replaced", path)
		}
	}
}

func TestWithoutTesseract(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t), apptest.With(func(c *app.Config) { c.OCRProgram = filepath.Join(t.TempDir(), "tesseract") }))
	parser := a.NewParser(t, "Invoices", invoiceFields...)
	x := a.Accepted(t, parser, invoice("A-1"), apptest.File{Name: "scan.png", Content: apptest.Scan(t, apptest.Invoice("A-2"), 0)})
	documents := a.Finished(t, x.ExtractionID).Documents
	if d := documents[0]; d.Status != "completed" || !strings.Contains(string(d.ExtractedData), "A-1") {
		t.Errorf("%+v", d)
	}
	want := "The document has pages without text of their own, and nothing is installed that reads pictures. On Debian and Ubuntu: apt-get install tesseract-ocr."
	if d := documents[1]; d.Status != "failed" || d.ErrorMessage == nil || *d.ErrorMessage != want || len(d.Pages) != 0 {
		t.Errorf("%+v", d)
	}
	answer := detect(t, a, a.NewParser(t, "Bills"), detectForm(apptest.Scan(t, bill, 0)))
	if answer.WantError(t, http.StatusBadRequest, "UNSUPPORTED_FILE_TYPE"); !strings.Contains(answer.Text, "apt-get install tesseract-ocr") {
		t.Errorf("%s", answer.Text)
	}
	ready := apptest.Into[api.Health](t, a.Send(t, "GET", "/readyz", nil).WantStatus(t, http.StatusOK))
	if ready.Status != "ready" || len(ready.Missing) != 1 || !strings.Contains(ready.Missing[0], "apt-get install tesseract-ocr") {
		t.Errorf("%+v", ready)
	}
}

func TestReadyWithTesseract(t *testing.T) {
	a := apptest.Start(t, apptest.OnSQLite(t))
	if ready := apptest.Into[api.Health](t, a.Send(t, "GET", "/readyz", nil).WantStatus(t, http.StatusOK)); len(ready.Missing) != 0 {
		t.Errorf("%+v", ready)
	}
}

// The ways in which text lies on a picture.
const (
	under     = -1 // printed, and the picture is laid over it
	visible   = 0
	invisible = 3
)

// scanned is a PDF's page that is a picture, with text lying on it in some way.
func scanned(t *testing.T, content []byte, mode int, text string) (page, picture, drawing string) {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(apptest.Scan(t, content, 0)))
	if err != nil {
		t.Fatal(err)
	}
	grey := img.(*image.Gray)
	picture = fmt.Sprintf("<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Length %d >>\nstream\n%s\nendstream",
		grey.Rect.Dx(), grey.Rect.Dy(), len(grey.Pix), grey.Pix)
	const paint = "q 595 0 0 842 0 0 cm /I Do Q\n"
	drawing = fmt.Sprintf("BT %d Tr /F1 10 Tf 14 TL 300 700 Td ", max(mode, 0))
	for line := range strings.SplitSeq(text, "\n") {
		drawing += "(" + line + ") Tj T* "
	}
	drawing += "ET\n"
	if mode == under {
		drawing += paint
	} else {
		drawing = paint + drawing
	}
	return "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> /XObject << /I %d 0 R >> >> /Contents %d 0 R >>",
		picture, fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(drawing), drawing)
}

func TestEachPageIsJudgedByItself(t *testing.T) {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>",
		"<< /Type /Pages /Count 5 /Kids [4 0 R 7 0 R 10 0 R 13 0 R 16 0 R] >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
	}
	nonsense := strings.TrimSuffix(strings.Repeat("qwx zzkp vvbn rrtq wpx kkj ghx zzt\n", 20), "\n")
	heading := strings.TrimSuffix(strings.Repeat("Received by the office on the day of its arrival, and put on file there\n", 4), "\n")
	for i, one := range []struct {
		mode int
		text string
	}{{visible, "RECEIVED 2026"}, {invisible, nonsense}, {visible, ""}, {under, nonsense}, {visible, heading}} {
		content := letterOf(fmt.Sprintf("P-%d", i+1))
		if i == 2 {
			content = apptest.PDF("") // an empty sheet
		}
		page, picture, drawing := scanned(t, content, one.mode, one.text)
		n := len(objects) + 1
		objects = append(objects, fmt.Sprintf(page, n+1, n+2), picture, drawing)
	}
	a := apptest.Start(t, apptest.OnSQLite(t))
	parser, err := a.Client().CreateParser(t.Context(), api.ParserCreate{Name: "Pages", ResultMode: "one_per_page", Fields: invoiceFields[:1]})
	if err != nil {
		t.Fatal(err)
	}
	x := a.Accepted(t, parser.ParserID, apptest.File{Name: "mixed.pdf", Content: apptest.PDFOf(objects...)}, invoice("T-1"))
	d := a.Finished(t, x.ExtractionID).Documents
	var sources []string
	for _, p := range append(d[0].Pages, d[1].Pages...) {
		sources = append(sources, p.Source)
	}
	if got := strings.Join(sources, " "); got != "mixed ocr none ocr mixed text" {
		t.Errorf("%s: %+v", got, d[0].Pages)
	}
	if dpi := d[0].Pages[0].DPI; dpi < 100 {
		t.Errorf("a page of a PDF was recognised at %d dpi", dpi)
	}
	want := `{"pages":[{"page":1,"invoice_number":"P-1"},{"page":2,"invoice_number":"P-2"},{"page":3,"invoice_number":null},` +
		`{"page":4,"invoice_number":"P-4"},{"page":5,"invoice_number":"P-5"}]}`
	if string(d[0].ExtractedData) != want {
		t.Errorf("%s", d[0].ExtractedData)
	}
}

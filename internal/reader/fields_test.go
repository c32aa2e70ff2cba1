package reader_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"fieldlift"
	"fieldlift/internal/page"
	"fieldlift/internal/reader"
)

func TestFormFields(t *testing.T) {
	const states = "/AP << /N << /%s 20 0 R /Off 20 0 R >> >>"
	fields := []string{
		"/Parent 21 0 R /T (name) /TU (Full name) /FT /Tx /V (Ada Lovelace) /Rect [100 700 300 715]",
		"/FT /Tx /T (notes) /Ff 4096 /V (first line\\rsecond) /Rect [100 640 300 680]",
		"/FT /Tx /T (secret) /Ff 8192 /V (hunter2) /Rect [100 620 300 635]",
		"/FT /Tx /T (unseen) /F 2 /V (hidden) /Rect [100 600 300 615]",
		"/FT /Btn /T (agree) /V /Yes /AS /Yes /Rect [100 580 110 590] " + fmt.Sprintf(states, "Yes"),
		"/FT /Btn /T (news) /V /Off /AS /Off /Rect [100 560 110 570] " + fmt.Sprintf(states, "On"),
		"/Parent 22 0 R /AS /Off /Rect [100 540 110 550] " + fmt.Sprintf(states, "cash"),
		"/Parent 22 0 R /AS /card /Rect [150 540 160 550] " + fmt.Sprintf(states, "card"),
		"/FT /Ch /Ff 131072 /T (country) /Opt [[(DE) (Germany)] [(FR) (France)]] /V (FR) /Rect [100 520 300 535]",
		"/FT /Ch /Ff 2097152 /T (tongues) /Opt [(German) (French) (Dutch)] /V [(German) (Dutch)] /Rect [100 480 300 515]",
		"/FT /Sig /T (signature) /V 23 0 R /Rect [100 440 300 470]",
		"/FT /Btn /Ff 65536 /T (print) /Rect [100 400 300 430]",
	}
	file := makeForm("", fields, "21 0 R 22 0 R",
		stream("/Type /XObject /Subtype /Form /BBox [0 0 10 10]", ""),
		"<< /T (applicant) /Kids [8 0 R] >>",
		"<< /FT /Btn /Ff 49152 /T (payment) /TU (How will you pay?) /V /card /Kids [14 0 R 15 0 R] >>",
		"<< /Type /Sig /Filter /Adobe.PPKLite >>")
	p := read(t, file).Pages[0]
	want := []page.FormField{
		{Name: "applicant.name", Label: "Full name", Kind: page.FieldText, Value: "Ada Lovelace"},
		{Name: "notes", Kind: page.FieldText, Value: "first line\nsecond"},
		{Name: "secret", Kind: page.FieldText},
		{Name: "agree", Kind: page.FieldCheckbox, Value: "Yes", Checked: true},
		{Name: "news", Kind: page.FieldCheckbox, Value: "On"},
		{Name: "payment", Label: "How will you pay?", Kind: page.FieldRadio, Value: "cash"},
		{Name: "payment", Label: "How will you pay?", Kind: page.FieldRadio, Value: "card", Checked: true},
		{Name: "country", Kind: page.FieldCombo, Value: "France"},
		{Name: "tongues", Kind: page.FieldList, Value: "German\nDutch"},
		{Name: "signature", Kind: page.FieldSignature, Checked: true},
	}
	if diff := cmp.Diff(want, p.Fields, cmpopts.IgnoreFields(page.FormField{}, "Box")); diff != "" {
		t.Error(diff)
	}
	box := p.Fields[0].Box
	near(t, "left", box.X0, 100./595, 1e-4)
	near(t, "top", box.Y0, (842.-715)/842, 1e-4)
	near(t, "right", box.X1, 300./595, 1e-4)
	near(t, "bottom", box.Y1, (842.-700)/842, 1e-4)

	// What no one has printed is among the words all the same, in its place.
	if got := texts(p); got != "Ada Lovelace first line second ******* France German French Dutch" {
		t.Errorf("words: %q", got)
	}
	for _, w := range p.Words {
		if (w.Source == fieldlift.SourceForm) != (w.Text != "*******" && w.Text != "French") || w.Confidence != 1 {
			t.Errorf("%+v", w)
		}
	}
	ada, lovelace := word(t, p, "Ada").Box, word(t, p, "Lovelace").Box
	if ada.X0 < box.X0 || lovelace.X1 > box.X1 || ada.X1 >= lovelace.X0 || ada.Y0 < box.Y0 || ada.Y1 > box.Y1 {
		t.Errorf("%+v and %+v in %+v", ada, lovelace, box)
	}
	if first, second := word(t, p, "first").Box, word(t, p, "second").Box; first.CenterY() > second.Y0 {
		t.Errorf("%+v is not above %+v", first, second)
	}

	var ticks []string
	for _, c := range p.Checkboxes {
		if c.Confidence != 1 || c.Source != fieldlift.SourceForm {
			t.Errorf("%+v", c)
		}
		ticks = append(ticks, fmt.Sprint(c.Checked))
	}
	if got := strings.Join(ticks, " "); got != "true false false true" {
		t.Errorf("ticked: %s", got)
	}
}

func TestPrintedFieldsAreNotDoubled(t *testing.T) {
	print := func(content string) string {
		return stream("/Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >>", content)
	}
	cells := ""
	for n, digit := range "123456789" {
		cells += show("F1", 10, float64(5+20*n), 5, string(digit))
	}
	file := makeForm(show("F1", 10, 40, 705, "Name")+show("F1", 10, 40, 655, "Number"), []string{
		"/FT /Tx /T (name) /V (Ada Lovelace) /Rect [100 700 300 720] /AP << /N 10 0 R >>",
		"/FT /Tx /T (number) /Ff 16777216 /MaxLen 9 /V (123456789) /Rect [100 650 300 670] /AP << /N 11 0 R >>",
	}, "", print(show("F1", 10, 2, 5, "Ada Lovelace")), print(cells))
	p := read(t, file).Pages[0]
	if got := texts(p); got != "Name Number Ada Lovelace 123456789" {
		t.Errorf("words: %q", got)
	}
	for _, w := range p.Words {
		if (w.Source == fieldlift.SourceForm) != (w.Text != "Name" && w.Text != "Number") {
			t.Errorf("%+v", w)
		}
	}
	near(t, "left", word(t, p, "123456789").Box.X0, 105./595, 0.002)
	near(t, "right", word(t, p, "123456789").Box.X1, 271./595, 0.003)
}

func TestFieldsThatTheFormForgot(t *testing.T) {
	file := makePDF([]sheet{{annotations: "8 0 R 9 0 R 10 0 R"}},
		"<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /TU (Your name) /V (Ada) /Rect [100 700 300 715] >>",
		"<< /Type /Annot /Subtype /Widget /FT /Btn /T (agree) /AS /Yes /Rect [100 580 110 590] >>",
		"<< /Type /Annot /Subtype /Link /Rect [0 0 10 10] >>")
	p := read(t, file).Pages[0]
	want := []page.FormField{
		{Name: "name", Label: "Your name", Kind: page.FieldText, Value: "Ada"},
		{Name: "agree", Kind: page.FieldCheckbox, Value: "Yes", Checked: true},
	}
	if diff := cmp.Diff(want, p.Fields, cmpopts.IgnoreFields(page.FormField{}, "Box")); diff != "" {
		t.Error(diff)
	}
	if got := texts(p); got != "Ada" {
		t.Errorf("words: %q", got)
	}
}

func TestHostileForms(t *testing.T) {
	t.Run("a field that is its own kin", func(t *testing.T) {
		file := makeForm(show("F1", 10, 40, 705, "Hello"), []string{
			"/Parent 9 0 R /FT /Tx /T (a) /V (one) /Kids [9 0 R] /Rect [100 700 300 720]",
			"/Parent 8 0 R /FT /Tx /T (b) /V (two) /Kids [8 0 R] /Rect [100 650 300 670]",
		}, "")
		if p := read(t, file).Pages[0]; !strings.Contains(texts(p), "Hello") {
			t.Errorf("words: %q", texts(p))
		}
	})
	t.Run("a tree of fields without end", func(t *testing.T) {
		file := makeForm("", []string{
			"/T (a) /Kids [9 0 R 10 0 R] /Rect [0 0 9 9]", "/T (b) /Kids [8 0 R 10 0 R] /Rect [0 0 9 9]", "/T (c) /Kids [8 0 R 9 0 R] /Rect [0 0 9 9]",
		}, "")
		r := setup(t, func(o *reader.Options) { o.Deadline = time.Second })
		if err := r.Warm(t.Context()); err != nil {
			t.Fatal(err)
		}
		_, err := r.Read(t.Context(), write(t, "a.pdf", file))
		refused(t, err, fieldlift.PageCountFailed, "The PDF takes too long to read.")
	})
	t.Run("more fields than a page can have", func(t *testing.T) {
		var fields []string
		for n := range 5000 {
			fields = append(fields, fmt.Sprintf("/FT /Tx /T (f%d) /V (v%d) /Rect [100 %d 200 %d]", n, n, n%800, n%800+10))
		}
		if n := len(read(t, makeForm("", fields, "")).Pages[0].Fields); n != 2000 {
			t.Errorf("%d fields", n)
		}
	})
	t.Run("a value as long as a book", func(t *testing.T) {
		file := makeForm("", []string{"/FT /Tx /T (a) /V (" + strings.Repeat("long ", 1<<20) + ") /Rect [100 700 300 720]"}, "")
		if f := read(t, file).Pages[0].Fields; len(f) != 1 || f[0].Value != "" {
			t.Errorf("%d fields", len(f))
		}
	})
	t.Run("boxes that are nowhere", func(t *testing.T) {
		file := makeForm("", []string{"/FT /Tx /T (a) /V (b) /Rect [9000 9000 9100 9100]", "/FT /Tx /T (a) /V (b)"}, "")
		if f := read(t, file).Pages[0].Fields; len(f) > 1 {
			t.Errorf("%+v", f)
		}
	})
}

package reader_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
	"testing"

	"fieldlift/internal/einvoice"
)

// attach makes a page with files attached, names and contents in turn.
func attach(files ...string) []byte {
	var names, objects []string
	for n := 0; n < len(files); n += 2 {
		names = append(names, fmt.Sprintf("(%s) %d 0 R", files[n], 8+n))
		objects = append(objects,
			fmt.Sprintf("<< /Type /Filespec /F (%s) /UF (%s) /EF << /F %d 0 R >> /AFRelationship /Alternative >>", files[n], files[n], 9+n),
			files[n+1])
	}
	return makePDFWith("/Names << /EmbeddedFiles << /Names ["+strings.Join(names, " ")+"] >> >>",
		[]sheet{{content: show("F1", 12, 72, 700, "Invoice")}}, objects...)
}

func plain(content string) string { return stream("/Type /EmbeddedFile /Subtype /text#2Fxml", content) }

func deflated(content string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = w.Write([]byte(content)) // to memory
	_ = w.Close()
	return stream("/Type /EmbeddedFile /Filter /FlateDecode", b.String())
}

func TestInvoicesWithinPDFs(t *testing.T) {
	numbered := func(number string) string { return "<Invoice><ID>" + number + "</ID></Invoice>" }
	const older = `<rsm:CrossIndustryDocument xmlns:rsm="urn:ferd:CrossIndustryDocument:invoice:1p0" xmlns:ram="urn:ram">
		<rsm:HeaderExchangedDocument><ram:ID>Z1</ram:ID></rsm:HeaderExchangedDocument></rsm:CrossIndustryDocument>`
	for name, c := range map[string]struct {
		file []byte
		want string // its number
	}{
		"no attachment":          {makePDF([]sheet{{content: show("F1", 12, 72, 700, "Invoice")}}), ""},
		"Factur-X":               {attach("factur-x.xml", plain(numbered("F1"))), "F1"},
		"compressed":             {attach("xrechnung.xml", deflated(numbered("X1"))), "X1"},
		"ZUGFeRD 1":              {attach("ZUGFeRD-invoice.xml", plain(older)), "Z1"},
		"a name of one's own":    {attach("4711.xml", plain(numbered("47"))), "47"},
		"the standard's name":    {attach("a.xml", plain(numbered("no")), "factur-x.xml", plain(numbered("F2"))), "F2"},
		"XML that is no invoice": {attach("a.xml", plain("<html/>"), "b.xml", plain(numbered("B"))), "B"},
		"another kind of file":   {attach("invoice.txt", plain(numbered("no"))), ""},
		"no file at all":         {attach("factur-x.xml", "null"), ""},
		"more than an invoice has": {
			attach("factur-x.xml", deflated("<Invoice>"+strings.Repeat(" ", einvoice.MaxBytes)+"<ID>no</ID></Invoice>")), "",
		},
		"entities in entities": {
			attach("factur-x.xml", plain(`<!DOCTYPE a [<!ENTITY a "no"><!ENTITY b "&a;&a;">]><Invoice><ID>&b;</ID></Invoice>`)), "",
		},
		"without end": {attach("factur-x.xml", deflated(strings.Repeat("<Invoice>", 1_000_000))), ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := read(t, c.file)
			if got := texts(d.Pages[0]); got != "Invoice" {
				t.Errorf("words: %q", got)
			}
			switch {
			case d.Invoice == nil && c.want != "":
				t.Error("no invoice")
			case d.Invoice != nil && d.Invoice.Number != c.want:
				t.Errorf("%+v", d.Invoice)
			}
		})
	}
}

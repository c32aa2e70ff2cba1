package export

import (
	"mime"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestContentDisposition(t *testing.T) {
	for _, c := range []struct {
		name   string
		format Format
		want   string
	}{
		{"June", CSV, `attachment; filename="June.csv"; filename*=UTF-8''June.csv`},
		{"June 2026", XLSX, `attachment; filename="June 2026.xlsx"; filename*=UTF-8''June%202026.xlsx`},
		{"Müller & Söhne", JSON, `attachment; filename="M_ller & S_hne.json"; filename*=UTF-8''M%C3%BCller%20&%20S%C3%B6hne.json`},
		{"請求書", CSV, `attachment; filename="___.csv"; filename*=UTF-8''%E8%AB%8B%E6%B1%82%E6%9B%B8.csv`},
		{"invoice.pdf", JSON, `attachment; filename="invoice.pdf.json"; filename*=UTF-8''invoice.pdf.json`},
		{"results.CSV", CSV, `attachment; filename="results.csv"; filename*=UTF-8''results.csv`},
		{`a"b\c/d:e*f?g<h>i|j`, CSV, `attachment; filename="a_b_c_d_e_f_g_h_i_j.csv"; filename*=UTF-8''a_b_c_d_e_f_g_h_i_j.csv`},
		{"../../etc/passwd", CSV, `attachment; filename="_.._etc_passwd.csv"; filename*=UTF-8''_.._etc_passwd.csv`},
		{"a\r\nSet-Cookie: b\x00", CSV, `attachment; filename="aSet-Cookie_ b.csv"; filename*=UTF-8''aSet-Cookie_%20b.csv`},
		{"100% safe'; x=y", CSV, `attachment; filename="100_ safe'; x=y.csv"; filename*=UTF-8''100%25%20safe%27%3B%20x%3Dy.csv`},
		{"cod\u202egpj.exe", CSV, `attachment; filename="codgpj.exe.csv"; filename*=UTF-8''codgpj.exe.csv`},
		{" .. ", CSV, `attachment; filename="export.csv"; filename*=UTF-8''export.csv`},
		{"", XLSX, `attachment; filename="export.xlsx"; filename*=UTF-8''export.xlsx`},
		{"\xff\xfe", CSV, `attachment; filename="export.csv"; filename*=UTF-8''export.csv`},
	} {
		if got := ContentDisposition(c.name, c.format); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.name, got, c.want)
		}
	}
}

func FuzzContentDisposition(f *testing.F) {
	for _, name := range []string{"June", "Müller & Söhne", "a\"b\\c/d\r\n", "", "...", strings.Repeat("é", 300), "%41;=,'*", "x.csv"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		header := ContentDisposition(name, CSV)
		for i := range len(header) {
			if header[i] < ' ' || header[i] > '~' {
				t.Fatalf("%q is no header value", header)
			}
		}
		kind, parameters, err := mime.ParseMediaType(header)
		if err != nil || kind != "attachment" || len(parameters) != 1 {
			t.Fatalf("%s: %s %v %v", header, kind, parameters, err)
		}
		got := parameters["filename"]
		if got != fileName(name, CSV.Extension()) {
			t.Errorf("%q became %q on the way", fileName(name, CSV.Extension()), got)
		}
		if !utf8.ValidString(got) || len(got) > longestName+len(".csv") || !strings.HasSuffix(got, ".csv") ||
			strings.HasPrefix(got, ".") || strings.ContainsAny(got, "/\\\"\x00\r\n") {
			t.Errorf("%q is not a safe name", got)
		}
		// Programs that do not know filename* read the ASCII name.
		plain, _, _ := strings.Cut(header, "; filename*")
		if _, parameters, err := mime.ParseMediaType(plain); err != nil || len(parameters["filename"]) == 0 {
			t.Errorf("%s: %v", plain, err)
		}
	})
}

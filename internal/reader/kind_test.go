package reader_test

import (
	"slices"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/reader"
)

func TestKindsAreToldByContent(t *testing.T) {
	for head, want := range map[string]string{
		"%PDF-1.4\n":                           "pdf",
		"\r\n\x00%PDF-2.0":                     "pdf",
		strings.Repeat(" ", 1024) + "%PDF-1.4": "pdf",
		"%PDX-1.4":                             "",
		"\x89PNG\r\n\x1a\n":                    "png",
		"\x89PNG\r\n\x1a\n%PDF-1.4":            "png",
		"\xff\xd8\xff\xe0":                     "jpeg",
		"GIF87a":                               "gif",
		"GIF89a":                               "gif",
		"II*\x00":                              "tiff",
		"MM\x00*":                              "tiff",
		"RIFF\x00\x00\x00\x00WEBPVP8 ":         "webp",
		"RIFF\x00\x00\x00\x00WAVEfmt ":         "",
		"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00mif1":                       "heic",
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00heic":                       "heic",
		"\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00avif":                       "",
		"\x00\x00\x00\x18ftypisom\x00\x00\x00\x00mp41":                       "",
		"BM\x00\x00\x00\x00\x00\x00\x00\x00\x36\x00\x00\x00\x28\x00\x00\x00": "bmp",
		"BMW drives": "",
		"PK\x03\x04": "",
		"<html>":     "",
	} {
		if got := reader.Sniff([]byte(head)); got != want {
			t.Errorf("%q is %q, want %q", head[:min(len(head), 40)], got, want)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	r := setup(t)
	_, err := r.Inspect(t.Context(), write(t, "report.pdf", []byte("PK\x03\x04 is no PDF, whatever its name")))
	refused(t, err, fieldlift.UnsupportedFileType, "The file is none of the supported types: PDF, PNG, JPEG, WebP, TIFF, BMP, GIF, HEIC.")
	_, err = r.Inspect(t.Context(), write(t, "empty.pdf", nil))
	refused(t, err, fieldlift.UnsupportedFileType, "The file is empty.")
	if _, err = r.Inspect(t.Context(), "/nowhere/a.pdf"); fieldlift.CodeOf(err) != fieldlift.InternalError {
		t.Errorf("%v", err)
	}
}

func FuzzSniff(f *testing.F) {
	for _, seed := range []string{"%PDF-", "\x89PNG\r\n\x1a\n", "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00heic", "BM", "RIFF\x00\x00\x00\x00WEBP"} {
		f.Add([]byte(seed))
	}
	kinds := []string{"", "pdf", "png", "jpeg", "webp", "tiff", "bmp", "gif", "heic"}
	f.Fuzz(func(t *testing.T, head []byte) {
		if kind := reader.Sniff(head); !slices.Contains(kinds, kind) {
			t.Errorf("%q is %q", head, kind)
		}
	})
}

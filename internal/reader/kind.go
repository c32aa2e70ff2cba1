package reader

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"fieldlift"
)

// The kinds of files that can be read.
const (
	kindPDF  = "pdf"
	kindPNG  = "png"
	kindJPEG = "jpeg"
	kindWebP = "webp"
	kindTIFF = "tiff"
	kindBMP  = "bmp"
	kindGIF  = "gif"
	kindHEIC = "heic"
)

var contentTypes = map[string]string{
	kindPDF:  "application/pdf",
	kindPNG:  "image/png",
	kindJPEG: "image/jpeg",
	kindWebP: "image/webp",
	kindTIFF: "image/tiff",
	kindBMP:  "image/bmp",
	kindGIF:  "image/gif",
	kindHEIC: "image/heic",
}

// headLength is how much of a file tells its kind: PDF readers accept the
// header anywhere within the first 1024 bytes.
const headLength = 1024

// kindOf looks at the first bytes of a file.
func kindOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("cannot open the file: %w", err)
	}
	defer f.Close()
	head := make([]byte, headLength+len("%PDF-"))
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return "", fmt.Errorf("cannot read the file: %w", err)
	}
	if n == 0 {
		return "", fieldlift.Errorf(fieldlift.UnsupportedFileType, "The file is empty.")
	}
	kind := sniff(head[:n])
	if kind == "" {
		return "", fieldlift.Errorf(fieldlift.UnsupportedFileType,
			"The file is none of the supported types: PDF, PNG, JPEG, WebP, TIFF, BMP, GIF, HEIC.")
	}
	return kind, nil
}

// sniff tells the kind of a file from its first bytes, "" when it is none that
// can be read. Signatures at the very start win over a PDF header behind junk,
// except BMP's, which is too short to be believed.
func sniff(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("%PDF-")):
		return kindPDF
	case bytes.HasPrefix(head, []byte("\x89PNG\r\n\x1a\n")):
		return kindPNG
	case bytes.HasPrefix(head, []byte("\xff\xd8\xff")):
		return kindJPEG
	case bytes.HasPrefix(head, []byte("GIF87a")), bytes.HasPrefix(head, []byte("GIF89a")):
		return kindGIF
	case bytes.HasPrefix(head, []byte("II*\x00")), bytes.HasPrefix(head, []byte("MM\x00*")):
		return kindTIFF
	case len(head) >= 12 && string(head[:4]) == "RIFF" && string(head[8:12]) == "WEBP":
		return kindWebP
	case isHEIC(head):
		return kindHEIC
	case bytes.Contains(head, []byte("%PDF-")):
		return kindPDF
	case isBMP(head):
		return kindBMP
	}
	return ""
}

// isHEIC looks at the brands of an ISO media file. The general brands mif1 and
// msf1 are AVIF's too, so the list of compatible ones decides there.
func isHEIC(head []byte) bool {
	if len(head) < 16 || string(head[4:8]) != "ftyp" {
		return false
	}
	end := min(int(binary.BigEndian.Uint32(head)), len(head))
	for at := 8; at+4 <= end; at += 4 {
		switch string(head[at : at+4]) {
		case "heic", "heix", "heim", "heis", "hevc", "hevx":
			return true
		}
		if at == 8 {
			at += 4 // after the major brand comes its version
		}
	}
	return false
}

// isBMP wants, besides the two letters, one of the header lengths that exist.
func isBMP(head []byte) bool {
	if len(head) < 18 || string(head[:2]) != "BM" {
		return false
	}
	switch binary.LittleEndian.Uint32(head[14:]) {
	case 12, 40, 52, 56, 64, 108, 124:
		return true
	}
	return false
}

package httpapi_test

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"io"
	"strings"
	"sync"

	"fieldlift/internal/apptest"
)

// hostileFile is a file that is out to hurt, and the answers it may get.
// An empty code stands for 202.
type hostileFile struct {
	name    string
	content func() []byte
	codes   []string
}

const (
	taken       = ""
	unsupported = "UNSUPPORTED_FILE_TYPE"
	unreadable  = "PAGE_COUNT_FAILED"
	overLimit   = "INVALID_PAYLOAD"
)

func fixed(content []byte) func() []byte {
	return func() []byte { return content }
}

// must is for writing to memory, which cannot fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// hostileFiles are made one at a time, when it is their turn: some are large.
func hostileFiles() []hostileFile {
	whole := apptest.Invoice("H-1")
	return []hostileFile{
		{"empty.pdf", fixed(nil), []string{unsupported}},
		{"archive.pdf", zipped, []string{unsupported}},
		{"page.pdf", fixed([]byte("<!doctype html><script>alert(1)</script>")), []string{unsupported}},
		{"script.pdf", fixed([]byte("#!/bin/sh\nrm -rf /\n")), []string{unsupported}},
		{"half.pdf", fixed(whole[:len(whole)/2]), []string{unreadable}},
		{"header alone.pdf", fixed([]byte("%PDF-1.7\n")), []string{unreadable}},
		{"megabytes before.pdf", fixed(append(bytes.Repeat([]byte("junk "), 1<<20), whole...)), []string{unsupported}},
		{"junk before.pdf", fixed(append(bytes.Repeat([]byte("junk "), 200), whole...)), []string{taken}},
		{"megabytes after.pdf", fixed(append(bytes.Clone(whole), bytes.Repeat([]byte("junk "), 1<<20)...)), []string{taken}},
		{"tree that bites its tail.pdf", fixed(apptest.PDFOf(catalog, pages(1, "2 0 R"))), []string{unreadable}},
		{"two trees that bite each other.pdf", fixed(apptest.PDFOf(catalog, pages(1, "3 0 R"), pages(1, "2 0 R"))), []string{unreadable}},
		{"a thousand million pages.pdf", fixed(apptest.PDFOf(catalog, pages(1_000_000_000, "3 0 R"), blankPage)), []string{overLimit, unreadable, taken}},
		{"fewer pages than none.pdf", fixed(apptest.PDFOf(catalog, pages(-5, "3 0 R"), blankPage)), []string{unreadable, taken}},
		{"deep tree.pdf", deepTree, []string{unreadable, taken}},
		{"page as large as a country.pdf", fixed(onePage("[0 0 1e9 1e9]", "", "BT /F1 11 Tf 50 50 Td (far away) Tj ET")), []string{taken}},
		{"page of no size.pdf", fixed(onePage("[0 0 0 0]", "", "BT /F1 11 Tf (nowhere) Tj ET")), []string{taken}},
		{"stream of a gigabyte.pdf", contentBomb, []string{taken, unreadable}},
		{"picture of a gigabyte.pdf", imageBomb, []string{taken, unreadable}},
		{"a million words.pdf", wordFlood, []string{taken, unreadable}},
		{"pages full of words.pdf", fullPages, []string{taken}},
		{"a million lines.pdf", lineFlood, []string{taken, unreadable}},
		{"one endless word.pdf", endlessWord, []string{taken, unreadable}},
		{"form that draws itself.pdf", fixed(drawsItself()), []string{taken, unreadable}},
		{"forms that multiply.pdf", fixed(multiplyingForms()), []string{taken, unreadable}},
		{"60000 x 60000.png", fixed(pngOf(60000, 60000, nil)), []string{overLimit}},
		{"two thousand million wide.png", fixed(pngOf(1<<31-1, 1<<31-1, nil)), []string{overLimit, unreadable}},
		{"bomb.png", pngBomb, []string{taken}},
		{"text bomb.png", pngTextBomb, []string{taken}},
		{"65535 x 65535.gif", fixed(gifOf(65535, 65535)), []string{overLimit}},
		{"nothing in it.gif", fixed(gifOf(100, 100)), []string{taken, unreadable}},
		{"directories in a circle.tif", fixed(tiffCircle()), []string{taken, unreadable}},
		{"ten thousand directories.tif", fixed(tiffChain(10_000)), []string{overLimit}},
		{"60000 x 60000.tif", fixed(tiffOf(60000, 60000)), []string{overLimit}},
		{"four thousand million strips.tif", fixed(tiffStrips()), []string{taken, unreadable}},
		{"half.jpg", halfJPEG, []string{taken, unreadable}},
		{"65535 x 65535.jpg", fixed(hugeJPEG()), []string{overLimit}},
		{"claims.bmp", fixed(bmpOf(1<<30, 1<<30)), []string{overLimit, unreadable, unsupported}},
		{"claims.webp", fixed([]byte("RIFF\xff\xff\xff\xffWEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff")), []string{overLimit, unreadable}},
		{"claims.heic", fixed([]byte("\x00\x00\x00\x18ftypheic\x00\x00\x00\x00heicmif1\xff\xff\xff\xffmeta\x00\x00\x00\x00")), []string{unreadable}},
	}
}

const (
	catalog   = "<< /Type /Catalog /Pages 2 0 R >>"
	blankPage = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>"
)

func pages(count int, kids string) string {
	return fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] >>", count, kids)
}

func stream(dictionary, content string) string {
	return fmt.Sprintf("<< /Length %d %s >>\nstream\n%s\nendstream", len(content), dictionary, content)
}

// onePage writes a page whose content, filtered as the dictionary says, uses
// the font F1 and the objects X0, X1, … of more.
func onePage(box, dictionary, content string, more ...string) []byte {
	var named strings.Builder
	for i := range more {
		fmt.Fprintf(&named, "/X%d %d 0 R ", i, 6+i)
	}
	return apptest.PDFOf(append([]string{
		catalog,
		pages(1, "3 0 R"),
		"<< /Type /Page /Parent 2 0 R /MediaBox " + box + " /Resources << /Font << /F1 4 0 R >> /XObject << " + named.String() + ">> >> /Contents 5 0 R >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		stream(dictionary, content),
	}, more...)...)
}

const a4 = "[0 0 595 842]"

func deepTree() []byte {
	const depth = 50_000
	objects := []string{catalog}
	for i := range depth {
		objects = append(objects, pages(1, fmt.Sprintf("%d 0 R", i+3)))
	}
	return apptest.PDFOf(append(objects, blankPage)...)
}

// packed repeats a text to the length and compresses it, so often that little
// is left of it.
func packed(text string, length, times int) string {
	unit := []byte(strings.Repeat(text, max(1, 1<<20/len(text))))
	var out bytes.Buffer
	var to io.Writer = &out
	var all []*zlib.Writer
	for range times {
		w := zlib.NewWriter(to)
		all = append(all, w)
		to = w
	}
	for written := 0; written < length; written += len(unit) {
		must(to.Write(unit[:min(len(unit), length-written)]))
	}
	for i := len(all) - 1; i >= 0; i-- {
		must(0, all[i].Close())
	}
	return out.String()
}

const (
	gigabyte     = 1_000_000_000
	packedTwice  = "/Filter [/FlateDecode /FlateDecode]"
	packedOnce   = "/Filter /FlateDecode"
	pictureSides = "/Type /XObject /Subtype /Image /Width 18000 /Height 18000 /ColorSpace /DeviceRGB /BitsPerComponent 8 "
)

// gigabyteBomb is a gigabyte of zeros, packed twice; it takes seconds to make.
var gigabyteBomb = sync.OnceValue(func() string { return packed("\x00", gigabyte, 2) })

func contentBomb() []byte { return onePage(a4, packedTwice, gigabyteBomb()) }

func imageBomb() []byte {
	return onePage(a4, "", "q 500 0 0 500 0 0 cm /X0 Do Q", stream(pictureSides+packedTwice, gigabyteBomb()))
}

func wordFlood() []byte {
	return onePage(a4, packedOnce, packed("BT /F1 1 Tf 1 1 Td (a b c d e f g h i j k l m n o p q r s t) Tj ET\n", 3_000_000, 1))
}

// fullPages are as many as may be, of 5,000 words each.
func fullPages() []byte {
	var content strings.Builder
	for line := range 250 {
		fmt.Fprintf(&content, "BT /F1 2 Tf 1 %d Td (%s) Tj ET\n", 3*line+10, strings.Repeat("word ", 20))
	}
	const count = 500
	objects := []string{catalog, "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>", stream("", content.String())}
	var kids strings.Builder
	for range count {
		objects = append(objects, "<< /Type /Page /Parent 2 0 R /MediaBox "+a4+" /Resources << /Font << /F1 3 0 R >> >> /Contents 4 0 R >>")
		fmt.Fprintf(&kids, "%d 0 R ", len(objects))
	}
	objects[1] = pages(count, kids.String())
	return apptest.PDFOf(objects...)
}

func lineFlood() []byte {
	return onePage(a4, packedOnce, packed("10 10 m 500 10 l S\n", 19_000_000, 1))
}

func endlessWord() []byte {
	return onePage(a4, packedOnce, packed("BT /F1 1 Tf 1 1 Td (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET\n", 3_000_000, 1))
}

const form = "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /X %d 0 R >> >>"

func drawsItself() []byte {
	return onePage(a4, "", "/X0 Do", stream(fmt.Sprintf(form, 6), "/X Do /X Do"))
}

// multiplyingForms draw each the next one ten times.
func multiplyingForms() []byte {
	var forms []string
	for i := range 12 {
		forms = append(forms, stream(fmt.Sprintf(form, 7+i), strings.Repeat("/X Do ", 10)))
	}
	forms = append(forms, stream("/Type /XObject /Subtype /Form /BBox [0 0 595 842]", "0 0 m 9 9 l S"))
	return onePage(a4, "", "/X0 Do", forms...)
}

func zipped() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	must(must(w.Create("invoice.pdf")).Write(apptest.Invoice("Z")))
	must(0, w.Close())
	return b.Bytes()
}

func pngChunk(kind string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, kind...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// pngOf writes a grey picture of one bit a pixel with chunks between its
// header and its end.
func pngOf(width, height uint32, between []byte) []byte {
	header := binary.BigEndian.AppendUint32(nil, width)
	header = binary.BigEndian.AppendUint32(header, height)
	b := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(header, 1, 0, 0, 0, 0))...)
	return append(append(b, between...), pngChunk("IEND", nil)...)
}

// pngBomb is within the limit of pixels, with a gigabyte behind them.
func pngBomb() []byte {
	return pngOf(10_000, 10_000, pngChunk("IDAT", []byte(packed("\x00", gigabyte/4, 1))))
}

func pngTextBomb() []byte {
	text := append([]byte("Comment\x00\x00"), packed("\x00", gigabyte/4, 1)...)
	return pngOf(8, 8, append(pngChunk("zTXt", text), pngChunk("IDAT", []byte(packed("\x00", 16, 1)))...))
}

func gifOf(width, height uint16) []byte {
	b := binary.LittleEndian.AppendUint16([]byte("GIF89a"), width)
	b = binary.LittleEndian.AppendUint16(b, height)
	b = append(b, 0x80, 0, 0, 0, 0, 0, 255, 255, 255, ',', 0, 0, 0, 0)
	b = binary.LittleEndian.AppendUint16(b, width)
	b = binary.LittleEndian.AppendUint16(b, height)
	return append(b, 0, 2, 1, 0, 0, ';')
}

// directory writes a directory of a TIFF: entries of tag, type, count and
// value, and where the next one is.
func directory(next uint32, entries ...[4]uint32) []byte {
	b := binary.LittleEndian.AppendUint16(nil, uint16(len(entries)))
	for _, e := range entries {
		b = binary.LittleEndian.AppendUint16(b, uint16(e[0]))
		b = binary.LittleEndian.AppendUint16(b, uint16(e[1]))
		b = binary.LittleEndian.AppendUint32(b, e[2])
		b = binary.LittleEndian.AppendUint32(b, e[3])
	}
	return binary.LittleEndian.AppendUint32(b, next)
}

const long = 4

func sides(width, height uint32) [][4]uint32 {
	return [][4]uint32{{256, long, 1, width}, {257, long, 1, height}, {258, 3, 1, 8}, {259, 3, 1, 1}, {262, 3, 1, 1}}
}

func tiffOf(width, height uint32) []byte {
	entries := append(sides(width, height), [4]uint32{273, long, 1, 8}, [4]uint32{279, long, 1, 8})
	return append([]byte("II*\x00\x08\x00\x00\x00"), directory(0, entries...)...)
}

func tiffCircle() []byte {
	entries := append(sides(4, 4), [4]uint32{273, long, 1, 8}, [4]uint32{279, long, 1, 16})
	first := directory(8+2+7*12+4, entries...)
	return append(append([]byte("II*\x00\x08\x00\x00\x00"), first...), directory(8, entries...)...)
}

func tiffChain(length int) []byte {
	b := []byte("II*\x00\x08\x00\x00\x00")
	for range length {
		b = append(b, directory(uint32(len(b)+2+12*5+4), sides(4, 4)...)...)
	}
	return b
}

func tiffStrips() []byte {
	entries := append(sides(4, 4), [4]uint32{273, long, 1<<32 - 1, 8}, [4]uint32{279, long, 1<<32 - 1, 8})
	return append([]byte("II*\x00\x08\x00\x00\x00"), directory(0, entries...)...)
}

func halfJPEG() []byte {
	var b bytes.Buffer
	must(0, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 400, 300)), nil))
	return b.Bytes()[:b.Len()/2]
}

func hugeJPEG() []byte {
	return []byte("\xff\xd8\xff\xc0\x00\x0b\x08\xff\xff\xff\xff\x01\x01\x11\x00\xff\xda\x00\x08\x01\x01\x00\x00\x3f\x00")
}

func bmpOf(width, height uint32) []byte {
	b := make([]byte, 54)
	copy(b, "BM")
	binary.LittleEndian.PutUint32(b[10:], 54)
	binary.LittleEndian.PutUint32(b[14:], 40)
	binary.LittleEndian.PutUint32(b[18:], width)
	binary.LittleEndian.PutUint32(b[22:], height)
	binary.LittleEndian.PutUint16(b[26:], 1)
	binary.LittleEndian.PutUint16(b[28:], 24)
	return b
}

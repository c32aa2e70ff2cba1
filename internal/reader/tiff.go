package reader

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// TIFF's directories tell of each frame, and EXIF is made of them too.

const (
	tagOrientation    = 274
	tagXResolution    = 282
	tagYResolution    = 283
	tagResolutionUnit = 296

	entryLength = 12
)

func byteOrder(r io.ReaderAt) (binary.ByteOrder, uint32, error) {
	var head [8]byte
	if _, err := r.ReadAt(head[:], 0); err != nil {
		return nil, 0, err
	}
	var order binary.ByteOrder = binary.LittleEndian
	if head[0] == 'M' {
		order = binary.BigEndian
	}
	return order, order.Uint32(head[4:]), nil
}

// tiffFrames gives the offsets of all frames. Directories are chained, and
// nothing but us keeps a chain from biting its own tail.
func tiffFrames(r io.ReaderAt, maxPages int) ([]int64, error) {
	order, next, err := byteOrder(r)
	if err != nil {
		return nil, damaged(kindTIFF, err)
	}
	var frames []int64
	seen := map[uint32]bool{}
	for next != 0 && !seen[next] {
		if len(frames) == maxPages {
			return nil, tooManyPages(maxPages)
		}
		seen[next] = true
		var number [2]byte
		if _, err := r.ReadAt(number[:], int64(next)); err != nil {
			return nil, damaged(kindTIFF, fmt.Errorf("frame %d: %w", len(frames)+1, err))
		}
		frames = append(frames, int64(next))
		var link [4]byte
		after := int64(next) + 2 + entryLength*int64(order.Uint16(number[:]))
		if _, err := r.ReadAt(link[:], after); err != nil {
			break // the last one's end is missing; its entries may be whole
		}
		next = order.Uint32(link[:])
	}
	if len(frames) == 0 {
		return nil, noPages(kindTIFF)
	}
	return frames, nil
}

// aboutEXIF reads the first directory of a JPEG's EXIF block.
func aboutEXIF(block []byte) about {
	r := bytes.NewReader(block)
	_, first, err := byteOrder(r)
	if err != nil {
		return about{}
	}
	return aboutFrame(r, int64(first))
}

// aboutFrame reads the directory at an offset.
func aboutFrame(r io.ReaderAt, offset int64) about {
	var a about
	order, _, err := byteOrder(r)
	if err != nil {
		return a
	}
	var number [2]byte
	if _, err := r.ReadAt(number[:], offset); err != nil {
		return a
	}
	unit := uint16(2)
	for n := range int64(order.Uint16(number[:])) {
		var entry [entryLength]byte
		if _, err := r.ReadAt(entry[:], offset+2+n*entryLength); err != nil {
			break
		}
		switch order.Uint16(entry[:]) {
		case tagOrientation:
			a.orientation = orientation(order.Uint16(entry[8:]))
		case tagXResolution:
			a.dpiX = rational(r, order, entry)
		case tagYResolution:
			a.dpiY = rational(r, order, entry)
		case tagResolutionUnit:
			unit = order.Uint16(entry[8:])
		}
	}
	switch unit {
	case 1: // only the ratio is meant
		a.dpiX, a.dpiY = 0, 0
	case 3:
		a.dpiX, a.dpiY = a.dpiX*centimetresPerInch, a.dpiY*centimetresPerInch
	}
	return a
}

// rational reads a fraction that a directory entry points to.
func rational(r io.ReaderAt, order binary.ByteOrder, entry [entryLength]byte) float64 {
	var parts [8]byte
	if _, err := r.ReadAt(parts[:], int64(order.Uint32(entry[8:]))); err != nil {
		return 0
	}
	below := order.Uint32(parts[4:])
	if below == 0 {
		return 0
	}
	return float64(order.Uint32(parts[:])) / float64(below)
}

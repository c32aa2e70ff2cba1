package reader

import (
	"strings"
	"unicode/utf16"
)

// mostWideBytes is how long a name or a value may be, in UTF-16.
const mostWideBytes = 1 << 15

// wide reads a text from a function that takes a buffer and its length as its
// last arguments, and gives the text's length in bytes. The text is "" when it is
// longer than anyone would type.
func (i *instance) wide(function string, arguments ...uint64) (text string, length int) {
	if i.buffer == 0 {
		i.buffer = i.allocate(mostWideBytes)
	}
	length = i.number(function, append(arguments, uint64(i.buffer), mostWideBytes)...)
	if length < 2 || length > mostWideBytes {
		return "", max(length, 0)
	}
	view := i.at(i.buffer, uint32(length))
	units := make([]uint16, 0, length/2)
	for ; len(view) >= 2; view = view[2:] {
		units = append(units, uint16(view[0])|uint16(view[1])<<8)
	}
	text = strings.TrimRight(string(utf16.Decode(units)), "\x00")
	return strings.TrimSpace(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)), length
}

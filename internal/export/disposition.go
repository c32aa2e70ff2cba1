package export

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ContentDisposition gives the header that makes a browser save the export
// under the name: in full as RFC 6266 has it, and in ASCII for programs that
// know nothing else.
func ContentDisposition(name string, f Format) string { return Attachment(name, f.Extension()) }

// Attachment is ContentDisposition for any file, whose name ends as given.
func Attachment(name, extension string) string {
	name = fileName(name, extension)
	return `attachment; filename="` + asciiName(name) + `"; filename*=UTF-8''` + extendedValue(name)
}

// longestName, in bytes, leaves room below the 255 of common file systems for
// what browsers append.
const longestName = 200

// fileName makes a name that any file system takes and that cannot pretend to
// be another: no paths, no hidden files, no characters that turn the text.
func fileName(name, extension string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`/\:*?"<>|`, r):
			return '_'
		case r == utf8.RuneError, unicode.IsControl(r), unicode.Is(unicode.Cf, r), r == '\u2028', r == '\u2029':
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, name)
	if end := len(name) - len(extension); end >= 0 && strings.EqualFold(name[end:], extension) {
		name = name[:end]
	}
	name = strings.Trim(name, " .")
	for len(name) > longestName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	if name == "" {
		name = "export"
	}
	return name + extension
}

// asciiName replaces what is not ASCII, and the percent sign, which some
// programs take for an escape.
func asciiName(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= utf8.RuneSelf || r == '%' {
			return '_'
		}
		return r
	}, name)
}

// extendedValue is the ext-value of RFC 8187 without its charset.
func extendedValue(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c < utf8.RuneSelf && (unicode.IsLetter(rune(c)) || unicode.IsDigit(rune(c)) || strings.IndexByte("!#$&+-.^_`|~", c) >= 0) {
			b.WriteByte(c)
			continue
		}
		fmt.Fprintf(&b, "%%%02X", c)
	}
	return b.String()
}

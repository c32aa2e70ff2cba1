package reader

import "strings"

// Fonts of symbols print boxes and ticks for letters. Word processors use them
// for forms, and most files do not say what their characters are.

// symbolFont gives what the characters of a font of symbols are, by its name in
// lower case; nil for fonts that print what they say.
func symbolFont(name string) func(rune) rune {
	name = strings.NewReplacer(" ", "", "-", "").Replace(name)
	switch {
	case strings.Contains(name, "wingdings2"):
		return wingdings2
	case strings.Contains(name, "wingdings3"):
		return nil // arrows
	case strings.Contains(name, "wingdings"):
		return wingdings
	case strings.Contains(name, "dingbats"):
		return dingbats
	}
	return nil
}

// isPrivate tells whether a character is of those that fonts of symbols have
// their own way with.
func isPrivate(r rune) bool { return r >= 0xf000 && r <= 0xf0ff }

// maybeSymbol tells whether a character that stands within a word is likely
// enough a symbol to ask for its font, which takes a call.
func maybeSymbol(r rune) bool {
	switch r {
	case '£', '¨', 'û', 'ü', 'ý', 'þ':
		return true
	}
	return isPrivate(r)
}

// code is the number of a character in its font; what Unicode has a name for is
// none.
func code(r rune) rune {
	if isPrivate(r) {
		return r - 0xf000
	}
	return r
}

func wingdings(r rune) rune {
	switch code(r) {
	case 0x6f, 0x71, 0x72, 0xa8:
		return '☐'
	case 0x78, 0xfd:
		return '☒'
	case 0xfe:
		return '☑'
	case 0xfc:
		return '✓'
	case 0xfb:
		return '✗'
	}
	return r
}

func wingdings2(r rune) rune {
	switch code(r) {
	case 0xa3:
		return '☐'
	case 0x51, 0x53, 0x54:
		return '☒'
	case 0x52:
		return '☑'
	case 0x50:
		return '✓'
	case 0x4f:
		return '✗'
	}
	return r
}

func dingbats(r rune) rune {
	switch code(r) {
	case '3':
		return '✓'
	case '4':
		return '✔'
	case '5', '6', '7', '8':
		return '✗'
	case 'o', 'p', 'q', 'r':
		return '☐'
	}
	return r
}

// isTick tells whether a character is a box to tick, or the tick itself.
func isTick(r rune) bool { return r >= 0x2500 && (isEmptyBox(r) || isTickedBox(r) || isLoneTick(r)) }

func isEmptyBox(r rune) bool {
	switch r {
	case '☐', '□', '▢', '◻', '◽', '⬜', '❏', '❐', '❑', '❒':
		return true
	}
	return false
}

func isTickedBox(r rune) bool { return r == '☑' || r == '☒' || r == '⌧' || r == '⮽' }

func isLoneTick(r rune) bool { return r >= '✓' && r <= '✘' || r == '✅' }

// isMark tells whether a text is what people put into a box to tick it.
func isMark(text string) bool {
	switch text {
	case "x", "X", "×", "√", "•", "●", "■", "▪", "✓", "✔", "✕", "✖", "✗", "✘", "☑", "☒", "✅", "xx", "XX":
		return true
	}
	return false
}

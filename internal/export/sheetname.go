package export

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// longestSheetName is Excel's limit, in UTF-16 units as Excel counts.
const longestSheetName = 31

// sheetNames gives out names that Excel takes, each once. Excel compares them
// without regard to case.
type sheetNames map[string]bool

// give makes a name of the text; part, from 2 on, numbers its continuations.
func (taken sheetNames) give(s string, part int) string {
	s = safeSheetName(s)
	suffix := ""
	if part > 1 {
		suffix = " " + strconv.Itoa(part)
	}
	name := cutUnits(s, longestSheetName-len(suffix)) + suffix
	for n := 2; taken[strings.ToLower(name)]; n++ {
		again := suffix + " (" + strconv.Itoa(n) + ")"
		name = cutUnits(s, longestSheetName-len(again)) + again
	}
	taken[strings.ToLower(name)] = true
	return name
}

func safeSheetName(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case strings.ContainsRune(`:\/?*[]`, r):
			return '_'
		case unicode.IsControl(r), !inXML(r):
			return -1
		case r == '\'': // forbidden at the ends, and cutting makes new ends
			return '’'
		}
		return r
	}, s)
	s = strings.TrimSpace(s)
	switch strings.ToLower(s) {
	case "":
		return "Sheet"
	case "history": // Excel keeps it for itself
		return s + "_"
	}
	return s
}

// cutUnits cuts a text to at most that many UTF-16 units.
func cutUnits(s string, most int) string {
	if len(s) <= most { // a UTF-16 unit is never shorter than a byte
		return s
	}
	units := 0
	for i, r := range s {
		if units += utf16.RuneLen(r); units > most {
			return s[:i]
		}
	}
	return s
}

// inXML reports whether XML 1.0 allows the character.
func inXML(r rune) bool {
	return r == '\t' || r == '\n' || r == '\r' ||
		r >= ' ' && r <= 0xD7FF || r >= 0xE000 && r <= 0xFFFD || r >= 0x10000 && r <= utf8.MaxRune
}

package value

import "strings"

// The words for yes and no, folded, in the languages that month names have.
const (
	yesWords = " yes y true x checked selected ja wahr oui vrai si verdadero vero sim verdadeiro waar tak prawda ✓ ✔ ☑ ☒ 🗹 🗷 ■ "
	noWords  = " no n false unchecked nein falsch non faux falso nao nee onwaar nie falsz ☐ □ "
)

// Boolean reads a word for yes or no, or a tick.
func Boolean(text string) (value, ok bool) {
	if len(text) > 40 {
		return false, false
	}
	text = Fold(spaces(text))
	switch text {
	case "[x]", "(x)", "[ x ]":
		return true, true
	case "[ ]", "( )", "[]":
		return false, true
	}
	text = strings.Trim(text, ".,;:()[]\"")
	if text == "" || strings.Contains(text, " ") {
		return false, false
	}
	switch {
	case strings.Contains(yesWords, " "+text+" "):
		return true, true
	case strings.Contains(noWords, " "+text+" "):
		return false, true
	}
	return false, false
}

// Tick reads the mark of a checkbox, which unlike a word says yes or no to
// what is printed beside it.
func Tick(text string) (ticked, ok bool) {
	switch strings.ToLower(text) {
	case "☑", "☒", "✓", "✔", "🗹", "🗷", "[x]", "(x)":
		return true, true
	case "☐", "□", "[]", "[_]":
		return false, true
	}
	return false, false
}

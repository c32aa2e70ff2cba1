package fieldlift

import "iter"

// The functions below find their way in JSON that is known to be valid and
// compact, as a Schema's text is. They copy and check nothing.

// members goes through the members of an object: keys with their quotes, and
// the texts of values. What is no object has none.
func members(text string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		if text == "" || text[0] != '{' {
			return
		}
		for text = text[1:]; text != "" && text[0] == '"'; {
			key := text[:valueLength(text)]
			text = text[len(key)+1:] // and the colon
			value := text[:valueLength(text)]
			if !yield(key, value) {
				return
			}
			text = text[len(value)+1:] // and the comma or the brace
		}
	}
}

// memberOf finds the value of a quoted key, "" if the object has none.
func memberOf(text, key string) string {
	for k, value := range members(text) {
		if k == key {
			return value
		}
	}
	return ""
}

// valueLength tells where the value ends with which the text begins.
func valueLength(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i // the end of what a number or a word stands in
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':':
			if depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

package fieldlift

import "iter"

// The functions below find their way in JSON that is known to be valid and
// compact, as a Schema's text is. They copy and check nothing, which is several
// times as fast as decoding.

// JSONMembers goes through the members of an object: keys with their quotes,
// and the texts of values. What is no object has none.
func JSONMembers[T ~string | ~[]byte](text T) iter.Seq2[T, T] {
	return func(yield func(key, value T) bool) {
		if len(text) == 0 || text[0] != '{' {
			return
		}
		for rest := text[1:]; rest[0] == '"'; {
			key := rest[:valueLength(rest)]
			rest = rest[len(key)+1:] // and the colon
			value := rest[:valueLength(rest)]
			if !yield(key, value) {
				return
			}
			if rest = rest[len(value):]; rest[0] == ',' {
				rest = rest[1:]
			}
		}
	}
}

// JSONElements goes through the elements of an array. What is no array has
// none.
func JSONElements[T ~string | ~[]byte](text T) iter.Seq[T] {
	return func(yield func(T) bool) {
		if len(text) == 0 || text[0] != '[' {
			return
		}
		for rest := text[1:]; rest[0] != ']'; {
			element := rest[:valueLength(rest)]
			if !yield(element) {
				return
			}
			if rest = rest[len(element):]; rest[0] == ',' {
				rest = rest[1:]
			}
		}
	}
}

// memberOf finds the value of a quoted key, "" if the object has none.
func memberOf(text, key string) string {
	for k, value := range JSONMembers(text) {
		if k == key {
			return value
		}
	}
	return ""
}

// valueLength tells where the value ends with which the text begins.
func valueLength[T ~string | ~[]byte](text T) int {
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

package export

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
)

// compact checks a record's data and takes the white space out. The functions
// below rely on that: they find their way in the text and neither check nor
// copy it, which is several times as fast as to decode it.
func compact(r Record) (json.RawMessage, error) {
	if len(bytes.TrimSpace(r.Data)) == 0 {
		return nil, nil
	}
	b := bytes.NewBuffer(make([]byte, 0, len(r.Data)))
	if err := json.Compact(b, r.Data); err != nil {
		return nil, fmt.Errorf("export: the data of document %s is not JSON: %w", r.DocumentID, err)
	}
	return b.Bytes(), nil
}

// members goes through the members of an object: keys with their quotes, and
// values. What is no object has none.
func members(value json.RawMessage) iter.Seq2[json.RawMessage, json.RawMessage] {
	return func(yield func(key, value json.RawMessage) bool) {
		if len(value) == 0 || value[0] != '{' {
			return
		}
		for rest := value[1:]; rest[0] == '"'; {
			key := rest[:valueLength(rest)]
			rest = rest[len(key)+1:] // and the colon
			member := rest[:valueLength(rest)]
			if !yield(key, member) {
				return
			}
			rest = rest[len(member):]
			if rest[0] == ',' {
				rest = rest[1:]
			}
		}
	}
}

// memberOf finds the value of a key, nil if the object has none.
func memberOf(value json.RawMessage, key string) json.RawMessage {
	for k, member := range members(value) {
		if unquote(k) == key {
			return member
		}
	}
	return nil
}

// elements gives the elements of an array. One value where an array was
// expected counts as an array of one, so that it is not lost.
func elements(value json.RawMessage) []json.RawMessage {
	if isNull(value) {
		return nil
	}
	if value[0] != '[' {
		return []json.RawMessage{value}
	}
	list := []json.RawMessage{}
	for rest := value[1:]; rest[0] != ']'; {
		element := rest[:valueLength(rest)]
		list = append(list, element)
		rest = rest[len(element):]
		if rest[0] == ',' {
			rest = rest[1:]
		}
	}
	return list
}

// valueLength tells where the value ends with which the text begins.
func valueLength(value json.RawMessage) int {
	depth := 0
	for i := 0; i < len(value); i++ {
		switch value[i] {
		case '"':
			for i++; value[i] != '"'; i++ {
				if value[i] == '\\' {
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
	return len(value)
}

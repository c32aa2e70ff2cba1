package export

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"fieldlift"
)

// cell is a value on its way into a table. What has not the type of its field
// is text.
type cell struct {
	kind kind
	text string // numbers as in the JSON, dates as YYYY-MM-DD
}

type kind int

const (
	empty kind = iota
	text
	number
	boolean
	date
)

func textCell(s string) cell {
	if s == "" {
		return cell{}
	}
	return cell{text, s}
}

// cellOf makes a cell of a JSON value that stands where the field is.
func cellOf(f fieldlift.Field, value json.RawMessage) cell {
	if isNull(value) {
		return cell{}
	}
	first := value[0]
	switch f.Type {
	case fieldlift.NumberField:
		if first == '-' || '0' <= first && first <= '9' {
			return cell{number, string(value)}
		}
	case fieldlift.BooleanField:
		if first == 't' || first == 'f' {
			return cell{boolean, string(value)}
		}
	case fieldlift.DateField:
		if s := plain(value); first == '"' && isDate(s) {
			return cell{date, s}
		}
	case fieldlift.ArrayField:
		if !isTable(f) {
			return textCell(joined(value))
		}
	}
	return textCell(plain(value))
}

func isNull(value json.RawMessage) bool { return len(value) == 0 || value[0] == 'n' }

func isDate(s string) bool {
	_, err := time.Parse(time.DateOnly, s)
	return err == nil
}

// joined writes a list of plain values as people do; any other as JSON.
func joined(value json.RawMessage) string {
	list := elements(value)
	texts := make([]string, len(list))
	for i, e := range list {
		if e[0] == '[' || e[0] == '{' {
			return plain(value)
		}
		if !isNull(e) {
			texts[i] = plain(e)
		}
	}
	return strings.Join(texts, "; ")
}

// plain gives the text of a string, and of anything else its JSON.
func plain(value json.RawMessage) string {
	if value[0] == '"' {
		return unquote(value)
	}
	return strings.ToValidUTF8(string(value), "\uFFFD")
}

func unquote(value json.RawMessage) string {
	if bytes.IndexByte(value, '\\') < 0 && utf8.Valid(value) {
		return string(value[1 : len(value)-1])
	}
	var s string
	_ = json.Unmarshal(value, &s) // fails on what is no JSON only
	return s
}

package schema

import (
	"encoding/json"
	"errors"
	"strings"

	"fieldlift"
)

// Lines finds the lines, counted from 1, of a schema's text that the details
// which Parse gave for it speak of. A detail whose place is not there, such as
// one that says what is missing, is told at the innermost thing around it that
// is.
func Lines(text []byte, details []fieldlift.Detail) []int {
	found := make([]int, 0, len(details))
	lines := linesOf(string(text))
	for _, d := range details {
		found = append(found, lines.of(d.Field))
	}
	return found
}

// jsonLines tells on which lines the members of a text stand, by their paths
// such as schema.properties.total; and where it stops to be JSON.
type jsonLines struct {
	at     map[string]int
	broken int // 0 when it is not
}

func (l jsonLines) of(path string) int {
	if l.broken > 0 {
		return l.broken
	}
	for {
		if line, known := l.at[path]; known {
			return line
		}
		i := strings.LastIndexByte(path, '.')
		if i < 0 {
			return 1
		}
		path = path[:i]
	}
}

func linesOf(text string) jsonLines {
	l := jsonLines{at: map[string]int{}}
	lineAt := func(offset int64) int {
		return 1 + strings.Count(text[:max(0, min(int(offset), len(text)))], "\n")
	}
	var whole any
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		l.broken = lineAt(int64(len(text)))
		if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
			l.broken = lineAt(syntax.Offset - 1)
		}
		return l
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	l.walk(d, "schema", lineAt)
	return l
}

// walk notes the members of the value that comes next. The text is JSON, so
// tokens come as they should.
func (l jsonLines) walk(d *json.Decoder, path string, lineAt func(int64) int) {
	token, err := d.Token()
	if err != nil {
		return
	}
	if _, known := l.at[path]; !known {
		l.at[path] = lineAt(d.InputOffset())
	}
	switch token {
	case json.Delim('{'):
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return
			}
			name, _ := key.(string)
			inner := path + "." + name
			if _, known := l.at[inner]; !known {
				l.at[inner] = lineAt(d.InputOffset())
			}
			l.walk(d, inner, lineAt)
		}
	case json.Delim('['):
		for d.More() {
			l.walk(d, path, lineAt)
		}
	default:
		return
	}
	_, _ = d.Token() // its end
}

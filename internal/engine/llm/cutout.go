package llm

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// cutOut finds the JSON object that was asked for in a reply: models think
// aloud before it, write drafts, and wrap it into words and fences when nobody
// keeps them from it. Fit tells how much of what was asked for an object has. Of
// those that have the most, one that comes after the thoughts is meant, and the
// one that says the most: forms to be filled in say nothing. Of equal ones the
// first counts after thoughts, where models end with their answer and go on
// about it, and else the last, which mends those before it.
func cutOut(text string, fit func(map[string]json.RawMessage) int) (map[string]json.RawMessage, error) {
	var best map[string]json.RawMessage
	var wrong error
	most := rank{fit: -1}
	thoughts := strings.LastIndex(text, endOfThoughts)
	length := len(text)
	for {
		from := strings.IndexByte(text, '{')
		if from < 0 {
			break
		}
		text = text[from:]
		spoken := thoughts >= 0 && length-len(text) > thoughts
		var object map[string]json.RawMessage
		d := json.NewDecoder(strings.NewReader(text)) // it ends with the object, whatever follows
		if err := d.Decode(&object); err != nil {
			if wrong == nil {
				wrong = err
			}
			text = text[brokenAt(err, text):]
			continue
		}
		r := rank{fit(object), spoken, 0}
		if r.fit > 0 { // others are not worth a look
			r.says = saysOf(object)
		}
		if c := r.compare(most); c > 0 || c == 0 && !spoken {
			best, most = object, r
		}
		text = text[d.InputOffset():]
	}
	switch {
	case wrong != nil && most.fit <= 0:
		return nil, fmt.Errorf("it is not valid JSON: %w", wrong)
	case best == nil:
		return nil, errors.New("there is no JSON object in it")
	}
	return best, nil
}

// endOfThoughts ends what models that think aloud do not mean to say.
const endOfThoughts = "</think>"

// rank is how likely an object is the one that was asked for.
type rank struct {
	fit    int
	spoken bool // after the thoughts
	says   int  // values
}

func (r rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(r.fit, o.fit), cmp.Compare(pick(r.spoken, 1, 0), pick(o.spoken, 1, 0)), cmp.Compare(r.says, o.says))
}

// saysOf counts the values of an object that say something.
func saysOf(object map[string]json.RawMessage) int {
	if v, there := object["value"]; there {
		return says(v)
	}
	n := 0
	for _, v := range object {
		n += says(v)
	}
	return n
}

func says(text json.RawMessage) int {
	switch text = bytes.TrimSpace(text); {
	case len(text) == 0, bytes.Equal(text, []byte("null")):
		return 0
	case text[0] == '{':
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil {
			return 0
		}
		return saysOf(object)
	case text[0] == '[':
		return pick(len(bytes.Trim(text, "[] \t\r\n")) > 0, 1, 0)
	}
	return pick(strings.Trim(string(text), `". …`) != "", 1, 0)
}

// brokenAt is where a text turned out to be no JSON. What came before is part
// of what is broken; where it merely ends, all of it is.
func brokenAt(err error, text string) int {
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return int(min(max(s.Offset-1, 1), int64(len(text))))
	}
	return len(text)
}

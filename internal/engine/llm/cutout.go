package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// cutOut finds the JSON object that was asked for in a reply: models think
// aloud before it, write drafts, and wrap it into words and fences when nobody
// keeps them from it. Fit tells how much of what was asked for an object has;
// of those that have the most, the last is meant.
func cutOut(text string, fit func(map[string]json.RawMessage) int) (map[string]json.RawMessage, error) {
	var best map[string]json.RawMessage
	var wrong error
	most := -1
	for {
		from := strings.IndexByte(text, '{')
		if from < 0 {
			break
		}
		text = text[from:]
		var object map[string]json.RawMessage
		d := json.NewDecoder(strings.NewReader(text)) // it ends with the object, whatever follows
		if err := d.Decode(&object); err != nil {
			if wrong == nil {
				wrong = err
			}
			text = text[brokenAt(err, text):]
			continue
		}
		if n := fit(object); n >= most {
			best, most = object, n
		}
		text = text[d.InputOffset():]
	}
	switch {
	case wrong != nil && most <= 0:
		return nil, fmt.Errorf("it is not valid JSON: %w", wrong)
	case best == nil:
		return nil, errors.New("there is no JSON object in it")
	}
	return best, nil
}

// brokenAt is where a text turned out to be no JSON. What came before is part
// of what is broken; where it merely ends, all of it is.
func brokenAt(err error, text string) int {
	if s, ok := errors.AsType[*json.SyntaxError](err); ok {
		return int(min(max(s.Offset-1, 1), int64(len(text))))
	}
	return len(text)
}

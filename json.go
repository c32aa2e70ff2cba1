package fieldlift

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// object is a JSON object whose members keep their order: the order of a
// schema's properties is the order of columns later.
type object []member

type member struct {
	key   string
	value any // object, []any, string, json.Number, bool or nil
}

func (o object) get(key string) (any, bool) {
	for _, m := range o {
		if m.key == key {
			return m.value, true
		}
	}
	return nil, false
}

// object gives the member of that name if it is an object.
func (o object) object(key string) object {
	value, _ := o.get(key)
	inner, _ := value.(object)
	return inner
}

// list gives the member of that name if it is an array.
func (o object) list(key string) []any {
	value, _ := o.get(key)
	inner, _ := value.([]any)
	return inner
}

// text gives the member of that name if it is a string.
func (o object) text(key string) string {
	value, _ := o.get(key)
	inner, _ := value.(string)
	return inner
}

// maxJSONDepth bounds recursion on hostile input, far above any real schema.
const maxJSONDepth = 100

// parseJSON reads one JSON value. Doubled keys are refused: it would be left
// to chance which one counts.
func parseJSON(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := parseValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON value")
	}
	return value, nil
}

func parseValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("it is nested deeper than %d levels", maxJSONDepth)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		return parseMembers(d, depth)
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := parseValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		_, err := d.Token()
		return list, err
	}
	return token, nil
}

func parseMembers(d *json.Decoder, depth int) (object, error) {
	o := object{}
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // the decoder lets nothing else stand here
		if seen[key] {
			return nil, fmt.Errorf("the key %q stands twice in one object", key)
		}
		seen[key] = true
		value, err := parseValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o = append(o, member{key, value})
	}
	_, err := d.Token()
	return o, err
}

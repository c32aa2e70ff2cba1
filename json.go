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
type object struct {
	members []member
	index   map[string]int
}

type member struct {
	key   string
	value any // *object, []any, string, json.Number, bool or nil
}

func (o *object) get(key string) (any, bool) {
	if o == nil {
		return nil, false
	}
	i, found := o.index[key]
	if !found {
		return nil, false
	}
	return o.members[i].value, true
}

// object gives the member of that name if it is an object.
func (o *object) object(key string) *object {
	value, _ := o.get(key)
	inner, _ := value.(*object)
	return inner
}

// list gives the member of that name if it is an array.
func (o *object) list(key string) []any {
	value, _ := o.get(key)
	inner, _ := value.([]any)
	return inner
}

// text gives the member of that name if it is a string.
func (o *object) text(key string) string {
	value, _ := o.get(key)
	inner, _ := value.(string)
	return inner
}

func (o *object) length() int {
	if o == nil {
		return 0
	}
	return len(o.members)
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

func parseMembers(d *json.Decoder, depth int) (*object, error) {
	o := &object{index: map[string]int{}}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key := token.(string) // the decoder lets nothing else stand here
		if _, twice := o.index[key]; twice {
			return nil, fmt.Errorf("the key %q stands twice in one object", key)
		}
		value, err := parseValue(d, depth+1)
		if err != nil {
			return nil, err
		}
		o.index[key] = len(o.members)
		o.members = append(o.members, member{key, value})
	}
	_, err := d.Token()
	return o, err
}

// writeTree writes a value that parseJSON has read, compact and in order.
func writeTree(b *bytes.Buffer, value any) {
	switch v := value.(type) {
	case *object:
		b.WriteByte('{')
		for i, m := range v.members {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, m.key)
			b.WriteByte(':')
			writeTree(b, m.value)
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, inner := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			writeTree(b, inner)
		}
		b.WriteByte(']')
	default:
		writeJSON(b, v)
	}
}

// writeJSON writes what cannot fail to be JSON: strings, numbers, lists of them.
func writeJSON(b *bytes.Buffer, value any) {
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		panic(err)
	}
	b.Truncate(b.Len() - 1) // the encoder ends with a line break
}

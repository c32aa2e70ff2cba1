package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Object is a JSON object whose members keep their order, the order in which
// fields are shown. The nil Object is empty.
type Object struct {
	keys    []string
	members map[string]any // *Object, []any, string, json.Number, bool or nil
}

func newObject(key string, value any) *Object {
	return &Object{[]string{key}, map[string]any{key: value}}
}

// Get gives a member, nil when it is not there.
func (o *Object) Get(key string) any {
	if o == nil {
		return nil
	}
	return o.members[key]
}

// Keys are the names of the members, in their order.
func (o *Object) Keys() []string {
	if o == nil {
		return nil
	}
	return o.keys
}

// UnmarshalJSON reads an object, or null as an empty one.
func (o *Object) UnmarshalJSON(text []byte) error {
	value, err := Decode(text)
	if err != nil {
		return err
	}
	read, ok := value.(*Object)
	if !ok && value != nil {
		return errors.New("a JSON object is needed")
	}
	if *o = (Object{}); read != nil {
		*o = *read
	}
	return nil
}

// MarshalJSON writes the object in its order.
func (o *Object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, key := range o.Keys() {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(key)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(o.members[key])
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// deepest bounds recursion on hostile input.
const deepest = 100

// Decode reads one JSON value: *Object, []any, string, json.Number, bool or nil.
func Decode(text []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	value, err := decode(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the JSON value")
	}
	return value, nil
}

func decode(d *json.Decoder, depth int) (any, error) {
	if depth > deepest {
		return nil, fmt.Errorf("it is nested deeper than %d levels", deepest)
	}
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		o := &Object{members: map[string]any{}}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name := key.(string) // the decoder lets nothing else stand here
			value, err := decode(d, depth+1)
			if err != nil {
				return nil, err
			}
			if _, twice := o.members[name]; !twice {
				o.keys = append(o.keys, name)
			}
			o.members[name] = value
		}
		_, err := d.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := decode(d, depth+1)
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

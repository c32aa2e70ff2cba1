package api

import "encoding/json"

// Optional is a member of a JSON object that can be absent, null or a value:
// in an update the three mean "leave it", "clear it" and "set it". Tag it
// omitzero, and an absent one is not written.
type Optional[T any] struct {
	Value   T
	Present bool
	Null    bool
}

// Some is a member that is there and has this value.
func Some[T any](value T) Optional[T] { return Optional[T]{Value: value, Present: true} }

// Null is a member that is there and null.
func Null[T any]() Optional[T] { return Optional[T]{Present: true, Null: true} }

// IsZero reports whether the member is absent.
func (o Optional[T]) IsZero() bool { return !o.Present }

// MarshalJSON writes the value or null.
func (o Optional[T]) MarshalJSON() ([]byte, error) {
	if !o.Present || o.Null {
		return []byte("null"), nil
	}
	return json.Marshal(o.Value)
}

// UnmarshalJSON reads a value or null; encoding/json does not call it for a
// member that is absent.
func (o *Optional[T]) UnmarshalJSON(text []byte) error {
	*o = Optional[T]{Present: true}
	if string(text) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(text, &o.Value)
}

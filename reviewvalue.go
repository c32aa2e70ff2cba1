package fieldlift

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// checkValue reads what a person gave for a field, and refuses what the field
// cannot hold. Objects come back with all their members.
func checkValue(f Field, pointer string, text json.RawMessage) (any, error) {
	if len(text) > MaxCorrectionBytes {
		return nil, refuseAmendment(pointer, "max_length", "it is longer than %d bytes", MaxCorrectionBytes)
	}
	if len(text) == 0 {
		text = json.RawMessage("null")
	}
	if !utf8.Valid(text) {
		return nil, refuseAmendment(pointer, "format", "it is not UTF-8 text")
	}
	value, err := parseJSON(text)
	if err != nil {
		return nil, refuseAmendment(pointer, "format", "it cannot be read: %v", err)
	}
	return fitValue(f, pointer, value)
}

func fitValue(f Field, pointer string, value any) (any, error) {
	switch f.Type {
	case ObjectField:
		return fitObject(f, pointer, value)
	case ArrayField:
		if value == nil {
			return nil, nil
		}
		list, ok := value.([]any)
		if !ok {
			return nil, refuseAmendment(pointer, "type", "a list is needed")
		}
		element := (&part{field: f}).element()
		for i := range list {
			fitted, err := fitValue(element, pointer+"/"+strconv.Itoa(i), list[i])
			if err != nil {
				return nil, err
			}
			list[i] = fitted
		}
		return list, nil
	}
	if value == nil {
		return nil, nil
	}
	return value, fitScalar(f, pointer, value)
}

func fitObject(f Field, pointer string, value any) (any, error) {
	data, ok := value.(*object)
	if !ok && value != nil {
		return nil, refuseAmendment(pointer, "type", "an object is needed")
	}
	out := &object{index: map[string]int{}}
	for _, inner := range f.Fields {
		given, _ := data.get(inner.Name)
		fitted, err := fitValue(inner, pointer+"/"+EscapeStep(inner.Name), given)
		if err != nil {
			return nil, err
		}
		out.index[inner.Name] = len(out.members)
		out.members = append(out.members, member{inner.Name, fitted})
	}
	if data != nil {
		for _, m := range data.members {
			if _, known := out.index[m.key]; !known {
				return nil, refuseAmendment(pointer+"/"+EscapeStep(m.key), "unknown", "the schema has no such field")
			}
		}
	}
	if len(f.Fields) == 0 {
		return nil, nil // the schema does not say what it would hold
	}
	return out, nil
}

func fitScalar(f Field, pointer string, value any) error {
	text, isText := value.(string)
	switch f.Type {
	case NumberField:
		n, ok := value.(json.Number)
		if !ok {
			return refuseAmendment(pointer, "type", "a number is needed, such as 1234.5")
		}
		if size, err := n.Float64(); err != nil || math.IsInf(size, 0) {
			return refuseAmendment(pointer, "format", "the number is too large")
		}
	case BooleanField:
		if _, ok := value.(bool); !ok {
			return refuseAmendment(pointer, "type", "true or false is needed")
		}
	case DateField:
		if at, err := time.Parse(time.DateOnly, text); !isText || err != nil || at.Year() < 1 {
			return refuseAmendment(pointer, "format", "a date such as 2026-05-03 is needed")
		}
	default:
		if !isText {
			return refuseAmendment(pointer, "type", "text is needed")
		}
		if strings.ContainsRune(text, 0) {
			return refuseAmendment(pointer, "format", "text must not hold the NUL character")
		}
	}
	if f.Enum != nil && !slices.ContainsFunc(f.Enum, func(allowed any) bool { return sameScalar(allowed, value) }) {
		return refuseAmendment(pointer, "enum", "one of %s is needed", enumList(f.Enum))
	}
	return nil
}

// sameScalar compares values as JSON does: 1 and 1.0 are the same number.
func sameScalar(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		p, _ := x.Float64()
		q, _ := y.Float64()
		return ok && p == q
	}
	return a == b
}

// enumList tells the first values of an enum.
func enumList(values []any) string {
	const most = 10
	var told []string
	for _, v := range values[:min(len(values), most)] {
		told = append(told, string(textOfValue(v)))
	}
	if len(values) > most {
		told = append(told, "…")
	}
	return strings.Join(told, ", ")
}

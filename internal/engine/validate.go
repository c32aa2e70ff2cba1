package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"fieldlift"
	"fieldlift/internal/value"
)

// Validate holds data against the fields it was extracted for: what is
// required is there, everything has its type, and what has an enum keeps to
// it. An object in which nothing was found counts as missing. It warns of check
// digits that are wrong and of sums that do not come out: those may be the
// document's own mistakes.
func Validate(fields []fieldlift.Field, data json.RawMessage) []fieldlift.Violation {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v validator
	var root map[string]any
	if err := d.Decode(&root); err != nil || root == nil {
		v.refuse("", "type", "the data is not an object")
		return v.found
	}
	v.members("", fields, root)
	return v.found
}

// ValidateResult is Validate for all of a document's data, which in the mode
// one_per_page has an object for each page.
func ValidateResult(mode fieldlift.ResultMode, fields []fieldlift.Field, data json.RawMessage) []fieldlift.Violation {
	if mode != fieldlift.OnePerPage {
		return Validate(fields, data)
	}
	var held struct {
		Pages []json.RawMessage `json:"pages"`
	}
	if err := json.Unmarshal(data, &held); err != nil {
		return Validate(fields, nil)
	}
	var found []fieldlift.Violation
	for i, one := range held.Pages {
		for _, v := range Validate(fields, one) {
			v.Path = "/pages/" + strconv.Itoa(i) + v.Path
			found = append(found, v)
		}
	}
	return found
}

// validator walks data beside its fields and notes what does not fit.
type validator struct {
	found []fieldlift.Violation
}

func (v *validator) refuse(path, rule, format string, args ...any) {
	v.found = append(v.found, fieldlift.Violation{
		Path: path, Rule: rule, Severity: fieldlift.SeverityError, Message: fmt.Sprintf(format, args...) + ".",
	})
}

func (v *validator) members(path string, fields []fieldlift.Field, object map[string]any) {
	for _, f := range fields {
		v.field(path+"/"+Escape(f.Name), f, object[f.Name])
	}
	v.arithmetic(path, fields, object)
}

func (v *validator) field(path string, f fieldlift.Field, value any) {
	if f.Required && (value == nil || f.Type == fieldlift.ObjectField && isEmpty(value)) {
		v.refuse(path, "required", "%s is required and was not found", describe(f.Name))
	}
	if value == nil {
		return
	}
	switch f.Type {
	case fieldlift.ObjectField:
		object, ok := value.(map[string]any)
		if !ok {
			v.refuse(path, "type", "an object is needed")
			return
		}
		v.members(path, f.Fields, object)
	case fieldlift.ArrayField:
		list, ok := value.([]any)
		if !ok {
			v.refuse(path, "type", "an array is needed")
			return
		}
		if f.Items == nil {
			return
		}
		for i, element := range list {
			v.field(path+"/"+strconv.Itoa(i), *f.Items, element)
		}
	default:
		v.scalar(path, f, value)
	}
}

func (v *validator) scalar(path string, f fieldlift.Field, value any) {
	var ok bool
	switch f.Type {
	case fieldlift.NumberField:
		_, ok = value.(json.Number)
	case fieldlift.BooleanField:
		_, ok = value.(bool)
	case fieldlift.DateField:
		text, isText := value.(string)
		_, err := time.Parse(time.DateOnly, text)
		ok = isText && err == nil
	default:
		_, ok = value.(string)
	}
	if !ok {
		v.refuse(path, "type", "a %s is needed", f.Type)
		return
	}
	if f.Enum != nil && !slices.ContainsFunc(f.Enum, func(allowed any) bool { return same(allowed, value) }) {
		v.refuse(path, "enum", "%s is not one of the allowed values", describe(f.Name))
	}
	if text, isText := value.(string); isText {
		v.checksum(path, f, text)
	}
}

// same compares an enum's value with one that was found.
func same(allowed, found any) bool {
	a, isNumber := allowed.(json.Number)
	b, areNumbers := found.(json.Number)
	if isNumber && areNumbers {
		return value.SameNumber(a, b)
	}
	return allowed == found
}

// isEmpty reports whether nothing was found: null, or an object of nothing else.
func isEmpty(value any) bool {
	object, ok := value.(map[string]any)
	if !ok {
		return value == nil
	}
	for _, member := range object {
		if !isEmpty(member) {
			return false
		}
	}
	return true
}

func describe(name string) string {
	if name == "" {
		return "the element"
	}
	return name
}

// Escape makes a name a step of a JSON pointer.
func Escape(name string) string { return fieldlift.EscapeStep(name) }

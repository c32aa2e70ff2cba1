package layout

import (
	"strings"

	"fieldlift/internal/value"
)

// readList reads values that commas or semicolons part. Where semicolons
// stand, commas belong to the values.
func (x *extraction) readList(t *target, s span) (candidate, bool) {
	mark := ","
	for _, w := range x.words[s.from:s.to] {
		if strings.HasSuffix(w.Text, ";") {
			mark = ";"
		}
	}
	c := candidate{reading: reading{spans: []span{s}, fit: 0.9}}
	from := s.from
	for i := s.from; i < s.to; i++ {
		ends := strings.HasSuffix(x.words[i].Text, mark)
		if !ends && i+1 < s.to {
			continue
		}
		r, ok := x.readElement(t, span{from, i + 1}, mark)
		if !ok {
			return candidate{}, false
		}
		c.list = append(c.list, r)
		c.fit = min(c.fit, r.fit)
		from = i + 1
	}
	if len(c.list) < 2 {
		c.fit *= 0.85 // it may be a list of one, or no list
	}
	return c, len(c.list) > 0
}

// readElement reads one of them, without the mark at its end.
func (x *extraction) readElement(t *target, s span, mark string) (reading, bool) {
	text := strings.Trim(strings.TrimSuffix(x.text(s), mark), "•·* ")
	if t.field.Enum != nil {
		for _, allowed := range t.field.Enum {
			if name, ok := allowed.(string); ok && value.Fold(name) == value.Fold(text) {
				return reading{value: name, spans: []span{s}, fit: 1}, true
			}
		}
		return reading{}, false
	}
	v, ok := x.typed(t.field.Type, text)
	return reading{value: v, spans: []span{s}, fit: 0.92}, ok
}

package llm

import (
	"encoding/json"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// TranscriptLines are the lines that a model is shown of pages.
func TranscriptLines(pages []page.Page) []string {
	var lines []string
	for _, l := range newTranscript(pages).lines {
		lines = append(lines, l.text)
	}
	return lines
}

// Hear gives what comes of a model's answer, without a provider that gives it,
// and without an embedded engine.
func Hear(pages []page.Page, fields []fieldlift.Field, answer map[string]json.RawMessage) engine.Answer {
	i := &inquiry{Engine: &Engine{Model: New(Options{})}, transcript: newTranscript(pages)}
	q := question{items: itemsOf(fields), to: len(i.lines)}
	kept := Kept{Said: map[string]json.RawMessage{}}
	for _, one := range q.items {
		if text, ok := answer[one.key]; ok {
			kept.Said[one.key] = text
		}
	}
	i.add(q, kept)
	j := joiner{inquiry: i, embedded: make([]engine.Found, len(fields))}
	return engine.Build(fields, j.join(q.items, q.items))
}

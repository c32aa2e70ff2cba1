package llm

import (
	"regexp"
	"strings"
)

// instructions are how people speak to a model. A document has no reason to: a
// value that stands on such a line was most likely put there for us to find.
var instructions = regexp.MustCompile(`(?i)` +
	`\b(ignore|disregard|forget|override)\b.{0,40}\b(instruction|instructions|prompt|prompts|rules|above|previous|prior)\b` +
	`|\b(system|developer) (prompt|message)\b` +
	`|\b(as|you are) an? (ai|assistant|language model|llm)\b` +
	`|\b(note|instruction|instructions|message|attention) (to|for) (the |any |all )?(ai|assistant|model|llm|language model|extraction (system|model))\b` +
	`|\b(answer|respond|reply|return|output|report) (only )?(with|exactly|that)\b.{0,60}\b(instead|json|field|value)\b` +
	`|\bignorier\w*\b.{0,40}\b(anweisung\w*|vorgaben)\b` +
	`|<\|?(system|im_start|assistant)\|?>`)

// instructs tells whether a text speaks to whoever reads it by machine.
func instructs(text string) bool {
	return instructions.MatchString(strings.Join(strings.Fields(text), " "))
}

// follows is how many lines of a paragraph belong to an instruction before
// them.
const follows = 3

// markPlanted marks lines that speak to a model, alone or with the one before
// them, and those that follow them in the same paragraph.
func (t *transcript) markPlanted() {
	left, spoke := 0, false // spoke: the line before does so alone
	for i := range t.lines {
		l := &t.lines[i]
		goesOn := i > 0 && t.lines[i-1].page == l.page && l.box.Y0-t.lines[i-1].box.Y1 < l.box.Height()
		speaks := instructs(l.text)
		switch {
		case speaks:
			l.planted, left = true, follows
		case goesOn && !spoke && instructs(t.lines[i-1].text+" "+l.text):
			t.lines[i-1].planted, l.planted, left = true, true, follows
		case goesOn && left > 0:
			l.planted = true
			left--
		default:
			left = 0
		}
		spoke = speaks
	}
}

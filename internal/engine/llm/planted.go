package llm

import "regexp"

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

// instructs tells whether a line speaks to whoever reads it by machine.
func instructs(text string) bool { return instructions.MatchString(text) }

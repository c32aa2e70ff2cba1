package fieldlift

import "strings"

// EscapeStep makes a name a step of a JSON pointer (RFC 6901).
func EscapeStep(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

// pointerSteps takes a JSON pointer apart; the empty one has no steps, and what
// does not begin with a slash is none.
func pointerSteps(pointer string) (steps []string, ok bool) {
	if pointer == "" {
		return nil, true
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, false
	}
	steps = strings.Split(rest, "/")
	for i, step := range steps {
		steps[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
	}
	return steps, true
}

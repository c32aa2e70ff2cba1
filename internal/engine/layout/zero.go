package layout

import (
	"encoding/json"
	"regexp"

	"fieldlift"
	"fieldlift/internal/engine"
)

// noneIsZero finds descriptions that say what to give where there is none:
// "VAT rate as a percentage, 0% when none".
var noneIsZero = regexp.MustCompile(`(?i)\b(0|zero)(\.0+)?( ?%| percent)?,? (when|if|where|for|unless)\b`)

// zeroCertainty is how sure it is that a total has none of what its document
// does not mention.
const zeroCertainty = 0.7

// fillZeros gives nought to rates and amounts that the document does not have
// and whose description asks for that. They stand where the total does, which
// has none of them in it; without a total it is not known.
func (x *extraction) fillZeros() {
	total := -1
	for i := range x.targets {
		if x.targets[i].class == totalClass && x.found[i].Value != nil && (total < 0 || x.won[i] > x.won[total]) {
			total = i
		}
	}
	if total < 0 {
		return
	}
	for i := range x.targets {
		t := &x.targets[i]
		if t.table >= 0 || t.list || x.found[i].Value != nil || !noneIsZero.MatchString(t.field.Description) {
			continue
		}
		place := x.found[total].Place
		place.Confidence = min(place.Confidence, 1) * zeroCertainty
		switch {
		case t.field.Type == fieldlift.NumberField:
			x.found[i] = engine.Found{Value: json.Number("0"), Place: place}
		case t.class == rateClass:
			x.found[i] = engine.Found{Value: "0%", Place: place}
		}
	}
}

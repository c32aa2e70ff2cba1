package layout

import (
	"fieldlift/internal/engine"
	"fieldlift/internal/value"
)

// unlabelledConfidence is for values that are known by their look alone.
const unlabelledConfidence = 0.6

// detect finds what needs no label because nothing else looks like it, where
// the document has one such value only and one target asks for it.
func (x *extraction) detect() {
	for kind, read := range map[string]func(string) (string, bool){"email": value.Email, "currency": currencyOf} {
		wanted, count := -1, 0
		for i, t := range x.targets {
			if t.kind == kind && t.table < 0 && !t.list && t.field.Enum == nil {
				count++
				if x.found[i].Value == nil {
					wanted = i
				}
			}
		}
		if count == 1 && wanted >= 0 {
			x.detectOne(wanted, read)
		}
	}
}

func (x *extraction) detectOne(target int, read func(string) (string, bool)) {
	first, at := "", -1
	for i, w := range x.words {
		v, ok := read(w.Text)
		switch {
		case !ok:
		case at < 0:
			first, at = v, i
		case v != first:
			return
		}
	}
	if at >= 0 {
		s := span{at, at + 1}
		x.found[target] = engine.Found{Value: first, Place: x.place(unlabelledConfidence*x.certainty(s), s)}
	}
}

// currencyOf reads the currency of an amount, or one that stands alone. It
// shares its word with the amount: the sign is no part of the number.
func currencyOf(text string) (string, bool) {
	if c, ok := value.Currency(text); ok {
		return c, true
	}
	a, ok := value.Money(text, value.Locale{})
	return a.Currency, ok && a.Currency != ""
}

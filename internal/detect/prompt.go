package detect

import (
	"slices"
	"strings"
	"unicode"

	"fieldlift"
)

// wishes are what a prompt asks for.
type wishes struct {
	names   *lexicon
	only    [][]string // words of things: nothing but these
	without [][]string // not these
	with    [][]string // these, whether they were seen or not
}

// The words that say what is to be done with the things named after them.
var (
	onlyWords    = []string{"only", "just", "solely", "nur", "lediglich", "seulement", "uniquement", "solo", "solamente", "soltanto", "apenas", "somente", "alleen", "slechts", "tylko"}
	withoutWords = []string{"without", "except", "excluding", "exclude", "ignore", "skip", "omit", "not", "no", "ohne", "ausser", "sans", "sauf", "sin", "excepto", "senza", "eccetto", "sem", "exceto", "zonder", "behalve", "bez", "oprocz"}
	withWords    = []string{"include", "including", "also", "add", "plus", "with", "auch", "zusatzlich", "einschliesslich", "mit", "aussi", "inclure", "ajouter", "avec", "incluye", "incluir", "tambien", "anade", "con", "includi", "anche", "aggiungi", "tambem", "inclui", "com", "ook", "inclusief", "met", "takze", "dodaj", "rowniez"}
	breakWords   = []string{"and", "or", "und", "oder", "et", "ou", "y", "o", "e", "i", "en", "of", "oraz", "but", "aber", "mais", "pero", "ma", "mas", "maar", "ale"}
	emptyWords   = []string{"the", "a", "an", "all", "any", "every", "each", "me", "i", "we", "want", "need", "please", "extract", "get", "find", "detect", "show", "give", "return", "field", "fields", "value", "values", "column", "columns", "information", "info", "data", "its", "their", "this", "that", "is", "are", "to", "for", "from", "in", "on", "as", "well", "too", "den", "die", "das", "der", "dem", "le", "la", "les", "du", "de", "des", "l", "d", "el", "los", "las", "il", "lo", "gli", "os", "as", "het", "s"}
)

// mostWishes bounds what a prompt can ask for.
const mostWishes = 20

// readPrompt reads a prompt such as "only the totals", "include the buyer's VAT
// number" or "without line items". A sentence that says none of these is about
// the document and changes nothing.
func (d *Detector) readPrompt(prompt string) wishes {
	w := wishes{names: d.names}
	for _, sentence := range strings.FieldsFunc(prompt, func(r rune) bool { return strings.ContainsRune(".;!?\n", r) }) {
		w.readSentence(sentence)
	}
	return w
}

func (w *wishes) readSentence(sentence string) {
	var into *[][]string
	var thing []string
	end := func() {
		if into != nil && len(thing) > 0 && len(*into) < mostWishes {
			*into = append(*into, thing)
		}
		thing = nil
	}
	for _, clause := range strings.Split(sentence, ",") {
		for _, word := range strings.FieldsFunc(plain(strings.ReplaceAll(clause, "'s ", " ")), unicode.IsSpace) {
			switch {
			case slices.Contains(onlyWords, word):
				end()
				into = &w.only
			case slices.Contains(withoutWords, word) && (word != "no" || len(thing) == 0):
				end()
				into = &w.without
			case slices.Contains(withWords, word):
				end()
				into = &w.with
			case slices.Contains(breakWords, word):
				end()
			case !slices.Contains(emptyWords, word):
				thing = append(thing, word)
			}
		}
		end()
	}
}

// choose keeps of the candidates what the prompt leaves, and adds what it asks
// for and nobody saw.
func (w wishes) choose(candidates []candidate) []candidate {
	kept := slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool {
		if w.names.anyNames(w.without, c) {
			return true
		}
		return len(w.only) > 0 && !w.names.anyNames(w.only, c) && !w.names.anyNames(w.with, c)
	})
	for _, thing := range slices.Concat(w.only, w.with) {
		named := false
		for i := range kept {
			if w.names.isNamed(thing, kept[i]) {
				named = true
				kept[i].asked = kept[i].asked || kept[i].rows == 0 && len(thing) > 1
			}
		}
		if !named {
			kept = append(kept, w.names.wish(thing))
		}
	}
	return unique(kept)
}

func (x *lexicon) anyNames(things [][]string, c candidate) bool {
	return slices.ContainsFunc(things, func(thing []string) bool { return x.isNamed(thing, c) })
}

// isNamed tells whether a thing is a candidate: by its usual name, by words
// that its name or label has, or by its kind.
func (x *lexicon) isNamed(thing []string, c candidate) bool {
	if name, ok := x.find(strings.Join(thing, " ")); ok && name == c.field.Name {
		return true
	}
	if len(thing) == 1 || len(thing) == 2 && c.field.Type == fieldlift.ArrayField {
		switch singular(thing[len(thing)-1]) {
		case "date", "datum", "fecha", "data":
			return c.field.Type == fieldlift.DateField
		case "table", "item", "position", "row", "tabelle", "posten", "positionen", "ligne", "linea", "transaction":
			return c.field.Type == fieldlift.ArrayField
		case "amount", "betrag", "betrage", "montant", "importe", "importo", "bedrag", "kwota":
			return c.field.Type == fieldlift.NumberField
		}
	}
	own := strings.Fields(plain(c.section + " " + strings.ReplaceAll(c.field.Name, "_", " ") + " " + c.label))
	for _, word := range thing {
		if !slices.ContainsFunc(own, func(o string) bool { return sameWord(word, o) }) {
			return false
		}
	}
	return true
}

// sameWord compares words without their plural, and finds "total" in
// "subtotal".
func sameWord(asked, own string) bool {
	asked, own = singular(asked), singular(own)
	return asked == own || len(asked) >= 4 && strings.Contains(own, asked)
}

func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}

// wish makes a field of what the prompt asks for and nobody saw.
func (x *lexicon) wish(thing []string) candidate {
	text := strings.Join(thing, " ")
	name, known := x.find(text)
	if !known {
		name = snake(text)
	}
	f := fieldlift.Field{Name: name, Type: fieldlift.StringField, Description: "Asked for as \"" + text + "\"."}
	last := singular(thing[len(thing)-1])
	switch {
	case strings.HasSuffix(name, "date"), last == "date":
		f.Type = fieldlift.DateField
	case isIdentifier(name):
	case slices.Contains([]string{"amount", "total", "subtotal", "tax", "price", "sum", "balance", "discount", "quantity", "rate", "percentage"}, last), strings.HasSuffix(name, "_amount"):
		f.Type = fieldlift.NumberField
	}
	return candidate{field: f, label: text, asked: true}
}

package detect

import (
	"context"
	"slices"
	"strings"
	"time"

	"fieldlift"
	"fieldlift/internal/engine/llm"
	"fieldlift/internal/page"
)

// Adviser is a connected model that proposes fields.
type Adviser interface {
	Propose(ctx context.Context, pages []page.Page, prompt string) ([]llm.Suggestion, string, error)
}

// DetectWith is Detect with a model's advice. What both see stays as the
// embedded engine finds it again; what the model alone sees comes to it. The
// model understands prompts that we do not: with one, what it leaves out is
// left out, if it names anything that is there. When it cannot be asked, err says why and the proposal is that of
// Detect.
func (d *Detector) DetectWith(ctx context.Context, adviser Adviser, document *page.Document, prompt string) (p fieldlift.Proposal, advice, err error) {
	own, kind, err := d.detect(ctx, document, prompt)
	if err != nil {
		return p, nil, err
	}
	pages := document.Pages[:min(len(document.Pages), mostPages)]
	asking, cancel := context.WithTimeout(ctx, adviceTimeout)
	defer cancel()
	suggested, named, advice := adviser.Propose(asking, pages, prompt)
	if advice == nil && len(suggested) > 0 {
		own = advised(own, suggested, prompt != "")
	}
	if kind == "" && len((fieldlift.ParserChange{DocumentType: &named}).Check()) == 0 {
		kind = named
	}
	return fieldlift.Proposal{DocumentType: kind, Fields: fieldsOf(own)}, advice, nil
}

// adviceTimeout leaves those who wait for a detection their answer, however
// slow a model is.
const adviceTimeout = time.Minute

// advised joins our own candidates with what a model suggests.
func advised(own []candidate, suggested []llm.Suggestion, narrowed bool) []candidate {
	meant := make([]bool, len(own))
	sees := false // something that it names is on the sample
	var added []candidate
	for _, s := range suggested {
		c, ok := candidateOf(s)
		if !ok {
			continue
		}
		if i := slices.IndexFunc(own, func(o candidate) bool { return isSame(o, c) }); i >= 0 {
			meant[i] = true
			sees = sees || own[i].found || c.page > 0
			continue
		}
		if !slices.ContainsFunc(added, func(o candidate) bool { return isSame(o, c) }) {
			added = append(added, c)
			sees = sees || c.page > 0
		}
	}
	var all []candidate
	for i, c := range own {
		if meant[i] || c.asked || !narrowed || !sees {
			all = append(all, c)
		}
	}
	all = inOrder(unique(append(all, added...)))
	return all[:min(len(all), mostFields)]
}

func isSame(a, b candidate) bool {
	if a.field.Name == b.field.Name || a.section != "" && a.section+"_"+a.field.Name == b.field.Name {
		return true
	}
	return (a.field.Type == fieldlift.ArrayField) == (b.field.Type == fieldlift.ArrayField) &&
		a.page > 0 && a.page == b.page && overlaps(a.box, b.box)
}

// candidateOf makes a suggestion a candidate, with names as ours are.
func candidateOf(s llm.Suggestion) (candidate, bool) {
	f := s.Field
	f.Name = snake(f.Name)
	if f.Name == "" {
		return candidate{}, false
	}
	f.Type = typeOf(f.Type)
	if f.Type == fieldlift.ArrayField && f.Items == nil {
		f.Items = &fieldlift.Field{Type: fieldlift.StringField}
	}
	if f.Type != fieldlift.ArrayField {
		f.Items = nil
	}
	if f.Description = brief(f.Description); f.Description == "" {
		f.Description = "The " + strings.ReplaceAll(f.Name, "_", " ") + "."
	}
	if f.Items != nil {
		row := *f.Items
		var columns []fieldlift.Field
		for _, c := range row.Fields[:min(len(row.Fields), mostColumns)] {
			c.Name, c.Description = snake(c.Name), brief(c.Description)
			if c.Type = typeOf(c.Type); c.Type == fieldlift.ArrayField {
				c.Type = fieldlift.StringField // cells hold one value
			}
			if c.Name != "" && len(fieldlift.CheckName("name", c.Name, fieldlift.MaxFieldName)) == 0 && !slices.ContainsFunc(columns, func(o fieldlift.Field) bool { return o.Name == c.Name }) {
				columns = append(columns, c)
			}
		}
		row.Fields = columns
		if row.Type = fieldlift.ObjectField; len(columns) == 0 {
			row.Type = fieldlift.StringField
		}
		f.Items = &row
	}
	if len(fieldlift.CheckName("name", f.Name, fieldlift.MaxFieldName)) > 0 {
		return candidate{}, false
	}
	return candidate{field: f, text: s.Text, page: s.Page, box: s.Box, asked: s.Asked, found: true}, true
}

// typeOf is a type of ours for what a model calls one: models that nobody holds
// to a form have types of their own. What is not known is text.
func typeOf(said fieldlift.FieldType) fieldlift.FieldType {
	switch t := fieldlift.FieldType(strings.ToLower(strings.TrimSpace(string(said)))); t {
	case fieldlift.NumberField, fieldlift.BooleanField, fieldlift.DateField, fieldlift.ArrayField:
		return t
	case "integer", "int", "float", "decimal", "currency", "money", "amount":
		return fieldlift.NumberField
	case "bool":
		return fieldlift.BooleanField
	case "list", "table":
		return fieldlift.ArrayField
	}
	return fieldlift.StringField
}

// longestDescription is what a model's sentence about a field may be long: there
// are many fields, and some models talk.
const longestDescription = 500

func brief(text string) string {
	if runes := []rune(text); len(runes) > longestDescription {
		return string(runes[:longestDescription-1]) + "…"
	}
	return text
}

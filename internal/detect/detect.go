// Package detect proposes a schema for documents like a sample: what kind of
// document it is, and which fields it has, with names, types and descriptions.
// Labels with values beside or below them become fields, tables arrays of
// objects. It keeps only what the engine finds again when the proposed schema
// is extracted from the sample; it stores nothing and charges for nothing.
package detect

import (
	"context"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/einvoice"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// Limits that keep a proposal readable, and the work on any sample short.
const (
	mostPages      = 20 // those that follow repeat what the first ones show
	mostCandidates = 200
	mostFields     = 50
	mostTables     = 4
	mostColumns    = 16
	mostRules      = 1000 // of a page, that part columns
)

// Detector proposes schemas. It is safe for concurrent use.
type Detector struct {
	engine engine.Engine
	names  *lexicon
}

// New makes a detector of fields that an engine can find.
func New(e engine.Engine) *Detector { return &Detector{e, newLexicon()} }

// Detect proposes fields for documents like this one, in the order in which
// they stand on it. The prompt, which may be empty, narrows or adds.
func (d *Detector) Detect(ctx context.Context, document *page.Document, prompt string) (fieldlift.Proposal, error) {
	candidates, kind, err := d.detect(ctx, document, prompt)
	return fieldlift.Proposal{DocumentType: kind, Fields: fieldsOf(candidates)}, err
}

func (d *Detector) detect(ctx context.Context, document *page.Document, prompt string) (candidates []candidate, kind string, err error) {
	pages := document.Pages[:min(len(document.Pages), mostPages)]
	s := newSheet(pages)
	candidates, kind = d.candidates(s, pages, document.Invoice)
	candidates = d.readPrompt(prompt).choose(candidates)
	candidates = candidates[:min(len(candidates), mostCandidates)]
	sample := engine.Request{Pages: pages, DocumentType: kind}
	if document.Invoice != nil {
		sample.Given = document.Invoice.Given()
	}
	candidates, err = d.verify(ctx, sample, candidates)
	return candidates, kind, err
}

// candidate is a field that may be proposed, with the place of its value.
type candidate struct {
	field   fieldlift.Field
	label   string   // as printed
	section string   // the object that it belongs to, "" for none
	text    string   // the value, as printed
	page    int      // of the value, from 1
	box     page.Box // of the value, or of a table's rows
	rows    int      // of a table
	usual   bool     // such documents have it: the engine tells where, if it is there
	asked   bool     // the prompt names it: it stays, found again or not
	found   bool     // the engine finds it again
}

// candidates gives what may be proposed, as it stands on the pages, and what
// kind of document it is. What only may be there comes last.
func (d *Detector) candidates(s *sheet, pages []page.Page, invoice *einvoice.Invoice) (all []candidate, kind string) {
	for _, t := range d.tables(s) {
		all = append(all, d.arrayOf(s, t))
	}
	all = append(all, d.pairs(s)...)
	for _, c := range d.filled(s, pages) {
		if !slices.ContainsFunc(all, func(o candidate) bool { return o.page == c.page && overlaps(o.box, c.box) }) {
			all = append(all, c)
		}
	}
	switch kind = d.documentType(s, all); {
	case invoice != nil && invoice.CreditNote():
		kind = "credit_note"
	case invoice != nil:
		kind = "invoice"
	}
	all = unique(inOrder(all))
	return append(all, usualOf(kind, all)...), kind
}

// fieldsOf gives the candidates' fields; those of a section become one object,
// where the first of them stood.
func fieldsOf(candidates []candidate) []fieldlift.Field {
	var fields []fieldlift.Field
	at := map[string]int{}
	for _, c := range candidates {
		if c.section == "" {
			fields = append(fields, c.field)
			continue
		}
		i, known := at[c.section]
		if !known {
			i = len(fields)
			at[c.section] = i
			fields = append(fields, fieldlift.Field{
				Name: c.section, Type: fieldlift.ObjectField, Description: "What stands under the title of the " + strings.ReplaceAll(c.section, "_", " ") + ".",
			})
		}
		fields[i].Fields = append(fields[i].Fields, c.field)
	}
	return fields
}

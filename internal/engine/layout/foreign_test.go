package layout

import (
	"slices"
	"strings"
	"testing"

	"fieldlift"
	"fieldlift/internal/engine"
)

// kin are types of documents that ask for much the same.
var kin = [][]string{
	{"invoice", "receipt", "order", "delivery", "packing", "utility"},
	{"payslip", "tax"},
	{"form", "lab", "insurance", "cv"},
}

// everywhere is what a document of any type may have, whoever asks.
var everywhere = []string{"currency", "date", "phone"}

// taxes are what a pay slip and a tax form have as well as an invoice.
var taxes = []string{"tax", "tax_amount"}

func related(a, b string) bool {
	return a == b || slices.ContainsFunc(kin, func(k []string) bool { return slices.Contains(k, a) && slices.Contains(k, b) })
}

// scalarsOf lists the last names of the scalars that fields ask for; an array is
// one.
func scalarsOf(fields []fieldlift.Field) []string {
	var names []string
	for _, f := range fields {
		if f.Type == fieldlift.ObjectField {
			names = append(names, scalarsOf(f.Fields)...)
		} else {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestSchemasThatDoNotFit asks each document for what documents of other types
// have. What both have, by name, is not asked.
func TestSchemasThatDoNotFit(t *testing.T) {
	e := New()
	all := madeDocuments(t)
	asked, invented, sure := 0, 0, 0
	for _, d := range all {
		own := scalarsOf(d.fields)
		for _, other := range all {
			if related(d.kind(), other.kind()) {
				continue
			}
			fields := slices.DeleteFunc(slices.Clone(other.fields), func(f fieldlift.Field) bool {
				return slices.Contains(own, f.Name) || slices.Contains(everywhere, f.Name) ||
					slices.Contains(taxes, f.Name) && related(d.kind(), "tax")
			})
			answer, err := e.Extract(t.Context(), engine.Request{Pages: d.pages, Fields: fields})
			if err != nil {
				t.Fatal(err)
			}
			checkAnswer(t, fields, answer)
			checkSources(t, d.pages, answer)
			asked += len(scalarsOf(fields))
			given := map[string]bool{}
			for pointer, m := range answer.Metadata {
				top, _, _ := strings.Cut(pointer[1:], "/")
				if slices.ContainsFunc(fields, func(f fieldlift.Field) bool { return f.Name == top && f.Type == fieldlift.ArrayField }) {
					pointer = "/" + top
				}
				if !given[pointer] && m.Confidence >= 0.9 {
					sure++
				}
				given[pointer] = true
			}
			invented += len(given)
			for pointer := range given {
				t.Logf("%s has %s: %s", d.name, pointer, answer.Metadata[pointer].Text)
			}
		}
	}
	share := float64(invented) / float64(asked)
	if t.Logf("%d of %d fields that are not there were given, %d with 0.9 or more", invented, asked, sure); share >= 0.05 {
		t.Errorf("%.1f %% of fields were invented", 100*share)
	}
}

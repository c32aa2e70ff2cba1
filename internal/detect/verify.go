package detect

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"fieldlift"
	"fieldlift/internal/engine"
	"fieldlift/internal/page"
)

// verify extracts the proposed fields from the sample and keeps those that are
// found again where their values stand. A field that is not found by its usual
// name is tried once more under the label's own.
func (d *Detector) verify(ctx context.Context, pages []page.Page, documentType string, candidates []candidate) ([]candidate, error) {
	if err := d.extract(ctx, pages, documentType, candidates); err != nil {
		return nil, err
	}
	if retry, changed := renamed(candidates); changed {
		if err := d.extract(ctx, pages, documentType, retry); err != nil {
			return nil, err
		}
		for i, c := range retry {
			if c.found && !candidates[i].found {
				candidates[i] = c
			}
		}
	}
	kept := staying(candidates)
	kept = kept[:min(len(kept), mostFields)]
	// Fields that were asked for with others may have kept values from them: what
	// counts is what is found without those that go.
	if err := d.extract(ctx, pages, documentType, kept); err != nil {
		return nil, err
	}
	return staying(kept), nil
}

func staying(candidates []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return !c.found && !c.asked })
}

// renamed gives candidates that were not found the names of their labels.
func renamed(candidates []candidate) (retry []candidate, changed bool) {
	retry = slices.Clone(candidates)
	for i, c := range retry {
		own := snake(c.label)
		if c.found || c.section != "" || c.rows > 0 || own == "" ||
			slices.ContainsFunc(retry, func(o candidate) bool { return o.field.Name == own || o.section == own }) {
			continue
		}
		retry[i].field.Name, changed = own, true
	}
	return retry, changed
}

// extract marks the candidates that the engine finds. All are asked for at
// once, as they will be.
func (d *Detector) extract(ctx context.Context, pages []page.Page, documentType string, candidates []candidate) error {
	if len(candidates) == 0 {
		return ctx.Err()
	}
	answer, err := d.engine.Extract(ctx, engine.Request{Pages: pages, Fields: fieldsOf(candidates), DocumentType: documentType})
	if err != nil {
		return err
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(answer.Data, &data); err != nil {
		return err
	}
	for i := range candidates {
		c := &candidates[i]
		if c.rows > 0 {
			c.found = c.keepColumns(answer, data[c.field.Name])
			continue
		}
		pointer := "/" + c.field.Name
		if c.section != "" {
			pointer = "/" + c.section + pointer
		}
		c.found = stands(answer.Metadata[pointer], c.page, c.box)
	}
	return nil
}

// stands tells whether a value was found at a place.
func stands(m fieldlift.FieldMetadata, number int, box page.Box) bool {
	return m.Page == number && slices.ContainsFunc(m.Boxes, func(b [4]float64) bool {
		return overlaps(page.Box{X0: b[0], Y0: b[1], X1: b[2], Y1: b[3]}, box)
	})
}

// keepColumns keeps the columns of a table that have values, and tells whether
// at least half of its rows were found.
func (c *candidate) keepColumns(answer engine.Answer, data json.RawMessage) bool {
	var rows []json.RawMessage
	if json.Unmarshal(data, &rows) != nil || len(rows)*2 < c.rows {
		return false
	}
	filled := func(f fieldlift.Field) bool {
		for i := range rows {
			if _, ok := answer.Metadata["/"+c.field.Name+"/"+strconv.Itoa(i)+"/"+f.Name]; ok {
				return true
			}
		}
		return false
	}
	row := *c.field.Items
	row.Fields = slices.DeleteFunc(slices.Clone(row.Fields), func(f fieldlift.Field) bool { return !filled(f) })
	c.field.Items = &row
	return len(row.Fields) > 0
}

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
// found again where their values stand, or where they are repeated. A field that is not found by its usual
// name is tried once more under the label's own.
func (d *Detector) verify(ctx context.Context, sample engine.Request, candidates []candidate) ([]candidate, error) {
	if err := d.extract(ctx, sample, candidates); err != nil {
		return nil, err
	}
	if err := d.extractOwn(ctx, sample, candidates); err != nil {
		return nil, err
	}
	if retry, changed := renamed(candidates); changed {
		if err := d.extract(ctx, sample, retry); err != nil {
			return nil, err
		}
		for i, c := range retry {
			if c.found && !candidates[i].found {
				candidates[i] = c
			}
		}
	}
	kept := withoutEchoes(staying(candidates))
	kept = kept[:min(len(kept), mostFields)]
	// Fields that were asked for with others may have kept values from them: what
	// counts is what is found without those that go.
	if err := d.extract(ctx, sample, kept); err != nil {
		return nil, err
	}
	return inOrder(staying(kept)), nil
}

// extractOwn asks for what was read off the page without what is only usual:
// fields that are not there make a document look as if the schema were not for
// it, and the engine shy. A value that has a usual name keeps that.
func (d *Detector) extractOwn(ctx context.Context, sample engine.Request, candidates []candidate) error {
	own := slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return c.usual })
	if len(own) == len(candidates) || !slices.ContainsFunc(own, func(c candidate) bool { return !c.found }) {
		return nil
	}
	if err := d.extract(ctx, sample, own); err != nil {
		return err
	}
	next := 0
	for i, c := range candidates {
		if c.usual {
			continue
		}
		if !c.found && !slices.ContainsFunc(candidates, func(o candidate) bool { return o.usual && o.found && o.page == c.page && overlaps(o.box, c.box) }) {
			candidates[i] = own[next]
		}
		next++
	}
	return nil
}

func staying(candidates []candidate) []candidate {
	return slices.DeleteFunc(slices.Clone(candidates), func(c candidate) bool { return !c.found && !c.asked })
}

// renamed gives candidates that were not found the names of their labels.
func renamed(candidates []candidate) (retry []candidate, changed bool) {
	retry = slices.Clone(candidates)
	for i, c := range retry {
		own := snake(c.label)
		if c.found || c.usual || c.section != "" || c.rows > 0 || own == "" ||
			slices.ContainsFunc(retry, func(o candidate) bool { return o.field.Name == own || o.section == own }) {
			continue
		}
		retry[i].field.Name, changed = own, true
	}
	return retry, changed
}

// extract marks the candidates that the engine finds. All are asked for at
// once, as they will be.
func (d *Detector) extract(ctx context.Context, sample engine.Request, candidates []candidate) error {
	if len(candidates) == 0 {
		return ctx.Err()
	}
	sample.Fields = fieldsOf(candidates)
	answer, err := d.engine.Extract(ctx, sample)
	if err != nil {
		return err
	}
	var data map[string]json.RawMessage
	if err := json.Unmarshal(answer.Data, &data); err != nil {
		return err
	}
	for i := range candidates {
		c := &candidates[i]
		if c.field.Type == fieldlift.ArrayField {
			c.found = c.keepColumns(answer, data[c.field.Name]) && (!c.usual || c.takeUsual(answer))
			continue
		}
		if c.usual {
			c.found = c.takeUsual(answer)
			continue
		}
		pointer := "/" + c.field.Name
		if c.section != "" {
			pointer = "/" + c.section + pointer
		}
		m, known := answer.Metadata[pointer]
		c.found = known && (stands(m, c.page, c.box) || c.text != "" && plain(m.Text) == plain(c.text))
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
	if json.Unmarshal(data, &rows) != nil || len(rows) == 0 || len(rows)*2 < c.rows {
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
	return len(row.Fields) > 1 || len(row.Fields) == 1 && !c.usual
}

package export

import (
	"encoding/json"
	"slices"
	"strconv"
)

// tables are the sheets that a schema makes: one of results, and one for each
// array of objects. In the sheet around an array its column tells how many
// elements there are.
type tables struct {
	table  Table
	layout *layout
	sheet  *sheet
	arrays []*arraySheet
}

// arraySheet holds the elements of an array, a row each.
type arraySheet struct {
	column int     // of the array, in the layout around it
	layout *layout // of its elements
	sheet  *sheet
	arrays []*arraySheet
}

func newTables(b *workbook, t Table) (*tables, error) {
	l := newLayout(t.Fields)
	header := t.leadNames()
	for _, c := range l.columns {
		header = append(header, c.name)
	}
	s, err := b.newSheet(resultsSheet, header)
	if err != nil {
		return nil, err
	}
	lead := []string{"document_id", "filename"}
	if t.PerPage {
		lead = append(lead, "page")
	}
	arrays, err := newArraySheets(b, l, "", append(lead, "row"), true)
	return &tables{t, l, s, arrays}, err
}

// newArraySheets makes sheets for the arrays of objects in a layout, and for
// the arrays in their elements. Deeper ones, and those beyond a number that no
// sensible schema has, remain JSON in their cells.
func newArraySheets(b *workbook, around *layout, prefix string, lead []string, outermost bool) ([]*arraySheet, error) {
	var arrays []*arraySheet
	for i, c := range around.columns {
		if !isTable(c.field) || len(b.sheets) >= mostSheets {
			continue
		}
		a := &arraySheet{column: i, layout: newLayout(c.field.Items.Fields)}
		header := slices.Clone(lead)
		for _, inner := range a.layout.columns {
			header = append(header, inner.name)
		}
		var err error
		if a.sheet, err = b.newSheet(prefix+c.name, header); err != nil {
			return nil, err
		}
		arrays = append(arrays, a)
		if !outermost {
			continue
		}
		inside := slices.Concat(lead[:len(lead)-1], []string{"parent_row", "row"})
		if a.arrays, err = newArraySheets(b, a.layout, prefix+c.name+".", inside, false); err != nil {
			return nil, err
		}
	}
	return arrays, nil
}

func (t *tables) record(r Record) error {
	results, err := t.table.results(r)
	if err != nil {
		return err
	}
	for _, result := range results {
		lead := []cell{textCell(r.DocumentID), textCell(r.Filename)}
		if t.table.PerPage {
			lead = append(lead, pageCell(result.page))
		}
		fields, err := tableCells(t.layout, t.arrays, lead, result.data)
		if err != nil {
			return err
		}
		if err := t.sheet.write(append(t.table.lead(r, result.page), fields...)); err != nil {
			return err
		}
	}
	return nil
}

// tableCells gives the cells of an object, and writes the arrays that have
// sheets of their own there, with lead before each row.
func tableCells(l *layout, arrays []*arraySheet, lead []cell, value json.RawMessage) ([]cell, error) {
	values := l.spread(value)
	cells := make([]cell, len(values))
	for _, a := range arrays {
		list := elements(values[a.column])
		if list != nil {
			cells[a.column] = cell{number, strconv.Itoa(len(list))}
		}
		values[a.column] = nil
		if err := a.write(lead, list); err != nil {
			return nil, err
		}
	}
	for i, c := range l.columns {
		if values[i] != nil {
			cells[i] = cellOf(c.field, values[i])
		}
	}
	return cells, nil
}

func (a *arraySheet) write(lead []cell, list []json.RawMessage) error {
	for i, element := range list {
		row := append(slices.Clip(lead), cell{number, strconv.Itoa(i + 1)})
		fields, err := tableCells(a.layout, a.arrays, row, element)
		if err != nil {
			return err
		}
		if err := a.sheet.write(append(row, fields...)); err != nil {
			return err
		}
	}
	return nil
}

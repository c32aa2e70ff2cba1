package export

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// csvWriter writes results as RFC 4180 has it.
type csvWriter struct {
	*csv.Writer
	table   Table
	layout  *layout
	explode int     // the column whose elements become rows; -1: none
	element *layout // of those elements
}

func writeCSV(w io.Writer, t Table, explode string) error {
	c := csvWriter{Writer: csv.NewWriter(bufio.NewWriterSize(w, bufferSize)), table: t, layout: newLayout(t.Fields), explode: -1}
	c.UseCRLF = true
	if explode != "" {
		at, err := c.layout.table(explode)
		if err != nil {
			return err
		}
		c.explode, c.element = at, newLayout(c.layout.columns[at].field.Items.Fields)
	}
	if err := c.Write(c.header()); err != nil {
		return err
	}
	for r, err := range t.Records {
		if err != nil {
			return err
		}
		if err := c.record(r); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func (c csvWriter) header() []string {
	names := c.table.leadNames()
	for i, column := range c.layout.columns {
		if i != c.explode {
			names = append(names, guarded(column.name))
			continue
		}
		for _, inner := range c.element.columns {
			names = append(names, guarded(column.name+"."+inner.name))
		}
	}
	return names
}

func (c csvWriter) record(r Record) error {
	results, err := c.table.results(r)
	if err != nil {
		return err
	}
	for _, result := range results {
		var row []string
		for _, lead := range c.table.lead(r, result.page) {
			row = append(row, csvText(lead))
		}
		values := c.layout.spread(result.data)
		if c.element != nil {
			err = c.exploded(row, values)
		} else {
			err = c.Write(appendTexts(row, c.layout.columns, values))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// exploded writes a row for each element; the other columns are repeated.
// Without elements there is one row all the same.
func (c csvWriter) exploded(row []string, values []json.RawMessage) error {
	list := elements(values[c.explode])
	if len(list) == 0 {
		list = []json.RawMessage{nil}
	}
	row = appendTexts(row, c.layout.columns[:c.explode], values)
	after := appendTexts(nil, c.layout.columns[c.explode+1:], values[c.explode+1:])
	for _, element := range list {
		texts := appendTexts(slices.Clip(row), c.element.columns, c.element.spread(element))
		if err := c.Write(append(texts, after...)); err != nil {
			return err
		}
	}
	return nil
}

func appendTexts(row []string, columns []column, values []json.RawMessage) []string {
	for i, c := range columns {
		row = append(row, csvText(cellOf(c.field, values[i])))
	}
	return row
}

func csvText(c cell) string {
	if c.kind == text {
		return guarded(c.text)
	}
	return c.text
}

// guarded keeps spreadsheets from running text as a formula: an apostrophe
// before what a formula may begin with tells them that it is text.
func guarded(s string) string {
	if s != "" && strings.IndexByte("=+-@\t\r\n", s[0]) >= 0 {
		return "'" + s
	}
	return s
}

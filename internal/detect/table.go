package detect

import (
	"fmt"
	"strings"

	"fieldlift"
	"fieldlift/internal/page"
)

// table is a line of heads and the rows below it.
type table struct {
	header int
	heads  []segment
	cells  [][]string // by column: those that are not empty
	box    page.Box   // of the rows
	page   int
	rows   int
}

// tables finds the tables of the sheet and marks their lines.
func (d *Detector) tables(s *sheet) []table {
	var all []table
	for i := 0; i < len(s.lines) && len(all) < mostTables; i++ {
		if s.lines[i].table || !d.isHeader(s.lines[i]) {
			continue
		}
		if t, end, ok := d.readTable(s, i); ok {
			for k := i; k < end; k++ {
				s.lines[k].table = true
			}
			all = append(all, t)
			i = end - 1
		}
	}
	return all
}

// isHeader tells a line of some short words without figures or colons.
func (d *Detector) isHeader(l line) bool {
	if len(l.segments) < 2 || len(l.segments) > mostColumns {
		return false
	}
	known := 0
	for _, one := range l.segments {
		if one.colon || hasDigit(one.text) || len(one.words) > 5 || !hasLetter(one.text) && one.text != "#" {
			return false
		}
		if _, ok := d.names.column(one.text); ok {
			known++
		}
	}
	return len(l.segments) >= 3 || known == len(l.segments)
}

// leastRows is how many rows make a table, where not all heads are known.
const leastRows = 2

func (d *Detector) readTable(s *sheet, header int) (t table, end int, ok bool) {
	h := s.lines[header]
	t = table{header: header, heads: h.segments, cells: make([][]string, len(h.segments)), page: h.page}
	end = header + 1
	for i, skipped := header+1, 0; i < len(s.lines) && skipped <= 2; i++ {
		l := s.lines[i]
		if l.page != h.page || d.isSum(l) {
			break
		}
		if !t.addRow(l) {
			skipped++ // a cell that goes on in the next line, or the end
			continue
		}
		skipped, end = 0, i+1
	}
	least := leastRows
	if known := d.knownHeads(h); known >= 2 && known*2 >= len(h.segments) {
		least = 1
	}
	return t, end, t.rows >= least
}

func (d *Detector) knownHeads(h line) int {
	known := 0
	for _, one := range h.segments {
		if _, ok := d.names.column(one.text); ok {
			known++
		}
	}
	return known
}

// isSum tells a line that begins with the name of a total: it ends a table.
func (d *Detector) isSum(l line) bool {
	name, ok := d.names.find(l.segments[0].text)
	if !ok && len(l.segments[0].words) > 1 {
		name, ok = d.names.find(newSegment(l.segments[0].words[:1]).text)
	}
	switch name {
	case "total_amount", "subtotal", "tax_amount", "shipping_amount", "discount_amount", "amount_due":
		return ok
	}
	return false
}

// addRow takes a line in whose segments stand below heads, each below another.
func (t *table) addRow(l line) bool {
	least := max(2, (len(t.heads)+1)/2)
	if len(l.segments) < least || len(l.segments) > len(t.heads) {
		return false
	}
	columns := make([]int, len(l.segments))
	figures := false
	for i, one := range l.segments {
		columns[i] = t.column(one.box)
		if i > 0 && columns[i] <= columns[i-1] || one.colon {
			return false
		}
		figures = figures || hasDigit(one.text)
	}
	if !figures {
		return false
	}
	for i, one := range l.segments {
		t.cells[columns[i]] = append(t.cells[columns[i]], one.text)
	}
	if t.rows++; t.rows == 1 {
		t.box = l.box
	}
	t.box = t.box.Union(l.box)
	return true
}

// column is the head that stands nearest above a box.
func (t *table) column(b page.Box) int {
	best, nearest := 0, 2.0
	for i, h := range t.heads {
		distance := max(0, h.box.X0-b.X1, b.X0-h.box.X1)
		if distance == 0 { // several may overlap: the middles decide
			distance = -1 + max((h.box.X0+h.box.X1)-(b.X0+b.X1), (b.X0+b.X1)-(h.box.X0+h.box.X1))/4
		}
		if distance < nearest {
			best, nearest = i, distance
		}
	}
	return best
}

// arrayOf makes a field of a table: an array of objects with typed columns.
func (d *Detector) arrayOf(s *sheet, t table) candidate {
	row := fieldlift.Field{Type: fieldlift.ObjectField}
	used := map[string]bool{}
	for i, h := range t.heads {
		if len(t.cells[i]) == 0 {
			continue
		}
		name, known := d.names.column(h.text)
		if !known {
			name = snake(h.text)
		}
		if name == "" || used[name] {
			name = fmt.Sprintf("column_%d", i+1)
		}
		used[name] = true
		row.Fields = append(row.Fields, fieldlift.Field{
			Name: name, Type: s.commonKind(t.cells[i], name), Description: fmt.Sprintf("Column %q.", strings.Map(plainQuote, h.text)),
		})
	}
	name, title := d.tableName(s, t, used)
	f := fieldlift.Field{Name: name, Type: fieldlift.ArrayField, Items: &row, Description: "The rows of the table"}
	if title != "" {
		f.Description += fmt.Sprintf(" %q", strings.Map(plainQuote, title))
	}
	f.Description += "."
	return candidate{field: f, label: title, page: t.page, box: t.box, rows: t.rows}
}

// tableName names a table by what its columns are, or by the title above it.
func (d *Detector) tableName(s *sheet, t table, columns map[string]bool) (name, title string) {
	switch {
	case columns["description"] && (columns["quantity"] || columns["unit_price"] || columns["amount"]):
		return "line_items", ""
	case columns["date"] && (columns["debit"] || columns["credit"] || columns["balance"]):
		return "transactions", ""
	}
	if t.header > 0 {
		above := s.lines[t.header-1]
		if one := above.segments[0]; above.page == t.page && len(above.segments) == 1 && !above.table && !hasDigit(one.text) && isLabelText(one.text) && len(one.words) <= 5 {
			return snake(one.text), one.text
		}
	}
	return "rows", ""
}

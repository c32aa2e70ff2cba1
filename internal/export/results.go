package export

import (
	"encoding/json"
	"strconv"

	"fieldlift"
)

// result is what one row of results shows: of a document, or of a page.
type result struct {
	page json.RawMessage // its number; nil when results are per document
	data json.RawMessage
}

// results gives the results of a record. One that has none, such as a failed
// document, still has a row to say so.
func (t Table) results(r Record) ([]result, error) {
	data, err := compact(r)
	if err != nil {
		return nil, err
	}
	if !t.PerPage {
		return []result{{data: data}}, nil
	}
	var found []result
	for _, page := range elements(memberOf(data, "pages")) {
		found = append(found, result{page: memberOf(page, "page"), data: page})
	}
	if found == nil {
		return []result{{}}, nil
	}
	return found, nil
}

// leadNames are the columns before those of the fields.
func (t Table) leadNames() []string {
	if t.PerPage {
		return []string{"document_id", "filename", "status", "error_message", "page", "confidence"}
	}
	return []string{"document_id", "filename", "status", "error_message", "confidence"}
}

// lead is what stands in the columns of leadNames.
func (t Table) lead(r Record, page json.RawMessage) []cell {
	cells := []cell{textCell(r.DocumentID), textCell(r.Filename), textCell(r.Status), textCell(r.ErrorMessage)}
	if t.PerPage {
		cells = append(cells, pageCell(page))
	}
	if !r.hasData() {
		return append(cells, cell{})
	}
	return append(cells, cell{number, strconv.FormatFloat(r.Confidence, 'f', -1, 64)})
}

func pageCell(page json.RawMessage) cell {
	return cellOf(fieldlift.Field{Type: fieldlift.NumberField}, page)
}

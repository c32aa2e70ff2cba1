package export

import "fieldlift"

// Format is a kind of file, in the words of the interface.
type Format string

// The formats.
const (
	JSON Format = "json"
	CSV  Format = "csv"
	XLSX Format = "xlsx"
)

// ParseFormat reads a format as clients ask for it; without any it is JSON.
func ParseFormat(s string) (Format, error) {
	switch f := Format(s); f {
	case "":
		return JSON, nil
	case JSON, CSV, XLSX:
		return f, nil
	}
	return "", fieldlift.Invalid(fieldlift.Detail{
		Field: "format", Issue: "enum", Message: "format must be json, csv or xlsx.",
	})
}

// ContentType is the format's media type.
func (f Format) ContentType() string {
	switch f {
	case CSV:
		return "text/csv; charset=utf-8"
	case XLSX:
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	}
	return "application/json"
}

// Extension is how names of such files end, with the dot.
func (f Format) Extension() string { return "." + string(f) }

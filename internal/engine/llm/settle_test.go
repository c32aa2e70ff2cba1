package llm

import (
	"testing"

	"fieldlift"
	"fieldlift/internal/engine"
)

// TestUnprovenValues: what the embedded engine read goes before what is not
// there, but for what it read off a picture and hardly believes itself.
func TestUnprovenValues(t *testing.T) {
	for _, test := range []struct {
		name, source string
		sure         float64
		want         string
	}{
		{"printed", fieldlift.SourceText, 0.56, "DANE POE"},
		{"printed, but hardly believed", fieldlift.SourceText, 0.35, "JANE DOE"},
		{"recognised dimly", fieldlift.SourceOCR, 0.56, "JANE DOE"},
		{"recognised well", fieldlift.SourceOCR, 0.7, "DANE POE"},
	} {
		read := engine.Found{Value: "DANE POE", Place: fieldlift.FieldMetadata{
			Confidence: test.sure, Source: test.source, Page: 1, Boxes: [][4]float64{{0.1, 0.1, 0.2, 0.2}},
		}}
		got := settle(read, candidate{Found: engine.Found{Value: "JANE DOE", Place: unproven(said{text: "JANE DOE"})}})
		if got.Value != test.want {
			t.Errorf("%s: %v, want %v", test.name, got.Value, test.want)
		}
		if got.Value == "JANE DOE" && (got.Place.Confidence > mostUnproven || len(got.Place.Boxes) > 0) {
			t.Errorf("%s: %+v", test.name, got.Place)
		}
	}
}

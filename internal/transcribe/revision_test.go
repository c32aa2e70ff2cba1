package transcribe

import (
	"embed"
	"strings"
	"testing"

	"fieldlift/internal/einvoice"
	"fieldlift/internal/ocr"
	"fieldlift/internal/page"
	"fieldlift/internal/reader"
	"fieldlift/internal/scan"
)

// What was read is kept under the name of the code that read it: all of that
// code has to count, and its tests do not.
func TestRevisionIsMadeOfTheCode(t *testing.T) {
	for name, files := range map[string]embed.FS{
		"einvoice": einvoice.Source(), "ocr": ocr.Source(), "page": page.Source(), "reader": reader.Source(), "scan": scan.Source(), "transcribe": source,
	} {
		var code strings.Builder
		addCode(&code, files)
		if !strings.Contains(code.String(), "\npackage "+name+"\n") {
			t.Errorf("the code of %s does not count", name)
		}
		if strings.Contains(code.String(), "*testing.T)") {
			t.Errorf("the tests of %s count", name)
		}
	}
	if first, second := revision(), revision(); first != second {
		t.Error("it changes by itself")
	}
}

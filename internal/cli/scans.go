package cli

import (
	"os"
	"strings"

	"fieldlift/internal/app"
)

// usualModels is where tools/setup puts the models for a second look at scans.
const usualModels = "/usr/local/share/fieldlift/ocr"

// scanFlags defines the flags for how scans are read.
func scanFlags(c *call) func(*app.Config) {
	usual := strings.Join(app.Default().OCRLanguages, ",")
	languages := c.text("ocr-languages", usual, "what scans are written in, as tesseract names it, such as eng,deu; each page is read in the one that suits it")
	models := c.text("ocr-models", installedModels(), "a folder with models that look a second time at doubtful words of scans in English, or none; "+usualModels+" if it is there")
	return func(config *app.Config) {
		config.OCRLanguages = nil
		for name := range strings.SplitSeq(*languages, ",") {
			config.OCRLanguages = append(config.OCRLanguages, strings.TrimSpace(name))
		}
		if config.OCRModels = *models; config.OCRModels == "none" {
			config.OCRModels = ""
		}
	}
}

// installedModels is the usual folder, if it is there.
func installedModels() string {
	if _, err := os.Stat(usualModels); err != nil {
		return ""
	}
	return usualModels
}

package llm

import "fieldlift/internal/page"

// TranscriptLines are the lines that a model is shown of pages.
func TranscriptLines(pages []page.Page) []string {
	var lines []string
	for _, l := range newTranscript(pages).lines {
		lines = append(lines, l.text)
	}
	return lines
}

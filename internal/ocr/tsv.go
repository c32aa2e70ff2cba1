package ocr

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The columns of tesseract's TSV output.
const (
	columnLevel = iota
	columnPage
	columnBlock
	columnParagraph
	columnLine
	columnWord
	columnLeft
	columnTop
	columnWidth
	columnHeight
	columnConfidence
	columnText
	columns
)

// The levels of its rows.
const (
	levelLine = 4
	levelWord = 5
)

const (
	mostWords  = 20_000 // of a page: a dense one has a thousand
	mostLength = 1_000  // bytes of a word
	mostSide   = 1 << 20
)

// ParseTSV reads what tesseract writes with "tsv": a row for each page, block, paragraph,
// line and word.
func ParseTSV(r io.Reader) ([]Word, error) {
	var words []Word
	line, lineHeight := 0, 0
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 0, 4<<10), 64<<10)
	for n := 0; in.Scan(); n++ {
		fields := strings.SplitN(in.Text(), "\t", columns)
		if n == 0 && fields[0] == "level" || len(fields) == 1 && fields[0] == "" {
			continue
		}
		if len(fields) < columns-1 {
			return nil, fmt.Errorf("row %d has %d columns", n+1, len(fields))
		}
		numbers, err := numbersOf(fields)
		if err != nil {
			return nil, fmt.Errorf("row %d: %w", n+1, err)
		}
		switch numbers[columnLevel] {
		case levelLine:
			line++
			lineHeight = max(numbers[columnHeight], 0)
		case levelWord:
			if len(fields) < columns || numbers[columnWidth] < 0 || numbers[columnHeight] < 0 {
				continue
			}
			confidence, err := strconv.ParseFloat(fields[columnConfidence], 64)
			if err != nil {
				return nil, fmt.Errorf("row %d: %w", n+1, err)
			}
			text := clean(fields[columnText])
			if text == "" {
				continue
			}
			if len(words) == mostWords {
				return nil, fmt.Errorf("more than %d words", mostWords)
			}
			x, y := numbers[columnLeft], numbers[columnTop]
			words = append(words, Word{
				Text: text, X0: max(x, 0), Y0: max(y, 0), X1: max(x+numbers[columnWidth], 0), Y1: max(y+numbers[columnHeight], 0),
				Confidence: calibrate(confidence), Line: line, LineHeight: lineHeight,
			})
		}
	}
	return words, in.Err()
}

// numbersOf reads a row's numbers. Boxes reach beyond the picture now and then:
// that is no reason to lose the page.
func numbersOf(fields []string) (numbers [columnConfidence]int, err error) {
	for i := range numbers {
		n, err := strconv.Atoi(fields[i])
		if err != nil && !errors.Is(err, strconv.ErrRange) { // then it is the nearest there is
			return numbers, err
		}
		numbers[i] = min(max(n, -mostSide), mostSide)
	}
	return numbers, nil
}

// clean leaves out what nobody would type: controls, and what is no text.
func clean(text string) string {
	if len(text) > mostLength || !utf8.ValidString(text) {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError {
			return -1
		}
		return r
	}, text)
}

func isAlphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// judged is what tesseract says of words, in percent, and which share of them
// was right when it was measured; "fieldlift eval --ocr" measures it again.
var judged = [...]struct{ says, right float64 }{
	{0, 0.20}, {30, 0.40}, {60, 0.52}, {75, 0.63}, {86, 0.77}, {95, 0.95}, {100, 0.98},
}

// calibrate brings tesseract's percentage to a share of words that are right.
func calibrate(percent float64) float64 {
	if !(percent > 0) { // nor for what is not a number
		return judged[0].right
	}
	for i, to := range judged[1:] {
		if from := judged[i]; percent <= to.says {
			return from.right + (to.right-from.right)*(percent-from.says)/(to.says-from.says)
		}
	}
	return judged[len(judged)-1].right
}

package layout

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"fieldlift"
	"fieldlift/internal/page"
)

const (
	// cutConfidence is the most that a number may have that recognition has
	// probably cut.
	cutConfidence = 0.5
	// sumDoubt is what recognised amounts keep of their confidence where they do
	// not add up.
	sumDoubt = 0.7
	// cutGap is the widest gap between the parts of a number that recognition has
	// cut, in heights of its figures.
	cutGap = 0.5
)

// joinCut puts the parts of numbers together that recognition has cut before
// their decimals: "23" ".79".
func joinCut(words page.Line, width, height float64) page.Line {
	if !slices.ContainsFunc(words, func(w page.Word) bool { return w.Source == fieldlift.SourceOCR && opensDecimals(w.Text) }) {
		return words
	}
	var joined page.Line
	for _, w := range words {
		if n := len(joined); n > 0 && opensDecimals(w.Text) && isCutOff(joined[n-1], w, width, height) && !strings.Contains(joined[n-1].Text, w.Text[:1]) {
			last := &joined[n-1]
			last.Text += w.Text
			last.Box = last.Box.Union(w.Box)
			last.Confidence = min(last.Confidence, w.Confidence)
			continue
		}
		joined = append(joined, w)
	}
	return joined
}

// isCutOff reports whether a recognised word stands so close behind figures
// that both may be one number.
func isCutOff(before, w page.Word, width, height float64) bool {
	if before.Source != fieldlift.SourceOCR || w.Source != fieldlift.SourceOCR || before.Text == "" || w.Text == "" {
		return false
	}
	gap := (w.Box.X0 - before.Box.X1) * width
	return isFigure(before.Text[len(before.Text)-1]) && gap <= cutGap*min(before.Box.Height(), w.Box.Height())*height
}

func isFigure(c byte) bool { return c >= '0' && c <= '9' }

// opensDecimals reports whether a word is the decimals of a number without what
// stands before them.
func opensDecimals(text string) bool {
	return len(text) > 1 && (text[0] == '.' || text[0] == ',') && isFigure(text[1])
}

// isCut reports whether a span is a recognised number of which a part is
// missing, or stands directly beside it.
func (x *extraction) isCut(s span) bool {
	first := x.words[s.from]
	if first.Source != fieldlift.SourceOCR {
		return false
	}
	if opensDecimals(strings.TrimLeft(first.Text, "$€£¥-+(")) {
		return true
	}
	p := x.pages[x.lines[first.line].page]
	beside := func(a, b int) bool {
		return a >= 0 && b < len(x.words) && x.words[a].line == x.words[b].line && x.words[a].Box != x.words[b].Box &&
			isFigure(x.words[b].Text[0]) && isCutOff(x.words[a].Word, x.words[b].Word, p.Width, p.Height)
	}
	return beside(s.from-1, s.from) || beside(s.to-1, s.to)
}

// doubtCut lowers the confidence of numbers that recognition may have cut.
func (x *extraction) doubtCut(r reading, confidence float64) float64 {
	if _, isNumber := r.value.(json.Number); isNumber && x.isCut(r.spans[0]) {
		return min(confidence, cutConfidence)
	}
	return confidence
}

// doubtSums lowers the confidence of a recognised net, tax and total that do
// not add up, with or without another amount that was found.
func (x *extraction) doubtSums() {
	parts := map[class]int{}
	others := []float64{0}
	for i := range x.targets {
		n, isNumber := x.found[i].Value.(json.Number)
		if !isNumber || x.targets[i].table >= 0 {
			continue
		}
		switch of := x.targets[i].class; of {
		case subtotalClass, taxClass, totalClass:
			if _, several := parts[of]; several {
				return
			}
			parts[of] = i
		case numberClass:
			if v, err := n.Float64(); err == nil {
				others = append(others, v, -v)
			}
		}
	}
	if len(parts) < 3 {
		return
	}
	amount := func(of class) float64 {
		v, err := x.found[parts[of]].Value.(json.Number).Float64()
		if err != nil {
			return math.NaN()
		}
		return v
	}
	net, tax, total := amount(subtotalClass), amount(taxClass), amount(totalClass)
	const rounding = 0.025
	for _, other := range others { // the tax may be in the net already
		if abs(net+tax+other-total) < rounding || abs(net+other-total) < rounding {
			return
		}
	}
	for _, i := range parts {
		if place := &x.found[i].Place; place.Source == fieldlift.SourceOCR {
			place.Confidence = math.Round(place.Confidence*sumDoubt*1000) / 1000
		}
	}
}

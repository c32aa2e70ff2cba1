package transcribe

import (
	"slices"

	"fieldlift"
	"fieldlift/internal/ocr"
	"fieldlift/internal/page"
	"fieldlift/internal/scan"
)

// stanceOf is how a page lies, as its picture showed.
func stanceOf(p page.Page, picture scan.Picture) page.Stance {
	return page.Stance{Rotation: picture.Turned, Skew: picture.Skew, Width: p.Width, Height: p.Height}
}

// join puts recognised words onto the page, beside those of its own that are
// printed and sound: these are exact.
func join(p *page.Page, picture scan.Picture, words []ocr.Word, reason string) {
	stance := stanceOf(*p, picture)
	own := trusted(*p, stance)
	p.Width, p.Height = stance.Level()
	for i, r := range p.Rules {
		box := stance.Upright(r.Box)
		p.Rules[i] = page.Rule{Box: box, Vertical: box.Height()*p.Height > box.Width()*p.Width}
	}
	for _, r := range picture.Rules {
		p.Rules = append(p.Rules, page.Rule{Box: boxOf(picture, r.X0, r.Y0, r.X1, r.Y1), Vertical: r.Vertical})
	}
	for i := range p.Checkboxes {
		p.Checkboxes[i].Box = stance.Upright(p.Checkboxes[i].Box)
	}
	for i := range p.Fields {
		p.Fields[i].Box = stance.Upright(p.Fields[i].Box)
	}
	_, mean := ocr.Quality(words)
	p.Reading = page.Reading{Source: page.FromOCR, Reason: reason, Confidence: mean, Stance: stance}
	if !picture.Assumed {
		p.Reading.DPI = picture.DPI
	}
	recognised := place(picture, mend(words))
	if len(own) > 0 {
		p.Reading.Source = page.FromBoth
		recognised = slices.DeleteFunc(recognised, func(w page.Word) bool { return isCovered(w, own) })
	}
	p.Words = slices.Concat(own, recognised)
}

// trusted are a page's own words, where they stand when it is upright.
func trusted(p page.Page, stance page.Stance) []page.Word {
	if p.Hidden > 0 || unknownShare(p.Words) > mostUnknown {
		return nil // which of them are hidden is not told; a font that hides some letters may lie about others
	}
	var own []page.Word
	for _, w := range p.Words {
		if isSound(w) {
			w.Box = stance.Upright(w.Box)
			own = append(own, w)
		}
	}
	return own
}

// isCovered tells whether the middle of a word lies on one of the others.
func isCovered(w page.Word, others []page.Word) bool {
	x, y := (w.Box.X0+w.Box.X1)/2, w.Box.CenterY()
	return slices.ContainsFunc(others, func(o page.Word) bool {
		return x >= o.Box.X0 && x <= o.Box.X1 && y >= o.Box.Y0 && y <= o.Box.Y1
	})
}

func boxOf(picture scan.Picture, x0, y0, x1, y1 int) page.Box {
	width, height := float64(picture.Width), float64(picture.Height)
	return page.Box{X0: float64(x0) / width, Y0: float64(y0) / height, X1: float64(x1) / width, Y1: float64(y1) / height}
}

// place brings recognised words onto the page. Their boxes reach as high and as
// low as their line does, as those of printed text do, so that a dash stands on
// the line of the words beside it.
func place(picture scan.Picture, words []ocr.Word) []page.Word {
	placed := make([]page.Word, 0, len(words))
	for _, line := range linesOf(words) {
		top, bottom := extent(line)
		for _, w := range line {
			placed = append(placed, page.Word{
				Text: w.Text, Box: boxOf(picture, w.X0, min(w.Y0, top), w.X1, max(w.Y1, bottom)),
				Size:   float64(bottom-top) * 72 / float64(max(picture.DPI, 1)) / capitals,
				Source: fieldlift.SourceOCR, Confidence: w.Confidence,
			})
		}
	}
	return placed
}

// capitals is the height of most words' ink, by the size of their font.
const capitals = 0.75

// extent is from where to where most words of a line reach.
func extent(line []ocr.Word) (top, bottom int) {
	var tops, bottoms []int
	for _, w := range line {
		tops, bottoms = append(tops, w.Y0), append(bottoms, w.Y1)
	}
	slices.Sort(tops)
	slices.Sort(bottoms)
	return tops[len(tops)/2], bottoms[len(bottoms)/2]
}

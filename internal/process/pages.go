package process

import (
	"context"
	"os"

	"fieldlift"
	"fieldlift/internal/page"
)

// pages gives the document's page model.
func (p *Processor) pages(ctx context.Context, c fieldlift.Claim) (*page.Document, error) {
	own := c.Document.PagesKey()
	var first []string
	if c.Attempt > 1 {
		first = append(first, own) // it may have got that far
	}
	found, at, err := p.Shelf.Find(ctx, c.Document.AccountID, c.Document.SHA256, first...)
	if err != nil {
		return nil, err
	}
	if found != nil {
		if at != own {
			p.Shelf.Keep(ctx, own, found) // the other may go first
		}
		return found, nil
	}
	path, err := p.fetch(ctx, c.Document)
	if err != nil {
		return nil, err
	}
	defer os.Remove(path)
	document, err := p.Reader.Read(ctx, path)
	if err != nil {
		return nil, err
	}
	p.Shelf.Keep(ctx, own, document)
	return document, nil
}

// readings tells how the text of each page was had.
func readings(document *page.Document) []fieldlift.PageReading {
	list := make([]fieldlift.PageReading, 0, len(document.Pages))
	for _, p := range document.Pages {
		r := p.Reading
		one := fieldlift.PageReading{
			Page: p.Number, Source: r.Source, Reason: r.Reason, Confidence: r.Confidence,
			Rotation: r.Rotation, Skew: r.Skew, DPI: r.DPI, Languages: r.Languages,
		}
		if r.Source == page.FromText {
			one.Confidence = 1
		}
		list = append(list, one)
	}
	return list
}

// asUploaded brings the places of values from upright pages, which engines
// work on, to the pages as they were uploaded.
func asUploaded(document *page.Document, metadata map[string]fieldlift.FieldMetadata) {
	stances := map[int]page.Stance{}
	for _, p := range document.Pages {
		stances[p.Number] = p.Reading.Stance
	}
	for pointer, m := range metadata {
		stance, known := stances[m.Page]
		if !known {
			continue
		}
		boxes := make([][4]float64, 0, len(m.Boxes))
		for _, b := range m.Boxes {
			boxes = append(boxes, stance.Uploaded(page.Box{X0: b[0], Y0: b[1], X1: b[2], Y1: b[3]}).Array())
		}
		m.Boxes = boxes
		metadata[pointer] = m
	}
}

package process

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"fieldlift"
	"fieldlift/internal/blob"
	"fieldlift/internal/page"
)

// kept is what was read off a document's pages, as it lies beside its file. It
// belongs to that document alone and goes with it; another of the same account
// with the same file looks there before it has pages recognised again.
type kept struct {
	Identity string         `json:"identity"` // of who read it
	Document *page.Document `json:"document"`
}

const (
	// mostTwins is how many documents with the same file are looked at.
	mostTwins = 3
	// mostKept bounds what is read back.
	mostKept = 512 << 20
)

// pages gives the document's page model.
func (p *Processor) pages(ctx context.Context, c fieldlift.Claim) (*page.Document, error) {
	if found, err := p.recall(ctx, c); err != nil || found != nil {
		return found, err
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
	p.remember(ctx, c.Document, document)
	return document, nil
}

// recall looks for what was read before off the same file; nil when nothing
// was kept.
func (p *Processor) recall(ctx context.Context, c fieldlift.Claim) (*page.Document, error) {
	twins, err := p.Store.SameContent(ctx, c.Document.AccountID, c.Document.SHA256, mostTwins)
	if err != nil {
		return nil, err
	}
	if c.Attempt > 1 {
		twins = slices.Insert(twins, 0, c.Document) // it may have got that far
	}
	for _, twin := range twins {
		found, err := p.open(ctx, twin)
		if err != nil {
			if !errors.Is(err, blob.ErrNotFound) {
				p.Log.WarnContext(ctx, "what was read before cannot be used", "error", err)
			}
			continue
		}
		if found.Identity != p.Reader.Identity(ctx) || found.Document == nil {
			continue
		}
		if twin.ID != c.Document.ID {
			p.remember(ctx, c.Document, found.Document) // the other may go first
		}
		return found.Document, nil
	}
	return nil, nil
}

func (p *Processor) open(ctx context.Context, d fieldlift.Document) (found kept, err error) {
	content, err := p.Blobs.Open(ctx, d.PagesKey())
	if err != nil {
		return found, err
	}
	defer content.Close()
	unpacked, err := gzip.NewReader(content)
	if err != nil {
		return found, err
	}
	return found, json.NewDecoder(io.LimitReader(unpacked, mostKept)).Decode(&found)
}

// remember keeps what was costly to read. It is no loss when that fails.
func (p *Processor) remember(ctx context.Context, d fieldlift.Document, document *page.Document) {
	if !slices.ContainsFunc(document.Pages, func(one page.Page) bool { return one.Reading.Languages != "" }) {
		return
	}
	var packed bytes.Buffer
	into := gzip.NewWriter(&packed)
	err := json.NewEncoder(into).Encode(kept{p.Reader.Identity(ctx), document})
	if err == nil {
		err = into.Close()
	}
	if err == nil {
		err = p.Blobs.Put(ctx, d.PagesKey(), &packed, int64(packed.Len()))
	}
	if err != nil && ctx.Err() == nil {
		p.Log.WarnContext(ctx, "what was read could not be kept", "error", fmt.Errorf("keep pages: %w", err))
	}
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

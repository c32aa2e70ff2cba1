package reader

import (
	"errors"

	"fieldlift"
	"fieldlift/internal/einvoice"
	"fieldlift/internal/page"
	"fieldlift/internal/scan"
)

// Parent and child speak gob over the child's standard input and output: one
// request, one response, in turn.

type act string

const (
	actWarm    act = "warm"
	actInspect act = "inspect"
	actRead    act = "read"
	actBoxes   act = "boxes"
	actRender  act = "render"
	actScan    act = "scan"
	actSizes   act = "sizes"
	actShow    act = "show"
)

type request struct {
	Act    act
	Path   string
	Kind   string
	Number int // for actRender, actScan and actShow: the page, from 1
	DPI    int // for actRender
	Turn   int // for actScan
	Width  int // for actShow: in pixels

	Numbers []int // for actBoxes: the pages, from 1

	CacheDir  string
	MaxPages  int
	MaxPixels int
	MaxMemory int64
}

type response struct {
	Count int // pages
	Pages []packedPage
	PNG   []byte
	Scan  scan.Picture
	Sizes []Size
	Image PageImage

	Invoice *einvoice.Invoice // that a PDF carries
	Boxes   [][]page.Checkbox // in each of the pages that were asked for

	// What went wrong, if Cause or Message is not empty.
	Code    fieldlift.Code
	Message string
	Cause   string
}

// failure brings an error into a response. Errors without a code of ours are
// not the file's fault; they stay without one.
func failure(err error) response {
	if e, ok := errors.AsType[*fieldlift.Error](err); ok {
		r := response{Code: e.Code, Message: e.Message}
		if e.Err != nil {
			r.Cause = e.Err.Error()
		}
		return r
	}
	return response{Cause: err.Error()}
}

// err is the error that a response carries, if any.
func (r response) err() error {
	switch {
	case r.Message != "":
		e := &fieldlift.Error{Code: r.Code, Message: r.Message}
		if r.Cause != "" {
			e.Err = errors.New(r.Cause)
		}
		return e
	case r.Cause != "":
		return errors.New(r.Cause)
	}
	return nil
}

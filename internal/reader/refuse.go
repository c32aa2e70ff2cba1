package reader

import (
	"fmt"

	"fieldlift"
)

// The sentences by which files are refused. Details of the cause go into Err,
// for the log.

func names(kind string) string {
	return map[string]string{
		kindPDF: "PDF", kindPNG: "PNG image", kindJPEG: "JPEG image", kindWebP: "WebP image",
		kindTIFF: "TIFF image", kindBMP: "BMP image", kindGIF: "GIF image", kindHEIC: "HEIC image",
	}[kind]
}

func damaged(kind string, err error) *fieldlift.Error {
	return &fieldlift.Error{
		Code: fieldlift.PageCountFailed, Err: err,
		Message: fmt.Sprintf("The %s is damaged or of a variety that cannot be read.", names(kind)),
	}
}

func needsPassword() *fieldlift.Error {
	return fieldlift.Errorf(fieldlift.PageCountFailed, "The PDF needs a password.")
}

func noPages(kind string) *fieldlift.Error {
	return fieldlift.Errorf(fieldlift.PageCountFailed, "The %s has no pages.", names(kind))
}

func noSuchPage(number, pages int) *fieldlift.Error {
	return fieldlift.Errorf(fieldlift.InvalidPayload, "There is no page %d; the file has %d.", number, pages)
}

func tooManyPages(most int) *fieldlift.Error {
	return fieldlift.Errorf(fieldlift.InvalidPayload, "The file has more than %d pages, which is the limit.", most)
}

func tooManyMarks(most int) *fieldlift.Error {
	return fieldlift.Errorf(fieldlift.InvalidPayload, "The file has more than %d words and lines, which is the limit.", most)
}

func tooManyPixels(width, height, most int) *fieldlift.Error {
	return fieldlift.Errorf(fieldlift.InvalidPayload,
		"The image has %d x %d pixels; the limit is %d pixels.", width, height, most)
}

func tookTooLong(kind string, err error) *fieldlift.Error {
	return &fieldlift.Error{
		Code: fieldlift.PageCountFailed, Err: err,
		Message: fmt.Sprintf("The %s takes too long to read.", names(kind)),
	}
}

func tookTooMuchMemory(kind string, err error) *fieldlift.Error {
	return &fieldlift.Error{
		Code: fieldlift.PageCountFailed, Err: err,
		Message: fmt.Sprintf("The %s takes too much memory to read.", names(kind)),
	}
}

func crashed(kind string, err error) *fieldlift.Error {
	return &fieldlift.Error{
		Code: fieldlift.PageCountFailed, Err: err,
		Message: fmt.Sprintf("The %s could not be read: it broke the program that tried.", names(kind)),
	}
}
